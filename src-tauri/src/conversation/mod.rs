//! The conversations of this process: each an engine session, its transcript, and the run that is on.

pub mod card;
pub mod replaced;
#[cfg(test)]
mod run_tests;
mod runs;
pub mod spending;
pub mod stored;
pub mod teller;

use crate::bridge::Bridge;
use crate::diff::{self, Side};
use crate::view::{AppEvent, BackendError, RunOutcome, shown};
use assent_agent::clock::{Clock as _, SystemClock};
use assent_agent::engine::Session;
use assent_agent::event::{Event, Observer, Outcome};
use assent_agent::layers::Layers;
use assent_agent::model::{Attachment, ProposedCall, Usage};
use assent_agent::session::{Item, SessionLock, SessionStore};
use assent_agent::tools::Change;
use assent_agent::workspace::undo::UndoLog;
pub use runs::Begun;
use runs::Runs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use teller::Teller;

/// Between two savings of a reply that streams, ms.
const DRAFT: u64 = 1_000;
/// Before the files that a person named.
const NAMED: &str = "\n\nFiles named by the user: ";

/// One conversation.
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// The workspace's real path.
    pub workspace: PathBuf,
    /// The rules that count in it, with the grants of the session.
    pub layers: Arc<Layers>,
    session: Session,
    teller: Arc<Mutex<Teller>>,
    reporter: Arc<dyn Observer>,
    runs: Runs,
    lock: Mutex<Option<SessionLock>>,
}

/// What a run is about.
pub enum Work {
    /// A message of the person.
    Message {
        /// The run's id.
        run_id: String,
        /// What it says.
        text: String,
        /// What comes with it.
        attachments: Vec<Attachment>,
    },
    /// A run whose process ended goes on.
    Resumed {
        /// Its id.
        run_id: String,
        /// The calls of the last reply that have no answer.
        calls: Vec<ProposedCall>,
    },
}

impl Conversation {
    /// A conversation around `session`, which `reporter` tells `teller` about.
    pub fn new(
        session: Session,
        teller: Arc<Mutex<Teller>>,
        reporter: Arc<dyn Observer>,
        layers: Arc<Layers>,
        lock: SessionLock,
    ) -> Self {
        Self {
            id: session.id().to_owned(),
            workspace: session.workspace().root().to_owned(),
            layers,
            session,
            teller,
            reporter,
            runs: Runs::default(),
            lock: Mutex::new(Some(lock)),
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

    /// Whether a run is on.
    pub fn is_running(&self) -> bool {
        self.runs.is_on()
    }

    /// Stops the run that is on, or the summary in the making.
    pub fn stop(&self) {
        self.runs.stop();
    }

    /// Stops what is on, lets nothing begin any more, waits until it is over, and gives up the session, to whoever closes
    /// it: whoever still speaks of its run has it no more.
    pub async fn close(&self) -> Option<SessionLock> {
        self.runs.close().await;
        self.lock.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Marks the start of a run, which is on until what this gives is dropped.
    ///
    /// # Errors
    /// While one is on, and once the conversation was closed.
    pub fn begin(&self) -> Result<Begun, BackendError> {
        self.runs.begin()
    }

    /// Lets no run begin until what this gives is dropped.
    ///
    /// # Errors
    /// As those of [`Self::begin`].
    pub fn hold(&self) -> Result<Begun, BackendError> {
        self.runs.hold()
    }

    /// Has the older part sent as a summary from now on. A run can't begin meanwhile; who stops it leaves all as it is.
    ///
    /// # Errors
    /// While a run is on, and when there is nothing to leave out or the model gives no summary.
    pub async fn compact(&self) -> Result<(), BackendError> {
        let held = self.hold()?;
        match self.session.compact(&held.stop()).await {
            Err(_) if held.stop().is_cancelled() => Ok(()),
            compacted => {
                compacted.map_err(|error| BackendError::new("not_compacted", format!("Can't {error}.")))
            }
        }
    }

    /// Takes `work` to its end, and tells `bridge` of that; how it ended. A panic of the engine is an end too.
    pub async fn run(self: Arc<Self>, work: Work, begun: Begun, bridge: &Bridge) -> Option<RunOutcome> {
        let (conversation, cancel) = (Arc::clone(&self), begun.stop());
        let run = tokio::spawn(async move {
            let finished = match work {
                Work::Message { run_id, text, attachments } => {
                    conversation.session.run(&run_id, text, attachments, cancel).await
                }
                Work::Resumed { run_id, calls } => conversation.session.resume(&run_id, calls, cancel).await,
            };
            RunOutcome::from(finished.outcome)
        });
        let outcome = run.await.ok();
        if outcome.is_none() {
            self.reporter.notice(panicked());
        }
        let mut teller = self.teller();
        // Over before it is told: what the person sends next is taken.
        drop(begun);
        if let Some(told) = teller.take_end() {
            bridge.send(told);
        }
        outcome
    }
}

/// The end of a run that couldn't tell one itself.
fn panicked() -> Event {
    Event::RunFinished {
        outcome: Outcome::Incomplete,
        error_code: Some("panic".to_owned()),
        message: Some("A part of Assent failed; the run stopped.".to_owned()),
        final_text: String::new(),
        turns: 0,
        usage: Usage::default(),
    }
}

/// Passes the engine's events to the transcript, the store and the window.
pub struct Reporter {
    session: String,
    teller: Arc<Mutex<Teller>>,
    bridge: Bridge,
    store: Arc<SessionStore>,
    workspace: PathBuf,
    scratch: PathBuf,
    saved_ms: Mutex<u64>,
}

impl Reporter {
    /// Reports about `session`, which works in `workspace` and keeps its undo copies in `scratch`.
    pub fn new(
        session: &str,
        teller: Arc<Mutex<Teller>>,
        bridge: Bridge,
        store: Arc<SessionStore>,
        workspace: PathBuf,
        scratch: PathBuf,
    ) -> Self {
        let saved_ms = Mutex::new(0);
        Self { session: session.to_owned(), teller, bridge, store, workspace, scratch, saved_ms }
    }

    /// Puts on a card what its call changed, and the way back.
    fn note_changes(&self, call_id: &str, changes: &[Change]) {
        let diffs = changes
            .iter()
            .map(|change| {
                let path = change.path.strip_prefix(&self.workspace).unwrap_or(&change.path);
                let before = Side::of_copy(change.before.as_deref());
                diff::between(&path.to_string_lossy(), &before, &Side::read(&change.path))
            })
            .collect();
        let entries = UndoLog::open(&self.scratch).and_then(|log| log.entries()).unwrap_or_default();
        let entry = entries.iter().rev().find(|entry| entry.call_id == call_id);
        let change_id = entry.map(|entry| format!("{}:{}", self.session, entry.id));
        self.teller.lock().unwrap_or_else(PoisonError::into_inner).changed(call_id, change_id, diffs);
    }

    /// What of an event is kept beside the messages: finished cards and the ends of runs.
    fn item(event: &Event, teller: &Teller) -> Option<Item> {
        match event {
            Event::ToolResult { call_id, .. } => teller.call(call_id).map(|call| stored::card(call_id, call)),
            Event::RunFinished { outcome, error_code, message, turns, .. } => Some(Item::RunEnd {
                outcome: outcome.as_str().to_owned(),
                error_code: error_code.clone(),
                message: message.clone(),
                turns: *turns,
                input: teller.spending().run().1.input,
                output: teller.spending().run().1.output,
                model: teller.spending().run().0.to_owned(),
            }),
            Event::RunStarted { .. }
            | Event::TextDelta(_)
            | Event::ReasoningDelta(_)
            | Event::Reply { .. }
            | Event::ToolCall { .. }
            | Event::ApprovalAnswered { .. }
            | Event::Decision { .. }
            | Event::Output { .. }
            | Event::Context { .. }
            | Event::Spent(_)
            // Stored by the history itself.
            | Event::Compacted(_)
            | Event::Warning { .. } => None,
        }
    }

    /// Text that streams is kept every second: a crash loses no more.
    fn save_draft(&self, now: u64) {
        let mut saved = self.saved_ms.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_sub(*saved) < DRAFT {
            return;
        }
        *saved = now;
        let growing = self.teller.lock().unwrap_or_else(PoisonError::into_inner).growing();
        if let Some((text, reasoning)) = growing
            && let Err(error) = self.store.save_draft(&self.session, &text, &reasoning)
        {
            tracing::warn!(%error, "the text that streams can't be kept");
        }
    }
}

impl Observer for Reporter {
    fn notice(&self, event: Event) {
        let now = SystemClock.now_ms();
        match &event {
            Event::ToolResult { call_id, changes, .. } if !changes.is_empty() => {
                self.note_changes(call_id, changes)
            }
            _ => {}
        }
        let streams = matches!(event, Event::TextDelta(_) | Event::ReasoningDelta(_));
        // Held until the events are on their way: a transcript that is told meanwhile holds each of them, or precedes it.
        let mut teller = self.teller.lock().unwrap_or_else(PoisonError::into_inner);
        let events = teller.take(now, event.clone());
        if let Some(item) = Self::item(&event, &teller)
            && let Err(error) = self.store.append(&self.session, &item)
        {
            tracing::warn!(%error, "a card can't be kept");
            let (code, message) = ("history".to_owned(), "The conversation can't be kept.".into());
            self.bridge.send(AppEvent::Warning { session_id: Some(self.session.clone()), code, message });
        }
        for event in events {
            self.bridge.send(event);
        }
        drop(teller);
        if streams {
            self.save_draft(now);
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

/// A message as the model reads it: the files the person named stand below it.
pub fn with_mentions(text: &str, mentions: &[String]) -> String {
    if mentions.is_empty() {
        return text.to_owned();
    }
    let named: Vec<String> = mentions.iter().map(|path| format!("@{path}")).collect();
    format!("{text}{NAMED}{}", named.join(", "))
}

/// The message and the named files of [`with_mentions`].
pub fn without_mentions(text: &str) -> (String, Vec<String>) {
    match text.rsplit_once(NAMED) {
        Some((text, named)) => {
            let named = named.split(", ").map(|path| path.trim_start_matches('@').to_owned()).collect();
            (text.to_owned(), named)
        }
        None => (text.to_owned(), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_call_id, shown_call_id, with_mentions, without_mentions};

    #[test]
    fn mentions_and_ids_read_back() {
        let named = vec!["src/a.rs".to_owned(), "b.md".to_owned()];
        assert_eq!(
            without_mentions(&with_mentions("Look at\nthis", &named)),
            ("Look at\nthis".to_owned(), named)
        );
        assert_eq!(without_mentions("plain"), ("plain".to_owned(), Vec::new()));
        assert_eq!(parse_call_id(&shown_call_id("s-1", "call:2")), Some(("s-1", "call:2")));
    }
}
