//! Bodies from a model: where the bytes are cut doesn't matter, a failed reply runs nothing, and arguments are never guessed.

use crate::campaign;
use assent_agent::model::{Arguments, BodyEnd, CallIds, DecodedReply, Decoder, StopReason, Wire};
use serde_json::{Value, json};

fn decode<'a>(wire: Wire, pieces: impl Iterator<Item = &'a [u8]>) -> DecodedReply {
    let mut decoder = Decoder::new(wire, ["read_file".to_owned()].into(), CallIds::new([].into(), 3));
    for piece in pieces {
        decoder.push(piece);
    }
    decoder.finish(&BodyEnd::Whole)
}

/// R3
#[test]
fn reply() {
    campaign::run("reply", |input| {
        let cut = 1 + input.len() % 7;
        let mut kind = String::new();
        for wire in [Wire::ChatCompletions, Wire::Messages] {
            let whole = decode(wire, std::iter::once(input));
            assert_eq!(decode(wire, input.chunks(cut)), whole, "cut at every {cut} bytes");
            let reply = whole.reply;
            assert!(
                matches!(reply.stop, StopReason::End | StopReason::ToolCalls) || reply.calls.is_empty(),
                "{:?} with calls",
                reply.stop
            );
            assert_eq!(reply.error.is_some(), reply.stop == StopReason::Error);
            kind += &format!(
                "{:?} {} {} {:?} {} {} ",
                reply.stop,
                reply.calls.len().min(4),
                reply.dropped_calls.min(3),
                reply.error.map(|error| error.code),
                reply.usage.is_some(),
                reply.reasoning.is_some()
            );
        }
        kind
    });
}

/// R5: an object is taken as it is; what is no JSON at all never becomes an empty object.
#[test]
fn call_arguments() {
    campaign::run("call_arguments", |input| {
        let text = String::from_utf8_lossy(input);
        let call = json!({"index": 0, "id": "1", "function": {"name": "read_file", "arguments": text}});
        let body = format!(
            "data: {}\n\ndata: {}\n\n",
            json!({"choices": [{"delta": {"tool_calls": [call]}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
        );
        let reply = decode(Wire::ChatCompletions, std::iter::once(body.as_bytes())).reply;
        let Some(call) = reply.calls.first() else { return format!("none {:?}", reply.stop) };
        match (&call.arguments, serde_json::from_str::<Value>(text.trim())) {
            (Arguments::Object(read), Ok(Value::Object(strict))) => {
                assert_eq!(*read, strict);
                format!("strict {}", strict.len().min(4))
            }
            (Arguments::Object(read), Ok(_) | Err(_)) => {
                let nothing = matches!(text.trim(), "" | "null");
                assert!(nothing || !read.is_empty() || text.contains('{'), "{text:?} became an empty object");
                format!("lenient {}", read.len().min(4))
            }
            (Arguments::Unreadable { problem, .. }, strict) => {
                assert!(!matches!(strict, Ok(Value::Object(_))), "a strict object was refused: {problem}");
                problem.split(|one: char| one.is_ascii_digit()).next().unwrap_or_default().to_owned()
            }
        }
    });
}
