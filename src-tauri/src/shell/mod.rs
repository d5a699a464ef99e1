//! What all commands share: the parts of the app and the state that the window shows.

mod conversations;
mod folder;
mod granted;
mod language;
mod picture;
mod roster;
mod runs;
mod sessions;
mod transcripts;

pub use folder::real_folder;
pub use granted::NO_GRANT;
pub use transcripts::PAGE;

use crate::audit_watch::WatchedLog;
use crate::bridge::Bridge;
use crate::conversation::Conversation;
use crate::deep_link::SessionLink;
use crate::engine::{self, Surroundings};
use crate::folders::Folders;
use crate::grants::{Origins, SessionGrant};
use crate::kept::Kept as KeptFile;
use crate::keys::Keys;
use crate::presenter::Presenter;
use crate::prices::PriceFile;
use crate::questions::Questions;
use crate::settings::Settings;
use crate::tray::Tray;
use crate::view::{self, BackendError};
use crate::waiting::Waiting;
use crate::words::{CurrentWords, Words};
use assent_agent::approval::Broker;
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditLog as _, Entry};
use assent_agent::circumstances::{PolicyLayers, SessionCircumstances};
use assent_agent::engine::Engine;
use assent_agent::places::Places;
use assent_agent::process::background::Background;
use assent_agent::session::SessionStore;
use roster::Roster;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use tauri::AppHandle;

/// How a command answers.
pub type Reply<T> = Result<T, BackendError>;

/// The parts.
pub struct Shell {
    /// Tauri's handle.
    pub app: AppHandle,
    /// Our own folders.
    pub places: Places,
    /// The words in use.
    pub words: CurrentWords,
    /// The stream to the window.
    pub bridge: Bridge,
    /// The settings and their file.
    pub settings: KeptFile<Settings>,
    /// Recents and trust.
    pub folders: KeptFile<Folders>,
    /// Native questions.
    pub questions: Questions,
    /// Dialog, notification, tray.
    pub presenter: Presenter,
    /// The waiting calls.
    pub waiting: Arc<Waiting>,
    /// The name of the dialog in use.
    pub dialog_name: &'static str,
    /// API keys.
    pub keys: Keys,
    /// What models cost.
    pub prices: PriceFile,
    /// The record, or why there is none; then nothing runs.
    pub audit: Result<Arc<WatchedLog>, String>,
    /// Where calls wait, or why they can't.
    pub broker: Result<Arc<Broker>, String>,
    /// The engine, or why there is none; nothing until the machine was looked at.
    pub engine: OnceLock<Result<Engine, String>>,
    /// Commands that go on.
    pub background: Background,
    /// The sessions on disk, or why they can't be had.
    pub sessions: Result<Arc<SessionStore>, String>,
    /// Grants of sessions.
    pub session_grants: Mutex<Vec<SessionGrant>>,
    /// Where the rules came from that the app wrote.
    pub origins: KeptFile<Origins>,
    /// The conversations that this process has taken up.
    pub conversations: Roster<Conversation>,
    /// Held while a picture of everything is made and sent.
    pub picturing: Mutex<()>,
    /// What waits, as the window shows it; changes are told under this lock.
    pub approvals: Mutex<BTreeMap<String, view::Approval>>,
    /// The sandbox as its self-test saw it.
    pub sandbox: RwLock<view::Sandbox>,
    /// Started with `--safe`: default settings. Rules and hooks count as ever: leaving them out would loosen.
    pub safe_mode: bool,
    /// What of the app's own files couldn't be read; defaults stand in for it.
    pub damaged: Vec<view::Sentence>,
    /// The open folder.
    pub open: Mutex<Option<OpenFolder>>,
    /// What the window was told of the open folder last.
    pub folder_told: Mutex<FolderTold>,
    /// The session that a link asks for, until it can be shown.
    pub wanted: Mutex<Option<SessionLink>>,
    /// The person is asked whether to quit, or has said so.
    pub quitting: AtomicBool,
    /// The app ends: no conversation is taken up any more.
    pub leaving: AtomicBool,
    /// The tray icon, where there is one.
    pub tray: OnceLock<Tray>,
}

/// What of a folder can change under the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderTold {
    /// Whether it is gone.
    pub gone: bool,
    /// What speaks to the model in it.
    pub instructions: Vec<view::InstructionFile>,
    /// The rules that count in it.
    pub policy: PolicyTold,
}

/// What of the rules can change under the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyTold {
    /// SHA-256 (hex) over all that decides.
    pub version: String,
    /// Why every call is denied.
    pub problem: Option<view::FileProblem>,
}

/// The folder the window works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFolder {
    /// Its real path.
    pub path: PathBuf,
    /// The link it was opened by.
    pub opened_as: Option<PathBuf>,
}

impl Shell {
    /// The words in use.
    pub fn words(&self) -> Arc<Words> {
        self.words.get()
    }

    /// The engine, or the error that says why nothing can run.
    pub fn engine(&self) -> Reply<&Engine> {
        let starting = || BackendError::new("starting", "Assent is still starting. Try again in a moment.");
        let engine = self.engine.get().ok_or_else(starting)?;
        engine.as_ref().map_err(|why| BackendError::new("engine_unavailable", why.clone()))
    }

    /// The circumstances of a judgement in `open` that belongs to no session.
    pub fn circumstances(
        &self,
        id: &str,
        open: &OpenFolder,
        layers: Arc<dyn PolicyLayers>,
    ) -> Reply<Arc<SessionCircumstances>> {
        let workspace = folder::open_workspace(&open.path)?;
        let (mode, trust) = (self.settings.get().mode, self.trust_of(workspace.root()));
        Ok(Arc::new(self.engine()?.circumstances(id, &Arc::new(workspace), layers, mode, trust)))
    }

    /// The trust of a folder changed: open sessions follow at once.
    pub fn trust_changed(&self) {
        self.conversations.follow(|conversation| self.bring_up_to_date(conversation));
        self.tell_app();
        self.bridge.send(view::AppEvent::PermissionsChanged);
    }

    /// The mode changed: open sessions follow at once, waiting calls too.
    pub fn mode_changed(&self) {
        self.conversations.follow(|conversation| self.bring_up_to_date(conversation));
    }

    /// Mode, trust and language as they are by now.
    fn bring_up_to_date(&self, conversation: &Conversation) {
        let circumstances = conversation.session().circumstances();
        circumstances.set_mode(self.settings.get().mode);
        circumstances.set_trust(self.trust_of(&conversation.workspace));
        conversation.teller().speak(self.words.language().of_requests());
    }

    /// The settings changed.
    pub fn settings_changed(&self, settings: &Settings) {
        self.presenter.set_notifications(settings.notifications);
        self.waiting.set_patience(settings.approval_minutes);
        self.tell_app();
    }

    /// A key was put somewhere, or removed.
    pub fn key_changed(&self, profile_id: &str, place: Option<view::KeyPlace>) {
        let next = self.settings.update(|settings| {
            if let Some(profile) = settings.profiles.iter_mut().find(|profile| profile.id == profile_id) {
                profile.key = place;
            }
        });
        self.redact_secrets();
        self.settings_changed(&next);
    }

    /// What must not be stored, nor copied out: keys, and values of headers.
    pub fn redactor(&self) -> Redactor {
        Redactor::new(self.keys.secrets(&self.settings.get()))
    }

    /// From here on the record holds none of the secrets that are known by now.
    pub fn redact_secrets(&self) {
        if let Ok(audit) = &self.audit {
            audit.set_redactor(self.redactor());
        }
    }

    /// Puts the engine up, now that the machine was looked at, and tells the window.
    pub fn put_up_engine(&self, around: Surroundings) {
        *self.sandbox.write().unwrap_or_else(PoisonError::into_inner) = around.seen.clone();
        let background = self.background.clone();
        self.engine
            .get_or_init(|| engine::engine(&self.places, &self.audit, &self.broker, around, background));
        self.tell_app();
    }

    /// Runs the sandbox's self-test; what it saw counts for every judgement from here on, and the window is told.
    pub async fn test_sandbox(&self) {
        let before = {
            let mut sandbox = self.sandbox.write().unwrap_or_else(PoisonError::into_inner);
            // One test at a time: what is shown is what counts.
            if sandbox.state == view::SandboxStatus::Testing {
                return;
            }
            std::mem::replace(&mut *sandbox, view::Sandbox::testing())
        };
        self.tell_app();
        let tested = tokio::task::spawn_blocking(|| engine::test_sandbox().1).await;
        if let (Ok(tested), Some(Ok(engine))) = (&tested, self.engine.get()) {
            engine.sandbox.tested(tested.state == view::SandboxStatus::InForce);
        }
        *self.sandbox.write().unwrap_or_else(PoisonError::into_inner) = tested.unwrap_or(before);
        self.tell_app();
    }

    /// Records something that is no call. What can't be recorded doesn't happen.
    ///
    /// # Errors
    /// When the log can't be written.
    pub fn record(&self, name: &str, reason: &str, details: Value, surface: &str) -> Reply<()> {
        let audit = self.audit.as_ref().map_err(|why| BackendError::new("audit_unavailable", why.clone()))?;
        let entry = Entry { surface: surface.to_owned(), ..Entry::event(name, reason, details) };
        audit
            .append(&[entry])
            .map_err(|error| BackendError::new("audit_unavailable", format!("Can't {error}.")))
    }
}

/// The home folder, for showing paths.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir()
}

/// An error as the window gets it.
pub fn failed(error: &anyhow::Error) -> BackendError {
    tracing::warn!(error = format!("{error:#}"), "a command failed");
    BackendError::new("io", format!("Can't {error:#}."))
}
