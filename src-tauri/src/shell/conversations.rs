//! The conversations of this process: sessions taken up from the disk or begun, and let go again.

use super::folder::open_workspace;
use super::sessions::remove_folder;
use super::{OpenFolder, Reply, Shell, failed};
use crate::conversation::{Conversation, Reporter, stored};
use crate::model;
use crate::settings::{Profile, Settings, TOUR};
use crate::view::BackendError;
use assent_agent::audit::{AuditError, AuditLog as _};
use assent_agent::circumstances::PolicyLayers;
use assent_agent::clock::{Clock as _, SystemClock, date};
use assent_agent::engine::Opening;
use assent_agent::event::Observer;
use assent_agent::id::new_id;
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::model::{ModelClient, ProposedCall, ToolMessage};
use assent_agent::session::{Fate, SessionLock, SessionStore, open_calls, resume};
use assent_agent::turn::Limits;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Why a session in which a call waits isn't taken up for anything but a message.
const WAITS: &str = "A call of this session still waits for an answer. Answer it first.";

/// How a session is taken up from the disk.
#[derive(Clone, Copy)]
pub(super) enum TakeUp {
    /// For a new message: what was on when it ended is answered, what waits still is withdrawn.
    Message,
    /// For anything else: what was on when it ended is answered, but what waits still is the person's to answer.
    Aside,
    /// Because a person answered a call that waited: the run goes on.
    GoingOn,
}

impl Shell {
    /// The conversation `id` where this process has it already.
    pub fn running_conversation(&self, id: &str) -> Option<Arc<Conversation>> {
        self.all_conversations().into_iter().find(|conversation| conversation.id == id)
    }

    /// Every conversation that this process has taken up.
    pub fn all_conversations(&self) -> Vec<Arc<Conversation>> {
        self.conversations.list()
    }

    /// Whether a run is on anywhere.
    pub fn is_running(&self) -> bool {
        self.all_conversations().iter().any(|conversation| conversation.is_running())
    }

    /// The conversation `id`, taken up from the disk where needed.
    ///
    /// # Errors
    /// When there is none, its folder is gone, another process has it, or a call of an earlier life waits in it.
    pub fn conversation(&self, id: &str) -> Reply<Arc<Conversation>> {
        self.taken_up(id, TakeUp::Aside)
    }

    /// [`Self::conversation`], which goes another way now: what waits in it from an earlier life is withdrawn.
    pub(super) fn conversation_for_message(&self, id: &str) -> Reply<Arc<Conversation>> {
        self.taken_up(id, TakeUp::Message)
    }

    fn taken_up(&self, id: &str, how: TakeUp) -> Reply<Arc<Conversation>> {
        if let Some(conversation) = self.running_conversation(id) {
            return Ok(conversation);
        }
        let open = OpenFolder { path: self.record_of(id)?.workspace.into(), opened_as: None };
        self.assemble(id, &open, how).map(|(conversation, _)| conversation)
    }

    pub(super) fn begin_conversation(&self) -> Reply<Arc<Conversation>> {
        let open = self.workspace()?;
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let (id, store) = (fresh_id()?, self.store()?);
        store.create(&id, &open.path.to_string_lossy()).map_err(|error| broken(&error))?;
        let assembled = self.assemble(&id, &open, TakeUp::Message).map(|(conversation, _)| conversation);
        if assembled.is_err() {
            self.take_back(store, &id);
        }
        assembled
    }

    /// Takes a session away from every run: one of this process ends first, and none begins anywhere while the lock is
    /// held.
    ///
    /// # Errors
    /// When another process runs it.
    pub async fn withhold(&self, id: &str) -> Reply<SessionLock> {
        if let Some(conversation) = self.running_conversation(id) {
            // Until its end it stays on the list: another process is not who has it.
            let lock = conversation.close().await;
            drop(self.conversations.remove(|listed| Arc::ptr_eq(&conversation, listed)));
            self.end_session_grants(id);
            if let Some(lock) = lock {
                return Ok(lock);
            }
        }
        self.lock(id)
    }

    fn lock(&self, id: &str) -> Reply<SessionLock> {
        SessionLock::take(&self.engine()?.scratch(id))
            .map_err(|error| BackendError::new("read_only", format!("Can't {error}.")))
    }

    /// Takes a session up: lock, transcript, honest answers to what was on when it ended, engine. Going on, the
    /// calls that have no answer yet are given back instead.
    pub(super) fn assemble(
        &self,
        id: &str,
        open: &OpenFolder,
        how: TakeUp,
    ) -> Reply<(Arc<Conversation>, Vec<ProposedCall>)> {
        let engine = self.engine()?;
        let store = Arc::clone(self.store()?);
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let lock = self.lock(id)?;
        // Whoever deleted it meanwhile held the lock.
        self.record_of(id)?;
        // All that can be refused comes first: what waits is withdrawn only where the session really goes on.
        let workspace = Arc::new(open_workspace(&open.path)?);
        let layers =
            Arc::new(Layers::new(LayerFiles::usual(&self.places, workspace.root()), &engine.machine));
        let settings = self.settings.get();
        let client = self.client(&settings.active())?;
        let reviewer = self.reviewer(&settings)?;
        let calls = match how {
            TakeUp::GoingOn => open_calls(&store, id).map_err(|error| broken(&error))?,
            TakeUp::Aside if self.waiting.waits_from_before(id) => {
                return Err(BackendError::new("busy", WAITS));
            }
            TakeUp::Message | TakeUp::Aside => {
                // What waited is answered now; a later run asks anew.
                self.withdraw_all(id)?;
                let answers =
                    resume(&store, id, |call| self.fate(id, call)).map_err(|error| broken(&error))?;
                self.close(id, &answers)?;
                Vec::new()
            }
        };
        let teller = Arc::new(Mutex::new(self.retold(id)?));
        let reporter: Arc<dyn Observer> = Arc::new(Reporter::new(
            id,
            Arc::clone(&teller),
            self.bridge.clone(),
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
                reviewer,
                observer: Arc::clone(&reporter),
                limits: limits(&settings),
                date: date(SystemClock.now_ms()),
                workspace,
            })
            .map_err(|error| broken(&error))?;
        let conversation = Arc::new(Conversation::new(session, teller, reporter, layers, lock));
        // Mode, trust and language may have changed since: the keychain takes its time.
        self.conversations.add(Arc::clone(&conversation), |conversation| {
            self.bring_up_to_date(conversation);
            self.give_grants(conversation);
        });
        // On the list first: of one that comes too late, either this is true or it was closed with the others.
        if self.leaving.load(Ordering::SeqCst) {
            return Err(BackendError::new("quitting", "Assent is quitting."));
        }
        Ok((conversation, calls))
    }

    /// The model that reviews calls, where the settings name one. One that can't be set up opens nothing: a session
    /// without it would be a looser one.
    pub(super) fn reviewer(&self, settings: &Settings) -> Reply<Option<Arc<dyn ModelClient>>> {
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
    pub(super) fn client(&self, profile: &Profile) -> Reply<Arc<dyn ModelClient>> {
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
}

pub(super) fn limits(settings: &Settings) -> Limits {
    Limits { turns: u32::from(settings.max_turns), ..Limits::default() }
}

pub(super) fn fresh_id() -> Reply<String> {
    new_id(SystemClock.now_ms()).map_err(|error| BackendError::new("io", format!("Can't {error}.")))
}
