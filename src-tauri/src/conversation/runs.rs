//! The run of a conversation: at most one is on, it can be stopped, and its end waited for.

use crate::view::BackendError;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// The runs of one conversation.
#[derive(Default)]
pub struct Runs(Mutex<State>);

#[derive(Default)]
struct State {
    on: Option<On>,
    closed: bool,
}

struct On {
    stop: CancellationToken,
    over: CancellationToken,
}

impl Runs {
    /// Whether one is on.
    pub fn is_on(&self) -> bool {
        self.state().on.is_some()
    }

    /// Marks the start of a run; its stop button.
    ///
    /// # Errors
    /// While one is on, and once the conversation was closed.
    pub fn begin(&self) -> Result<CancellationToken, BackendError> {
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
        Ok(stop)
    }

    /// The run is over, or didn't start after all.
    pub fn over(&self) {
        if let Some(on) = self.state().on.take() {
            on.over.cancel();
        }
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
    use std::sync::Arc;

    #[test]
    fn one_run_at_a_time() {
        let runs = Runs::default();
        let first = runs.begin().unwrap();
        assert!(runs.begin().is_err() && runs.is_on());
        runs.stop();
        assert!(first.is_cancelled() && runs.is_on(), "it ends when it has ended");
        runs.over();
        assert!(!runs.is_on() && !runs.begin().unwrap().is_cancelled());
    }

    /// What is deleted is deleted after the last that a run did, and no run begins afterwards.
    #[tokio::test]
    async fn closing_waits_for_the_end_of_the_run() {
        let runs = Arc::new(Runs::default());
        let stop = runs.begin().unwrap();
        let closed = Arc::clone(&runs);
        let closing = tokio::spawn(async move { closed.close().await });
        stop.cancelled().await;
        tokio::task::yield_now().await;
        assert!(!closing.is_finished());
        runs.over();
        closing.await.unwrap();
        assert!(runs.begin().is_err());
        runs.close().await;
    }
}
