//! The forms of call ids that targets accept. A conversation may change its provider; then its ids must fit the
//! new one, on both sides of each pair, in the copy that is sent.

use crate::model::Message;
use crate::model::call_ids::{MINTED_LENGTH, alphanumeric};
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};

/// What a target accepts as an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdForm {
    /// Anything up to 40 bytes (OpenAI's limit).
    Short,
    /// Exactly nine of `[a-zA-Z0-9]` (Mistral).
    NineAlphanumerics,
    /// `[a-zA-Z0-9_-]+` (Anthropic).
    Word,
    /// `functions.NAME:N`, N counted over the conversation (Kimi).
    Kimi,
}

/// A copy whose ids have the form. Ids that have it are kept, different ids stay different, and the same
/// conversation always gets the same ids, so that a provider's prompt cache holds.
#[must_use]
pub fn map_ids(messages: &[Message], form: IdForm) -> Vec<Message> {
    let calls = || {
        messages
            .iter()
            .filter_map(|message| match message {
                Message::Assistant(reply) => Some(&reply.calls),
                Message::User { .. } | Message::Tool(_) => None,
            })
            .flatten()
    };
    let mut taken: HashSet<String> =
        calls().filter(|call| form.fits(&call.id)).map(|call| call.id.clone()).collect();
    let mut map = HashMap::new();
    for (place, call) in calls().enumerate() {
        if form == IdForm::Kimi {
            map.insert(call.id.clone(), format!("functions.{}:{place}", call.name));
        } else if !form.fits(&call.id) && !map.contains_key(&call.id) {
            let mut round = 0;
            let id = loop {
                let id = hashed(&call.id, round);
                if taken.insert(id.clone()) {
                    break id;
                }
                round += 1;
            };
            map.insert(call.id.clone(), id);
        }
    }
    let mut copy = messages.to_vec();
    for message in &mut copy {
        match message {
            Message::Assistant(reply) => reply.calls.iter_mut().for_each(|call| replace(&mut call.id, &map)),
            Message::Tool(answer) => replace(&mut answer.call_id, &map),
            Message::User { .. } => {}
        }
    }
    copy
}

impl IdForm {
    fn fits(self, id: &str) -> bool {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        match self {
            Self::Short => !id.is_empty() && id.len() <= 40,
            Self::NineAlphanumerics => {
                id.len() == MINTED_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
            Self::Word => !id.is_empty() && id.len() <= 64 && id.bytes().all(word),
            Self::Kimi => false,
        }
    }
}

fn replace(id: &mut String, map: &HashMap<String, String>) {
    if let Some(new) = map.get(id.as_str()) {
        id.clone_from(new);
    }
}

fn hashed(id: &str, round: u32) -> String {
    let digest = Sha256::new().chain_update(round.to_le_bytes()).chain_update(id).finalize();
    let number = digest.iter().take(8).fold(0u64, |number, byte| (number << 8) | u64::from(*byte));
    alphanumeric(number)
}

#[cfg(test)]
mod tests {
    use super::IdForm;

    #[test]
    fn forms_are_told_apart() {
        let cases = [
            ("functions.read_file:0", [true, false, false]),
            ("toolu_01-A", [true, false, true]),
            ("abcDEF123", [true, true, true]),
            ("chatcmpl-tool-0123456789abcdef0123456789abcdef", [false, false, true]),
            ("", [false, false, false]),
            ("é", [true, false, false]),
        ];
        for (id, expected) in cases {
            let got = [IdForm::Short, IdForm::NineAlphanumerics, IdForm::Word].map(|form| form.fits(id));
            assert_eq!(got, expected, "{id}");
        }
    }
}
