//! What the gate writes down, phase by phase, and the answers that go with it.

use super::{Answered, Judged, Run};
use crate::approval::Answer;
use crate::audit::{AuditError, AuditLog, Entry, Phase};
use crate::model::history::Unanswered;
use crate::model::{Arguments, ProposedCall, ToolMessage};
use assent_policy::{Behavior, ErrorCode};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes the records of one call.
pub(super) struct Recorder<'a> {
    audit: &'a dyn AuditLog,
    base: Entry,
    /// The call's intent is on record from before a restart.
    intent_stored: bool,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(audit: &'a dyn AuditLog, run: &Run, proposed: &ProposedCall, attempt: u32) -> Self {
        let arguments = match &proposed.arguments {
            Arguments::Object(map) => Value::Object(map.clone()),
            Arguments::Unreadable { raw, .. } => Value::String(raw.clone()),
        };
        let base = Entry {
            session: run.session.clone(),
            run: run.id.clone(),
            call: proposed.id.clone(),
            tool: proposed.name.clone(),
            arguments,
            attempt,
            ..Entry::default()
        };
        Self { audit, base, intent_stored: false }
    }

    /// For a call whose intent was stored before its process ended: it is not stored twice.
    pub(super) fn with_stored_intent(self) -> Self {
        Self { intent_stored: true, ..self }
    }

    pub(super) fn call_id(&self) -> &str {
        &self.base.call
    }

    /// Phase 1, on its own.
    pub(super) fn intent(&self) -> Result<(), AuditError> {
        if self.intent_stored {
            return Ok(());
        }
        self.audit.append(std::slice::from_ref(&self.base))
    }

    /// Phase 2, with the intent where nobody was consulted, and with the start where it allows.
    pub(super) fn decision(
        &self,
        behavior: Behavior,
        judged: &Judged,
        by: Option<&Answer>,
        with_intent: bool,
    ) -> Result<(), AuditError> {
        let evaluation = &judged.evaluation;
        let surface = match by {
            Some(Answer::Allowed { surface } | Answer::Denied { surface, .. }) => surface.as_str(),
            Some(Answer::Expired | Answer::Withdrawn | Answer::Unavailable { .. }) | None => "",
        };
        // A person's yes that the recheck overruled stays on record as their answer, not as the source.
        let source = match by {
            Some(Answer::Allowed { .. }) if behavior == Behavior::Allow => surface,
            Some(_) | None => evaluation.source.as_str(),
        };
        let approver = if surface.is_empty() { String::new() } else { judged.context.user.clone() };
        let decision = Entry {
            phase: Phase::Decision,
            behavior: behavior.as_str().to_owned(),
            source: source.to_owned(),
            reason: evaluation.reason.as_str().to_owned(),
            verdicts: evaluation.verdicts.clone(),
            surface: surface.to_owned(),
            approver,
            ..self.judged(judged)
        };
        let mut entries = Vec::with_capacity(3);
        if with_intent && !self.intent_stored {
            entries.push(self.base.clone());
        }
        let start = Entry { phase: Phase::Start, ..self.judged(judged) };
        entries.push(decision);
        if behavior == Behavior::Allow {
            entries.push(start);
        }
        self.audit.append(&entries)
    }

    /// Phase 3.
    pub(super) fn outcome(&self, outcome: &str, duration_ms: u64, judged: &Judged) -> Result<(), AuditError> {
        self.audit.append(&[Entry {
            phase: Phase::Outcome,
            outcome: outcome.to_owned(),
            duration_ms,
            ..self.judged(judged)
        }])
    }

    /// The outcome of a call that did not run, and its answer.
    pub(super) fn close(&self, code: ErrorCode, reason: &str, judged: &Judged, denied: bool) -> Answered {
        match self.outcome(code.as_str(), 0, judged) {
            Ok(()) => self.answer(code, reason, denied),
            Err(error) => self.unrecorded(&error.to_string()),
        }
    }

    /// A call that never got to a decision: intent and outcome only.
    pub(super) fn refused_early(&self, code: ErrorCode, reason: &str) -> Answered {
        let outcome = Entry { phase: Phase::Outcome, outcome: code.as_str().to_owned(), ..self.base.clone() };
        let mut entries = vec![outcome];
        if !self.intent_stored {
            entries.insert(0, self.base.clone());
        }
        match self.audit.append(&entries) {
            Ok(()) => self.answer(code, reason, false),
            Err(error) => self.unrecorded(&error.to_string()),
        }
    }

    /// The judgement failed: denied, with the failure as its reason.
    pub(super) fn evaluation_failed(&self, intent_stored: bool, why: &str) -> Answered {
        let code = ErrorCode::PermissionEvaluationError;
        let decision = Entry {
            phase: Phase::Decision,
            behavior: Behavior::Deny.as_str().to_owned(),
            source: "rules".to_owned(),
            reason: why.to_owned(),
            ..self.base.clone()
        };
        let outcome = Entry { phase: Phase::Outcome, outcome: code.as_str().to_owned(), ..self.base.clone() };
        let mut entries = vec![decision, outcome];
        if !intent_stored && !self.intent_stored {
            entries.insert(0, self.base.clone());
        }
        match self.audit.append(&entries) {
            Ok(()) => self.answer(code, why, true),
            Err(error) => self.unrecorded(&error.to_string()),
        }
    }

    /// A call that came to something before its process ended: it gets the end that it never got, on record too.
    pub(super) fn ended_before(&self, why: Unanswered) -> Answered {
        let message = why.answer(&self.base.call);
        let outcome = message.error_code.as_deref().unwrap_or_default();
        if let Err(error) = self.audit.close(&self.base.session, &self.base.call, outcome) {
            tracing::warn!(%error, "the end of a call from before a restart could not be recorded");
        }
        Answered { message, denied: false, changes: Vec::new(), ran_ms: None, halt: false }
    }

    /// Nothing could be recorded, so nothing ran (R41).
    pub(super) fn unrecorded(&self, why: &str) -> Answered {
        self.answer(ErrorCode::PermissionEvaluationError, &format!("Nothing ran: {why}"), false)
    }

    /// Tries the log again after it failed; clears `halted` when it can be written.
    pub(super) fn log_writes_again(&self, halted: &AtomicBool) -> bool {
        let probe = Entry {
            session: self.base.session.clone(),
            run: self.base.run.clone(),
            ..Entry::event("audit_resumed", "The audit log can be written again.", Value::Null)
        };
        let writes = self.audit.append(&[probe]).is_ok();
        if writes {
            halted.store(false, Ordering::Release);
        }
        writes
    }

    /// The paired message of a call that failed with `code`.
    pub(super) fn answer(&self, code: ErrorCode, reason: &str, denied: bool) -> Answered {
        Answered {
            message: ToolMessage {
                call_id: self.base.call.clone(),
                content: format!("Error [{code}]: {reason}"),
                is_error: true,
                error_code: Some(code.as_str().to_owned()),
            },
            denied,
            changes: Vec::new(),
            ran_ms: None,
            halt: false,
        }
    }

    fn judged(&self, judged: &Judged) -> Entry {
        let touched = judged.evaluation.touches.iter().map(|it| it.path.clone());
        Entry {
            risk: judged.evaluation.risk.level.as_str().to_owned(),
            digest: judged.digest.to_hex(),
            policy_version: judged.context.policy_version.clone(),
            sandbox: judged.evaluation.profile.as_str().to_owned(),
            targets: touched.chain(judged.evaluation.hosts.iter().cloned()).collect(),
            ..self.base.clone()
        }
    }
}
