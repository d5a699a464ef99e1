//! Events of a stream mostly differ from the one before in a single text. Such an event means what the one before
//! meant, with the other text: it needs no parsing.

/// An event that was parsed, with a gap where its text stood.
#[derive(Debug)]
pub struct Template<E> {
    before: Vec<u8>,
    after: Vec<u8>,
    effect: E,
}

impl<E: Copy> Template<E> {
    /// A template from `data`, whose only effect was `effect` with `text`. `text` must be borrowed from `data`: one
    /// that was unescaped or made otherwise gives none.
    pub fn of(data: &[u8], text: &str, effect: E) -> Option<Self> {
        let start = text.as_ptr().addr().checked_sub(data.as_ptr().addr())?;
        let before = data.get(..start)?;
        let after = data.get(start.checked_add(text.len())?..)?;
        let is_string = before.ends_with(b"\"") && after.starts_with(b"\"");
        is_string.then(|| Self { before: before.to_owned(), after: after.to_owned(), effect })
    }

    /// The text of `data` and what to do with it, where it is the same event with another text that reads as it is.
    pub fn read<'a>(&self, data: &'a [u8]) -> Option<(&'a str, E)> {
        let text = data.strip_prefix(self.before.as_slice())?.strip_suffix(self.after.as_slice())?;
        let ends_or_escapes = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
        if text.iter().any(ends_or_escapes) {
            return None;
        }
        std::str::from_utf8(text).ok().map(|text| (text, self.effect))
    }
}

#[cfg(test)]
mod tests {
    use super::Template;
    use crate::model::{BodyEnd, CallIds, Decoder, Wire};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn only_a_text_that_reads_as_it_is_fits() {
        let data = br#"{"a":"one","b":1}"#;
        let text = std::str::from_utf8(&data[6..9]).unwrap();
        let template = Template::of(data, text, 7).unwrap();
        assert_eq!(template.read("{\"a\":\"zwei né\",\"b\":1}".as_bytes()), Some(("zwei né", 7)));
        assert_eq!(template.read(br#"{"a":"","b":1}"#), Some(("", 7)));
        for other in [
            r#"{"a":"x\"","b":1}"#,
            r#"{"a":"x\n","b":1}"#,
            "{\"a\":\"x\n\",\"b\":1}",
            r#"{"a":"x","c":"y","b":1}"#,
            r#"{"a":"x","b":2}"#,
            r#"{"a":"#,
            "",
        ] {
            assert_eq!(template.read(other.as_bytes()), None, "{other}");
        }
        assert_eq!(template.read(b"{\"a\":\"\xff\",\"b\":1}"), None);
        assert!(Template::of(data, "one", 7).is_none(), "a text from elsewhere");
    }

    fn event(wire: Wire) -> impl Strategy<Value = Value> {
        let text = || prop_oneof!["[a-z é]{0,6}", "[\"\\\\\n{}]{0,4}"];
        let chat = prop_oneof![
            text().prop_map(|text| json!({"content": text})),
            text().prop_map(|text| json!({"reasoning_content": text})),
            text().prop_map(|text| json!({"content": text, "reasoning": text})),
            (0..3u8, text()).prop_map(|(index, text)| {
                json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]})
            }),
            (0..3u8, text()).prop_map(|(index, text)| {
                json!({"tool_calls": [{"index": index, "id": "i", "function": {"name": "glob", "arguments": text}}]})
            }),
        ]
        .prop_flat_map(|delta| (Just(delta), prop_oneof![4 => Just(0), 1 => Just(1)]))
        .prop_map(|(delta, choice)| json!({"choices": [{"index": choice, "delta": delta}]}));
        let messages = (0..3u8, 0..4u8, text()).prop_map(|(index, kind, text)| {
            let delta = match kind {
                0 => json!({"type": "text_delta", "text": text}),
                1 => json!({"type": "thinking_delta", "thinking": text}),
                2 => json!({"type": "input_json_delta", "partial_json": text}),
                _ => {
                    let block = json!({"type": "tool_use", "id": text, "name": "glob", "input": {}});
                    return json!({"type": "content_block_start", "index": index, "content_block": block});
                }
            };
            json!({"type": "content_block_delta", "index": index, "delta": delta})
        });
        match wire {
            Wire::ChatCompletions => chat.boxed(),
            Wire::Messages => messages.boxed(),
        }
    }

    fn decode(wire: Wire, events: &[Value], apart: &str) -> crate::model::DecodedReply {
        let mut decoder = Decoder::new(wire, ["glob".to_owned()].into(), CallIds::new([].into(), 1));
        for event in events {
            decoder.push(format!("data: {event}\n\n{apart}").as_bytes());
        }
        decoder.push(b"data: [DONE]\n\n");
        decoder.finish(&BodyEnd::Whole)
    }

    proptest! {
        /// R3: what was read from a template is what parsing would have given. A chunk without a choice between two
        /// events has no effect but that no template fits.
        #[test]
        fn no_template_changes_a_reply(
            chat in proptest::collection::vec(event(Wire::ChatCompletions), 0..12),
            messages in proptest::collection::vec(event(Wire::Messages), 0..12),
        ) {
            let apart = "data: {\"choices\":[]}\n\n";
            prop_assert_eq!(
                decode(Wire::ChatCompletions, &chat, ""),
                decode(Wire::ChatCompletions, &chat, apart)
            );
            let apart = "data: {\"type\":\"ping\"}\n\n";
            prop_assert_eq!(decode(Wire::Messages, &messages, ""), decode(Wire::Messages, &messages, apart));
        }
    }
}
