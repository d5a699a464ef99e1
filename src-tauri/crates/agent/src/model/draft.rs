//! A reply in the making: what both wire formats add to, and how it becomes a [`Reply`].

use super::assembler::{Assembler, Fragment};
use super::call_ids::CallIds;
use super::errors::{FailureCode, Report, classify};
use super::finish::{Finish, derive_stop};
use super::{Delta, ModelError, Reply, StopReason, Usage};
use serde_json::Value;
use std::collections::HashSet;

/// Longest reply, bytes of text, thinking and arguments together.
pub const MAX_REPLY: usize = 32 * 1024 * 1024;

/// How a body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyEnd {
    /// As HTTP says it should.
    Whole,
    /// Reset, timed out, or cut; in words for the person.
    Broken(String),
}

/// Collects a reply.
#[derive(Debug)]
pub struct Draft {
    text: String,
    reasoning: String,
    refusal: String,
    assembler: Assembler,
    finish: Option<Finish>,
    /// The terminator came; whatever follows is noise.
    is_terminated: bool,
    failure: Option<ModelError>,
    usage: Option<Usage>,
    deltas: Vec<Delta>,
    size: usize,
}

impl Draft {
    /// `tools` are the names on offer.
    #[must_use]
    pub fn new(tools: HashSet<String>) -> Self {
        Self {
            text: String::new(),
            reasoning: String::new(),
            refusal: String::new(),
            assembler: Assembler::new(tools),
            finish: None,
            is_terminated: false,
            failure: None,
            usage: None,
            deltas: Vec::new(),
            size: 0,
        }
    }

    /// Adds visible text.
    pub fn add_text(&mut self, text: &str) {
        if !text.is_empty() && self.admit(text.len()) {
            self.text.push_str(text);
            match self.deltas.last_mut() {
                Some(Delta::Text(last)) => last.push_str(text),
                Some(Delta::Reasoning(_) | Delta::CallStarted(_) | Delta::Waiting { .. }) | None => {
                    self.deltas.push(Delta::Text(text.to_owned()));
                }
            }
        }
    }

    /// Adds thinking text.
    pub fn add_reasoning(&mut self, text: &str) {
        if !text.is_empty() && self.admit(text.len()) {
            self.reasoning.push_str(text);
            match self.deltas.last_mut() {
                Some(Delta::Reasoning(last)) => last.push_str(text),
                Some(Delta::Text(_) | Delta::CallStarted(_) | Delta::Waiting { .. }) | None => {
                    self.deltas.push(Delta::Reasoning(text.to_owned()));
                }
            }
        }
    }

    /// Adds text of a refusal.
    pub fn add_refusal(&mut self, text: &str) {
        if self.admit(text.len()) {
            self.refusal.push_str(text);
        }
    }

    /// Adds a piece of a call.
    pub fn add_fragment(&mut self, fragment: Fragment<'_>) {
        if !self.admit(fragment.arguments.len()) {
            return;
        }
        match self.assembler.add(fragment) {
            Ok(Some(name)) => self.deltas.push(Delta::CallStarted(name)),
            Ok(None) => {}
            Err(refused) => self.fail(FailureCode::BadStream.error(&refused.to_string())),
        }
    }

    /// Adds a call that was announced and whose bytes were admitted before.
    pub fn add_announced(&mut self, fragment: Fragment<'_>) {
        if let Err(refused) = self.assembler.add(fragment) {
            self.fail(FailureCode::BadStream.error(&refused.to_string()));
        }
    }

    /// A call began whose arguments come later.
    pub fn announce(&mut self, name: &str) {
        self.deltas.push(Delta::CallStarted(name.to_owned()));
    }

    /// Takes a finish label; the gravest of several counts.
    pub fn add_label(&mut self, label: &str) {
        if let Some(finish) = Finish::from_label(label) {
            self.finish = self.finish.max(Some(finish));
        }
    }

    /// Takes a report of usage: the last value of each kind wins.
    pub fn add_usage(&mut self, input: Option<u64>, output: Option<u64>) {
        if input.is_none() && output.is_none() {
            return;
        }
        let usage = self.usage.get_or_insert_default();
        usage.input = input.unwrap_or(usage.input);
        usage.output = output.unwrap_or(usage.output);
    }

    /// The terminator came.
    pub fn terminate(&mut self) {
        self.is_terminated = true;
    }

    /// The provider reported an error inside the reply.
    pub fn fail_with(&mut self, report: &Value) {
        self.fail(classify(None, &Report::from_json(report)).error);
    }

    /// A whole response can't be read; one that ends too early was cut on its way.
    pub fn fail_unreadable(&mut self, problem: &serde_json::Error) {
        let code = if problem.is_eof() { FailureCode::StreamTruncated } else { FailureCode::BadResponse };
        self.fail(code.error(&problem.to_string()));
    }

    /// A whole response holds no reply. Some servers say in it what went wrong, in a form of their own.
    pub fn fail_without_reply(&mut self, document: &Value) {
        let report = Report::from_json(document);
        let classified = classify(None, &report);
        self.fail(if classified.code == FailureCode::UpstreamError {
            FailureCode::BadResponse.error(&report.message)
        } else {
            classified.error
        });
    }

    /// The reply failed; the first failure is the one that is told.
    pub fn fail(&mut self, error: ModelError) {
        self.failure.get_or_insert(error);
    }

    /// Whether a label said why the reply ended.
    #[must_use]
    pub fn has_finish(&self) -> bool {
        self.finish.is_some()
    }

    /// Whether it failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether nothing that still comes can matter.
    #[must_use]
    pub fn is_terminated(&self) -> bool {
        self.is_terminated
    }

    /// What is new since the last time.
    pub fn take_deltas(&mut self) -> Vec<Delta> {
        std::mem::take(&mut self.deltas)
    }

    /// The reply. It is complete only with a label or a terminator; else it was cut.
    #[must_use]
    pub fn into_reply(self, ids: &mut CallIds, end: &BodyEnd) -> Reply {
        let begun = self.assembler.count();
        let assembled = self.assembler.finish(ids);
        let mut reply = Reply {
            text: self.text,
            reasoning: (!self.reasoning.is_empty()).then_some(self.reasoning),
            refusal: (!self.refusal.is_empty()).then_some(self.refusal),
            usage: self.usage,
            ..Reply::default()
        };
        let failure = self.failure.or_else(|| match (self.finish, self.is_terminated, end) {
            (Some(Finish::MalformedCall), _, _) => Some(FailureCode::MalformedToolCall.error("")),
            (Some(Finish::Failed), _, _) => Some(FailureCode::UpstreamError.error("")),
            (Some(Finish::Normal | Finish::Pause | Finish::Length | Finish::Filtered), _, _)
            | (None, true, _) => None,
            (None, false, BodyEnd::Whole) => Some(FailureCode::StreamTruncated.error("")),
            (None, false, BodyEnd::Broken(why)) => Some(FailureCode::StreamTruncated.error(why)),
        });
        let failure = failure.or_else(|| {
            (assembled.nameless > 0).then(|| FailureCode::MalformedToolCall.error("a call has no name"))
        });
        let finish = self.finish.unwrap_or(Finish::Normal);
        reply.stop = match failure {
            Some(_) => StopReason::Error,
            None => derive_stop(finish, !assembled.calls.is_empty(), reply.refusal.is_some()),
        };
        reply.error = failure;
        match reply.stop {
            StopReason::End | StopReason::ToolCalls => {
                reply.resume = finish == Finish::Pause;
                reply.hint = unparsed_call_hint(&reply.text, &assembled.calls);
                reply.calls = assembled.calls;
            }
            StopReason::Length | StopReason::ContentFilter | StopReason::Error => {
                reply.dropped_calls = u32::try_from(begun).unwrap_or(u32::MAX);
            }
        }
        reply
    }

    /// Counts bytes against the limit of a reply; false where it is full, and then the reply has failed.
    pub fn admit(&mut self, bytes: usize) -> bool {
        self.size = self.size.saturating_add(bytes);
        if self.size > MAX_REPLY {
            self.fail(FailureCode::BadStream.error(&format!("it is longer than {MAX_REPLY} bytes")));
            return false;
        }
        true
    }
}

/// A call that stands in the text is never run, since text may quote a file or a page; but the person should know
/// why nothing happens.
fn unparsed_call_hint(text: &str, calls: &[super::ProposedCall]) -> Option<String> {
    const MARKS: [&str; 6] =
        ["<tool_call>", "<|tool_call", "<｜tool▁call", "[TOOL_CALLS]", "<function=", "<|python_tag|>"];
    (calls.is_empty() && MARKS.iter().any(|mark| text.contains(mark))).then(|| {
        "The reply holds a tool call written as text. Such a call is never run; this server may not parse tool \
         calls for this model."
            .to_owned()
    })
}
