//! What all commands share: the parts of the app and the state that the window shows.

use crate::bridge::Bridge;
use crate::folders::{self, Folders};
use crate::kept::Kept;
use crate::presenter::Presenter;
use crate::questions::Questions;
use crate::settings::Settings;
use crate::view::{self, AppEvent, BackendError};
use crate::words::{CurrentWords, Words};
use assent_agent::audit::{AuditLog as _, AuditStore, Entry};
use assent_agent::clock::{Clock, SystemClock};
use assent_agent::places::Places;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
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
    /// The record, or why there is none; then nothing runs.
    pub audit: Result<Arc<AuditStore>, String>,
    /// The sandbox as its self-test saw it.
    pub sandbox: RwLock<view::Sandbox>,
    /// Started with `--safe`: no hooks, default settings.
    pub safe_mode: bool,
    /// The open folder.
    pub open: Mutex<Option<OpenFolder>>,
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
        self.open_folder().ok_or_else(|| BackendError::new("no_workspace", "No folder is open. Choose one first."))
    }

    /// Opens the folder at `path`, which a person picked.
    ///
    /// # Errors
    /// When it can't be reached.
    pub fn open_path(&self, path: &Path) -> Reply<()> {
        let real = path
            .canonicalize()
            .map_err(|error| BackendError::new("not_found", format!("Can't open {}: {error}.", path.display())))?;
        if !real.is_dir() {
            return Err(BackendError::new("not_a_folder", format!("{} is not a folder.", path.display())));
        }
        let now = SystemClock.now_ms();
        self.folders
            .update(|folders| folders.update(&real, |folder| folder.last_used_ms = now))
            .map_err(|error| failed(&error))?;
        let opened_as = (path != real).then(|| path.to_owned());
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(OpenFolder { path: real, opened_as });
        self.tell_app();
        Ok(())
    }

    /// Records something that is no call. What can't be recorded doesn't happen.
    ///
    /// # Errors
    /// When the log can't be written.
    pub fn record(&self, name: &str, reason: &str, details: Value, surface: &str) -> Reply<()> {
        let audit = self.audit.as_ref().map_err(|why| BackendError::new("audit_unavailable", why.clone()))?;
        let entry = Entry { surface: surface.to_owned(), ..Entry::event(name, reason, details) };
        audit.append(&[entry]).map_err(|error| BackendError::new("audit_unavailable", format!("Can't {error}.")))
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
            approvals: Vec::new(),
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
            name: view::shown(&open.path.file_name().map_or_else(|| path.clone(), |n| n.to_string_lossy().into_owned())),
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

/// The home folder, for showing paths.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir()
}

/// An error as the window gets it.
pub fn failed(error: &anyhow::Error) -> BackendError {
    tracing::warn!(error = format!("{error:#}"), "a command failed");
    BackendError::new("io", format!("Can't {error:#}."))
}
