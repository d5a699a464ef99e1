//! The conversation of one session, as the loop sees it.

use super::{Item, SessionStore, StoredItem};
use crate::model::Message;
use crate::turn::{History, HistoryError};
use std::sync::Arc;

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

impl History for StoredHistory {
    fn messages(&self) -> Result<Vec<Message>, HistoryError> {
        let items = self
            .store
            .items(&self.session, None, usize::MAX)
            .map_err(|error| HistoryError(error.to_string()))?;
        Ok(conversation(items))
    }

    fn append(&self, message: &Message) -> Result<(), HistoryError> {
        self.store
            .append(&self.session, &Item::Message(message.clone()))
            .map(|_| ())
            .map_err(|error| HistoryError(error.to_string()))
    }
}

/// What of `items` goes to the model: the messages, without what was cut, behind the last summary.
pub(super) fn conversation(items: Vec<StoredItem>) -> Vec<Message> {
    let mut kept: Vec<(i64, Message)> = Vec::with_capacity(items.len());
    let mut summary = None;
    for StoredItem { seq, item, .. } in items {
        match item {
            Item::Message(message) => kept.push((seq, message)),
            Item::Cut { from_seq } => kept.retain(|(seq, _)| *seq < from_seq),
            Item::Compaction { summary: text, from_seq } => {
                kept.retain(|(seq, _)| *seq >= from_seq);
                summary = Some(text);
            }
            Item::Call { .. } | Item::Notice { .. } | Item::RunEnd { .. } => {}
        }
    }
    let opening = summary.map(|text| Message::User {
        text: format!("[A summary of the conversation so far, made by Assent]\n{text}"),
        attachments: Vec::new(),
    });
    opening.into_iter().chain(kept.into_iter().map(|(_, message)| message)).collect()
}
