//! What all commands share: the parts of the app and the state that the window shows.

use crate::asking::Asking;
use crate::bridge::Bridge;
use crate::conversation::teller::Teller;
use crate::conversation::{Conversation, Memory, Reporter};
use crate::folders::{self, Folders};
use crate::kept::Kept;
use crate::keys::Keys;
use crate::model;
use crate::presenter::Presenter;
use crate::questions::Questions;
use crate::settings::Settings;
use crate::tray::Tray;
use crate::view::{self, AppEvent, BackendError};
use crate::window;
use crate::words::{CurrentWords, Words};
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditLog as _, AuditStore, Entry};
use assent_agent::clock::{Clock as _, SystemClock, date};
use assent_agent::engine::{Engine, Opening};
use assent_agent::id::new_id;
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::model::Attachment;
use assent_agent::places::Places;
use assent_agent::turn::Limits;
use assent_agent::workspace::Workspace;
use assent_policy::{Mode, ShellTrust};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
    pub settings: Kept<Settings>,
    /// Recents and trust.
    pub folders: Kept<Folders>,
    /// Native questions.
    pub questions: Questions,
    /// Dialog, notification, tray.
    pub presenter: Presenter,
    /// The waiting calls.
    pub asking: Arc<Asking>,
    /// The name of the dialog in use.
    pub dialog_name: &'static str,
    /// API keys.
    pub keys: Keys,
    /// The record, or why there is none; then nothing runs.
    pub audit: Result<Arc<AuditStore>, String>,
    /// The engine, where there is a record.
    pub engine: Option<Engine>,
    /// The conversations of this process, oldest first.
    pub conversations: Mutex<Vec<Arc<Conversation>>>,
    /// What waits, as the window shows it.
    pub approvals: Mutex<BTreeMap<String, view::Approval>>,
    /// The sandbox as its self-test saw it.
    pub sandbox: RwLock<view::Sandbox>,
    /// Started with `--safe`: no hooks, default settings.
    pub safe_mode: bool,
    /// The open folder.
    pub open: Mutex<Option<OpenFolder>>,
    /// The tray icon, where there is one.
    pub tray: OnceLock<Tray>,
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

    /// The open folder.
    pub fn open_folder(&self) -> Option<OpenFolder> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The open folder, or the error that says there is none.
    pub fn workspace(&self) -> Reply<OpenFolder> {
        self.open_folder()
            .ok_or_else(|| BackendError::new("no_workspace", "No folder is open. Choose one first."))
    }

    /// Opens the folder at `path`, which a person picked.
    ///
    /// # Errors
    /// When it can't be reached.
    pub fn open_path(&self, path: &Path) -> Reply<()> {
        let real = path.canonicalize().map_err(|error| {
            BackendError::new("not_found", format!("Can't open {}: {error}.", path.display()))
        })?;
        if !real.is_dir() {
            return Err(BackendError::new("not_a_folder", format!("{} is not a folder.", path.display())));
        }
        let now = SystemClock.now_ms();
        self.folders
            .update(|folders| folders.update(&real, |folder| folder.last_used_ms = now))
            .map_err(|error| failed(&error))?;
        let opened_as = (path != real).then(|| path.to_owned());
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(OpenFolder { path: real, opened_as });
        self.tell_app();
        Ok(())
    }

    /// The engine, or the error that says why nothing can run.
    pub fn engine(&self) -> Reply<&Engine> {
        let why = || self.audit.as_ref().err().cloned().unwrap_or_default();
        self.engine.as_ref().ok_or_else(|| BackendError::new("audit_unavailable", why()))
    }

    /// The conversation `id`.
    pub fn conversation(&self, id: &str) -> Reply<Arc<Conversation>> {
        self.all_conversations()
            .into_iter()
            .find(|conversation| conversation.id == id)
            .ok_or_else(|| BackendError::new("not_found", "There is no such session."))
    }

    /// Every conversation of this process, oldest first.
    pub fn all_conversations(&self) -> Vec<Arc<Conversation>> {
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many calls of a session wait.
    pub fn waiting_in(&self, session: &str) -> usize {
        let approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        approvals.values().filter(|approval| approval.session_id == session).count()
    }

    /// The sessions that a query asks for, newest first.
    pub fn summaries(&self, query: &view::SessionQuery) -> Vec<view::SessionSummary> {
        let text = query.text.to_lowercase();
        let mut found: Vec<view::SessionSummary> = self
            .all_conversations()
            .iter()
            .map(|conversation| conversation.summary(self.waiting_in(&conversation.id)))
            .filter(|session| query.workspace.as_ref().is_none_or(|path| *path == session.workspace))
            .filter(|session| session.archived == query.archived)
            .filter(|session| session.title.to_lowercase().contains(&text))
            .collect();
        found.sort_by_key(|session| std::cmp::Reverse(session.updated_ms));
        found.truncate(query.limit);
        found
    }

    /// Adds a message and starts a run; the session's id.
    ///
    /// # Errors
    /// When there is no folder, no engine or no model, or a run is on.
    pub async fn send(self: &Arc<Self>, message: view::MessageInput) -> Reply<String> {
        if message.text.trim().is_empty() && message.attachments.is_empty() {
            return Err(BackendError::new("empty", "There is nothing to send."));
        }
        let conversation = match &message.session_id {
            Some(id) => self.conversation(id)?,
            None => self.begin_conversation(&message.text)?,
        };
        let cancel = conversation.begin()?;
        let profile = self.settings.get().active();
        let client = model::connect(&profile, self.keys.get(&profile), self.words.language())
            .map_err(|error| failed(&error))?;
        conversation.session().set_model(client);
        let attachments: Vec<Attachment> = message
            .attachments
            .iter()
            .map(|input| Attachment {
                name: input.name.clone(),
                media_type: input.media_type.clone(),
                data: input.base64.clone(),
            })
            .collect();
        let shown_attachments = message
            .attachments
            .iter()
            .map(|input| view::Attachment {
                name: view::shown(&input.name),
                media_type: view::shown(&input.media_type),
                bytes: input.base64.len() / 4 * 3,
            })
            .collect();
        let now = SystemClock.now_ms();
        let said = conversation.teller().user(now, &message.text, &message.mentions, shown_attachments);
        self.session_changed(&conversation);
        self.bridge.send(said);
        let id = conversation.id.clone();
        let shell = Arc::clone(self);
        let text = with_mentions(&message.text, &message.mentions);
        tauri::async_runtime::spawn(async move {
            let outcome = Arc::clone(&conversation).run(text, attachments, cancel).await;
            shell.session_changed(&conversation);
            shell.run_ended(&conversation, outcome);
        });
        Ok(id)
    }

    fn begin_conversation(self: &Arc<Self>, first_words: &str) -> Reply<Arc<Conversation>> {
        let engine = self.engine()?;
        let open = self.workspace()?;
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let workspace = Arc::new(Workspace::open(&open.path).map_err(|error| broken(&error))?);
        let now = SystemClock.now_ms();
        let id = new_id(now).map_err(|error| broken(&error))?;
        let teller = Arc::new(Mutex::new(Teller::new(&id, self.risk_sentences())));
        let reporter = Reporter { teller: Arc::clone(&teller), bridge: self.bridge.clone() };
        let settings = self.settings.get();
        let profile = settings.active();
        let client = model::connect(&profile, self.keys.get(&profile), self.words.language())
            .map_err(|error| failed(&error))?;
        let files = LayerFiles::usual(&self.places, workspace.root());
        let session = engine
            .session(Opening {
                id,
                layers: Arc::new(Layers::new(files, &engine.machine)),
                mode: settings.mode,
                trust: self.trust_of(&open.path),
                history: Arc::new(Memory::default()),
                model: client,
                advisor: None,
                observer: Arc::new(reporter),
                limits: Limits { turns: u32::from(settings.max_turns), ..Limits::default() },
                date: date(now),
                workspace,
            })
            .map_err(|error| broken(&error))?;
        let conversation = Arc::new(Conversation::new(session, teller, first_words));
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&conversation));
        Ok(conversation)
    }

    fn risk_sentences(&self) -> crate::conversation::teller::Sentences {
        let words = self.words.language().of_requests();
        Box::new(move |risk| view::shown(&risk.sentence_in(words)))
    }

    fn trust_of(&self, path: &Path) -> ShellTrust {
        let folder = self.folders.get().get(path);
        match (folder.trusted_ms.is_some(), folder.shell_off) {
            (false, _) => ShellTrust::Untrusted,
            (true, true) => ShellTrust::SwitchedOff,
            (true, false) => ShellTrust::Trusted,
        }
    }

    /// The trust of a folder changed: open sessions follow at once.
    pub fn trust_changed(&self) {
        for conversation in self.all_conversations() {
            conversation.session().circumstances().set_trust(self.trust_of(&conversation.workspace));
        }
        self.tell_app();
    }

    /// The mode changed: open sessions follow at once, waiting calls too.
    pub fn mode_changed(&self, mode: Mode) {
        for conversation in self.all_conversations() {
            conversation.session().circumstances().set_mode(mode);
        }
    }

    /// The settings changed.
    pub fn settings_changed(&self, settings: &Settings) {
        self.presenter.set_notifications(settings.notifications);
        self.tell_app();
    }

    /// A key was put somewhere, or removed.
    ///
    /// # Errors
    /// When the settings can't be written.
    pub fn key_changed(&self, profile_id: &str, place: Option<view::KeyPlace>) -> Reply<()> {
        let next = self
            .settings
            .update(|settings| {
                if let Some(profile) = settings.profiles.iter_mut().find(|profile| profile.id == profile_id) {
                    profile.key = place;
                }
            })
            .map_err(|error| failed(&error))?;
        if let Ok(audit) = &self.audit {
            audit.set_redactor(Redactor::new(self.keys.known()));
        }
        self.settings_changed(&next);
        Ok(())
    }

    /// Tells the window about a session's line in the list.
    pub fn session_changed(&self, conversation: &Conversation) {
        let session = conversation.summary(self.waiting_in(&conversation.id));
        self.bridge.send(AppEvent::SessionChanged { session });
    }

    /// This many calls wait: title, badge and tray say so.
    pub fn show_waiting(&self, waiting: usize) {
        let words = self.words();
        window::show_waiting(&self.app, &words, waiting);
        if let Some(tray) = self.tray.get()
            && let Err(error) = tray.show(&words, waiting)
        {
            tracing::warn!(%error, "the tray can't be brought up to date");
        }
    }

    /// Whether a run is on anywhere.
    pub fn is_running(&self) -> bool {
        self.all_conversations().iter().any(|conversation| conversation.is_running())
    }

    fn run_ended(&self, conversation: &Conversation, outcome: Option<view::RunOutcome>) {
        tracing::info!(session = conversation.id, ?outcome, "a run ended");
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

    /// Tells the window how everything is.
    pub fn tell_app(&self) {
        self.bridge.send(AppEvent::App { app: Box::new(self.view()) });
    }

    /// Everything the window shows as a whole.
    pub fn view(&self) -> view::App {
        let settings = self.settings.get();
        let folders = self.folders.get();
        view::App {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            os: std::env::consts::OS.to_owned(),
            language: self.words.language().tag().to_owned(),
            workspace: self.open_folder().map(|open| self.folder_view(&folders, &open)),
            recents: folders
                .recents()
                .into_iter()
                .map(|folder| self.folder_view(&folders, &OpenFolder { path: folder.path, opened_as: None }))
                .collect(),
            mode: settings.mode,
            sandbox: self.sandbox.read().unwrap_or_else(PoisonError::into_inner).clone(),
            settings: self.settings_view(&settings),
            approvals: self
                .approvals
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .values()
                .cloned()
                .collect(),
            policy_problem: None,
            audit_problem: self.audit.as_ref().err().cloned(),
            safe_mode: self.safe_mode,
        }
    }

    fn folder_view(&self, folders: &Folders, open: &OpenFolder) -> view::Workspace {
        let folder = folders.get(&open.path);
        let home = home();
        let path = open.path.to_string_lossy().into_owned();
        view::Workspace {
            display: folders::display(&open.path, home.as_deref()),
            name: view::shown(
                &open.path.file_name().map_or_else(|| path.clone(), |n| n.to_string_lossy().into_owned()),
            ),
            opened_as: open.opened_as.as_ref().map(|path| folders::display(path, home.as_deref())),
            exists: open.path.is_dir(),
            trusted: folder.trusted_ms.is_some(),
            shell_enabled: folder.trusted_ms.is_some() && !folder.shell_off,
            pinned: folder.pinned,
            last_used_ms: folder.last_used_ms,
            project_policy: view::ProjectPolicy::Absent,
            path,
        }
    }

    fn settings_view(&self, settings: &Settings) -> view::Settings {
        view::Settings {
            language: settings.language,
            theme: settings.theme,
            font_size: settings.font_size,
            notifications: settings.notifications,
            close_to_tray: settings.close_to_tray,
            approval_minutes: settings.approval_minutes,
            max_turns: settings.max_turns,
            profiles: settings
                .profiles
                .iter()
                .map(|profile| view::ModelProfile {
                    profile_id: profile.id.clone(),
                    name: view::shown(&profile.name),
                    kind: profile.kind,
                    base_url: view::shown(&profile.base_url),
                    model: view::shown(&profile.model),
                    has_key: profile.key.is_some(),
                    key_place: profile.key,
                    local: crate::settings::is_local(&profile.base_url),
                })
                .collect(),
            active_profile_id: settings.active_profile.clone(),
            first_run_done: settings.first_run_done,
            file: self.places.config.join("settings.toml").display().to_string(),
            data_folder: self.places.data.display().to_string(),
        }
    }
}

/// The message as the model reads it: the files the person named stand below it.
fn with_mentions(text: &str, mentions: &[String]) -> String {
    if mentions.is_empty() {
        return text.to_owned();
    }
    let named: Vec<String> = mentions.iter().map(|path| format!("@{path}")).collect();
    format!("{text}\n\nFiles named by the user: {}", named.join(", "))
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
