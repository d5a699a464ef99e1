//! What the person is told beside a reply.

use crate::server::{Server, ask_model, chunk, request, settings, stream};
use assent_agent::model::{HttpModel, Message};
use serde_json::{Value, json};

/// The remark on a reply of these deltas and this usage, to a message of so many words.
async fn remark(deltas: &[Value], usage: Value, words: usize) -> Option<String> {
    let mut body: String = deltas.iter().map(|delta| chunk(delta.clone(), None)).collect();
    body.push_str(&chunk(json!({}), Some("stop")));
    body.push_str(&format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [], "usage": usage})));
    let server = Server::start(vec![vec![stream(&body)]]).await;
    let mut request = request();
    request.messages =
        vec![Message::User { text: "word ".repeat(words), attachments: Vec::new(), by_hook: false }];
    ask_model(&HttpModel::new(settings(&server.base_url)).unwrap(), &request).await.1.hint
}

fn usage(input: u64) -> Value {
    json!({"prompt_tokens": input, "completion_tokens": 1})
}

/// R3: a call in the text is never run, and it is said why nothing happens; beside a real call it is only text.
#[tokio::test]
async fn a_call_that_stands_in_the_text_is_remarked() {
    for mark in ["<tool_call>{}</tool_call>", "[TOOL_CALLS][{}]", "<function=shell>{}</function>"] {
        let text = json!({"content": format!("I do it: {mark}")});
        let said = remark(std::slice::from_ref(&text), usage(9), 1).await.unwrap();
        assert!(said.contains("never run"), "{mark}: {said}");
        let call = json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "shell", "arguments": "{}"}}]});
        assert_eq!(remark(&[text, call], usage(9), 1).await, None, "{mark}");
    }
    assert_eq!(remark(&[json!({"content": "a tool call"})], usage(9), 1).await, None);
}

/// A local server that dropped the front of the conversation is told by what it counted.
#[tokio::test]
async fn a_conversation_that_was_cut_in_silence_is_remarked() {
    let reply = [json!({"content": "ok"})];
    let said = remark(&reply, usage(4_095), 8_000).await.unwrap();
    assert!(said.contains("OLLAMA_CONTEXT_LENGTH"), "{said}");
    for (input, words) in [(8_000, 8_000), (0, 8_000), (9, 9)] {
        assert_eq!(remark(&reply, usage(input), words).await, None, "{input} of {words}");
    }
}
