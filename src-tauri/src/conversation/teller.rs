//! The transcript of one conversation: its items, which grow while a run is on (`live`) or come from the store (`retelling`),
//! and the events for the window.

mod language;
mod live;
mod retelling;
#[cfg(test)]
mod tests;

use super::card::Ends;
use super::spending::{Prices, Spending};
use super::stored::item_id;
use crate::view::{self, AppEvent, Attachment, Call, CallState, TranscriptItem, shown_lines};
use assent_agent::approval::Answer;
use assent_policy::request::Language;
use assent_policy::{Behavior, CallDigest, Evaluation};
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
    /// What they attached to messages that don't lie there, by item: a hook held them back.
    held: HashMap<String, Vec<assent_agent::model::Attachment>>,
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

    /// What the person attached to what they said last, whole: kept until that lies in the store.
    pub fn attached(&mut self, by_hand: Vec<assent_agent::model::Attachment>) {
        if let Some(item_id) = self.unstored.clone().filter(|_| !by_hand.is_empty()) {
            self.held.insert(item_id, by_hand);
        }
    }

    /// What was attached to the message `item_id`, which isn't in the store.
    pub fn held(&self, item_id: &str) -> Vec<assent_agent::model::Attachment> {
        self.held.get(item_id).cloned().unwrap_or_default()
    }

    /// What the person said last was stored at `seq`.
    pub fn user_stored(&mut self, seq: i64) {
        if let Some(item_id) = self.unstored.take() {
            self.held.remove(&item_id);
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
        for gone in self.items.drain(place..) {
            self.held.remove(item_id(&gone));
        }
        self.calls.retain(|_, open| open.item < place);
        self.growing = None;
        Some(AppEvent::HistoryCut { session_id: self.session.clone(), from_item_id })
    }

    /// A waiting call: its card shows what it would change.
    pub fn waits(&mut self, call_id: &str, approval: &str, diffs: Vec<view::FileDiff>) {
        self.change(call_id, |call| {
            call.state = CallState::Waiting;
            call.approval_id = Some(approval.to_owned());
            call.diffs = diffs;
        });
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
