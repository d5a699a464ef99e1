//! Advisors: hooks and the reviewer. They join the merge and can only tighten (R21, R23).

use crate::hooks::{Prompted, Stopping};
use crate::model::ToolMessage;
use assent_policy::{PreparedCall, Verdict};
use async_trait::async_trait;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Somebody whose opinion is asked around a call.
#[async_trait]
pub trait Advisor: Send + Sync {
    /// Whether it has anything to say about `call`; if nobody has, intent and decision share a transaction.
    fn concerns(&self, call: &PreparedCall) -> bool;

    /// Opinions before the decision. A failure is an opinion that denies.
    async fn before(&self, call: &PreparedCall, call_id: &str, cancel: &CancellationToken) -> Vec<Verdict>;

    /// Findings about a result, for the model; failures are reported as findings too.
    async fn after(
        &self,
        call: &PreparedCall,
        result: &ToolMessage,
        cancel: &CancellationToken,
    ) -> Vec<String>;

    /// Asked about a person's message before it is sent.
    async fn prompted(&self, _prompt: &str, _cancel: &CancellationToken) -> Prompted {
        Prompted::default()
    }

    /// Asked whether a run may end; `again` says that an advisor kept it going before.
    async fn stopping(&self, _again: bool, _cancel: &CancellationToken) -> Stopping {
        Stopping::default()
    }
}

/// Several, asked one after the other.
pub struct Advisors(pub Vec<Arc<dyn Advisor>>);

#[async_trait]
impl Advisor for Advisors {
    fn concerns(&self, call: &PreparedCall) -> bool {
        self.0.iter().any(|advisor| advisor.concerns(call))
    }

    async fn before(&self, call: &PreparedCall, call_id: &str, cancel: &CancellationToken) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for advisor in self.0.iter().filter(|advisor| advisor.concerns(call)) {
            verdicts.extend(advisor.before(call, call_id, cancel).await);
        }
        verdicts
    }

    async fn after(
        &self,
        call: &PreparedCall,
        result: &ToolMessage,
        cancel: &CancellationToken,
    ) -> Vec<String> {
        let mut findings = Vec::new();
        for advisor in self.0.iter().filter(|advisor| advisor.concerns(call)) {
            findings.extend(advisor.after(call, result, cancel).await);
        }
        findings
    }

    async fn prompted(&self, prompt: &str, cancel: &CancellationToken) -> Prompted {
        let mut all = Prompted::default();
        for advisor in &self.0 {
            let one = advisor.prompted(prompt, cancel).await;
            all.blocked = all.blocked.or(one.blocked);
            all.context.extend(one.context);
            all.failures.extend(one.failures);
        }
        all
    }

    async fn stopping(&self, again: bool, cancel: &CancellationToken) -> Stopping {
        let mut all = Stopping::default();
        for advisor in &self.0 {
            let one = advisor.stopping(again, cancel).await;
            all.go_on = all.go_on.or(one.go_on);
            all.failures.extend(one.failures);
        }
        all
    }
}

/// Nobody is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAdvisor;

#[async_trait]
impl Advisor for NoAdvisor {
    fn concerns(&self, _call: &PreparedCall) -> bool {
        false
    }

    async fn before(
        &self,
        _call: &PreparedCall,
        _call_id: &str,
        _cancel: &CancellationToken,
    ) -> Vec<Verdict> {
        Vec::new()
    }

    async fn after(
        &self,
        _call: &PreparedCall,
        _result: &ToolMessage,
        _cancel: &CancellationToken,
    ) -> Vec<String> {
        Vec::new()
    }
}
