//! The conversations of this process: each an engine session, its transcript, and the run that is on.

pub mod teller;

use crate::bridge::Bridge;
use crate::view::{self, AppEvent, BackendError, RunOutcome, SessionSummary, shown};
use assent_agent::clock::{Clock as _, SystemClock};
use assent_agent::engine::Session;
use assent_agent::event::{Event, Observer};
use assent_agent::model::{Attachment, Message};
use assent_agent::tools::Change;
use assent_agent::turn::{History, HistoryError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use teller::Teller;
use tokio_util::sync::CancellationToken;

/// Longest title, characters.
const TITLE: usize = 80;

/// One conversation.
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// The workspace's real path.
    pub workspace: PathBuf,
    session: Session,
    teller: Arc<Mutex<Teller>>,
    state: Mutex<State>,
}

struct State {
    title: String,
    created_ms: u64,
    updated_ms: u64,
    run: Option<CancellationToken>,
}

impl Conversation {
    /// A conversation around `session`, which reports to `teller`.
    pub fn new(session: Session, teller: Arc<Mutex<Teller>>, first_words: &str) -> Self {
        let now = SystemClock.now_ms();
        let title: String = first_words.lines().next().unwrap_or_default().chars().take(TITLE).collect();
        Self {
            id: session.id().to_owned(),
            workspace: session.workspace().root().to_owned(),
            session,
            teller,
            state: Mutex::new(State { title: shown(&title), created_ms: now, updated_ms: now, run: None }),
        }
    }

    /// The engine's side.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The transcript.
    pub fn teller(&self) -> MutexGuard<'_, Teller> {
        self.teller.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its line in the list.
    pub fn summary(&self, waiting: usize) -> SessionSummary {
        let state = self.state();
        SessionSummary {
            session_id: self.id.clone(),
            title: state.title.clone(),
            workspace: self.workspace.to_string_lossy().into_owned(),
            workspace_display: crate::folders::display(&self.workspace, crate::shell::home().as_deref()),
            created_ms: state.created_ms,
            updated_ms: state.updated_ms,
            running: state.run.is_some(),
            waiting,
            archived: false,
            read_only: (!self.workspace.is_dir()).then_some(view::ReadOnly::FolderMissing),
        }
    }

    /// Whether a run is on.
    pub fn is_running(&self) -> bool {
        self.state().run.is_some()
    }

    /// Stops the run that is on.
    pub fn stop(&self) {
        if let Some(cancel) = &self.state().run {
            cancel.cancel();
        }
    }

    /// Marks the start of a run; its stop button.
    ///
    /// # Errors
    /// While one is on.
    pub fn begin(&self) -> Result<CancellationToken, BackendError> {
        let mut state = self.state();
        if state.run.is_some() {
            return Err(BackendError::new(
                "busy",
                "A run is on in this session. Stop it, or wait for its end.",
            ));
        }
        let cancel = CancellationToken::new();
        state.run = Some(cancel.clone());
        state.updated_ms = SystemClock.now_ms();
        Ok(cancel)
    }

    /// Takes a message to its end; how it ended. A panic of the engine is an end too.
    pub async fn run(
        self: Arc<Self>,
        text: String,
        attachments: Vec<Attachment>,
        cancel: CancellationToken,
    ) -> Option<RunOutcome> {
        let conversation = Arc::clone(&self);
        let run = tokio::spawn(async move {
            let id = assent_agent::id::new_id(SystemClock.now_ms()).ok()?;
            let finished = conversation.session.run(&id, text, attachments, cancel).await;
            Some(RunOutcome::from(finished.outcome))
        });
        let outcome = run.await.ok().flatten();
        let mut state = self.state();
        state.run = None;
        state.updated_ms = SystemClock.now_ms();
        outcome
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Passes the engine's events to the transcript and to the window.
pub struct Reporter {
    /// The transcript.
    pub teller: Arc<Mutex<Teller>>,
    /// The window.
    pub bridge: Bridge,
}

impl Observer for Reporter {
    fn notice(&self, event: Event) {
        let now = SystemClock.now_ms();
        let events = self.teller.lock().unwrap_or_else(PoisonError::into_inner).take(now, event);
        for event in events {
            self.bridge.send(event);
        }
    }
}

/// A call's id, unique in the app: ids of different sessions may be equal.
pub fn shown_call_id(session: &str, call: &str) -> String {
    format!("{session}:{}", shown(call))
}

/// The session and the call of [`shown_call_id`].
pub fn parse_call_id(shown: &str) -> Option<(&str, &str)> {
    shown.split_once(':')
}

/// The conversation in memory.
#[derive(Default)]
pub struct Memory(Mutex<Vec<Message>>);

impl History for Memory {
    fn messages(&self) -> Result<Vec<Message>, HistoryError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn append(&self, message: &Message) -> Result<(), HistoryError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.clone());
        Ok(())
    }

    fn changed(&self, _call_id: &str, _changes: &[Change]) -> Result<(), HistoryError> {
        Ok(())
    }
}
