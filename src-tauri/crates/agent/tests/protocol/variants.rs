//! Replies that a conversation must be able to go on from: what they hold, and what the next request then says.

use crate::strict_api::{check_chat_completions, check_messages};
use assent_agent::model::history::IdForm;
use assent_agent::model::{
    BodyEnd, CallIds, Decoder, Message, ModelRequest, Quirks, Replay, Reply, StopReason, Target, ToolMessage,
    Wire, request_body,
};
use serde_json::{Value, json};

fn decode(wire: Wire, events: &[Value]) -> Reply {
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut decoder = Decoder::new(wire, ["read_file".to_owned()].into(), CallIds::new([].into(), 1));
    decoder.push(body.as_bytes());
    let decoded = decoder.finish(&BodyEnd::Whole);
    let replay =
        decoded.replay.map(|parts| Replay { provider: "p".to_owned(), model: "m".to_owned(), parts });
    Reply { replay, ..decoded.reply }
}

fn chat(deltas: &[Value], finish: &str) -> Reply {
    let mut events: Vec<_> = deltas.iter().map(|delta| json!({"choices": [{"delta": delta}]})).collect();
    events.push(json!({"choices": [{"delta": {}, "finish_reason": finish}]}));
    decode(Wire::ChatCompletions, &events)
}

fn messages(blocks: &[(Value, Vec<Value>)], stop: &str) -> Reply {
    let mut events = vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 3}}})];
    for (index, (block, deltas)) in blocks.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        let piece = |delta: &Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.iter().map(piece));
    }
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": stop}}));
    events.push(json!({"type": "message_stop"}));
    decode(Wire::Messages, &events)
}

/// The messages of the next request to `model`, after the calls were answered and the person went on.
fn next(wire: Wire, reply: &Reply, model: &str) -> Vec<Value> {
    let kept = reply.to_message().unwrap();
    let mut history = vec![Message::User { text: "hi".to_owned(), attachments: Vec::new(), by_hook: false }];
    let answers: Vec<_> = kept.calls.iter().map(|call| ToolMessage::error(&call.id, "x", "y")).collect();
    history.push(Message::Assistant(kept));
    history.extend(answers.into_iter().map(Message::Tool));
    if !reply.resume {
        history.push(Message::User { text: "go on".to_owned(), attachments: Vec::new(), by_hook: false });
    }
    let target = Target {
        provider: "p".to_owned(),
        model: model.to_owned(),
        id_form: if wire == Wire::Messages { IdForm::Word } else { IdForm::Short },
        max_output_tokens: None,
        temperature: None,
        quirks: Quirks::default(),
    };
    let request = ModelRequest { system: String::new(), messages: history, tools: Vec::new() };
    let body = request_body(wire, &request, &target);
    match wire {
        Wire::ChatCompletions => assert_eq!(check_chat_completions(&body), Ok(())),
        Wire::Messages => assert_eq!(check_messages(&body), Ok(())),
    }
    body["messages"].as_array().unwrap().clone()
}

#[test]
fn the_older_call_field_is_read() {
    let reply = chat(
        &[
            json!({"function_call": {"name": "read_file", "arguments": ""}}),
            json!({"function_call": {"arguments": "{\"path\":"}}),
            json!({"function_call": {"arguments": "\"a\"}"}}),
        ],
        "function_call",
    );
    assert_eq!((reply.stop, reply.calls.len(), reply.calls[0].id_given), (StopReason::ToolCalls, 1, false));
}

#[test]
fn unknown_keys_of_a_call_go_back_to_their_maker_only() {
    let signature = json!({"google": {"thought_signature": "abc"}});
    let call = json!({"index": 0, "id": "1", "extra_content": signature, "function": {"name": "read_file", "arguments": "{}"}});
    let reply = chat(&[json!({"tool_calls": [call]})], "tool_calls");
    let echoed = next(Wire::ChatCompletions, &reply, "m");
    assert_eq!(echoed[1]["tool_calls"][0]["extra_content"], signature);
    let other = next(Wire::ChatCompletions, &reply, "other");
    assert_eq!(other[1]["tool_calls"][0].get("extra_content"), None);
}

#[test]
fn raw_thinking_goes_back_in_order() {
    let details = [
        json!({"type": "reasoning.text", "text": "hm"}),
        json!({"type": "reasoning.encrypted", "data": "x"}),
    ];
    let deltas: Vec<_> = details.iter().map(|detail| json!({"reasoning_details": [detail]})).collect();
    let reply = chat(&[&deltas[..], &[json!({"content": "ok"})]].concat(), "stop");
    assert_eq!(reply.reasoning.as_deref(), Some("hm"));
    assert_eq!(next(Wire::ChatCompletions, &reply, "m")[1]["reasoning_details"], json!(details));
}

#[test]
fn content_parts_are_read() {
    let parts = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "ok"}]);
    let reply = chat(&[json!({"content": parts})], "stop");
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("ok", Some("hm")));
}

#[test]
fn a_call_without_a_name_is_a_failure_that_shows() {
    let call = json!({"index": 0, "id": "1", "function": {"arguments": "{\"path\":\"a\"}"}});
    let reply = chat(&[json!({"tool_calls": [call]})], "tool_calls");
    assert_eq!((reply.stop, reply.dropped_calls), (StopReason::Error, 1));
    assert_eq!(reply.error.map(|error| error.code), Some("malformed_tool_call"));
}

/// Thinking blocks keep their bytes and their places among the calls.
#[test]
fn thinking_and_calls_go_back_in_their_order() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "sig"});
    let reply = messages(
        &[
            (
                json!({"type": "thinking", "thinking": ""}),
                vec![
                    json!({"type": "thinking_delta", "thinking": "hm"}),
                    json!({"type": "signature_delta", "signature": "sig"}),
                ],
            ),
            (json!({"type": "text", "text": "Reading"}), vec![]),
            (
                json!({"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}),
                vec![json!({"type": "input_json_delta", "partial_json": "{\"path\":\"a\"}"})],
            ),
        ],
        "tool_use",
    );
    assert_eq!((reply.text.as_str(), reply.reasoning.as_deref()), ("Reading", Some("hm")));
    let echoed = next(Wire::Messages, &reply, "m");
    let content = echoed[1]["content"].as_array().unwrap();
    assert_eq!(content[0], thinking);
    assert_eq!(content[1], json!({"type": "text", "text": "Reading"}));
    assert_eq!(content[2]["input"], json!({"path": "a"}));
    let other = next(Wire::Messages, &reply, "other");
    assert!(!other[1].to_string().contains("thinking"));
}

#[test]
fn whole_input_in_the_start_and_unknown_blocks_are_read() {
    let reply = messages(
        &[
            (json!({"type": "something_new", "text": "x"}), vec![json!({"type": "new_delta", "x": 1})]),
            (json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}), vec![]),
            (json!({"type": "tool_use", "id": "a b", "name": "read_file", "input": {"path": "a"}}), vec![]),
        ],
        "end_turn",
    );
    assert_eq!(
        (reply.stop, reply.calls.len(), reply.calls[0].id.as_str()),
        (StopReason::ToolCalls, 1, "a b")
    );
}

#[test]
fn a_pause_is_resumed_with_the_reply_as_it_is() {
    let reply = messages(&[(json!({"type": "text", "text": "Working "}), vec![])], "pause_turn");
    assert!(reply.resume && reply.stop == StopReason::End);
    let resumed = next(Wire::Messages, &reply, "m");
    assert_eq!(resumed.last().unwrap()["content"][0]["text"], "Working");
}

#[test]
fn a_refusal_runs_nothing() {
    let call = json!({"type": "tool_use", "id": "1", "name": "read_file", "input": {}});
    let reply = messages(&[(call, vec![])], "refusal");
    assert_eq!((reply.stop, reply.calls.len(), reply.dropped_calls), (StopReason::ContentFilter, 0, 1));
}

/// Some servers end their events with one line feed.
#[test]
fn events_without_a_blank_line_between_them_are_read() {
    let read = |wire, lines: &[Value], end: &str| {
        let mut body: String = lines.iter().map(|line| format!("data: {line}\n")).collect();
        body.push_str(end);
        let mut decoder = Decoder::new(wire, ["read_file".to_owned()].into(), CallIds::new([].into(), 1));
        decoder.push(body.as_bytes());
        decoder.finish(&BodyEnd::Whole).reply
    };
    let chat = [
        json!({"choices": [{"delta": {"content": "a"}}]}),
        json!({"choices": [{"delta": {"content": "b"}, "finish_reason": "stop"}]}),
    ];
    for end in ["data: [DONE]\n", "data: [DONE]\n\n", ""] {
        let reply = read(Wire::ChatCompletions, &chat, end);
        assert_eq!((reply.text.as_str(), reply.stop), ("ab", StopReason::End), "{end:?}");
    }
    let late = json!({"choices": [{"delta": {"content": "late"}}]});
    let after = format!("data: [DONE]\ndata: {late}\n");
    assert_eq!(read(Wire::ChatCompletions, &chat, &after).text, "ab", "nothing counts after the end");
    let cut = read(Wire::ChatCompletions, &chat, "data: {\"choices\": [{\n");
    assert_eq!(cut.stop, StopReason::Error, "a line that is cut spoils it");
    let messages = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(read(Wire::Messages, &messages, "").text, "a");
}

/// An error may stand where a choice should, in each gateway's own form.
#[test]
fn an_error_in_place_of_a_choice_is_one() {
    let code = |event: Value| decode(Wire::ChatCompletions, &[event]).error.map(|error| error.code);
    let cloudflare =
        json!({"success": false, "errors": [{"code": 7000, "message": "Internal Server Error"}]});
    assert_eq!(code(cloudflare), Some("upstream_error"));
    let minimax = |number: u32, said: &str| json!({"choices": null, "base_resp": {"status_code": number, "status_msg": said}});
    assert_eq!(code(minimax(1008, "insufficient balance")), Some("quota_exhausted"));
    assert_eq!(code(minimax(0, "")), Some("stream_truncated"), "no error, and no reply");
    let choice = json!({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}], "base_resp": {"status_code": 0}, "errors": []});
    assert_eq!(code(choice), None);
}

/// In a whole message no call can be a piece of another.
#[test]
fn each_element_of_a_whole_message_is_a_call() {
    let call = |id: &str, index: Option<u32>, path: &str| {
        let arguments = json!({"path": path}).to_string();
        json!({"id": id, "index": index, "function": {"name": "read_file", "arguments": arguments}})
    };
    for (first, second) in [
        (call("1", None, "a"), call("1", None, "b")),
        (call("", None, "a"), call("", None, "b")),
        (call("", Some(0), "a"), call("", Some(0), "b")),
        (call("1", Some(0), "a"), call("1", Some(0), "b")),
    ] {
        let body = json!({"choices": [{"message": {"content": null, "tool_calls": [first, second]}, "finish_reason": "tool_calls"}]});
        let mut decoder =
            Decoder::new(Wire::ChatCompletions, ["read_file".to_owned()].into(), CallIds::new([].into(), 1));
        decoder.push(body.to_string().as_bytes());
        let calls = decoder.finish(&BodyEnd::Whole).reply.calls;
        let paths: Vec<_> =
            calls.iter().map(|call| json!(call.arguments)["object"]["path"].clone()).collect();
        assert_eq!(paths, ["a", "b"], "{body}");
        assert_ne!(calls[0].id, calls[1].id);
    }
}
