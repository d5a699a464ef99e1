//! The request of Chat Completions.

use crate::model::request::{Target, echoed, prepare};
use crate::model::{Arguments, AssistantMessage, Attachment, Message, ModelRequest, ProposedCall};
use serde_json::{Map, Value, json};

/// The body of a streaming request.
#[must_use]
pub fn request_body(request: &ModelRequest, target: &Target) -> Value {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for message in prepare(request, target) {
        match message {
            Message::User { text, attachments, .. } => {
                messages.push(json!({"role": "user", "content": user_content(text, &attachments)}));
            }
            Message::Assistant(reply) if reply.text.trim().is_empty() && reply.calls.is_empty() => {}
            Message::Assistant(reply) => messages.push(assistant(&reply, target)),
            Message::Tool(answer) => messages
                .push(json!({"role": "tool", "tool_call_id": answer.call_id, "content": answer.content})),
        }
    }
    let mut body = Map::new();
    let mut set = |key: &str, value: Value| {
        if !target.quirks.omitted.contains(key) {
            body.insert(key.to_owned(), value);
        }
    };
    set("model", json!(target.model));
    set("messages", Value::Array(messages));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.schema,
            }})
        });
        set("tools", tools.collect());
    }
    set("stream", json!(true));
    set("stream_options", json!({"include_usage": true}));
    if let Some(tokens) = target.max_output_tokens {
        let key = if target.quirks.renames_max_tokens { "max_completion_tokens" } else { "max_tokens" };
        set(key, json!(tokens));
    }
    if let Some(temperature) = target.temperature {
        set("temperature", json!(temperature));
    }
    Value::Object(body)
}

fn user_content(text: String, attachments: &[Attachment]) -> Value {
    if attachments.is_empty() {
        return Value::String(text);
    }
    let mut parts = Vec::new();
    if !text.trim().is_empty() {
        parts.push(json!({"type": "text", "text": text}));
    }
    for attachment in attachments {
        parts.push(if attachment.is_image() {
            let url = format!("data:{};base64,{}", attachment.media_type, attachment.data);
            json!({"type": "image_url", "image_url": {"url": url}})
        } else {
            json!({"type": "text", "text": attachment.as_text()})
        });
    }
    Value::Array(parts)
}

fn assistant(reply: &AssistantMessage, target: &Target) -> Value {
    let mut message = Map::new();
    message.insert("role".to_owned(), json!("assistant"));
    // Ollama refuses null here, gateways to Bedrock refuse the empty text.
    let is_blank = reply.text.trim().is_empty();
    let content =
        if is_blank && target.quirks.refuses_empty_content { Value::Null } else { json!(reply.text) };
    message.insert("content".to_owned(), content);
    if !reply.calls.is_empty() {
        message.insert("tool_calls".to_owned(), reply.calls.iter().map(tool_call).collect());
    }
    for part in ["reasoning_details", "reasoning_content"] {
        if let Some(value) = echoed(reply, part) {
            message.insert(part.to_owned(), value.clone());
        }
    }
    if target.quirks.wants_reasoning && !message.contains_key("reasoning_content") {
        let reasoning = reply.reasoning.clone().unwrap_or_default();
        message.insert("reasoning_content".to_owned(), json!(reasoning));
    }
    Value::Object(message)
}

fn tool_call(call: &ProposedCall) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), json!(call.id));
    out.insert("type".to_owned(), json!("function"));
    out.insert(
        "function".to_owned(),
        json!({"name": call.name, "arguments": arguments_text(&call.arguments)}),
    );
    if let Some(Value::Object(extra)) = &call.extra {
        out.extend(extra.clone());
    }
    Value::Object(out)
}

/// Always a JSON object as text: what could not be read would be refused by every later request; the answer to the
/// call says what it was.
fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Object(object) => Value::Object(object.clone()).to_string(),
        Arguments::Unreadable { .. } => "{}".to_owned(),
    }
}
