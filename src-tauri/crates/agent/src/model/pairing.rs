//! The invariant of a conversation, checked before every request (R2).

use super::Message;
use std::collections::BTreeSet;

/// Checks that each reply with k calls is followed at once by exactly k answers, same ids, same order; that no
/// other answer exists; and that ids are unique in the conversation.
///
/// # Errors
/// The first place where that doesn't hold.
pub fn pairing(messages: &[Message]) -> Result<(), PairingFault> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        match message {
            Message::Tool(answer) => {
                if open.first() != Some(&answer.call_id.as_str()) {
                    return Err(PairingFault { place, what: Fault::Orphan(answer.call_id.clone()) });
                }
                open.remove(0);
            }
            Message::User { .. } | Message::Assistant(_) => {
                if let Some(missing) = open.first() {
                    return Err(PairingFault { place, what: Fault::Missing((*missing).to_owned()) });
                }
            }
        }
        if let Message::Assistant(reply) = message {
            for call in &reply.calls {
                if !seen.insert(call.id.as_str()) {
                    return Err(PairingFault { place, what: Fault::Repeated(call.id.clone()) });
                }
                open.push(&call.id);
            }
        }
    }
    match open.first() {
        Some(missing) => {
            Err(PairingFault { place: messages.len(), what: Fault::Missing((*missing).to_owned()) })
        }
        None => Ok(()),
    }
}

/// Where a conversation is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("message {place}: {what}")]
pub struct PairingFault {
    /// Index of the message.
    pub place: usize,
    /// What is wrong.
    pub what: Fault,
}

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An answer to no open call, or out of order.
    #[error("an answer to `{0}`, which is not the next open call")]
    Orphan(String),
    /// A call without its answer.
    #[error("no answer to `{0}`")]
    Missing(String),
    /// An id used twice.
    #[error("the id `{0}` is used twice")]
    Repeated(String),
}
