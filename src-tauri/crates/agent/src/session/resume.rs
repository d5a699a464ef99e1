//! After a crash: what had streamed is kept and marked, and every call without an answer gets an honest one (R53),
//! or, where it waits for a person, goes on from there (R35).

use super::stored_history::conversation;
use super::{Item, SessionStore, StoreError};
use crate::approval::Answer;
use crate::audit::{AuditError, Standing, Step};
use crate::gate::refusal;
use crate::model::history::{Unanswered, without_answer};
use crate::model::{AssistantMessage, Message, ProposedCall, ToolMessage};

/// What is known of a call that has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// No record says that it began: nothing happened.
    NeverBegan,
    /// It began; what came of it may or may not be recorded. Never repeated by itself.
    Began,
    /// It waited for a person, and that ended so. An allow that came to nothing is no reason to run it.
    Waited(Answer),
}

impl Fate {
    /// The fate of a call by what the log says of it; `waited` is how the question about it ended, if there was one.
    #[must_use]
    pub fn of(
        standing: Result<Option<Standing>, AuditError>,
        waited: impl FnOnce() -> Option<Answer>,
    ) -> Self {
        match standing.map(|standing| standing.map(|it| it.step)) {
            Ok(None | Some(Step::Refused)) => Self::NeverBegan,
            Ok(Some(Step::Undecided)) => waited().map_or(Self::NeverBegan, Self::Waited),
            // What can't be known may have had an effect.
            Ok(Some(Step::Began | Step::Ended { .. })) | Err(_) => Self::Began,
        }
    }
}

/// Brings a session into a state from which a new message can go on. Adds to it only; does nothing to a sound one.
/// Says what each call without an answer got.
///
/// # Errors
/// When it can't be read or added to.
pub fn resume(
    store: &SessionStore,
    session: &str,
    fate: impl Fn(&str) -> Fate,
) -> Result<Vec<ToolMessage>, StoreError> {
    let mut answers = Vec::new();
    for call in open_calls(store, session)? {
        let never = || Unanswered::NeverStarted.answer(&call.id);
        let answer = match fate(&call.id) {
            Fate::NeverBegan => never(),
            Fate::Began => Unanswered::AppRestarted.answer(&call.id),
            Fate::Waited(answer) => refusal(&answer, &call.id).unwrap_or_else(never),
        };
        store.append(session, &Item::Message(Message::Tool(answer.clone())))?;
        answers.push(answer);
    }
    Ok(answers)
}

/// The calls that a run goes on with, once a person has answered the first of them: none of them has an answer in
/// the conversation, and each goes through the gate, which knows what began.
///
/// # Errors
/// When the session can't be read or added to.
pub fn open_calls(store: &SessionStore, session: &str) -> Result<Vec<ProposedCall>, StoreError> {
    keep_draft(store, session)?;
    Ok(without_answer(&conversation(store.items(session, None, usize::MAX)?)))
}

fn keep_draft(store: &SessionStore, session: &str) -> Result<(), StoreError> {
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
    Ok(())
}
