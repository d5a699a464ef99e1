//! Makes a conversation acceptable, whatever crash, cancel, compaction or import left behind. Works on a copy.

use super::{Unanswered, is_empty};
use crate::model::call_ids::CallIds;
use crate::model::{AssistantMessage, Message, ToolMessage};
use std::collections::HashSet;

/// A copy that keeps every rule of [`check`](super::check). One that kept them already comes back unchanged.
///
/// Answers are paired by place: within the messages between one reply and the next, each call takes the first
/// answer with its id. A call without one is answered with what is known ([`Unanswered::AppRestarted`]); an answer
/// without a call is left out; words a person typed meanwhile go behind the answers.
#[must_use]
pub fn normalise(messages: &[Message]) -> Vec<Message> {
    let used =
        messages.iter().filter_map(reply_of).flat_map(|reply| &reply.calls).map(|call| call.id.clone());
    // Ids that are minted here avoid every id in the conversation; the ones kept are tracked apart.
    let mut mint = CallIds::new(used.collect(), 0);
    let mut kept = HashSet::new();
    let mut out = Vec::with_capacity(messages.len());
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        rest = after;
        match message {
            Message::User { text, attachments, .. } if text.trim().is_empty() && attachments.is_empty() => {}
            Message::User { .. } => out.push(message.clone()),
            // Belongs to no reply, or its reply has taken what is its own.
            Message::Tool(_) => {}
            Message::Assistant(reply) if is_empty(reply) => {}
            Message::Assistant(reply) => {
                let until = rest.iter().position(|next| reply_of(next).is_some()).unwrap_or(rest.len());
                let (block, _) = rest.split_at(until);
                push_reply(reply, block, &mut kept, &mut mint, &mut out);
            }
        }
    }
    out
}

fn push_reply(
    reply: &AssistantMessage,
    block: &[Message],
    kept: &mut HashSet<String>,
    mint: &mut CallIds,
    out: &mut Vec<Message>,
) {
    let mut answers: Vec<Option<&ToolMessage>> = block.iter().map(answer_of).collect();
    let mut reply = reply.clone();
    let mut paired = Vec::with_capacity(reply.calls.len());
    for call in &mut reply.calls {
        let found = answers
            .iter_mut()
            .find(|answer| answer.is_some_and(|answer| answer.call_id == call.id))
            .and_then(Option::take);
        let mut answer = match found {
            Some(answer) => answer.clone(),
            None => Unanswered::AppRestarted.answer(&call.id),
        };
        if call.id.is_empty() || !kept.insert(call.id.clone()) {
            call.id = mint.mint();
            kept.insert(call.id.clone());
        }
        answer.call_id.clone_from(&call.id);
        paired.push(Message::Tool(answer));
    }
    out.push(Message::Assistant(reply));
    out.append(&mut paired);
}

fn reply_of(message: &Message) -> Option<&AssistantMessage> {
    match message {
        Message::Assistant(reply) => Some(reply),
        Message::User { .. } | Message::Tool(_) => None,
    }
}

fn answer_of(message: &Message) -> Option<&ToolMessage> {
    match message {
        Message::Tool(answer) => Some(answer),
        Message::User { .. } | Message::Assistant(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::normalise;
    use crate::model::history::{IdForm, check, map_ids};
    use crate::model::{Arguments, AssistantMessage, Message, ProposedCall, ToolMessage};
    use proptest::prelude::*;
    use serde_json::Map;

    fn message() -> impl Strategy<Value = Message> {
        let id = || proptest::sample::select(vec!["", "a", "b", "functions.x:0", "toolu_1", "0123456789"]);
        let call = id().prop_map(|id| ProposedCall {
            id: id.to_owned(),
            id_given: true,
            name: "glob".to_owned(),
            arguments: Arguments::Object(Map::new()),
            extra: None,
        });
        let text = || proptest::sample::select(vec!["", " \n", "hello"]);
        prop_oneof![
            text().prop_map(|text| Message::User {
                text: text.to_owned(),
                attachments: Vec::new(),
                by_hook: false
            }),
            (text(), proptest::collection::vec(call, 0..4)).prop_map(|(text, calls)| {
                Message::Assistant(AssistantMessage { text: text.to_owned(), calls, ..Default::default() })
            }),
            (id(), "[a-z]{1,4}").prop_map(|(id, content)| Message::Tool(ToolMessage {
                call_id: id.to_owned(),
                content,
                is_error: false,
                error_code: None,
            })),
        ]
    }

    proptest! {
        /// R2
        #[test]
        fn whatever_comes_in_the_rules_hold(messages in proptest::collection::vec(message(), 0..16)) {
            let once = normalise(&messages);
            prop_assert_eq!(check(&once), Ok(()));
            prop_assert_eq!(normalise(&once), once.clone(), "a second pass changes nothing");
            for form in [IdForm::Short, IdForm::NineAlphanumerics, IdForm::Word, IdForm::Kimi] {
                let mapped = map_ids(&once, form);
                prop_assert_eq!(check(&mapped), Ok(()), "{:?}", form);
                prop_assert_eq!(mapped.len(), once.len());
            }
        }

        /// R2
        #[test]
        fn a_valid_history_is_not_touched(messages in proptest::collection::vec(message(), 0..16)) {
            if check(&messages).is_ok() {
                prop_assert_eq!(normalise(&messages), messages);
            }
        }
    }

    #[test]
    fn settled_answers_survive_and_only_the_missing_one_is_made() {
        let call = |id: &str| ProposedCall {
            id: id.to_owned(),
            id_given: true,
            name: "write_file".to_owned(),
            arguments: Arguments::Object(Map::new()),
            extra: None,
        };
        let calls = vec![call("1"), call("2")];
        let settled = ToolMessage::error("2", "approval_denied", "No.");
        let messages = [
            Message::Assistant(AssistantMessage { calls, ..Default::default() }),
            Message::User { text: "wait".to_owned(), attachments: Vec::new(), by_hook: false },
            Message::Tool(settled.clone()),
        ];
        let out = normalise(&messages);
        assert_eq!(check(&out), Ok(()));
        let Message::Tool(made) = &out[1] else { panic!() };
        assert_eq!(made.error_code.as_deref(), Some("outcome_unknown"));
        assert_eq!(out[2], Message::Tool(settled));
        assert_eq!(out[3], messages[1]);
    }
}
