//! The rules a conversation keeps so that every API accepts it (R2), and the repair on a copy where one is broken.
//!
//! - Each reply with k calls is followed at once by exactly k answers, same ids, same order; no other answers exist.
//! - Ids are unique in the conversation.
//! - No reply is empty.
//!
//! The stored conversation is only ever appended to; [`normalise`] works on what is sent.

mod id_form;
mod normalise;
mod unanswered;

pub use id_form::{IdForm, map_ids};
pub use normalise::normalise;
pub use unanswered::Unanswered;

use super::{AssistantMessage, Message, ProposedCall};
use std::collections::HashSet;

/// What is wrong with a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryFault {
    /// A call has no answer directly after its reply.
    #[error("check the history: call {id} has no answer")]
    MissingAnswer {
        /// The call.
        id: String,
    },
    /// An answer belongs to no call of the reply before it, or stands in the wrong place.
    #[error("check the history: the answer to {id} follows no such call")]
    OrphanAnswer {
        /// The id it names.
        id: String,
    },
    /// Two calls share an id.
    #[error("check the history: the call id {id} is used twice")]
    RepeatedId {
        /// The id.
        id: String,
    },
    /// A call has no id.
    #[error("check the history: a call of {name} has no id")]
    EmptyId {
        /// The tool.
        name: String,
    },
    /// A message has nothing in it.
    #[error("check the history: message {place} is empty")]
    EmptyMessage {
        /// Its place, from 0.
        place: usize,
    },
}

/// Checks the rules; to be called before each request.
///
/// # Errors
/// At the first rule that is broken.
pub fn check(messages: &[Message]) -> Result<(), HistoryFault> {
    let mut used = HashSet::new();
    let mut expected = Vec::<&str>::new().into_iter();
    for (place, message) in messages.iter().enumerate() {
        if let Message::Tool(answer) = message {
            if expected.next() != Some(answer.call_id.as_str()) {
                return Err(HistoryFault::OrphanAnswer { id: answer.call_id.clone() });
            }
            continue;
        }
        if let Some(id) = expected.next() {
            return Err(HistoryFault::MissingAnswer { id: id.to_owned() });
        }
        match message {
            Message::User { text, attachments, .. } if text.trim().is_empty() && attachments.is_empty() => {
                return Err(HistoryFault::EmptyMessage { place });
            }
            Message::Assistant(reply) if is_empty(reply) => return Err(HistoryFault::EmptyMessage { place }),
            Message::Assistant(reply) => {
                for call in &reply.calls {
                    if call.id.is_empty() {
                        return Err(HistoryFault::EmptyId { name: call.name.clone() });
                    }
                    if !used.insert(call.id.as_str()) {
                        return Err(HistoryFault::RepeatedId { id: call.id.clone() });
                    }
                }
                expected = reply.calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>().into_iter();
            }
            Message::User { .. } | Message::Tool(_) => {}
        }
    }
    match expected.next() {
        Some(id) => Err(HistoryFault::MissingAnswer { id: id.to_owned() }),
        None => Ok(()),
    }
}

/// The calls of the last reply that have no answer, in order. Earlier ones were answered before a run went on.
#[must_use]
pub fn without_answer(messages: &[Message]) -> Vec<ProposedCall> {
    let mut open = Vec::new();
    for message in messages {
        match message {
            Message::Assistant(reply) => open.clone_from(&reply.calls),
            Message::Tool(answer) => open.retain(|call: &ProposedCall| call.id != answer.call_id),
            Message::User { .. } => {}
        }
    }
    open
}

/// The ids of all calls in `messages`.
#[must_use]
pub fn call_ids<'a>(messages: impl IntoIterator<Item = &'a Message>) -> HashSet<String> {
    let replies = messages.into_iter().filter_map(|message| match message {
        Message::Assistant(reply) => Some(reply),
        Message::User { .. } | Message::Tool(_) => None,
    });
    replies.flat_map(|reply| &reply.calls).map(|call| call.id.clone()).collect()
}

/// Whether a reply has nothing that an API would accept as a message.
fn is_empty(reply: &AssistantMessage) -> bool {
    reply.text.trim().is_empty() && reply.calls.is_empty() && reply.replay.is_none()
}

#[cfg(test)]
mod tests {
    use super::{HistoryFault, check};
    use crate::model::{Arguments, AssistantMessage, Message, ProposedCall, ToolMessage};
    use serde_json::Map;

    fn user(text: &str) -> Message {
        Message::User { text: text.to_owned(), attachments: Vec::new(), by_hook: false }
    }

    fn reply(text: &str, ids: &[&str]) -> Message {
        let call = |id: &&str| ProposedCall {
            id: (*id).to_owned(),
            id_given: true,
            name: "glob".to_owned(),
            arguments: Arguments::Object(Map::new()),
            extra: None,
        };
        let calls = ids.iter().map(call).collect();
        Message::Assistant(AssistantMessage { text: text.to_owned(), calls, ..AssistantMessage::default() })
    }

    fn answer(id: &str) -> Message {
        Message::Tool(ToolMessage {
            call_id: id.to_owned(),
            content: "x".to_owned(),
            is_error: false,
            error_code: None,
        })
    }

    /// R2
    #[test]
    fn each_broken_rule_is_named() {
        let id = |id: &str| id.to_owned();
        let cases: Vec<(Vec<Message>, Result<(), HistoryFault>)> = vec![
            (vec![user("a"), reply("", &["1", "2"]), answer("1"), answer("2"), reply("b", &[])], Ok(())),
            (vec![user("a"), reply("", &["1"])], Err(HistoryFault::MissingAnswer { id: id("1") })),
            (
                vec![reply("", &["1"]), user("a"), answer("1")],
                Err(HistoryFault::MissingAnswer { id: id("1") }),
            ),
            (
                vec![reply("", &["1", "2"]), answer("2"), answer("1")],
                Err(HistoryFault::OrphanAnswer { id: id("2") }),
            ),
            (
                vec![reply("", &["1"]), answer("1"), answer("1")],
                Err(HistoryFault::OrphanAnswer { id: id("1") }),
            ),
            (vec![user("a"), answer("1")], Err(HistoryFault::OrphanAnswer { id: id("1") })),
            (
                vec![reply("", &["1"]), answer("1"), reply("", &["1"]), answer("1")],
                Err(HistoryFault::RepeatedId { id: id("1") }),
            ),
            (vec![reply("", &[""]), answer("")], Err(HistoryFault::EmptyId { name: id("glob") })),
            (vec![user("a"), reply(" \n", &[])], Err(HistoryFault::EmptyMessage { place: 1 })),
            (vec![user(" ")], Err(HistoryFault::EmptyMessage { place: 0 })),
        ];
        for (messages, expected) in cases {
            assert_eq!(check(&messages), expected, "{messages:?}");
        }
    }
}
