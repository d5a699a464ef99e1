//! Sessions: listed, taken up from the disk, sent to, and ended.

use super::folder::open_workspace;
use super::{OpenFolder, Reply, Shell, failed, home};
use crate::changes::Changes;
use crate::conversation::replaced::{need_something, replace};
use crate::conversation::teller::Teller;
use crate::conversation::{Begun, Conversation, Reporter, Work, parse_call_id, stored, with_mentions};
use crate::deep_link::SessionLink;
use crate::folders;
use crate::notification::{Notifier, Reaction};
use crate::settings::{Profile, Settings, TOUR};
use crate::view::{self, AppEvent, BackendError};
use crate::{model, run_end, window};
use assent_agent::attachments::{NotAttached, received_base64};
use assent_agent::audit::{AuditError, AuditLog as _};
use assent_agent::circumstances::PolicyLayers;
use assent_agent::clock::{Clock as _, SystemClock, date};
use assent_agent::engine::Opening;
use assent_agent::event::Observer;
use assent_agent::id::new_id;
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::model::tokens::estimate_message;
use assent_agent::model::{Attachment, ModelClient, ProposedCall, ToolMessage};
use assent_agent::session::{
    Fate, Filter, SessionLock, SessionRecord, SessionStore, StoredHistory, open_calls, resume,
};
use assent_agent::turn::{History as _, HistoryError, Limits};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::Manager as _;
use tokio_util::sync::CancellationToken;

/// Most items of a transcript that the window gets at once.
pub const PAGE: usize = 200;

/// How a session is taken up from the disk.
#[derive(Clone, Copy)]
enum TakeUp {
    /// For a new message: what was on when it ended is answered.
    Anew,
    /// Because a person answered a call that waited: the run goes on.
    GoingOn,
}

impl Shell {
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
        let open = OpenFolder { path: self.record_of(id)?.workspace.into(), opened_as: None };
        self.assemble(id, &open, TakeUp::Anew).map(|(conversation, _)| conversation)
    }

    /// Nothing is sent where the session's folder isn't any more; the window is told so.
    fn need_folder(&self, id: &str) -> Reply<()> {
        if Path::new(&self.record_of(id)?.workspace).is_dir() {
            return Ok(());
        }
        self.session_changed(id);
        self.look_for_folder();
        Err(BackendError::new("read_only", "The folder of this session is gone. Locate it first."))
    }

    /// What is stored of a session.
    pub fn record_of(&self, id: &str) -> Reply<SessionRecord> {
        self.store()?.session(id).map_err(|error| BackendError::new("not_found", format!("Can't {error}.")))
    }

    /// What the file tools changed in the session `id`.
    ///
    /// # Errors
    /// When there is no such session, or its changes can't be read.
    pub fn changes(&self, id: &str) -> Reply<Changes> {
        let root = self.record_of(id)?.workspace.into();
        Changes::open(id, root, &self.engine()?.scratch(id))
    }

    /// Every conversation that this process has taken up.
    pub fn all_conversations(&self) -> Vec<Arc<Conversation>> {
        self.conversations.list()
    }

    /// Ends a conversation of this process and drops it from memory: its run first, then its lock is let go. Whether
    /// there was one.
    pub async fn end_conversation(&self, id: &str) -> bool {
        let Some(conversation) = self.running_conversation(id) else { return false };
        // Until its end it stays on the list: another process is not who has it.
        conversation.close().await;
        drop(self.conversations.remove(|listed| Arc::ptr_eq(&conversation, listed)));
        self.end_session_grants(id);
        true
    }

    /// Deletes a session with everything that belongs to it: undo copies, whole outputs, what was moved to quarantine.
    /// Its run and its commands in the background end first. The audit stays.
    ///
    /// # Errors
    /// When another process runs it, or something of it can't be deleted.
    pub async fn delete_session(&self, id: &str) -> Reply<()> {
        let scratch = self.engine()?.scratch(id);
        if !self.end_conversation(id).await {
            SessionLock::take(&scratch)
                .map_err(|error| BackendError::new("read_only", format!("Can't {error}.")))?;
        }
        self.background.end(id).await;
        self.waiting.withdraw_adopted(id);
        self.store()?.delete(id).map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        self.bridge.send(AppEvent::SessionDeleted { session_id: id.to_owned() });
        let kept = format!("delete {}", scratch.display());
        let removed = tokio::task::spawn_blocking(move || remove_folder(&scratch)).await;
        let removed = removed.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        removed.map_err(|error| failed(&anyhow::Error::from(error).context(kept)))
    }

    /// Changes what the window shows of a waiting call, and tells it; nothing where it waits no longer.
    pub fn approval_changed(&self, id: &str, change: impl FnOnce(&mut view::Approval)) {
        let mut approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(approval) = approvals.get_mut(id) else { return };
        change(approval);
        let approval = Box::new(approval.clone());
        self.bridge.send(AppEvent::ApprovalWaiting { approval });
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
                && self.engine().is_ok_and(|engine| SessionLock::is_taken(&engine.scratch(&record.id)))
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
        self.read(id, |teller, _| read(teller))
    }

    /// [`Self::transcript`], with whether a run is on: its end is told under the transcript's lock, so that it can't
    /// be told before what is read here.
    fn read<T>(&self, id: &str, read: impl FnOnce(&Teller, bool) -> T) -> Reply<T> {
        if let Some(conversation) = self.running_conversation(id) {
            let teller = conversation.teller();
            return Ok(read(&teller, conversation.is_running()));
        }
        let mut teller = self.retold(id)?;
        self.mark_waiting(id, &mut teller);
        Ok(read(&teller, false))
    }

    /// The transcript of a session as it is on disk.
    fn retold(&self, id: &str) -> Reply<Teller> {
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let mut teller = Teller::new(id, self.words.language().of_requests(), self.prices.table());
        stored::retell(self.store()?, id, &mut teller).map_err(|error| broken(&error))?;
        self.measure(id, &mut teller).map_err(|error| broken(&error))?;
        Ok(teller)
    }

    /// About how much of the chosen model's context the conversation fills.
    fn measure(&self, id: &str, teller: &mut Teller) -> Result<(), HistoryError> {
        let Ok(store) = &self.sessions else { return Ok(()) };
        let messages = StoredHistory::new(Arc::clone(store), id).messages()?;
        let used = messages.iter().map(estimate_message).fold(0, u64::saturating_add);
        let profile = self.settings.get().active();
        let window =
            model::settings(&profile, None).ok().flatten().and_then(|settings| settings.context_window);
        teller.fill_context(used, window);
        Ok(())
    }

    /// Calls that wait though no run of this process asks for them are shown as waiting.
    fn mark_waiting(&self, id: &str, teller: &mut Teller) {
        let approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        for approval in approvals.values().filter(|approval| approval.session_id == id) {
            if let Some((_, call)) = parse_call_id(&approval.call_id) {
                teller.waits(call, &approval.approval_id, approval.diffs.clone());
            }
        }
    }

    /// Tells the window to show a session from here: its newest items.
    ///
    /// They leave under the lock that every later event of the session takes, so none is lost or told twice.
    ///
    /// # Errors
    /// When there is no such session or it can't be read.
    pub fn tell_opened(&self, id: &str) -> Reply<()> {
        let session = self.summary(self.record_of(id)?);
        self.read(id, |teller, running| {
            let items = teller.items();
            let from = items.len().saturating_sub(PAGE);
            let transcript = view::Transcript {
                session: view::SessionSummary { running, ..session },
                items: items.iter().skip(from).cloned().collect(),
                before: (from > 0).then(|| from.to_string()),
                usage: teller.spending().view(),
            };
            self.bridge.send(AppEvent::SessionOpened { transcript: Box::new(transcript) });
        })
    }

    /// Adds a message and starts a run; the session's id.
    ///
    /// # Errors
    /// When there is no folder, no engine or no model, or a run is on.
    pub async fn send(self: &Arc<Self>, message: view::MessageInput) -> Reply<String> {
        let run_id = fresh_id()?;
        let picked =
            message.attachments.iter().map(|input| received_base64(&input.name, &input.base64)).collect();
        let picked: Result<Vec<Attachment>, NotAttached> = picked;
        let mut attachments =
            picked.map_err(|refused| BackendError::new("not_attached", format!("Can't {refused}.")))?;
        if message.replace_from.is_none() {
            need_something(&message.text, &attachments)?;
        }
        let profile = self.settings.get().active();
        let client = self.client(&profile)?;
        let conversation = match &message.session_id {
            Some(id) => {
                self.need_folder(id)?;
                self.conversation(id)?
            }
            None => {
                let conversation = self.begin_conversation()?;
                self.tell_opened(&conversation.id)?;
                conversation
            }
        };
        let begun = conversation.begin()?;
        if let Some(item_id) = &message.replace_from {
            let (store, mut teller) = (self.store()?, conversation.teller());
            let (along, told) =
                replace(store, &conversation.id, &mut teller, item_id, &message.text, attachments)?;
            self.bridge.send(told);
            attachments = along;
        }
        let now = SystemClock.now_ms();
        conversation.session().begin_with(client, limits(&self.settings.get()), date(now));
        let (named, refused) = conversation.session().mentioned(&message.mentions);
        attachments.extend(named);
        let shown_attachments = attachments.iter().map(stored::attachment_view).collect();
        conversation.teller().user(now, &message.text, &message.mentions, shown_attachments);
        for NotAttached { name, why } in refused {
            let message = format!("{name} is not sent along: {}.", why.trim_end_matches('.')).into();
            let (session_id, code) = (Some(conversation.id.clone()), "not_attached".to_owned());
            self.bridge.send(AppEvent::Warning { session_id, code, message });
        }
        let id = conversation.id.clone();
        let shell = Arc::clone(self);
        let text = with_mentions(&message.text, &message.mentions);
        tauri::async_runtime::spawn(async move {
            shell.run_to_its_end(conversation, Work::Message { run_id, text, attachments }, begun).await;
        });
        Ok(id)
    }

    fn begin_conversation(&self) -> Reply<Arc<Conversation>> {
        let open = self.workspace()?;
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let (id, store) = (fresh_id()?, self.store()?);
        store.create(&id, &open.path.to_string_lossy()).map_err(|error| broken(&error))?;
        let assembled = self.assemble(&id, &open, TakeUp::Anew).map(|(conversation, _)| conversation);
        if assembled.is_err() {
            self.take_back(store, &id);
        }
        assembled
    }

    /// Half a session is none.
    fn take_back(&self, store: &SessionStore, id: &str) {
        if let Err(error) = store.delete(id) {
            tracing::warn!(%error, session = id, "a session that didn't begin stays");
        }
        if let Ok(engine) = self.engine()
            && let Err(error) = remove_folder(&engine.scratch(id))
        {
            tracing::warn!(%error, session = id, "the folder of a session that didn't begin stays");
        }
    }

    /// A person answered a call of a session whose process had ended: its run goes on, in the background.
    pub fn go_on(self: &Arc<Self>, id: String, run_id: String) {
        let shell = Arc::clone(self);
        tauri::async_runtime::spawn(async move {
            if let Err(error) = shell.try_to_go_on(&id, run_id).await {
                tracing::warn!(session = id, code = error.code, "a session can't go on");
                let (code, message) = (error.code, error.message);
                shell.bridge.send(AppEvent::Warning { session_id: Some(id), code, message });
            }
        });
    }

    async fn try_to_go_on(self: &Arc<Self>, id: &str, run_id: String) -> Reply<()> {
        self.need_folder(id)?;
        let open = OpenFolder { path: self.record_of(id)?.workspace.into(), opened_as: None };
        let (conversation, calls) = self.assemble(id, &open, TakeUp::GoingOn)?;
        let begun = conversation.begin()?;
        self.run_to_its_end(conversation, Work::Resumed { run_id, calls }, begun).await;
        Ok(())
    }

    async fn run_to_its_end(&self, conversation: Arc<Conversation>, work: Work, begun: Begun) {
        self.session_changed(&conversation.id);
        self.look_for_folder();
        let outcome = Arc::clone(&conversation).run(work, begun, &self.bridge).await;
        self.session_changed(&conversation.id);
        self.bridge.send(AppEvent::ChangesChanged { session_id: conversation.id.clone() });
        self.look_for_folder();
        self.run_ended(&conversation, outcome).await;
    }

    /// Takes a session up: lock, transcript, honest answers to what was on when it ended, engine. Going on, the
    /// calls that have no answer yet are given back instead.
    fn assemble(
        &self,
        id: &str,
        open: &OpenFolder,
        how: TakeUp,
    ) -> Reply<(Arc<Conversation>, Vec<ProposedCall>)> {
        let engine = self.engine()?;
        let store = Arc::clone(self.store()?);
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let lock = SessionLock::take(&engine.scratch(id))
            .map_err(|error| BackendError::new("read_only", format!("Can't {error}.")))?;
        let calls = match how {
            TakeUp::GoingOn => open_calls(&store, id).map_err(|error| broken(&error))?,
            TakeUp::Anew => {
                // What waited is answered now; a later run asks anew.
                self.waiting.withdraw_adopted(id);
                let answers =
                    resume(&store, id, |call| self.fate(id, call)).map_err(|error| broken(&error))?;
                self.close(id, &answers)?;
                Vec::new()
            }
        };
        let teller = Arc::new(Mutex::new(self.retold(id)?));
        let workspace = Arc::new(open_workspace(&open.path)?);
        let layers =
            Arc::new(Layers::new(LayerFiles::usual(&self.places, workspace.root()), &engine.machine));
        let settings = self.settings.get();
        let profile = settings.active();
        let client = self.client(&profile)?;
        let reporter: Arc<dyn Observer> = Arc::new(Reporter::new(
            id,
            Arc::clone(&teller),
            self.bridge.clone(),
            self.feed.clone(),
            Arc::clone(&store),
            workspace.root().to_owned(),
            engine.scratch(id),
        ));
        let session = engine
            .session(Opening {
                id: id.to_owned(),
                layers: Arc::clone(&layers) as Arc<dyn PolicyLayers>,
                mode: settings.mode,
                trust: self.trust_of(workspace.root()),
                history: Arc::new(stored::Kept::new(store, id, Arc::clone(&teller))),
                model: client,
                reviewer: self.reviewer(&settings)?,
                observer: Arc::clone(&reporter),
                limits: limits(&settings),
                date: date(SystemClock.now_ms()),
                workspace,
            })
            .map_err(|error| broken(&error))?;
        let conversation = Arc::new(Conversation::new(session, teller, reporter, layers, lock));
        // Mode, trust and language may have changed since: the keychain takes its time.
        self.conversations.add(Arc::clone(&conversation), |conversation| self.bring_up_to_date(conversation));
        // On the list first: of one that comes too late, either this is true or it was closed with the others.
        if self.leaving.load(Ordering::SeqCst) {
            return Err(BackendError::new("quitting", "Assent is quitting."));
        }
        Ok((conversation, calls))
    }

    /// The model that reviews calls, where the settings name one. One that can't be set up opens nothing: a session
    /// without it would be a looser one.
    fn reviewer(&self, settings: &Settings) -> Reply<Option<Arc<dyn ModelClient>>> {
        let Some(id) = &settings.reviewer else { return Ok(None) };
        let profile = settings.profiles.iter().find(|profile| profile.id == *id && profile.id != TOUR);
        let profile = profile.ok_or_else(|| {
            BackendError::new(
                "not_found",
                format!("The settings name {id} as reviewer, and no model has that id."),
            )
        })?;
        self.client(profile).map(Some)
    }

    /// The model of a profile; nothing is sent yet.
    fn client(&self, profile: &Profile) -> Reply<Arc<dyn ModelClient>> {
        let key = self.keys.get(profile).map_err(|error| failed(&error))?;
        model::connect(profile, key, self.words.language()).map_err(|error| failed(&error))
    }

    /// What is known of a call of a session that ended.
    fn fate(&self, session: &str, call: &str) -> Fate {
        let Ok(audit) = &self.audit else { return Fate::Began };
        Fate::of(audit.standing(session, call), || self.waiting.untaken(session, call))
    }

    /// Records how the calls ended that a restart left without an end.
    fn close(&self, session: &str, answers: &[ToolMessage]) -> Reply<()> {
        let Ok(audit) = &self.audit else { return Ok(()) };
        let broken = |error: AuditError| BackendError::new("audit_unavailable", format!("Can't {error}."));
        for answer in answers {
            let call = &answer.call_id;
            audit.close(session, call, answer.error_code.as_deref().unwrap_or_default()).map_err(broken)?;
        }
        Ok(())
    }

    /// Tells the window about a session's line in the list.
    pub fn session_changed(&self, id: &str) {
        match self.record_of(id) {
            Ok(record) => {
                let session = self.summary(record);
                let conversation = self.running_conversation(id);
                // Under the lock that the start and the end of a run are told under: it doesn't belie them.
                let teller = conversation.as_ref().map(|conversation| conversation.teller());
                let running = conversation.as_ref().is_some_and(|conversation| conversation.is_running());
                let session = view::SessionSummary { running, ..session };
                self.bridge.send(AppEvent::SessionChanged { session });
                drop(teller);
            }
            Err(_) => self.bridge.send(AppEvent::SessionsChanged),
        }
    }

    /// Shows the session of a link, now or as soon as there is a window to show it.
    pub fn want(&self, link: SessionLink) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
        window::bring_up(&self.app);
        self.show_wanted();
    }

    /// Shows the session that a link asked for, where the window listens. It is only shown: nothing is sent or run.
    pub fn show_wanted(&self) {
        if !self.bridge.is_listened_to() {
            return;
        }
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(link) = wanted else { return };
        match self.record_of(link.id()) {
            Ok(record) => {
                self.bridge.send(AppEvent::Show { session_id: Some(record.id), panel: None });
            }
            Err(_) => self.warn("link", self.words().no_such_session.as_str()),
        }
    }

    /// Tells the window something that belongs to no session.
    pub fn warn(&self, code: &str, message: impl Into<view::Sentence>) {
        let (code, message) = (code.to_owned(), message.into());
        self.bridge.send(AppEvent::Warning { session_id: None, code, message });
    }

    /// Whether a run is on anywhere.
    pub fn is_running(&self) -> bool {
        self.all_conversations().iter().any(|conversation| conversation.is_running())
    }

    /// A run ended: a notification says so to whoever wants one.
    async fn run_ended(&self, conversation: &Conversation, outcome: Option<view::RunOutcome>) {
        tracing::info!(session = conversation.id, ?outcome, "a run ended");
        let looking = self
            .app
            .get_webview_window(window::MAIN)
            .is_some_and(|window| window.is_focused().unwrap_or(false));
        let name = conversation.workspace.file_name().map(|name| name.to_string_lossy().into_owned());
        let setting = self.settings.get().notifications;
        let note = run_end::note(&self.words(), setting, looking, outcome, &name.unwrap_or_default());
        let Some(note) = note else { return };
        if let Reaction::Failed(why) = Notifier::new().show(note, CancellationToken::new()).await {
            tracing::info!(why, "no notification");
        }
    }
}

fn limits(settings: &Settings) -> Limits {
    Limits { turns: u32::from(settings.max_turns), ..Limits::default() }
}

fn fresh_id() -> Reply<String> {
    new_id(SystemClock.now_ms()).map_err(|error| BackendError::new("io", format!("Can't {error}.")))
}

/// Removes the folder at `path` with everything in it, where there is one.
fn remove_folder(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
