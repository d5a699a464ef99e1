//! The life of one call, top to bottom: look up, prepare, intent, advice, judgement, a person, recheck,
//! decision, execution, outcome (R1). There is no second way to a tool.

mod arguments;
mod binding;
mod parts;
mod prepare;
mod record;
mod refusal;
mod run;
mod sources;

use crate::advice::Advisor;
use crate::approval::extent::with_extents;
use crate::approval::preview::preview;
use crate::approval::{Answer, Question};
use crate::audit::{Standing, Step};
use crate::blocking::{blocking, unpanicked};
use crate::event::Event;
use crate::facts;
use crate::model::history::Unanswered;
use crate::model::{Arguments, ProposedCall, ToolMessage};
use crate::tools::{Change, Execution, Registry, Tool, ToolFailure, ToolOutput};
use assent_policy::request::PermissionRequest;
use assent_policy::rule::Withheld;
use assent_policy::{
    Behavior, CallDigest, Context, ErrorCode, Evaluation, Facts, Origin, PreparedCall, SandboxState, Source,
    Verdict,
};
use record::Recorder;
use refusal::{Refusal, refusal_text, surface_word};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use binding::bind;
pub use parts::{Circumstances, Parts};
pub use prepare::prepare;
pub use refusal::refusal;
pub use run::Run;
pub use sources::sources;

/// The one door to the tools. Built with everything it needs, or not at all (R60).
pub struct Gate {
    parts: Parts,
    /// The log could not be written after something ran: nothing new runs until it can.
    halted: AtomicBool,
}

/// The proof that exactly this call was judged, recorded and, where needed, approved.
/// Only this file makes one; only a tool's `execute` takes it.
///
/// ```compile_fail,E0451
/// use assent_policy::{Evaluation, Facts, PreparedCall, SandboxState, rule::Withheld};
/// fn forge(call: PreparedCall, evaluation: Evaluation, facts: Facts, withheld: Withheld, sandbox: SandboxState) {
///     let permit = assent_agent::gate::Permit { call, evaluation, facts, withheld, sandbox };
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    call: PreparedCall,
    evaluation: Evaluation,
    facts: Facts,
    withheld: Withheld,
    sandbox: SandboxState,
}

impl Permit {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &PreparedCall {
        &self.call
    }

    /// How it was judged: profile, touched paths, hosts.
    #[must_use]
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// What was found when it was judged: the files that were approved, by their real paths and identities.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The files that rules keep from a search.
    #[must_use]
    pub fn withheld(&self) -> &Withheld {
        &self.withheld
    }

    /// Whether the sandbox was in force where it was judged.
    #[must_use]
    pub fn sandbox(&self) -> SandboxState {
        self.sandbox
    }

    /// A permit for a tool's own unit tests; the product has no such way.
    #[cfg(test)]
    pub(crate) fn for_test(call: PreparedCall, evaluation: Evaluation, facts: Facts) -> Self {
        Self { call, evaluation, facts, withheld: Withheld::default(), sandbox: SandboxState::InForce }
    }
}

/// What came of one call.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The paired message for the history (R2).
    pub message: ToolMessage,
    /// Refused by policy or a person: counts for the circuit breaker (R22).
    pub denied: bool,
    /// What was changed.
    pub changes: Vec<Change>,
    /// How long the tool itself ran, ms; nothing where it never began.
    pub ran_ms: Option<u64>,
    /// The log failed after the tool ran: the run must stop.
    pub halt: bool,
}

/// Everything the steps up to the decision found out.
struct Judged {
    call: PreparedCall,
    evaluation: Evaluation,
    facts: Facts,
    withheld: Withheld,
    digest: CallDigest,
    context: Context,
    tool: Arc<dyn Tool>,
}

impl Gate {
    /// A gate; every part is required.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self { parts, halted: AtomicBool::new(false) }
    }

    /// The tools of the turn.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.parts.registry
    }

    /// Hooks and reviewer.
    #[must_use]
    pub fn advisor(&self) -> &dyn Advisor {
        &*self.parts.advisor
    }

    /// Takes one proposed call from proposal to answer. Never fails: every path ends in a paired message.
    pub async fn run(&self, proposed: &ProposedCall, run: &Run) -> Answered {
        self.parts.observer.notice(Event::ToolCall {
            call_id: proposed.id.clone(),
            name: proposed.name.clone(),
            arguments: match &proposed.arguments {
                Arguments::Object(map) => Some(map.clone()),
                Arguments::Unreadable { .. } => None,
            },
            agent: match &run.origin {
                Origin::SubAgent { name } => Some(name.clone()),
                Origin::Task | Origin::Mcp { .. } => None,
            },
        });
        let mut answered = self.steps(proposed, run).await;
        if answered.message.content.is_empty() {
            answered.message.content = "(no output)".to_owned();
        }
        self.parts.observer.notice(Event::ToolResult {
            call_id: proposed.id.clone(),
            error: answered.message.error_code.as_deref().and_then(code_of),
            content: answered.message.content.clone(),
            duration_ms: answered.ran_ms,
            changes: answered.changes.clone(),
        });
        answered
    }

    /// The answer to a call of an earlier run that was left without one, by what is on record of it; its end is recorded
    /// too. Nothing runs.
    pub fn left_open(&self, proposed: &ProposedCall, run: &Run) -> ToolMessage {
        let recorder = Recorder::new(&*self.parts.audit, run, proposed, 1);
        let why = match self.parts.audit.standing(&run.session, &proposed.id).map(|it| it.map(|it| it.step)) {
            Ok(None | Some(Step::Undecided | Step::Refused)) => Unanswered::NeverBegan,
            // What can't be known may have had an effect.
            Ok(Some(Step::Began | Step::Ended { .. })) | Err(_) => Unanswered::NotKept,
        };
        recorder.ended_before(why).message
    }

    async fn steps(&self, proposed: &ProposedCall, run: &Run) -> Answered {
        let operation = proposed.operation();
        let recorder = Recorder::new(&*self.parts.audit, run, proposed, run.attempt(&operation));
        if run.cancel.is_cancelled() {
            return recorder.refused_early(
                ErrorCode::Cancelled,
                "The run was stopped before this call began. It did not run.",
            );
        }
        if self.halted.load(Ordering::Acquire) && !recorder.log_writes_again(&self.halted) {
            return recorder.unrecorded("The audit log can't be written, so nothing runs.");
        }

        let recorder = match self.before_restart(recorder, run) {
            Ok(recorder) => recorder,
            Err(answered) => return *answered,
        };

        // 1, 2: the tool, its arguments, what it would do.
        let (tool, call) = match prepare(&self.parts.registry, proposed, &run.origin) {
            Ok(prepared) => prepared,
            Err(failure) => return recorder.refused_early(failure.code, &failure.reason),
        };

        // 3, 4: where somebody is consulted, the intent is on disk before they are.
        let consulted = self.parts.advisor.concerns(&call);
        if consulted && let Err(error) = recorder.intent() {
            return recorder.unrecorded(&error.to_string());
        }
        let advice = if consulted {
            self.parts.advisor.before(&call, &proposed.id, &run.cancel).await
        } else {
            Vec::new()
        };

        // 5: the judgement.
        let judged = match self.judge(tool, call, &advice).await {
            Ok(judged) => judged,
            Err(why) => return recorder.evaluation_failed(consulted, &why),
        };
        let asks = judged.evaluation.behavior == Behavior::Ask;
        if asks
            && !consulted
            && let Err(error) = recorder.intent()
        {
            return recorder.unrecorded(&error.to_string());
        }

        // 6, 7: a person, and the same question once more afterwards.
        let (judged, by) = if asks {
            match self.ask(&operation, judged, &advice, proposed, run).await {
                Ok(approved) => approved,
                Err(refusal) => return self.refuse(&recorder, refusal, &operation, run),
            }
        } else if consulted {
            match self.recheck(judged, &advice).await {
                Ok(judged) => (judged, None),
                Err(refusal) => return self.refuse(&recorder, *refusal, &operation, run),
            }
        } else {
            (judged, None)
        };

        // 8: the one final decision; with it the durable mark that execution begins.
        let with_intent = !asks && !consulted;
        if judged.evaluation.behavior == Behavior::Deny {
            return self.deny(&recorder, &judged, with_intent);
        }
        if let Err(error) = recorder.decision(Behavior::Allow, &judged, by.as_ref(), with_intent) {
            return recorder.unrecorded(&error.to_string());
        }
        self.notice_decision(&proposed.id, Behavior::Allow, &judged, by.as_ref());

        // 9, 10: execution and its outcome.
        self.execute(&recorder, judged, proposed, run).await
    }

    /// What a call of a resumed run came to before: once it began, it never begins again (R35).
    fn before_restart<'a>(&self, recorder: Recorder<'a>, run: &Run) -> Result<Recorder<'a>, Box<Answered>> {
        if !run.resumed {
            return Ok(recorder);
        }
        match self.parts.audit.standing(&run.session, recorder.call_id()) {
            Ok(None) => Ok(recorder),
            Ok(Some(Standing { run: before, step: Step::Undecided, .. })) if before == run.id => {
                Ok(recorder.with_stored_intent())
            }
            Ok(Some(Standing { step: Step::Undecided | Step::Refused, .. })) => {
                Err(Box::new(recorder.ended_before(Unanswered::NeverStarted)))
            }
            Ok(Some(Standing { step: Step::Began | Step::Ended { .. }, .. })) => {
                Err(Box::new(recorder.ended_before(Unanswered::AppRestarted)))
            }
            Err(error) => Err(Box::new(recorder.unrecorded(&error.to_string()))),
        }
    }

    /// Step 5: circumstances and facts as they are now, then the pure decision.
    async fn judge(
        &self,
        tool: Arc<dyn Tool>,
        call: PreparedCall,
        advice: &[Verdict],
    ) -> Result<Judged, String> {
        let (context, rules) = self.parts.circumstances.current()?;
        let advice = advice.to_vec();
        // Facts are looked up on the disk. A panic in there is a failed evaluation.
        blocking(move || {
            let (evaluation, facts) = facts::judge(&call, &context, &rules, &advice);
            let digest = bind(&call, &evaluation, &facts, &context);
            let withheld = rules.withheld(&call, &context);
            Judged { call, evaluation, facts, withheld, digest, context, tool }
        })
        .await
        .map_err(|_| "The judgement itself failed.".to_owned())
    }

    /// Step 6, then 7. A call equal to one that was denied in this run is not asked again.
    async fn ask(
        &self,
        operation: &str,
        judged: Judged,
        advice: &[Verdict],
        proposed: &ProposedCall,
        run: &Run,
    ) -> Result<(Judged, Option<Answer>), Refusal> {
        if run.was_denied(operation) {
            let why = "You proposed this again after it was denied. It was not asked a second time and did not run. \
                       Choose another way, or ask the user in words.";
            return Err(Refusal::new(judged, ErrorCode::ApprovalDenied, sources::DENIED_BEFORE, why, None));
        }
        let request =
            PermissionRequest::new(&judged.call, &judged.evaluation, &judged.context, &judged.digest)
                .with_change(preview(&judged.call, &judged.evaluation));
        let question = Question {
            session: run.session.clone(),
            run: run.id.clone(),
            call_id: proposed.id.clone(),
            call: judged.call.clone(),
            evaluation: judged.evaluation.clone(),
            digest: judged.digest,
            workspace: judged.context.workspace.clone(),
            request: with_extents(request, &judged.evaluation, &judged.context),
        };
        let answer = self.parts.approver.ask(question, &run.cancel).await;
        self.parts
            .observer
            .notice(Event::ApprovalAnswered { call_id: proposed.id.clone(), answer: answer.clone() });
        if let Some((code, why)) = refusal_text(&answer) {
            let source = Source::surface(surface_word(&answer));
            return Err(Refusal::new(judged, code, source, &why, Some(answer)));
        }
        match self.recheck(judged, advice).await {
            Ok(judged) => Ok((judged, Some(answer))),
            Err(mut refusal) => {
                refusal.answer = Some(answer);
                Err(*refusal)
            }
        }
    }

    /// Step 7: the same question about the world as it is now (R33). Another digest or a stricter verdict ends it.
    async fn recheck(&self, before: Judged, advice: &[Verdict]) -> Result<Judged, Box<Refusal>> {
        let stale = |judged: Judged, why: &str| {
            Box::new(Refusal::new(judged, ErrorCode::StaleOrRevoked, sources::RECHECK, why, None))
        };
        match self.judge(Arc::clone(&before.tool), before.call.clone(), advice).await {
            Err(why) => Err(stale(before, &format!("It could not be checked again: {why} It did not run."))),
            Ok(now) if now.evaluation.behavior > before.evaluation.behavior => Err(stale(
                before,
                &format!("What allowed this call no longer does: {} It did not run.", now.evaluation.reason),
            )),
            Ok(now) if now.digest != before.digest => Err(stale(
                before,
                "Something this call depends on changed after it was judged (a file, a program, a folder, a rule). \
                 It did not run. Look again and propose it anew.",
            )),
            Ok(now) => Ok(now),
        }
    }

    /// Step 8 for what policy denies; nobody is asked.
    fn deny(&self, recorder: &Recorder<'_>, judged: &Judged, with_intent: bool) -> Answered {
        if let Err(error) = recorder.decision(Behavior::Deny, judged, None, with_intent) {
            return recorder.unrecorded(&error.to_string());
        }
        self.notice_decision(recorder.call_id(), Behavior::Deny, judged, None);
        let code = judged.evaluation.error_code.unwrap_or(ErrorCode::PermissionDenied);
        recorder.close(code, judged.evaluation.reason.as_str(), judged, true)
    }

    /// Step 8 for what a person, or the recheck, refused.
    fn refuse(&self, recorder: &Recorder<'_>, refusal: Refusal, operation: &str, run: &Run) -> Answered {
        let Refusal { mut judged, code, source, why, answer } = refusal;
        if matches!(answer, Some(Answer::Denied { .. })) {
            run.remember_denial(operation.to_owned());
        }
        judged.evaluation.source = source;
        judged.evaluation.reason = assent_policy::Reason::new(why.clone());
        if let Err(error) = recorder.decision(Behavior::Deny, &judged, answer.as_ref(), false) {
            return recorder.unrecorded(&error.to_string());
        }
        self.notice_decision(recorder.call_id(), Behavior::Deny, &judged, answer.as_ref());
        let denied = matches!(code, ErrorCode::ApprovalDenied | ErrorCode::PermissionDenied);
        recorder.close(code, &why, &judged, denied)
    }

    /// Steps 9 and 10. A panicking tool fails its call, not the app (R6).
    async fn execute(
        &self,
        recorder: &Recorder<'_>,
        judged: Judged,
        proposed: &ProposedCall,
        run: &Run,
    ) -> Answered {
        let Judged { call, evaluation, facts, withheld, digest, context, tool } = judged;
        let observer = Arc::clone(&self.parts.observer);
        let call_id = proposed.id.clone();
        let execution = Execution {
            workspace: Arc::clone(&self.parts.workspace),
            session: run.session.clone(),
            run: run.clone(),
            call_id: proposed.id.clone(),
            cancel: run.cancel.clone(),
            scratch: self.parts.scratch.clone(),
            output: Arc::new(move |text| observer.notice(Event::Output { call_id: call_id.clone(), text })),
        };
        let permit = Permit {
            call: call.clone(),
            evaluation: evaluation.clone(),
            facts: facts.clone(),
            withheld: withheld.clone(),
            sandbox: context.sandbox,
        };
        let handler = Arc::clone(&tool);
        let started = Instant::now();
        let ended = unpanicked(handler.execute(permit, &execution)).await;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let result = ended.unwrap_or_else(|_| {
            Err(ToolFailure {
                code: ErrorCode::ToolExecutionError,
                reason: "The tool failed in an unexpected way.".to_owned(),
            })
        });

        let judged = Judged { call, evaluation, facts, withheld, digest, context, tool };
        let (mut message, changes) = self.message(proposed, result);
        for finding in self.findings(&judged.call, &message, run).await {
            message.content.push_str("\n\n");
            message.content.push_str(&finding);
        }
        match recorder.outcome(message.error_code.as_deref().unwrap_or("succeeded"), duration_ms, &judged) {
            // The log failed after a call that this one had made, though it writes again.
            Ok(()) => {
                Answered { message, denied: false, changes, ran_ms: Some(duration_ms), halt: run.is_halted() }
            }
            Err(error) => {
                self.halted.store(true, Ordering::Release);
                run.halt();
                self.parts.observer.notice(Event::Warning {
                    code: "audit_unwritable",
                    message: format!("The audit log could not record what came of `{}`: {error}. Nothing new runs until it can be written.", judged.call.tool),
                });
                let text = "The call ran, but what came of it could not be recorded. Do not repeat it; nothing else will run.";
                Answered {
                    halt: true,
                    ran_ms: Some(duration_ms),
                    ..recorder.answer(ErrorCode::OutcomeUnknown, text, false)
                }
            }
        }
    }

    async fn findings(&self, call: &PreparedCall, message: &ToolMessage, run: &Run) -> Vec<String> {
        if self.parts.advisor.concerns(call) {
            self.parts.advisor.after(call, message, &run.cancel).await
        } else {
            Vec::new()
        }
    }

    /// A result as the model reads it; one that no message can carry is an error (R6).
    fn message(
        &self,
        proposed: &ProposedCall,
        result: Result<ToolOutput, ToolFailure>,
    ) -> (ToolMessage, Vec<Change>) {
        let message = |content: String, code: Option<ErrorCode>| ToolMessage {
            call_id: proposed.id.clone(),
            content,
            is_error: code.is_some(),
            error_code: code.map(|code| code.as_str().to_owned()),
        };
        match result {
            Ok(output) if output.content.contains('\0') => {
                let failure = ToolFailure {
                    code: ErrorCode::InvalidToolResult,
                    reason: "The tool's result holds a NUL character.".to_owned(),
                };
                (message(failure.to_string(), Some(failure.code)), output.changes)
            }
            Ok(output) => (message(output.content, None), output.changes),
            Err(failure) => (message(failure.to_string(), Some(failure.code)), Vec::new()),
        }
    }

    fn notice_decision(&self, call_id: &str, behavior: Behavior, judged: &Judged, by: Option<&Answer>) {
        let source = match by {
            Some(Answer::Allowed { surface }) => surface.as_str().to_owned(),
            Some(
                Answer::Denied { .. } | Answer::Expired | Answer::Withdrawn | Answer::Unavailable { .. },
            )
            | None => judged.evaluation.source.as_str().to_owned(),
        };
        self.parts.observer.notice(Event::Decision {
            call_id: call_id.to_owned(),
            behavior,
            source,
            reason: judged.evaluation.reason.as_str().to_owned(),
            evaluation: Box::new(judged.evaluation.clone()),
            digest: judged.digest,
        });
    }
}

fn code_of(text: &str) -> Option<ErrorCode> {
    ErrorCode::ALL.iter().copied().find(|code| code.as_str() == text)
}
