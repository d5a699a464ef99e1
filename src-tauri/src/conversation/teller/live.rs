//! What the engine tells while a run is on: kept in the transcript, and what the window is told of it.

use super::{Judged, Open, Teller};
use crate::conversation::card::{Ends, ends, exit_code, state_after, subject};
use crate::conversation::stored::is_open;
use crate::view::{
    self, AppEvent, Call, CallState, Decision, Final, RunOutcome, Surface, TranscriptItem, Verdict, shown,
};
use assent_agent::approval::Answer;
use assent_agent::event::Event;
use assent_agent::turn::STOP_HOOK;
use assent_policy::request::profile_in;
use assent_policy::{Behavior, ErrorCode};
use serde_json::{Map, Value};

impl Teller {
    /// Takes one event of the engine; what the window is told about it.
    pub fn take(&mut self, now: u64, event: Event) -> Vec<AppEvent> {
        match event {
            Event::RunStarted { run, model, .. } => {
                self.spending.begin(&model);
                self.run.clone_from(&run);
                self.growing = None;
                let session_id = self.session.clone();
                let mut events = vec![AppEvent::RunStarted { session_id: session_id.clone(), run_id: run }];
                events.extend(self.unannounced.take().map(|item| AppEvent::ItemAdded { session_id, item }));
                events
            }
            Event::TextDelta(text) => vec![self.grow(now, &text, "")],
            Event::ReasoningDelta(text) => vec![self.grow(now, "", &text)],
            Event::Reply { reply, .. } => {
                let mut events = Vec::new();
                if self.growing.is_none() && !reply.text.trim().is_empty() {
                    events.push(self.grow(now, &reply.text, ""));
                }
                if let Some(item_id) = self.growing.take() {
                    events.push(AppEvent::ReplyFinished { session_id: self.session.clone(), item_id });
                }
                if let Some(usage) = reply.usage {
                    self.spending.add(usage);
                    events.push(self.used());
                }
                events
            }
            Event::Spent(usage) => {
                self.spending.add(usage);
                vec![self.used()]
            }
            Event::Context { used, window } => {
                self.spending.fill(used, window);
                vec![self.used()]
            }
            Event::Compacted(compacted) => vec![self.summarised(now, &compacted.summary)],
            // A call that waited over a restart has its card already.
            Event::ToolCall { call_id, .. }
                if self.call(&call_id).is_some_and(|call| is_open(call.state)) =>
            {
                Vec::new()
            }
            Event::ToolCall { call_id, name, arguments, agent } => {
                vec![self.proposed(now, &call_id, &name, arguments, agent)]
            }
            Event::ApprovalAnswered { call_id, answer } => {
                if let Some(open) = self.calls.get_mut(&call_id) {
                    open.answer = Some(answer);
                }
                Vec::new()
            }
            Event::Decision { call_id, behavior, source, reason, evaluation, digest } => {
                let answer = self.calls.get(&call_id).and_then(|open| open.answer.clone());
                let judged = Judged { behavior, source, reason, evaluation, digest };
                let decision = self.decision(&judged, answer.as_ref());
                if let Some(open) = self.calls.get_mut(&call_id) {
                    open.judged = Some(judged);
                }
                let denied = decision.behavior == Final::Deny;
                self.change(&call_id, |call| {
                    call.state = if denied { CallState::Denied } else { CallState::Running };
                    call.decision = Some(decision.clone());
                });
                vec![AppEvent::CallDecided {
                    session_id: self.session.clone(),
                    call_id: self.shown_id(&call_id),
                    decision: Box::new(decision),
                    error_code: None,
                }]
            }
            Event::Output { call_id, text } => {
                let Some(open) = self.calls.get_mut(&call_id) else { return Vec::new() };
                open.streamed.push(&text);
                let (output, total_bytes) = (open.streamed.text(), open.streamed.total());
                self.change(&call_id, |call| {
                    call.output = output;
                    call.output_bytes = total_bytes;
                });
                let call_id = self.shown_id(&call_id);
                vec![AppEvent::CallOutput {
                    session_id: self.session.clone(),
                    call_id,
                    chunk: text,
                    total_bytes,
                }]
            }
            Event::ToolResult { call_id, error, content, duration_ms, .. } => {
                vec![self.finished(&call_id, error, &content, duration_ms)]
            }
            Event::Warning { code: STOP_HOOK, message } => {
                let item = self.remark(now, STOP_HOOK, &message);
                vec![AppEvent::ItemAdded { session_id: self.session.clone(), item }]
            }
            Event::Warning { code, message } => vec![AppEvent::Warning {
                session_id: Some(self.session.clone()),
                code: code.to_owned(),
                message: message.into(),
            }],
            Event::RunFinished { outcome, error_code, message, turns, .. } => {
                self.growing = None;
                let item_id = self.id();
                let message = message.map(|text| self.say(&item_id, text));
                let outcome = RunOutcome::from(outcome);
                self.items.push(TranscriptItem::RunEnd {
                    item_id: item_id.clone(),
                    time_ms: now,
                    outcome,
                    error_code: error_code.clone(),
                    message: message.clone(),
                    turns,
                });
                self.ended = Some(AppEvent::RunFinished {
                    session_id: self.session.clone(),
                    run_id: self.run.clone(),
                    item_id,
                    outcome,
                    error_code,
                    message,
                    turns,
                });
                Vec::new()
            }
        }
    }

    /// The end of the run, for whoever knows that it is over: before that, a message would be refused.
    pub fn take_end(&mut self) -> Option<AppEvent> {
        self.ended.take()
    }

    /// What was used, as the window is told.
    pub fn used(&self) -> AppEvent {
        AppEvent::Usage { session_id: self.session.clone(), usage: self.spending.view() }
    }

    /// A call was proposed.
    pub fn proposed(
        &mut self,
        now: u64,
        call_id: &str,
        name: &str,
        arguments: Option<Map<String, Value>>,
        agent: Option<String>,
    ) -> AppEvent {
        let arguments = arguments.unwrap_or_default();
        let says = arguments.get("description").and_then(Value::as_str).map(shown);
        let call = Call {
            call_id: self.shown_id(call_id),
            tool: shown(name),
            subject: subject(&arguments),
            arguments: view::arguments(&arguments),
            says: says.filter(|text| !text.trim().is_empty()),
            agent: agent.as_deref().map(shown),
            state: CallState::Proposed,
            proposed_ms: now,
            decision: None,
            approval_id: None,
            error_code: None,
            exit_code: None,
            duration_ms: None,
            output: String::new(),
            output_bytes: 0,
            diffs: Vec::new(),
            change_id: None,
        };
        let item_id = self.id();
        let open =
            Open { item: self.items.len(), arguments, answer: None, streamed: Ends::default(), judged: None };
        self.calls.insert(call_id.to_owned(), open);
        let event = AppEvent::CallProposed {
            session_id: self.session.clone(),
            item_id: item_id.clone(),
            call: Box::new(call.clone()),
        };
        self.items.push(TranscriptItem::Call { item_id, time_ms: now, call: Box::new(call) });
        event
    }

    pub(super) fn decision(&self, judged: &Judged, answer: Option<&Answer>) -> Decision {
        let Judged { behavior, source, reason, evaluation, digest } = judged;
        let (surface, words) = match answer {
            Some(Answer::Allowed { surface }) => (Some(Surface::from(*surface)), None),
            Some(Answer::Denied { surface, words }) => {
                (Some(Surface::from(*surface)), words.as_deref().map(shown))
            }
            Some(Answer::Expired | Answer::Withdrawn | Answer::Unavailable { .. }) | None => (None, None),
        };
        let sentence = shown(&evaluation.risk.sentence_in(self.language));
        let verdict = |verdict| Verdict::in_language(verdict, self.language);
        Decision {
            behavior: if *behavior == Behavior::Allow { Final::Allow } else { Final::Deny },
            source: shown(source),
            reason: self.said(reason),
            verdicts: evaluation.verdicts.iter().map(verdict).collect(),
            risk: view::Risk { level: evaluation.risk.level, sentence },
            digest_short: digest.short(),
            asked: answer.is_some(),
            surface,
            words,
            sandbox: Some(profile_in(self.language, evaluation.profile).to_owned()),
        }
    }

    fn grow(&mut self, now: u64, text: &str, reasoning: &str) -> AppEvent {
        let item_id = match self.growing.clone() {
            Some(item_id) => item_id,
            None => {
                let item_id = self.id();
                self.items.push(TranscriptItem::Assistant {
                    item_id: item_id.clone(),
                    time_ms: now,
                    text: String::new(),
                    reasoning: String::new(),
                });
                self.growing = Some(item_id.clone());
                item_id
            }
        };
        for item in self.items.iter_mut().rev() {
            if let TranscriptItem::Assistant { item_id: id, text: all, reasoning: thought, .. } = item
                && *id == item_id
            {
                all.push_str(text);
                thought.push_str(reasoning);
                break;
            }
        }
        let session_id = self.session.clone();
        if text.is_empty() {
            AppEvent::ReasoningDelta { session_id, item_id, text: reasoning.to_owned() }
        } else {
            AppEvent::TextDelta { session_id, item_id, text: text.to_owned() }
        }
    }

    fn finished(
        &mut self,
        call_id: &str,
        error: Option<ErrorCode>,
        content: &str,
        duration_ms: Option<u64>,
    ) -> AppEvent {
        let state = state_after(error);
        let streamed = self.calls.get(call_id).map(|open| &open.streamed).filter(|ends| ends.total() > 0);
        let (output, output_bytes) =
            streamed.map_or_else(|| ends(content), |streamed| (streamed.text(), streamed.total()));
        let exit_code = exit_code(error, content);
        self.change(call_id, |call| {
            call.state = state;
            call.error_code = error.map(|code| code.as_str().to_owned());
            call.exit_code = exit_code;
            call.duration_ms = duration_ms;
            call.output.clone_from(&output);
            call.output_bytes = output_bytes;
            if matches!(state, CallState::Denied | CallState::Failed | CallState::Cancelled) {
                call.diffs.clear();
            }
        });
        let diffs = self.call(call_id).map(|call| call.diffs.clone()).unwrap_or_default();
        let change_id = self.call(call_id).and_then(|call| call.change_id.clone());
        AppEvent::CallFinished {
            session_id: self.session.clone(),
            call_id: self.shown_id(call_id),
            state,
            error_code: error.map(|code| code.as_str().to_owned()),
            exit_code,
            duration_ms,
            output,
            output_bytes,
            diffs,
            change_id,
        }
    }
}
