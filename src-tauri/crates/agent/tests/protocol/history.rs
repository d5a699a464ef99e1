//! Whatever a conversation went through, both APIs accept what is sent of it.

use crate::strict_api::{check_chat_completions, check_messages};
use assent_agent::model::history::IdForm;
use assent_agent::model::{
    Arguments, AssistantMessage, Message, ModelRequest, ProposedCall, Quirks, Replay, Target, ToolMessage,
    Wire, request_body,
};
use proptest::prelude::*;
use serde_json::{Map, json};

fn call() -> impl Strategy<Value = ProposedCall> {
    let id = proptest::sample::select(vec![
        "",
        "a",
        "b",
        "functions.x:0",
        "toolu_1",
        "é",
        "call_0123456789012345678901234567890123456789",
    ]);
    let name = proptest::sample::select(vec!["glob", "", "no such tool!", "x.y"]);
    let arguments = prop_oneof![
        Just(Arguments::Object(Map::new())),
        Just(Arguments::Unreadable { raw: "{".to_owned(), problem: "cut".to_owned() }),
    ];
    (id, name, arguments).prop_map(|(id, name, arguments)| ProposedCall {
        id: id.to_owned(),
        id_given: true,
        name: name.to_owned(),
        arguments,
        extra: Some(json!({"extra_content": {"x": 1}})),
    })
}

fn replay() -> impl Strategy<Value = Option<Replay>> {
    let parts = proptest::sample::select(vec![
        json!({"reasoning_content": "hm"}),
        json!({"blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use"}]}),
        json!({"blocks": [{"type": "redacted_thinking", "data": "x"}]}),
    ]);
    let provider = proptest::sample::select(vec!["p", "q"]);
    proptest::option::of((provider, parts).prop_map(|(provider, parts)| Replay {
        provider: provider.to_owned(),
        model: "m".to_owned(),
        parts,
    }))
}

fn message() -> impl Strategy<Value = Message> {
    let text = || proptest::sample::select(vec!["", " \n", "hello", "blank at the end \n"]);
    let id = proptest::sample::select(vec!["", "a", "b", "functions.x:0", "toolu_1"]);
    prop_oneof![
        text().prop_map(|text| Message::User {
            text: text.to_owned(),
            attachments: Vec::new(),
            by_hook: false
        }),
        (text(), proptest::collection::vec(call(), 0..3), replay()).prop_map(|(text, calls, replay)| {
            Message::Assistant(AssistantMessage {
                text: text.to_owned(),
                calls,
                replay,
                ..Default::default()
            })
        }),
        (id, text()).prop_map(|(id, content)| Message::Tool(ToolMessage {
            call_id: id.to_owned(),
            content: content.to_owned(),
            is_error: true,
            error_code: None,
        })),
    ]
}

proptest! {
    #![proptest_config(crate::effort::cases(512))]
    /// R2
    #[test]
    fn every_request_is_accepted(messages in proptest::collection::vec(message(), 0..12), plain in any::<bool>()) {
        let request = ModelRequest { system: String::new(), messages, tools: Vec::new() };
        for (wire, id_form) in [
            (Wire::ChatCompletions, IdForm::Short),
            (Wire::ChatCompletions, IdForm::NineAlphanumerics),
            (Wire::ChatCompletions, IdForm::Kimi),
            (Wire::Messages, IdForm::Word),
        ] {
            let target = Target {
                provider: "p".to_owned(),
                model: "m".to_owned(),
                id_form,
                max_output_tokens: None,
                temperature: None,
                quirks: Quirks { plain_history: plain, ..Quirks::default() },
            };
            let body = request_body(wire, &request, &target);
            let check = match wire {
                Wire::ChatCompletions => check_chat_completions(&body),
                Wire::Messages => check_messages(&body),
            };
            prop_assert_eq!(check, Ok(()), "{:?} {:?}", wire, id_form);
        }
    }
}
