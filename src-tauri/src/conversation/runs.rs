//! The run of a conversation: at most one is on, it can be stopped, and its end waited for. So it is with what none may
//! begin beside.

use crate::view::BackendError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The runs of one conversation.
#[derive(Clone, Default)]
pub struct Runs(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    on: Option<On>,
    closed: bool,
}

struct On {
    what: What,
    stop: CancellationToken,
    over: CancellationToken,
}

/// What keeps a conversation busy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Run,
    Summary,
}

/// A run, or a summary in the making, that is on until this is dropped, whatever becomes of whoever holds it.
#[must_use]
pub struct Begun {
    runs: Runs,
    stop: CancellationToken,
}

impl Begun {
    /// Its stop button.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(on) = self.runs.state().on.take() {
            on.over.cancel();
        }
    }
}

impl Runs {
    /// Whether one is on; a summary in the making is none.
    pub fn is_on(&self) -> bool {
        self.state().on.as_ref().is_some_and(|on| on.what == What::Run)
    }

    /// Starts a run.
    ///
    /// # Errors
    /// While one is on or the conversation is held, and once it was closed.
    pub fn begin(&self) -> Result<Begun, BackendError> {
        self.busy_with(What::Run)
    }

    /// Lets no run begin while the history is summarised, or a summary taken back.
    ///
    /// # Errors
    /// As those of [`Self::begin`].
    pub fn hold(&self) -> Result<Begun, BackendError> {
        self.busy_with(What::Summary)
    }

    fn busy_with(&self, what: What) -> Result<Begun, BackendError> {
        let mut state = self.state();
        if state.closed {
            return Err(BackendError::new("not_found", "The session isn't there any more."));
        }
        let busy = |why| Err(BackendError::new("busy", why));
        match state.on.as_ref().map(|on| on.what) {
            Some(What::Run) => return busy("A run is on in this session. Stop it, or wait for its end."),
            Some(What::Summary) => {
                return busy("This session is being summarised. Stop that, or wait for its end.");
            }
            None => {}
        }
        let stop = CancellationToken::new();
        state.on = Some(On { what, stop: stop.clone(), over: CancellationToken::new() });
        Ok(Begun { runs: self.clone(), stop })
    }

    /// Stops what is on.
    pub fn stop(&self) {
        if let Some(on) = &self.state().on {
            on.stop.cancel();
        }
    }

    /// Stops what is on, lets nothing begin any more, and waits until it is over.
    pub async fn close(&self) {
        let over = {
            let mut state = self.state();
            state.closed = true;
            state.on.as_ref().map(|on| {
                on.stop.cancel();
                on.over.clone()
            })
        };
        if let Some(over) = over {
            over.cancelled().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    #[test]
    fn one_run_at_a_time() {
        let runs = Runs::default();
        let first = runs.begin().unwrap();
        assert!(runs.begin().is_err() && runs.is_on());
        runs.stop();
        assert!(first.stop().is_cancelled() && runs.is_on(), "it ends when it has ended");
        drop(first);
        assert!(!runs.is_on() && !runs.begin().unwrap().stop().is_cancelled());
    }

    /// A session in which a summary is made shows no run, and takes none.
    #[test]
    fn a_summary_is_no_run_and_none_begins_beside_it() {
        let runs = Runs::default();
        let held = runs.hold().unwrap();
        assert!(!runs.is_on() && runs.begin().is_err() && runs.hold().is_err());
        runs.stop();
        assert!(held.stop().is_cancelled());
        drop(held);
        let begun = runs.begin().unwrap();
        assert!(runs.is_on() && runs.hold().is_err());
        drop(begun);
        assert!(runs.hold().is_ok());
    }

    /// What panics between its start and its end keeps no session busy.
    #[test]
    fn a_run_that_panics_is_over() {
        let runs = Runs::default();
        let on = runs.clone();
        let panicked = std::thread::spawn(move || {
            let _begun = on.begin().unwrap();
            panic!("it went wrong");
        });
        panicked.join().unwrap_err();
        assert!(!runs.is_on() && runs.begin().is_ok());
    }

    /// What is deleted is deleted after the last that a run did, and no run begins afterwards.
    #[tokio::test]
    async fn closing_waits_for_the_end_of_the_run() {
        let runs = Runs::default();
        let begun = runs.begin().unwrap();
        let closed = runs.clone();
        let closing = tokio::spawn(async move { closed.close().await });
        begun.stop().cancelled().await;
        tokio::task::yield_now().await;
        assert!(!closing.is_finished());
        drop(begun);
        closing.await.unwrap();
        assert!(runs.begin().is_err());
        runs.close().await;
    }
}
