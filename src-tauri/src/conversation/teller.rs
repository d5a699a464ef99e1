//! Tells one conversation: turns the engine's events into transcript items and into events for the window.

mod language;
#[cfg(test)]
mod tests;

use super::card::{Ends, ends, exit_code, state_after, subject};
use super::spending::{Prices, Spending};
use super::stored::{is_open, item_id};
use crate::view::{
    self, AppEvent, Attachment, Call, CallState, Decision, Final, RunOutcome, Surface, TranscriptItem,
    Verdict, shown, shown_lines,
};
use assent_agent::approval::Answer;
use assent_agent::event::Event;
use assent_policy::request::{Language, profile_in};
use assent_policy::{Behavior, CallDigest, ErrorCode, Evaluation};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The items of one session, in the language it is told in, oldest first, and what is still open among them.
#[derive(Default)]
pub struct Teller {
    session: String,
    run: String,
    items: Vec<TranscriptItem>,
    next: u64,
    /// What the person said, until the run starts.
    unannounced: Option<TranscriptItem>,
    /// What the person said, until it lies in the store.
    unstored: Option<String>,
    /// The assistant item that grows.
    growing: Option<String>,
    /// The end of the run, until it is over.
    ended: Option<AppEvent>,
    calls: HashMap<String, Open>,
    /// Where the messages of the person lie in the store, by item.
    seqs: HashMap<String, i64>,
    spending: Spending,
    language: Language,
    /// What the engine said of its own, as it said it, by item.
    sentences: HashMap<String, String>,
}

struct Open {
    item: usize,
    arguments: Map<String, Value>,
    answer: Option<Answer>,
    streamed: Ends,
    /// How it was decided, where that happened in this process.
    judged: Option<Judged>,
}

/// A decision as the engine tells it.
#[derive(Clone)]
struct Judged {
    behavior: Behavior,
    source: String,
    reason: String,
    evaluation: Box<Evaluation>,
    digest: CallDigest,
}

impl Teller {
    /// A teller of `session`.
    pub fn new(session: &str, language: Language, prices: Prices) -> Self {
        let spending = Spending::new(prices);
        Self { session: session.to_owned(), language, spending, ..Self::default() }
    }

    /// Every item, oldest first.
    pub fn items(&self) -> &[TranscriptItem] {
        &self.items
    }

    /// What was used so far.
    pub fn spending(&self) -> &Spending {
        &self.spending
    }

    /// The conversation fills about so many tokens of the model's window.
    pub fn fill_context(&mut self, used: u64, window: Option<u64>) {
        self.spending.fill(used, window);
    }

    /// A summary is sent instead of what came before.
    pub fn summarised(&mut self, now: u64, text: &str) -> AppEvent {
        let item = TranscriptItem::Summary {
            item_id: self.id(),
            time_ms: now,
            text: shown_lines(text),
            undone: false,
        };
        self.items.push(item.clone());
        AppEvent::ItemAdded { session_id: self.session.clone(), item }
    }

    /// The newest summary was taken back.
    pub fn summary_undone(&mut self) -> Option<AppEvent> {
        let newest = self.items.iter_mut().rev().find_map(|item| match item {
            TranscriptItem::Summary { item_id, undone, .. } => Some((item_id, undone)),
            TranscriptItem::User { .. }
            | TranscriptItem::Assistant { .. }
            | TranscriptItem::Call { .. }
            | TranscriptItem::Notice { .. }
            | TranscriptItem::RunEnd { .. } => None,
        });
        let (item_id, undone) = newest?;
        *undone = true;
        Some(AppEvent::SummaryUndone { session_id: self.session.clone(), item_id: item_id.clone() })
    }

    /// Text and reasoning of the reply that streams.
    pub fn growing(&self) -> Option<(String, String)> {
        let growing = self.growing.as_ref()?;
        self.items.iter().rev().find_map(|item| match item {
            TranscriptItem::Assistant { item_id, text, reasoning, .. } if item_id == growing => {
                Some((text.clone(), reasoning.clone()))
            }
            TranscriptItem::Assistant { .. }
            | TranscriptItem::User { .. }
            | TranscriptItem::Call { .. }
            | TranscriptItem::Notice { .. }
            | TranscriptItem::Summary { .. }
            | TranscriptItem::RunEnd { .. } => None,
        })
    }

    /// The arguments of a call, whole.
    pub fn arguments(&self, call_id: &str) -> Option<&Map<String, Value>> {
        self.calls.get(call_id).map(|open| &open.arguments)
    }

    /// The card of a call.
    pub fn call(&self, call_id: &str) -> Option<&Call> {
        match self.calls.get(call_id).and_then(|open| self.items.get(open.item)) {
            Some(TranscriptItem::Call { call, .. }) => Some(call),
            Some(
                TranscriptItem::User { .. }
                | TranscriptItem::Assistant { .. }
                | TranscriptItem::Notice { .. }
                | TranscriptItem::Summary { .. }
                | TranscriptItem::RunEnd { .. },
            )
            | None => None,
        }
    }

    /// The person said something; the window hears of it when the run starts.
    pub fn user(&mut self, now: u64, text: &str, mentions: &[String], attachments: Vec<Attachment>) {
        let item_id = self.id();
        self.unstored = Some(item_id.clone());
        let item = TranscriptItem::User {
            item_id,
            time_ms: now,
            text: text.to_owned(),
            mentions: mentions.to_vec(),
            attachments,
        };
        self.items.push(item.clone());
        self.unannounced = Some(item);
    }

    /// The transcript as it is: everything that was said is announced with it.
    pub fn retold(&mut self) {
        self.unannounced = None;
    }

    /// A message was stored at `seq`: what the person said last, or else a hook's, which keeps a run going.
    pub fn user_stored(&mut self, seq: i64) {
        if let Some(item_id) = self.unstored.take() {
            self.seqs.insert(item_id, seq);
        }
    }

    /// Where the message `item_id` lies in the store.
    pub fn seq_of(&self, item_id: &str) -> Option<i64> {
        self.seqs.get(item_id).copied()
    }

    /// Where `wanted` is in the transcript.
    pub fn place_of(&self, wanted: &str) -> Option<usize> {
        self.items.iter().position(|item| item_id(item) == wanted)
    }

    /// Where the first message from `place` on lies in the store. None where none of them does: a hook held it back.
    pub fn seq_from(&self, place: usize) -> Option<i64> {
        self.items.iter().skip(place).find_map(|item| self.seq_of(item_id(item)))
    }

    /// Takes the message stored at `from_seq` and everything after it out of the transcript.
    pub fn cut_at(&mut self, from_seq: i64) -> Option<AppEvent> {
        let is_after = |item| self.seq_of(item_id(item)).is_some_and(|seq| seq >= from_seq);
        let place = self.items.iter().position(is_after)?;
        self.cut(place)
    }

    /// Takes the item at `place` and everything after it out of the transcript.
    pub fn cut(&mut self, place: usize) -> Option<AppEvent> {
        let from_item_id = self.items.get(place).map(|item| item_id(item).to_owned())?;
        self.items.truncate(place);
        self.calls.retain(|_, open| open.item < place);
        self.growing = None;
        Some(AppEvent::HistoryCut { session_id: self.session.clone(), from_item_id })
    }

    /// A reply that was stored.
    pub fn retell_assistant(&mut self, now: u64, text: &str, reasoning: &str) {
        let item_id = self.id();
        let (text, reasoning) = (text.to_owned(), reasoning.to_owned());
        self.items.push(TranscriptItem::Assistant { item_id, time_ms: now, text, reasoning });
    }

    /// A card that was stored.
    pub fn retell_call(&mut self, call_id: &str, stored: Call) {
        let shown = self.shown_id(call_id);
        if !self.calls.contains_key(call_id) {
            // A sub-agent's: its conversation isn't kept, its card is.
            let (agent, tool, now) = (stored.agent.clone(), stored.tool.clone(), stored.proposed_ms);
            drop(self.proposed(now, call_id, &tool, None, agent));
        }
        self.change(call_id, |call| *call = Call { call_id: shown, ..stored });
    }

    /// The answer to a call whose card wasn't stored.
    pub fn retell_answer(&mut self, call_id: &str, code: Option<ErrorCode>, content: &str) {
        let (output, output_bytes) = ends(content);
        self.change(call_id, |call| {
            if is_open(call.state) {
                call.state = state_after(code);
                call.error_code = code.map(|code| code.as_str().to_owned());
                call.output = output;
                call.output_bytes = output_bytes;
            }
        });
    }

    /// A remark that was stored.
    pub fn retell_notice(&mut self, now: u64, code: &str, message: &str) {
        let item_id = self.id();
        let (code, message) = (code.to_owned(), self.say(&item_id, message.to_owned()));
        self.items.push(TranscriptItem::Notice { item_id, time_ms: now, code, message });
    }

    /// The tokens of a run that was stored.
    pub fn retell_spending(&mut self, model: &str, usage: assent_agent::model::Usage) {
        self.spending.retell(model, usage);
    }

    /// The end of a run that was stored.
    pub fn retell_end(
        &mut self,
        now: u64,
        outcome: RunOutcome,
        error_code: Option<String>,
        message: Option<String>,
        turns: u32,
    ) {
        let item_id = self.id();
        let message = message.map(|text| self.say(&item_id, text));
        self.items.push(TranscriptItem::RunEnd {
            item_id,
            time_ms: now,
            outcome,
            error_code,
            message,
            turns,
        });
    }

    /// A waiting call: its card shows what it would change.
    pub fn waits(&mut self, call_id: &str, approval: &str, diffs: Vec<view::FileDiff>) {
        self.change(call_id, |call| {
            call.state = CallState::Waiting;
            call.approval_id = Some(approval.to_owned());
            call.diffs = diffs;
        });
    }

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

    fn decision(&self, judged: &Judged, answer: Option<&Answer>) -> Decision {
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

    fn finished(
        &mut self,
        call_id: &str,
        error: Option<ErrorCode>,
        content: &str,
        duration_ms: u64,
    ) -> AppEvent {
        let state = state_after(error);
        let streamed = self.calls.get(call_id).map(|open| &open.streamed).filter(|ends| ends.total() > 0);
        let (output, output_bytes) =
            streamed.map_or_else(|| ends(content), |streamed| (streamed.text(), streamed.total()));
        let exit_code = exit_code(content);
        self.change(call_id, |call| {
            call.state = state;
            call.error_code = error.map(|code| code.as_str().to_owned());
            call.exit_code = exit_code;
            call.duration_ms = Some(duration_ms);
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
            duration_ms: Some(duration_ms),
            output,
            output_bytes,
            diffs,
            change_id,
        }
    }

    /// What a call changed, for its card.
    pub fn changed(&mut self, call_id: &str, change_id: Option<String>, diffs: Vec<view::FileDiff>) {
        self.change(call_id, |call| {
            call.change_id = change_id;
            call.diffs = diffs;
        });
    }

    fn change(&mut self, call_id: &str, change: impl FnOnce(&mut Call)) {
        let place = self.calls.get(call_id).map(|open| open.item);
        if let Some(TranscriptItem::Call { call, .. }) = place.and_then(|item| self.items.get_mut(item)) {
            change(call);
        }
    }

    fn shown_id(&self, call_id: &str) -> String {
        super::shown_call_id(&self.session, call_id)
    }

    fn id(&mut self) -> String {
        self.next += 1;
        format!("i{}", self.next)
    }
}
