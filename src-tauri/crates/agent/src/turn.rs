//! The loop: ask the model, take its calls through the gate one by one, hand the results back, again (R1–R3).

mod context_watch;

use crate::event::{Event, Observer, Outcome};
use crate::gate::{Answered, Gate, Run};
use crate::model::{
    CallIds, Delta, Message, ModelClient, ModelRequest, ProposedCall, Reply, StopReason, ToolMessage, Usage,
    history,
};
use crate::session::Compacted;
use assent_policy::{ErrorCode, Origin};
use async_trait::async_trait;
use context_watch::ContextWatch;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The code of the warning that tells what a hook said to keep a run going.
pub const STOP_HOOK: &str = "stop_hook";

/// Where a conversation is kept. Append-only; each message is durable when `append` returns.
#[async_trait]
pub trait History: Send + Sync {
    /// The conversation so far, valid for a request: every call answered.
    ///
    /// # Errors
    /// When it can't be read.
    fn messages(&self) -> Result<Vec<Message>, HistoryError>;

    /// The ids of all its calls, of those too that `messages` leaves out: outputs and records are kept by them.
    ///
    /// # Errors
    /// When it can't be read.
    fn call_ids(&self) -> Result<HashSet<String>, HistoryError> {
        Ok(history::call_ids(&self.messages()?))
    }

    /// Adds one message.
    ///
    /// # Errors
    /// When it can't be stored; the run ends.
    fn append(&self, message: &Message) -> Result<(), HistoryError>;

    /// Has all but about the last `keep` tokens sent as a summary from now on; `budget` is the most tokens that
    /// asking for it may take. `None`: this conversation has no such thing.
    ///
    /// # Errors
    /// When there is no old part, no summary, or it can't be stored; nothing has changed then.
    async fn compact(
        &self,
        _model: &dyn ModelClient,
        _keep: u64,
        _budget: u64,
        _cancel: &CancellationToken,
    ) -> Result<Option<Compacted>, HistoryError> {
        Ok(None)
    }
}

/// The conversation can't be kept.
#[derive(Debug, thiserror::Error)]
#[error("keep the conversation: {0}")]
pub struct HistoryError(pub String);

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Requests to the model.
    pub turns: u32,
    /// Denials in a row of one operation that trip the breaker (R22).
    pub denials_in_a_row: u32,
    /// Denials in a run that trip it.
    pub denials: u32,
    /// Unreadable or invalid arguments in a row that end the run.
    pub bad_calls_in_a_row: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: 100, denials_in_a_row: 3, denials: 10, bad_calls_in_a_row: 3 }
    }
}

/// What a run works with.
pub struct Turn {
    /// The model.
    pub model: Arc<dyn ModelClient>,
    /// The door to the tools.
    pub gate: Arc<Gate>,
    /// The conversation.
    pub history: Arc<dyn History>,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
    /// The system prompt.
    pub system: String,
    /// Tools that policy forbids altogether; not offered (R20).
    pub hidden: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// When to stop by itself.
    pub limits: Limits,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// How.
    pub outcome: Outcome,
    /// The code behind it, where there is one.
    pub error_code: Option<String>,
    /// What it means, in words.
    pub message: Option<String>,
    /// The last reply's text; empty unless it was an answer.
    pub final_text: String,
    /// Requests made.
    pub turns: u32,
    /// Tokens of the whole run.
    pub usage: Usage,
}

impl Turn {
    /// Takes one user message to its end.
    pub async fn run(&self, message: Message, run: &Run) -> Finished {
        self.between_marks(Some(message), Vec::new(), run).await
    }

    /// Goes on where the process that ran it ended: `calls` are those of the last reply that have no answer.
    pub async fn resume(&self, calls: Vec<ProposedCall>, run: &Run) -> Finished {
        self.between_marks(None, calls, run).await
    }

    async fn between_marks(&self, message: Option<Message>, calls: Vec<ProposedCall>, run: &Run) -> Finished {
        self.observer.notice(Event::RunStarted {
            session: run.session.clone(),
            run: run.id.clone(),
            model: self.model.model().to_owned(),
        });
        let mut progress = Progress::default();
        let submitted = match message {
            Some(message) => self.submit(message, run).await,
            None => Ok(()),
        };
        let (outcome, error_code, note) = match submitted {
            Ok(()) => self.requests(calls, run, &mut progress).await,
            Err(ended) => ended,
        };
        let final_text = if outcome == Outcome::Completed { progress.text } else { String::new() };
        let finished = Finished {
            outcome,
            error_code,
            message: note,
            final_text,
            turns: progress.turns,
            usage: progress.usage,
        };
        self.observer.notice(Event::RunFinished {
            outcome,
            error_code: finished.error_code.clone(),
            message: finished.message.clone(),
            final_text: finished.final_text.clone(),
            turns: finished.turns,
            usage: finished.usage,
        });
        finished
    }

    /// Stores the person's message, unless a hook of theirs holds it back; what hooks add is marked as theirs.
    async fn submit(&self, message: Message, run: &Run) -> Result<(), Ended> {
        let message = match message {
            // A sub-agent's task is the model's words: hooks of prompts are about a person's.
            message @ Message::User { .. } if run.origin != Origin::Task => message,
            Message::User { mut text, attachments, by_hook } => {
                let prompted = self.gate.advisor().prompted(&text, &run.cancel).await;
                self.warn_all("hook_failed", prompted.failures);
                if let Some(why) = prompted.blocked {
                    return Err(incomplete("prompt_blocked", &why));
                }
                for context in prompted.context {
                    text.push_str("\n\n");
                    text.push_str(&context);
                }
                Message::User { text, attachments, by_hook }
            }
            other @ (Message::Assistant(_) | Message::Tool(_)) => other,
        };
        self.say(&message, run).map_err(|error| failed("history", &error.to_string()))
    }

    /// Stores words behind the last reply. A call of it that a failure of the store, or of a run, left without an answer
    /// gets one first: behind the words it would be out of place for good.
    fn say(&self, words: &Message, run: &Run) -> Result<(), HistoryError> {
        for call in history::without_answer(&self.history.messages()?) {
            self.history.append(&Message::Tool(self.gate.left_open(&call, run)))?;
        }
        self.history.append(words)
    }

    /// Whether the run's end stands; else the message that keeps it going is stored. Hooks may do so a few times.
    async fn may_end(&self, held: &mut u32, run: &Run) -> Result<bool, HistoryError> {
        const LIMIT: u32 = 3;
        if *held >= LIMIT || run.cancel.is_cancelled() || run.origin != Origin::Task {
            return Ok(true);
        }
        let stopping = self.gate.advisor().stopping(*held > 0, &run.cancel).await;
        self.warn_all("hook_failed", stopping.failures);
        let Some(text) = stopping.go_on else { return Ok(true) };
        *held = held.saturating_add(1);
        let words = Message::User { text: text.clone(), attachments: Vec::new(), by_hook: true };
        self.say(&words, run)?;
        self.observer.notice(Event::Warning { code: STOP_HOOK, message: text });
        Ok(false)
    }

    fn warn_all(&self, code: &'static str, messages: Vec<String>) {
        for message in messages {
            self.observer.notice(Event::Warning { code, message });
        }
    }

    async fn requests(&self, open: Vec<ProposedCall>, run: &Run, progress: &mut Progress) -> Ended {
        let mut held = 0;
        let tools = self.gate.registry().specs(|name| (self.hidden)(name));
        let mut breaker = Breaker::new(self.limits);
        if !open.is_empty()
            && let Some(ended) = self.answer(open, run, &mut breaker).await
        {
            return ended;
        }
        let mut ids = match self.history.call_ids() {
            Ok(used) => CallIds::after(used),
            Err(error) => return failed("history", &error.to_string()),
        };
        let mut context = ContextWatch::new(self.model.context_window());
        while progress.turns < self.limits.turns {
            let messages = match self.history.messages() {
                Ok(messages) => history::normalise(&messages),
                Err(error) => return failed("history", &error.to_string()),
            };
            if let Err(fault) = history::check(&messages) {
                return failed("invalid_history", &fault.to_string());
            }
            let request = ModelRequest { system: self.system.clone(), messages, tools: tools.clone() };
            if context.makes_room(self, &request, run).await {
                continue;
            }
            progress.turns += 1;
            let mut reply = self.ask(&request, run).await;
            ids.keep_apart(&mut reply.calls);
            progress.add(&reply);
            self.observer.notice(Event::Reply { turn: progress.turns, reply: Box::new(reply.clone()) });
            if let Some(hint) = &reply.hint {
                self.observer.notice(Event::Warning { code: "model_hint", message: hint.clone() });
            }

            let calls = runnable(&reply);
            if let Err(error) = self.keep(&reply) {
                return failed("history", &error.to_string());
            }
            if run.cancel.is_cancelled() && calls.is_empty() {
                return (Outcome::Cancelled, Some("cancelled".to_owned()), None);
            }
            if context.reviews(self, &request, &reply, run).await {
                continue;
            }
            match reply.stop {
                StopReason::Error => return provider_failed(&reply),
                StopReason::Length => return incomplete("length", "The reply was cut by the output limit."),
                StopReason::ContentFilter => {
                    return incomplete("content_filter", "The provider withheld the reply.");
                }
                StopReason::End if reply.resume => continue,
                StopReason::End | StopReason::ToolCalls => {}
            }
            if calls.is_empty() {
                if reply.text.trim().is_empty() {
                    return incomplete("empty_reply", "The model gave an empty reply.");
                }
                progress.text = reply.text;
                match self.may_end(&mut held, run).await {
                    Ok(true) => return (Outcome::Completed, None, None),
                    Ok(false) => continue,
                    Err(error) => return failed("history", &error.to_string()),
                }
            }
            if let Some(ended) = self.answer(calls, run, &mut breaker).await {
                return ended;
            }
        }
        (Outcome::TurnLimit, Some("turn_limit".to_owned()), Some("The turn limit was reached.".to_owned()))
    }

    async fn ask(&self, request: &ModelRequest, run: &Run) -> Reply {
        let sink = |delta: Delta| match delta {
            Delta::Text(text) => self.observer.notice(Event::TextDelta(text)),
            Delta::Reasoning(text) => self.observer.notice(Event::ReasoningDelta(text)),
            Delta::CallStarted(_) => {}
            Delta::Waiting { message, .. } => {
                self.observer.notice(Event::Warning { code: "model_retry", message });
            }
        };
        self.model.complete(request, &sink, &run.cancel).await
    }

    /// Stores a reply: with its calls where they will be answered, else its text, marked.
    fn keep(&self, reply: &Reply) -> Result<(), HistoryError> {
        reply.to_message().map_or(Ok(()), |message| self.history.append(&Message::Assistant(message)))
    }

    /// Takes the calls through the gate, one at a time, each with its own answer (R2, R37).
    async fn answer(&self, calls: Vec<ProposedCall>, run: &Run, breaker: &mut Breaker) -> Option<Ended> {
        let mut ended: Option<Ended> = None;
        let mut waiting: VecDeque<ProposedCall> = calls.into();
        while let Some(call) = waiting.pop_front() {
            let answered = match &ended {
                None => self.gate.run(&call, run).await,
                Some(_) => skipped(&call),
            };
            let stored = self.history.append(&Message::Tool(answered.message.clone()));
            if let Err(error) = stored {
                ended.get_or_insert(failed("history", &error.to_string()));
            }
            if ended.is_none() {
                if answered.halt {
                    ended =
                        Some(failed("outcome_unknown", "The audit log can't be written; the run stopped."));
                } else {
                    ended = breaker.judge(&call, &answered);
                }
            }
        }
        if ended.is_none() && run.cancel.is_cancelled() {
            ended = Some((Outcome::Cancelled, Some("cancelled".to_owned()), None));
        }
        ended
    }
}

type Ended = (Outcome, Option<String>, Option<String>);

#[derive(Default)]
struct Progress {
    turns: u32,
    usage: Usage,
    text: String,
}

impl Progress {
    fn add(&mut self, reply: &Reply) {
        if let Some(usage) = reply.usage {
            self.usage.input = self.usage.input.saturating_add(usage.input);
            self.usage.output = self.usage.output.saturating_add(usage.output);
        }
    }
}

/// Counts denials (R22) and calls that never reached a decision.
struct Breaker {
    limits: Limits,
    last: Option<String>,
    in_a_row: u32,
    denials: u32,
    bad: u32,
}

impl Breaker {
    fn new(limits: Limits) -> Self {
        Self { limits, last: None, in_a_row: 0, denials: 0, bad: 0 }
    }

    fn judge(&mut self, call: &ProposedCall, answered: &Answered) -> Option<Ended> {
        let code = answered.message.error_code.as_deref();
        let bad = [ErrorCode::UnknownTool, ErrorCode::InvalidJson, ErrorCode::InvalidArguments]
            .iter()
            .any(|bad| code == Some(bad.as_str()));
        self.bad = if bad { self.bad.saturating_add(1) } else { 0 };
        if self.bad >= self.limits.bad_calls_in_a_row {
            return Some(tripped("malformed_tool_call", "The model keeps sending calls that can't be read."));
        }
        if !answered.denied {
            self.in_a_row = 0;
            self.last = None;
            return None;
        }
        let operation = call.operation();
        self.denials = self.denials.saturating_add(1);
        self.in_a_row =
            if self.last.as_ref() == Some(&operation) { self.in_a_row.saturating_add(1) } else { 1 };
        self.last = Some(operation);
        if self.in_a_row >= self.limits.denials_in_a_row {
            return Some(tripped(
                "repeated_denial",
                "The same call was denied again and again, so the run stopped.",
            ));
        }
        if self.denials >= self.limits.denials {
            return Some(tripped(
                "too_many_denials",
                "Too many calls were denied in this run, so it stopped.",
            ));
        }
        None
    }
}

/// The calls that go to the gate: none of a reply that was cut, filtered or failed (R3).
fn runnable(reply: &Reply) -> Vec<ProposedCall> {
    match reply.stop {
        StopReason::End | StopReason::ToolCalls => reply.calls.clone(),
        StopReason::Length | StopReason::ContentFilter | StopReason::Error => Vec::new(),
    }
}

/// The answer to a call behind the one that ended the run. Nothing of it was looked at.
fn skipped(call: &ProposedCall) -> Answered {
    Answered {
        message: ToolMessage {
            call_id: call.id.clone(),
            content: format!(
                "Error [{}]: The run ended before this call began. It did not run.",
                ErrorCode::Cancelled
            ),
            is_error: true,
            error_code: Some(ErrorCode::Cancelled.as_str().to_owned()),
        },
        denied: false,
        changes: Vec::new(),
        ran_ms: None,
        halt: false,
    }
}

fn provider_failed(reply: &Reply) -> Ended {
    match &reply.error {
        Some(error) if error.code == "cancelled" => {
            (Outcome::Cancelled, Some("cancelled".to_owned()), Some(error.message.clone()))
        }
        Some(error) => (Outcome::ProviderError, Some(error.code.to_owned()), Some(error.message.clone())),
        None => failed("bad_response", "The provider failed and said nothing about it."),
    }
}

fn incomplete(code: &str, why: &str) -> Ended {
    (Outcome::Incomplete, Some(code.to_owned()), Some(why.to_owned()))
}

fn tripped(code: &str, why: &str) -> Ended {
    (Outcome::CircuitBreaker, Some(code.to_owned()), Some(why.to_owned()))
}

fn failed(code: &str, why: &str) -> Ended {
    (Outcome::ProviderError, Some(code.to_owned()), Some(why.to_owned()))
}
