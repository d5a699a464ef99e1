//! Watches how full the model's context gets in a run, and has the conversation compacted when it must be.

use super::Turn;
use crate::event::Event;
use crate::gate::Run;
use crate::model::tokens::{ContextMeter, estimate_request};
use crate::model::{ModelRequest, Reply};
use crate::session::needs_compaction;

/// The context in the course of one run.
pub(super) struct ContextWatch {
    meter: ContextMeter,
    /// One compaction, then at least one request that fits, before there is another.
    may_compact: bool,
}

impl ContextWatch {
    pub(super) fn new(window: Option<u64>) -> Self {
        Self { meter: ContextMeter::new(window), may_compact: true }
    }

    /// Before a request: compacts where it fills too much of the window. True where the conversation is another one.
    pub(super) async fn makes_room(&mut self, turn: &Turn, request: &ModelRequest, run: &Run) -> bool {
        let used = self.meter.used(request);
        turn.observer.notice(Event::Context { used, window: self.meter.window() });
        let Some(window) = self.meter.window() else { return false };
        if !needs_compaction(used, window) {
            self.may_compact = true;
            return false;
        }
        self.compact(turn, window, run).await
    }

    /// After a reply: takes its count, and compacts where the provider said that the request was too long. True
    /// where the request is worth another try.
    pub(super) async fn reviews(
        &mut self,
        turn: &Turn,
        request: &ModelRequest,
        reply: &Reply,
        run: &Run,
    ) -> bool {
        if let Some(usage) = reply.usage {
            self.meter.count(request, usage);
            let used = usage.input.saturating_add(usage.output);
            turn.observer.notice(Event::Context { used, window: self.meter.window() });
        }
        if reply.error.as_ref().is_none_or(|error| error.code != "context_overflow") {
            return false;
        }
        // Whatever the window is, this was more.
        let window = self.meter.window().unwrap_or(u64::MAX).min(estimate_request(request));
        self.compact(turn, window, run).await
    }

    /// Keeps about a quarter of the window; the summary's own request fits in six tenths.
    async fn compact(&mut self, turn: &Turn, window: u64, run: &Run) -> bool {
        if !std::mem::replace(&mut self.may_compact, false) {
            return false;
        }
        let budget = window.saturating_mul(6) / 10;
        let compacted = turn.history.compact(turn.model.as_ref(), window / 4, budget, &run.cancel).await;
        match compacted {
            Ok(None) => false,
            Ok(Some(done)) => {
                turn.observer.notice(Event::Spent(done.usage));
                turn.observer.notice(Event::Compacted(done));
                true
            }
            Err(error) => {
                let message = format!("The conversation is near the model's limit: {error}");
                turn.observer.notice(Event::Warning { code: "compaction_failed", message });
                false
            }
        }
    }
}
