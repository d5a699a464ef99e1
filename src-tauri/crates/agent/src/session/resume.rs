//! After a crash: what had streamed is kept and marked, and every call without an answer gets an honest one (R53).

use super::{Item, SessionStore, StoreError};
use crate::model::history::Unanswered;
use crate::model::{AssistantMessage, Message};
use std::collections::VecDeque;

/// What the audit knows about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No record says that it began: nothing happened.
    NeverBegan,
    /// It began; what came of it may or may not be recorded. Never repeated by itself.
    Began,
}

/// Brings a session into a state from which a run can go on. Adds to it only; does nothing to a sound one.
///
/// # Errors
/// When it can't be read or added to.
pub fn resume(store: &SessionStore, session: &str, fate: impl Fn(&str) -> Fate) -> Result<(), StoreError> {
    if let Some((text, reasoning)) = store.draft(session)?
        && !text.trim().is_empty()
    {
        let reply = AssistantMessage {
            text,
            reasoning: Some(reasoning).filter(|reasoning| !reasoning.is_empty()),
            interrupted: true,
            ..AssistantMessage::default()
        };
        store.append(session, &Item::Message(Message::Assistant(reply)))?;
    }
    for call in unanswered(&super::stored_history::conversation(store.items(session, None, usize::MAX)?)) {
        let why = match fate(&call) {
            Fate::NeverBegan => Unanswered::NeverStarted,
            Fate::Began => Unanswered::AppRestarted,
        };
        store.append(session, &Item::Message(Message::Tool(why.answer(&call))))?;
    }
    Ok(())
}

/// The calls of the last reply that have no answer, in order. Earlier ones were answered before a run went on.
fn unanswered(messages: &[Message]) -> VecDeque<String> {
    let mut open = VecDeque::new();
    for message in messages {
        match message {
            Message::Assistant(reply) => open = reply.calls.iter().map(|call| call.id.clone()).collect(),
            Message::Tool(answer) => open.retain(|id| *id != answer.call_id),
            Message::User { .. } => {}
        }
    }
    open
}
