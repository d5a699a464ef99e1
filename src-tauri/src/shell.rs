//! What all commands share: the parts of the app and the state that the window shows.

use crate::asking::Asking;
use crate::audit_feed::AuditFeed;
use crate::bridge::Bridge;
use crate::conversation::teller::{Sentences, Teller};
use crate::conversation::{Conversation, Reporter, stored, with_mentions};
use crate::folders::{self, Folders};
use crate::grants::{Origins, SessionGrant};
use crate::kept::Kept as KeptFile;
use crate::keys::Keys;
use crate::notification::{Note, Notifier, Reaction};
use crate::presenter::Presenter;
use crate::questions::Questions;
use crate::settings::Settings;
use crate::tray::Tray;
use crate::view::{self, AppEvent, BackendError};
use crate::words::{CurrentWords, Words, fill};
use crate::{model, window};
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditError, AuditLog as _, AuditPlaces, AuditReader, AuditStore, Entry};
use assent_agent::circumstances::{Fixed, PolicyLayers, SessionCircumstances};
use assent_agent::clock::{Clock as _, SystemClock, date};
use assent_agent::engine::{Engine, Opening};
use assent_agent::id::new_id;
use assent_agent::layers::{LayerFiles, Layers, ProjectTrust};
use assent_agent::model::Attachment;
use assent_agent::places::Places;
use assent_agent::session::{
    Fate, Filter, Item, SessionLock, SessionLockError, SessionRecord, SessionStore, resume,
};
use assent_agent::turn::Limits;
use assent_agent::workspace::Workspace;
use assent_policy::{Mode, ShellTrust};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use tauri::{AppHandle, Manager as _};
use tokio_util::sync::CancellationToken;

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
    pub asking: Arc<Asking>,
    /// The name of the dialog in use.
    pub dialog_name: &'static str,
    /// API keys.
    pub keys: Keys,
    /// The record, or why there is none; then nothing runs.
    pub audit: Result<Arc<AuditStore>, String>,
    /// The engine, where there is a record.
    pub engine: Option<Engine>,
    /// The sessions on disk, or why they can't be had.
    pub sessions: Result<Arc<SessionStore>, String>,
    /// Keeps the audit tab live.
    pub feed: AuditFeed,
    /// Grants of sessions.
    pub session_grants: Mutex<Vec<SessionGrant>>,
    /// Where the rules came from that the app wrote.
    pub origins: KeptFile<Origins>,
    /// The conversations that this process has taken up.
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

    /// The sessions on disk.
    pub fn store(&self) -> Reply<&Arc<SessionStore>> {
        self.sessions.as_ref().map_err(|why| BackendError::new("io", why.clone()))
    }

    /// The conversation `id` where this process has it already.
    pub fn running_conversation(&self, id: &str) -> Option<Arc<Conversation>> {
        self.all_conversations().into_iter().find(|conversation| conversation.id == id)
    }

    /// The conversation `id`, taken up from the disk where needed.
    ///
    /// # Errors
    /// When there is none, its folder is gone, or another process has it.
    pub fn conversation(&self, id: &str) -> Reply<Arc<Conversation>> {
        if let Some(conversation) = self.running_conversation(id) {
            return Ok(conversation);
        }
        let record = self.record_of(id)?;
        let open = OpenFolder { path: record.workspace.into(), opened_as: None };
        if !open.path.is_dir() {
            return Err(BackendError::new(
                "read_only",
                "The folder of this session is gone. Locate it first.",
            ));
        }
        self.assemble(id, &open)
    }

    /// What is stored of a session.
    pub fn record_of(&self, id: &str) -> Reply<SessionRecord> {
        self.store()?.session(id).map_err(|error| BackendError::new("not_found", format!("Can't {error}.")))
    }

    /// Every conversation that this process has taken up.
    pub fn all_conversations(&self) -> Vec<Arc<Conversation>> {
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Drops a conversation from memory; it ends, and its lock is let go.
    pub fn forget_conversation(&self, id: &str) {
        let mut conversations = self.conversations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = conversations.iter().position(|conversation| conversation.id == id) {
            conversations.remove(place).stop();
        }
    }

    /// How many calls of a session wait.
    pub fn waiting_in(&self, session: &str) -> usize {
        let approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        approvals.values().filter(|approval| approval.session_id == session).count()
    }

    /// The sessions that a query asks for, newest first.
    pub fn summaries(&self, query: view::SessionQuery) -> Reply<Vec<view::SessionSummary>> {
        let filter = Filter {
            workspace: query.workspace,
            archived: query.archived,
            words: query.text,
            limit: query.limit.min(1_000),
        };
        let records = self.store()?.list(&filter);
        let records = records.map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        Ok(records.into_iter().map(|record| self.summary(record)).collect())
    }

    /// A session's line in the list.
    pub fn summary(&self, record: SessionRecord) -> view::SessionSummary {
        let conversation = self.running_conversation(&record.id);
        let path = PathBuf::from(&record.workspace);
        let taken = || {
            conversation.is_none()
                && self.engine.as_ref().is_some_and(|engine| {
                    matches!(SessionLock::take(&engine.scratch(&record.id)), Err(SessionLockError::Taken))
                })
        };
        let read_only = if !path.is_dir() {
            Some(view::ReadOnly::FolderMissing)
        } else if taken() {
            Some(view::ReadOnly::OtherProcess)
        } else {
            None
        };
        view::SessionSummary {
            title: view::shown(&record.title),
            workspace_display: folders::display(&path, home().as_deref()),
            workspace: record.workspace,
            created_ms: record.created_ms,
            updated_ms: record.updated_ms,
            running: conversation.is_some_and(|conversation| conversation.is_running()),
            waiting: self.waiting_in(&record.id),
            archived: record.archived,
            read_only,
            session_id: record.id,
        }
    }

    /// The transcript of a session, whether or not this process runs it.
    pub fn transcript<T>(&self, id: &str, read: impl FnOnce(&Teller) -> T) -> Reply<T> {
        if let Some(conversation) = self.running_conversation(id) {
            return Ok(read(&conversation.teller()));
        }
        let mut teller = Teller::new(id, self.risk_sentences());
        stored::retell(self.store()?, id, &mut teller)
            .map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        Ok(read(&teller))
    }

    /// Adds a message and starts a run; the session's id.
    ///
    /// # Errors
    /// When there is no folder, no engine or no model, or a run is on.
    pub async fn send(self: &Arc<Self>, message: view::MessageInput) -> Reply<String> {
        if message.text.trim().is_empty() && message.attachments.is_empty() {
            return Err(BackendError::new("empty", "There is nothing to send."));
        }
        let profile = self.settings.get().active();
        let client = model::connect(&profile, self.keys.get(&profile), self.words.language())
            .map_err(|error| failed(&error))?;
        let conversation = match &message.session_id {
            Some(id) => self.conversation(id)?,
            None => self.begin_conversation()?,
        };
        let cancel = conversation.begin()?;
        if let Some(item_id) = &message.replace_from
            && let Err(error) = self.cut(&conversation, item_id)
        {
            conversation.abandon();
            return Err(error);
        }
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
        self.bridge.send(said);
        let id = conversation.id.clone();
        let shell = Arc::clone(self);
        let text = with_mentions(&message.text, &message.mentions);
        tauri::async_runtime::spawn(async move {
            shell.session_changed(&conversation.id);
            let outcome = Arc::clone(&conversation).run(text, attachments, cancel).await;
            shell.session_changed(&conversation.id);
            shell.bridge.send(AppEvent::ChangesChanged { session_id: conversation.id.clone() });
            shell.run_ended(&conversation, outcome).await;
        });
        Ok(id)
    }

    /// Takes the message `item_id` and all after it out of the history; changes to files stay.
    fn cut(&self, conversation: &Conversation, item_id: &str) -> Reply<()> {
        let missing = || BackendError::new("not_found", "That message isn't there any more.");
        let mut teller = conversation.teller();
        let from_seq = teller.seq_of(item_id).ok_or_else(missing)?;
        self.store()?
            .append(&conversation.id, &Item::Cut { from_seq })
            .map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        let told = teller.cut_at(from_seq).ok_or_else(missing)?;
        self.bridge.send(told);
        Ok(())
    }

    fn begin_conversation(&self) -> Reply<Arc<Conversation>> {
        let open = self.workspace()?;
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let id = new_id(SystemClock.now_ms()).map_err(|error| broken(&error))?;
        self.store()?.create(&id, &open.path.to_string_lossy()).map_err(|error| broken(&error))?;
        self.assemble(&id, &open)
    }

    /// Takes a session up: lock, transcript, honest answers to what was on when it ended, engine.
    fn assemble(&self, id: &str, open: &OpenFolder) -> Reply<Arc<Conversation>> {
        let engine = self.engine()?;
        let store = Arc::clone(self.store()?);
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let lock = SessionLock::take(&engine.scratch(id))
            .map_err(|error| BackendError::new("read_only", format!("Can't {error}.")))?;
        resume(&store, id, |call| self.fate(id, call)).map_err(|error| broken(&error))?;
        let mut teller = Teller::new(id, self.risk_sentences());
        stored::retell(&store, id, &mut teller).map_err(|error| broken(&error))?;
        let teller = Arc::new(Mutex::new(teller));
        let workspace = Arc::new(Workspace::open(&open.path).map_err(|error| broken(&error))?);
        let layers =
            Arc::new(Layers::new(LayerFiles::usual(&self.places, workspace.root()), &engine.machine));
        let settings = self.settings.get();
        let profile = settings.active();
        let client = model::connect(&profile, self.keys.get(&profile), self.words.language())
            .map_err(|error| failed(&error))?;
        let session = engine
            .session(Opening {
                id: id.to_owned(),
                layers: Arc::clone(&layers) as Arc<dyn PolicyLayers>,
                mode: settings.mode,
                trust: self.trust_of(&open.path),
                history: Arc::new(stored::Kept::new(Arc::clone(&store), id, Arc::clone(&teller))),
                model: client,
                advisor: None,
                observer: Arc::new(Reporter::new(
                    id,
                    Arc::clone(&teller),
                    self.bridge.clone(),
                    self.feed.clone(),
                    store,
                    workspace.root().to_owned(),
                    engine.scratch(id),
                )),
                limits: Limits { turns: u32::from(settings.max_turns), ..Limits::default() },
                date: date(SystemClock.now_ms()),
                workspace,
            })
            .map_err(|error| broken(&error))?;
        let conversation = Arc::new(Conversation::new(session, teller, layers, lock));
        self.conversations.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&conversation));
        Ok(conversation)
    }

    /// Whether a call of a session that ended had begun, as the audit knows.
    fn fate(&self, session: &str, call: &str) -> Fate {
        let places = AuditPlaces { data: self.places.data.clone(), state: self.places.state.clone() };
        let began = || -> Result<bool, AuditError> {
            let Some(reader) = AuditReader::open(&places)? else { return Ok(false) };
            let Some(seq) = reader.call(call)? else { return Ok(false) };
            let detail = reader.detail(seq)?;
            Ok(detail.is_some_and(|detail| {
                detail.row.session == session && detail.records.iter().any(|record| record.phase == "start")
            }))
        };
        // What can't be known may have had an effect.
        if began().unwrap_or(true) { Fate::Began } else { Fate::NeverBegan }
    }

    /// The circumstances of a judgement in `open` that belongs to no session.
    pub fn circumstances(
        &self,
        id: &str,
        open: &OpenFolder,
        layers: Arc<dyn PolicyLayers>,
    ) -> Reply<Arc<SessionCircumstances>> {
        let engine = self.engine()?;
        let workspace = Workspace::open(&open.path)
            .map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        let own = [&self.places.config, &self.places.data, &self.places.state];
        let fixed = Fixed {
            machine: Arc::clone(&engine.machine),
            workspace: Arc::new(workspace),
            layers,
            own_paths: own.map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).to_vec(),
            environment: engine.environment.clone(),
            sandbox: engine.sandbox,
            session: id.to_owned(),
        };
        let mode = self.settings.get().mode;
        Ok(Arc::new(SessionCircumstances::new(fixed, mode, self.trust_of(&open.path))))
    }

    /// Every grant: of sessions, and the rules that the app wrote.
    pub fn grants(&self) -> Vec<view::Grant> {
        let session = self.session_grants.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = self.origins.get().grants.into_iter().map(|origin| view::Grant {
            grant_id: format!("rule:{}", origin.rule),
            text: view::shown_lines(&origin.text),
            scope: view::GrantScope::Rule,
            session_id: None,
            origin_call_id: Some(origin.call),
            created_ms: origin.created_ms,
            last_used_ms: None,
            uses: 0,
            expires_ms: None,
        });
        session.iter().map(SessionGrant::view).chain(rules).collect()
    }

    /// Adds a grant for the rest of a session; the person was asked.
    pub fn add_session_grant(&self, grant: SessionGrant) -> Reply<()> {
        self.conversation(&grant.session)?.layers.grant(grant.grant.clone());
        self.session_grants.lock().unwrap_or_else(PoisonError::into_inner).push(grant);
        Ok(())
    }

    /// Takes a grant of a session back, at once.
    pub fn revoke_session_grant(&self, id: &str) -> Reply<()> {
        let mut grants = self.session_grants.lock().unwrap_or_else(PoisonError::into_inner);
        let place = grants.iter().position(|grant| grant.id == id);
        let place = place.ok_or_else(|| BackendError::new("not_found", "There is no such grant."))?;
        let grant = grants.remove(place);
        if let Some(conversation) = self.running_conversation(&grant.session) {
            conversation.layers.revoke(&grant.grant);
        }
        Ok(())
    }

    fn risk_sentences(&self) -> Sentences {
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
    pub fn session_changed(&self, id: &str) {
        match self.record_of(id) {
            Ok(record) => self.bridge.send(AppEvent::SessionChanged { session: self.summary(record) }),
            Err(_) => self.bridge.send(AppEvent::SessionsChanged),
        }
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

    /// A run ended: where nobody looks, a notification says so.
    async fn run_ended(&self, conversation: &Conversation, outcome: Option<view::RunOutcome>) {
        tracing::info!(session = conversation.id, ?outcome, "a run ended");
        let looking = self
            .app
            .get_webview_window(window::MAIN)
            .is_some_and(|window| window.is_focused().unwrap_or(false));
        let stopped = outcome == Some(view::RunOutcome::Cancelled);
        if looking || stopped || self.settings.get().notifications == view::Notifications::Off {
            return;
        }
        let words = self.words();
        let name = conversation.workspace.file_name().map(|name| name.to_string_lossy().into_owned());
        let template = match outcome {
            Some(view::RunOutcome::Completed) => &words.notify_done,
            Some(_) | None => &words.notify_failed,
        };
        let body = fill(template, &[("workspace", &name.unwrap_or_default())]);
        let note = Note { title: words.notify_done_title.clone(), body, actions: None };
        if let Reaction::Failed(why) = Notifier::new().show(note, CancellationToken::new()).await {
            tracing::info!(why, "no notification");
        }
    }

    /// Leaves the open folder.
    pub fn close_folder(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Runs the sandbox's self-test and tells the window what it saw.
    pub async fn test_sandbox(&self) {
        let now = crate::engine::sandbox_view();
        *self.sandbox.write().unwrap_or_else(PoisonError::into_inner) = now;
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
            policy_problem: self.policy_problem(),
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
            project_policy: self.project_policy(open),
            path,
        }
    }

    fn project_policy(&self, open: &OpenFolder) -> view::ProjectPolicy {
        let Some(engine) = &self.engine else { return view::ProjectPolicy::Absent };
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

    /// The first policy file that is broken: until it is mended, every call is denied.
    fn policy_problem(&self) -> Option<view::FileProblem> {
        let engine = self.engine.as_ref()?;
        let open = self.open_folder()?;
        let layers = Layers::new(LayerFiles::usual(&self.places, &open.path), &engine.machine);
        layers.current().problems.first().map(crate::commands::permissions::problem_view)
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
