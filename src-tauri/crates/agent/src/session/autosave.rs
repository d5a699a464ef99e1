//! Keeps the text of a reply while it streams, so that a crash loses no more than about a second of it.

use super::SessionStore;
use crate::clock::Clock;
use crate::event::{Event, Observer};
use std::sync::{Arc, Mutex, PoisonError};

/// Between two savings of a reply that streams, ms.
const INTERVAL: u64 = 1_000;

/// Watches a run on the way to another observer.
pub struct Autosave {
    store: Arc<SessionStore>,
    session: String,
    clock: Arc<dyn Clock>,
    growing: Mutex<Growing>,
    next: Arc<dyn Observer>,
}

#[derive(Default)]
struct Growing {
    text: String,
    reasoning: String,
    saved_ms: u64,
}

impl Autosave {
    /// Saves for `session`; every event goes on to `next`.
    #[must_use]
    pub fn new(
        store: Arc<SessionStore>,
        session: &str,
        clock: Arc<dyn Clock>,
        next: Arc<dyn Observer>,
    ) -> Self {
        Self { store, session: session.to_owned(), clock, growing: Mutex::default(), next }
    }

    fn grow(&self, text: &str, reasoning: &str) {
        let mut growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        growing.text.push_str(text);
        growing.reasoning.push_str(reasoning);
        let now = self.clock.now_ms();
        if now.saturating_sub(growing.saved_ms) < INTERVAL {
            return;
        }
        growing.saved_ms = now;
        if let Err(error) = self.store.save_draft(&self.session, &growing.text, &growing.reasoning) {
            tracing::warn!(%error, "the text that streams can't be kept");
        }
    }
}

impl Observer for Autosave {
    fn notice(&self, event: Event) {
        match &event {
            Event::TextDelta(text) => self.grow(text, ""),
            Event::ReasoningDelta(reasoning) => self.grow("", reasoning),
            // The reply is stored as a message next, which takes the draft's place.
            Event::Reply { .. } => {
                *self.growing.lock().unwrap_or_else(PoisonError::into_inner) = Growing::default();
            }
            Event::RunStarted { .. }
            | Event::ToolCall { .. }
            | Event::ApprovalAnswered { .. }
            | Event::Decision { .. }
            | Event::Output { .. }
            | Event::Context { .. }
            | Event::Compacted(_)
            | Event::Spent(_)
            | Event::ToolResult { .. }
            | Event::Warning { .. }
            | Event::RunFinished { .. } => {}
        }
        self.next.notice(event);
    }
}

#[cfg(test)]
mod tests {
    use super::Autosave;
    use crate::clock::Clock;
    use crate::event::{Event, Observer as _};
    use crate::session::SessionStore;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    struct Set(AtomicU64);

    impl Clock for Set {
        fn now_ms(&self) -> u64 {
            self.0.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn a_reply_that_streams_is_kept_every_second() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Set(AtomicU64::new(5_000)));
        let store = Arc::new(SessionStore::open(folder.path(), Arc::clone(&clock) as Arc<_>).unwrap());
        store.create("s", "/w").unwrap();
        let saving =
            Autosave::new(Arc::clone(&store), "s", Arc::clone(&clock) as Arc<_>, Arc::new(|_: Event| {}));
        let draft = || store.draft("s").unwrap().unwrap_or_default();
        saving.notice(Event::ReasoningDelta("hm".to_owned()));
        assert_eq!(draft(), (String::new(), "hm".to_owned()));
        saving.notice(Event::TextDelta("one ".to_owned()));
        assert_eq!(draft().0, "", "less than a second has passed");
        clock.0.store(6_000, Ordering::SeqCst);
        saving.notice(Event::TextDelta("two".to_owned()));
        assert_eq!(draft(), ("one two".to_owned(), "hm".to_owned()));
        saving.notice(Event::Reply { turn: 1, reply: Box::default() });
        saving.notice(Event::TextDelta("next".to_owned()));
        assert_eq!(draft().0, "next");
    }
}
