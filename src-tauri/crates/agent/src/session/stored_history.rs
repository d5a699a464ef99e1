//! The conversation of one session, as the loop sees it.

use super::{Compacted, Item, SessionStore, StoredItem, compact};
use crate::model::{Message, ModelClient, history};
use crate::turn::{History, HistoryError};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A session's conversation in the store.
pub struct StoredHistory {
    store: Arc<SessionStore>,
    session: String,
}

impl StoredHistory {
    /// The conversation of `session`.
    #[must_use]
    pub fn new(store: Arc<SessionStore>, session: &str) -> Self {
        Self { store, session: session.to_owned() }
    }
}

#[async_trait]
impl History for StoredHistory {
    fn messages(&self) -> Result<Vec<Message>, HistoryError> {
        let items = self
            .store
            .items(&self.session, None, usize::MAX)
            .map_err(|error| HistoryError(error.to_string()))?;
        Ok(conversation(items))
    }

    fn call_ids(&self) -> Result<HashSet<String>, HistoryError> {
        let items = self
            .store
            .items(&self.session, None, usize::MAX)
            .map_err(|error| HistoryError(error.to_string()))?;
        let messages = items.iter().filter_map(|stored| match &stored.item {
            Item::Message(message) => Some(message),
            Item::Call { .. }
            | Item::Notice { .. }
            | Item::RunEnd { .. }
            | Item::Cut { .. }
            | Item::Compaction { .. } => None,
        });
        Ok(history::call_ids(messages))
    }

    fn append(&self, message: &Message) -> Result<(), HistoryError> {
        self.store
            .append(&self.session, &Item::Message(message.clone()))
            .map(|_| ())
            .map_err(|error| HistoryError(error.to_string()))
    }

    async fn compact(
        &self,
        model: &dyn ModelClient,
        keep: u64,
        budget: u64,
        cancel: &CancellationToken,
    ) -> Result<Option<Compacted>, HistoryError> {
        let compacted = compact(&self.store, &self.session, model, keep, budget, cancel).await;
        compacted.map(Some).map_err(|error| HistoryError(error.to_string()))
    }
}

/// What of `items` goes to the model: the messages, without what was cut, behind the last summary.
pub(super) fn conversation(items: Vec<StoredItem>) -> Vec<Message> {
    let Live { summary, messages } = live(items);
    let opening = summary.map(|text| summary_message(&text));
    opening.into_iter().chain(messages.into_iter().map(|(_, message)| message)).collect()
}

/// A summary as the model reads it.
pub(super) fn summary_message(summary: &str) -> Message {
    Message::User {
        text: format!("[A summary of the conversation so far, made by Assent]\n{summary}"),
        attachments: Vec::new(),
        by_hook: false,
    }
}

/// What counts of a session.
pub(super) struct Live {
    /// The last summary; what came before it is not among the messages.
    pub(super) summary: Option<String>,
    /// The messages with their places.
    pub(super) messages: Vec<(i64, Message)>,
}

/// What of `items` counts. A later summary replaces an earlier one; one without text takes it back.
pub(super) fn live(items: Vec<StoredItem>) -> Live {
    let mut messages: Vec<(i64, Message)> = Vec::with_capacity(items.len());
    let mut summaries: Vec<(i64, String, i64)> = Vec::new();
    for StoredItem { seq, item, .. } in items {
        match item {
            Item::Message(message) => messages.push((seq, message)),
            Item::Cut { from_seq } => {
                messages.retain(|(seq, _)| *seq < from_seq);
                summaries.retain(|(seq, _, _)| *seq < from_seq);
            }
            Item::Compaction { summary, from_seq } => summaries.push((seq, summary, from_seq)),
            Item::Call { .. } | Item::Notice { .. } | Item::RunEnd { .. } => {}
        }
    }
    let summary = summaries.pop().filter(|(_, summary, _)| !summary.trim().is_empty());
    if let Some((_, _, from_seq)) = &summary {
        messages.retain(|(seq, _)| seq >= from_seq);
    }
    Live { summary: summary.map(|(_, text, _)| text), messages }
}
