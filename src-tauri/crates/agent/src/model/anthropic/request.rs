//! The request of Messages.

use crate::model::request::{Target, echoed, prepare};
use crate::model::{Arguments, AssistantMessage, Attachment, Message, ModelRequest, ProposedCall};
use serde_json::{Map, Value, json};

/// Output limit where none is set; the API demands one, tokens.
const MAX_OUTPUT_TOKENS: u32 = 16_384;

/// The body of a streaming request.
#[must_use]
pub fn request_body(request: &ModelRequest, target: &Target) -> Value {
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        if !target.quirks.omitted.contains(key) {
            body.insert(key.to_owned(), value);
        }
    };
    set("model", json!(target.model));
    set("max_tokens", json!(target.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS)));
    if !request.system.trim().is_empty() {
        set("system", json!(request.system));
    }
    set("messages", Value::Array(messages(&prepare(request, target))));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(
            |tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}),
        );
        set("tools", tools.collect());
    }
    set("stream", json!(true));
    if let Some(temperature) = target.temperature {
        set("temperature", json!(temperature));
    }
    Value::Object(body)
}

/// One message per turn: all results of a reply stand in one user message, before the person's words.
fn messages(history: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in history {
        let (role, blocks) = match message {
            Message::User { text, attachments, .. } => ("user", user_blocks(text, attachments)),
            Message::Assistant(reply) => ("assistant", assistant_blocks(reply)),
            Message::Tool(answer) => {
                let mut block = json!({
                    "type": "tool_result", "tool_use_id": answer.call_id, "content": answer.content,
                });
                if let (true, Some(block)) = (answer.is_error, block.as_object_mut()) {
                    block.insert("is_error".to_owned(), json!(true));
                }
                ("user", vec![block])
            }
        };
        match turns.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            Some(_) | None if blocks.is_empty() => {}
            None if role == "assistant" => {
                let opening =
                    json!({"type": "text", "text": "(The beginning of the conversation was left out.)"});
                turns.extend([("user", vec![opening]), (role, blocks)]);
            }
            Some(_) | None => turns.push((role, blocks)),
        }
    }
    if let Some(("assistant", content)) = turns.last_mut() {
        trim_end(content);
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

/// A conversation that ends in a reply must not end in blanks.
fn trim_end(content: &mut [Value]) {
    if let Some(Value::String(text)) = content.last_mut().and_then(|block| block.get_mut("text")) {
        text.truncate(text.trim_end().len());
    }
}

fn user_blocks(text: &str, attachments: &[Attachment]) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    for attachment in attachments {
        blocks.push(if attachment.is_image() {
            json!({"type": "image", "source": {
                "type": "base64", "media_type": attachment.media_type, "data": attachment.data,
            }})
        } else {
            json!({"type": "text", "text": attachment.as_text()})
        });
    }
    blocks
}

fn assistant_blocks(reply: &AssistantMessage) -> Vec<Value> {
    let echoed = echoed(reply, "blocks").and_then(Value::as_array);
    if let Some(blocks) = echoed.and_then(|blocks| echo(blocks, &reply.calls)) {
        return blocks;
    }
    let mut blocks = Vec::new();
    if !reply.text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": reply.text}));
    }
    blocks.extend(reply.calls.iter().map(tool_use));
    blocks
}

/// The blocks as they came, with the calls in their places. `None` where places and calls don't match.
fn echo(blocks: &[Value], calls: &[ProposedCall]) -> Option<Vec<Value>> {
    let mut calls = calls.iter();
    let mut out = Vec::with_capacity(blocks.len());
    for block in blocks {
        let is_call = block.get("type").and_then(Value::as_str) == Some("tool_use");
        out.push(if is_call { tool_use(calls.next()?) } else { block.clone() });
    }
    // A reply may not end in thinking; at its end it leads to nothing that needs it.
    let is_thinking = |block: &Value| {
        matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
    };
    while out.last().is_some_and(is_thinking) {
        out.pop();
    }
    (calls.next().is_none() && !out.is_empty()).then_some(out)
}

fn tool_use(call: &ProposedCall) -> Value {
    // What could not be read is sent as an empty object; the answer to the call says what it was.
    let input = match &call.arguments {
        Arguments::Object(object) => Value::Object(object.clone()),
        Arguments::Unreadable { .. } => json!({}),
    };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}
