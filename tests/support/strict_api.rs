//! A checker of request bodies that is as strict as the strictest server: what both APIs demand of a conversation.

use serde_json::Value;
use std::collections::HashSet;

/// Checks the body of a Chat Completions request.
///
/// # Errors
/// The first rule that is broken, in words.
pub fn check_chat_completions(body: &Value) -> Result<(), String> {
    let messages = array(body, "messages")?;
    let mut used = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let fail = |what: &str| Err(format!("message {place}: {what}: {message}"));
        let role = text(message, "role").unwrap_or_default();
        if role != "tool" && !open.is_empty() {
            return fail(&format!("calls {open:?} have no answer"));
        }
        match role {
            "system" if place == 0 && !is_blank(message.get("content")) => {}
            "system" => return fail("a system message that is empty or not the first"),
            "user" if is_blank(message.get("content")) => return fail("empty"),
            "user" => {}
            "assistant" => {
                let calls = message.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
                match message.get("content") {
                    Some(Value::String(content)) if content.trim().is_empty() && calls.is_empty() => {
                        return fail("empty");
                    }
                    Some(Value::String(_)) => {}
                    Some(_) | None => return fail("content is no text"),
                }
                if message.get("tool_calls").is_some() && calls.is_empty() {
                    return fail("an empty list of calls");
                }
                for call in &calls {
                    let id = text(call, "id").unwrap_or_default();
                    if id.is_empty() || id.len() > 40 || !used.insert(id.to_owned()) {
                        return fail("an id that is empty, too long or used before");
                    }
                    open.push(id.to_owned());
                    let function = call.get("function").unwrap_or(&Value::Null);
                    if text(call, "type") != Some("function") || !is_name(text(function, "name")) {
                        return fail("a call without type or proper name");
                    }
                    let arguments = text(function, "arguments").unwrap_or_default();
                    if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                        return fail("arguments that are no JSON object as text");
                    }
                }
            }
            "tool" => {
                let id = text(message, "tool_call_id").unwrap_or_default();
                if open.first().map(String::as_str) != Some(id) {
                    return fail("an answer that is not the next one");
                }
                open.remove(0);
                if is_blank(message.get("content")) {
                    return fail("an empty answer");
                }
            }
            _ => return fail("unknown role"),
        }
    }
    if !open.is_empty() {
        return Err(format!("calls {open:?} have no answer"));
    }
    Ok(())
}

/// Checks the body of a Messages request.
///
/// # Errors
/// The first rule that is broken, in words.
pub fn check_messages(body: &Value) -> Result<(), String> {
    if body.get("max_tokens").and_then(Value::as_u64).is_none_or(|tokens| tokens == 0) {
        return Err("max_tokens is missing".to_owned());
    }
    let messages = array(body, "messages")?;
    let mut used = HashSet::new();
    let mut open: HashSet<String> = HashSet::new();
    let mut last_role = "assistant";
    for (place, message) in messages.iter().enumerate() {
        let fail = |what: &str| Err(format!("message {place}: {what}: {message}"));
        let role = text(message, "role").unwrap_or_default();
        if role == last_role || !matches!(role, "user" | "assistant") {
            return fail("roles must alternate, the first is the user's");
        }
        last_role = if role == "user" { "user" } else { "assistant" };
        let content = array(message, "content")?;
        if content.is_empty() {
            return fail("empty content");
        }
        let mut after_result = true;
        for block in content {
            let kind = text(block, "type").unwrap_or_default();
            if kind != "tool_result" {
                if !open.is_empty() {
                    return fail(&format!("calls {open:?} have no answer at the start of the next message"));
                }
                after_result = false;
            }
            match (role, kind) {
                (_, "text") if text(block, "text").is_none_or(|text| text.trim().is_empty()) => {
                    return fail("blank text");
                }
                ("user", "tool_result") => {
                    let id = text(block, "tool_use_id").unwrap_or_default();
                    if !after_result || !open.remove(id) {
                        return fail("a result without its call, or behind text");
                    }
                    if is_blank(block.get("content")) {
                        return fail("an empty result");
                    }
                }
                ("assistant", "tool_use") => {
                    let id = text(block, "id").unwrap_or_default();
                    if !is_name(Some(id)) || !used.insert(id.to_owned()) {
                        return fail("an id outside the charset or used before");
                    }
                    if !is_name(text(block, "name")) || !block.get("input").is_some_and(Value::is_object) {
                        return fail("a call without proper name or input");
                    }
                }
                ("assistant", "thinking")
                    if text(block, "signature").is_none_or(str::is_empty)
                        || text(block, "thinking").is_none() =>
                {
                    return fail("thinking without its signature");
                }
                (_, "text") | ("user", "image") | ("assistant", "thinking" | "redacted_thinking") => {}
                _ => return fail("a block that doesn't belong here"),
            }
        }
        if !open.is_empty() {
            return fail(&format!("calls {open:?} have no answer"));
        }
        if role == "assistant" {
            let calls = content.iter().filter(|block| text(block, "type") == Some("tool_use"));
            open.extend(calls.filter_map(|block| text(block, "id")).map(str::to_owned));
        }
    }
    if !open.is_empty() {
        return Err(format!("calls {open:?} have no answer"));
    }
    let last = messages.last().filter(|message| text(message, "role") == Some("assistant"));
    let ending = last.and_then(|message| message.get("content")?.as_array()?.last()?.get("text")?.as_str());
    if ending.is_some_and(|text| text.ends_with(char::is_whitespace)) {
        return Err("the last reply ends in blanks".to_owned());
    }
    Ok(())
}

fn array<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("{key} is no array: {value}"))
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn is_blank(content: Option<&Value>) -> bool {
    match content {
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(parts)) => parts.is_empty(),
        Some(_) | None => true,
    }
}

fn is_name(name: Option<&str>) -> bool {
    name.is_some_and(|name| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    })
}
