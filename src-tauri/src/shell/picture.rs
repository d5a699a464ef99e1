//! The picture the window has of everything, and how it is kept up to date.

use super::{OpenFolder, PolicyTold, Shell, home};
use crate::conversation::shown_call_id;
use crate::folders::{self, Folders};
use crate::settings::Settings;
use crate::view::{self, AppEvent};
use crate::window;
use assent_agent::instructions::{Author, FILE_NAME, InstructionFile, instruction_files};
use assent_agent::layers::{LayerFiles, Layers, ProjectTrust};
use std::sync::PoisonError;

/// Most bytes of a running command in the window; its card has the whole of it.
const MOST_SHOWN: usize = 400;

impl Shell {
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

    /// Tells the window how everything is.
    pub fn tell_app(&self) {
        self.picture(|app| self.bridge.send(AppEvent::App { app: Box::new(app) }));
    }

    /// Tells the window something that belongs to no session.
    pub fn warn(&self, code: &str, message: impl Into<view::Sentence>) {
        let (code, message) = (code.to_owned(), message.into());
        self.bridge.send(AppEvent::Warning { session_id: None, code, message });
    }

    /// Changes what the window shows of a waiting call, and tells it; nothing where it waits no longer.
    pub fn approval_changed(&self, id: &str, change: impl FnOnce(&mut view::Approval)) {
        let mut approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(approval) = approvals.get_mut(id) else { return };
        change(approval);
        let approval = Box::new(approval.clone());
        self.bridge.send(AppEvent::ApprovalWaiting { approval });
    }

    /// Gives `send` everything the window shows as a whole. Pictures leave in the order they are made, and what begins or
    /// ends to wait meanwhile is told before this one, which has it, or after it.
    pub fn picture<T>(&self, send: impl FnOnce(view::App) -> T) -> T {
        let _one_at_a_time = self.picturing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut app = self.view();
        let approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        app.approvals = approvals.values().cloned().collect();
        send(app)
    }

    /// Everything but what waits.
    fn view(&self) -> view::App {
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
            running: self.running(),
            instructions: self.instructions(),
            policy_problem: self.policy().problem,
            audit_problem: self
                .engine
                .get()
                .and_then(|engine| engine.as_ref().err().cloned())
                .or_else(|| self.audit.as_ref().ok()?.trouble())
                .map(view::Sentence::from),
            damaged: self.damaged.clone(),
            unsaved: [self.settings.trouble(), self.folders.trouble(), self.origins.trouble()]
                .into_iter()
                .flatten()
                .collect(),
            safe_mode: self.safe_mode,
        }
    }

    /// The commands that go on, oldest first.
    fn running(&self) -> Vec<view::RunningCommand> {
        let running = self.background.list().into_iter().filter(|listed| listed.ended.is_none());
        running
            .map(|listed| view::RunningCommand {
                call_id: shown_call_id(&listed.session, &listed.call_id),
                session_id: listed.session,
                command: view::shown(&view::cut(&listed.command, MOST_SHOWN).0),
                sandboxed: !listed.unsandboxed,
            })
            .collect()
    }

    /// The files that speak to the model in the open folder.
    pub fn instructions(&self) -> Vec<view::InstructionFile> {
        let Some(open) = self.open_folder() else { return Vec::new() };
        instruction_files(&self.places, &open.path).iter().map(instruction_view).collect()
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
            kept_restricted: folder.kept_restricted,
            pinned: folder.pinned,
            last_used_ms: folder.last_used_ms,
            project_policy: self.project_policy(open),
            path,
        }
    }

    fn project_policy(&self, open: &OpenFolder) -> view::ProjectPolicy {
        let Ok(engine) = self.engine() else { return view::ProjectPolicy::Absent };
        let layers = Layers::new(LayerFiles::usual(&self.places, &open.path), &engine.machine);
        let current = layers.current();
        if current.problems.iter().any(|problem| problem.path == layers.files().project) {
            return view::ProjectPolicy::Broken;
        }
        match current.project {
            ProjectTrust::Absent => view::ProjectPolicy::Absent,
            ProjectTrust::Trusted => view::ProjectPolicy::Trusted,
            ProjectTrust::Untrusted { .. } => view::ProjectPolicy::OnlyTightens,
        }
    }

    /// The rules of the open folder as they are now, with the first policy file that is broken: until it is mended,
    /// every call is denied.
    pub fn policy(&self) -> PolicyTold {
        let (Ok(engine), Some(open)) = (self.engine(), self.open_folder()) else {
            return PolicyTold::default();
        };
        let current = Layers::new(LayerFiles::usual(&self.places, &open.path), &engine.machine).current();
        let problem = current.problems.first().map(crate::commands::permissions::problem_view);
        PolicyTold { version: current.version.clone(), problem }
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
                    context_window: profile.context_window,
                    without_tools: profile.without_tools,
                    proxy: view::shown(&profile.proxy),
                    ca_file: view::shown(&profile.ca_file),
                    headers: crate::headers::hidden(&profile.headers),
                })
                .collect(),
            active_profile_id: settings.active_profile.clone(),
            first_run_done: settings.first_run_done,
            file: self.places.config.join("settings.toml").display().to_string(),
            data_folder: self.places.data.display().to_string(),
        }
    }
}

fn instruction_view(file: &InstructionFile) -> view::InstructionFile {
    let (author, path) = match file.author {
        Author::Person => (view::InstructionAuthor::Person, view::shown(&file.path.to_string_lossy())),
        // Paths of the window's requests are relative to the folder.
        Author::Project => (view::InstructionAuthor::Project, FILE_NAME.to_owned()),
    };
    view::InstructionFile { author, path, bytes: file.bytes, cut: file.sent.cut }
}
