//! The run of a conversation: at most one is on, it can be stopped, and its end waited for.

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
    stop: CancellationToken,
    over: CancellationToken,
}

/// A run that is on until this is dropped, whatever becomes of whoever holds it.
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
    /// Whether one is on.
    pub fn is_on(&self) -> bool {
        self.state().on.is_some()
    }

    /// Starts a run.
    ///
    /// # Errors
    /// While one is on, and once the conversation was closed.
    pub fn begin(&self) -> Result<Begun, BackendError> {
        let mut state = self.state();
        if state.closed {
            return Err(BackendError::new("not_found", "The session isn't there any more."));
        }
        if state.on.is_some() {
            return Err(BackendError::new(
                "busy",
                "A run is on in this session. Stop it, or wait for its end.",
            ));
        }
        let stop = CancellationToken::new();
        state.on = Some(On { stop: stop.clone(), over: CancellationToken::new() });
        Ok(Begun { runs: self.clone(), stop })
    }

    /// Stops the run that is on.
    pub fn stop(&self) {
        if let Some(on) = &self.state().on {
            on.stop.cancel();
        }
    }

    /// Stops the run that is on, lets none begin any more, and waits until it is over.
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
