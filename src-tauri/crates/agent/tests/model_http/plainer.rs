//! A conversation whose form was refused is sent once more in a plainer one.

use crate::server::{Server, ask_model, hello, request, response, settings};
use assent_agent::model::{
    Arguments, AssistantMessage, HttpModel, HttpModelSettings, Message, ModelRequest, ProposedCall, Replay,
    ToolMessage, Wire,
};
use serde_json::{Value, json};

/// A call that was thought about by this very model, and its answer.
fn conversation(provider: &str, parts: Value) -> ModelRequest {
    let call = ProposedCall {
        id: "call_with_a_long_id".to_owned(),
        id_given: true,
        name: "shell".to_owned(),
        arguments: Arguments::Object(serde_json::Map::new()),
        extra: Some(json!({"extra_content": "x"})),
    };
    let reply = AssistantMessage {
        calls: vec![call],
        reasoning: Some("hm".to_owned()),
        replay: Some(Replay { provider: provider.to_owned(), model: "m".to_owned(), parts }),
        ..AssistantMessage::default()
    };
    let answer = ToolMessage {
        call_id: "call_with_a_long_id".to_owned(),
        content: "ok".to_owned(),
        ..ToolMessage::default()
    };
    let mut request = request();
    request.messages.extend([Message::Assistant(reply), Message::Tool(answer)]);
    request
}

fn assistant(body: &Value) -> &Value {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().find(|message| message["role"] == "assistant").unwrap()
}

/// R2: what each server asked for, and no more.
#[tokio::test]
async fn a_refused_form_is_sent_again_in_a_plainer_one() {
    type Look = fn(&Value) -> Value;
    let cases: [(Wire, &str, Look, Value, Value); 4] = [
        (
            Wire::ChatCompletions,
            "Missing `reasoning_content` field in the assistant message at message index 1.",
            |reply| reply["reasoning_content"].clone(),
            Value::Null,
            json!("hm"),
        ),
        (
            Wire::ChatCompletions,
            "messages: text content blocks must be non-empty",
            |reply| reply["content"].clone(),
            json!(""),
            Value::Null,
        ),
        (
            Wire::ChatCompletions,
            "Tool call id must be a-z, A-Z, 0-9, with a length of 9.",
            |reply| {
                json!([
                    reply["tool_calls"][0]["id"].as_str().unwrap().len(),
                    reply["tool_calls"][0]["extra_content"]
                ])
            },
            json!([19, "x"]),
            json!([9, null]),
        ),
        (
            Wire::Messages,
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            |reply| reply["content"].as_array().unwrap().iter().map(|block| block["type"].clone()).collect(),
            json!(["thinking", "tool_use"]),
            json!(["tool_use"]),
        ),
    ];
    for (wire, said, look, first, second) in cases {
        let refusal = json!({"error": {"type": "invalid_request_error", "message": said}}).to_string();
        let refused = || vec![response("400 Bad Request", "", &refusal)];
        let answer = match wire {
            Wire::ChatCompletions => hello(),
            Wire::Messages => response(
                "200 OK",
                "",
                r#"{"type":"message","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn"}"#,
            ),
        };
        let server = Server::start(vec![refused(), vec![answer]]).await;
        let base_url = server.base_url.trim_end_matches("/v1").to_owned();
        let ask = |retries| HttpModelSettings { wire, retries, ..settings(&server.base_url) };
        let parts = json!({"blocks": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "tool_use"}]});
        let request = conversation(&base_url, parts);
        let (_, reply) = ask_model(&HttpModel::new(ask(1)).unwrap(), &request).await;
        assert_eq!(reply.text, "hello", "{said}: {reply:?}");
        let sent = server.requests();
        assert_eq!(look(assistant(&sent[0].body)), first, "{said}");
        assert_eq!(look(assistant(&sent[1].body)), second, "{said}");
    }
}

/// R3: the plainest form is refused once, and then it is told.
#[tokio::test]
async fn a_form_that_stays_refused_is_told() {
    let refusal =
        json!({"error": {"message": "messages.2: unexpected `tool_use_id` found in `tool_result` blocks"}});
    let server = Server::start(vec![vec![response("400 Bad Request", "", &refusal.to_string())]]).await;
    let model = HttpModel::new(HttpModelSettings { retries: 5, ..settings(&server.base_url) }).unwrap();
    let (_, reply) = ask_model(&model, &conversation("p", json!({}))).await;
    assert_eq!(reply.error.map(|error| error.code), Some("invalid_history"));
    assert_eq!(server.requests().len(), 2);
}
