//! How fast replies are decoded, in reads of 16 KiB: `cargo run --release -p assent-agent --example bench_decode`.
//! Short rounds, the best of many, so that a busy machine shows little; by the clock on the wall.

mod figure;

use assent_agent::model::{BodyEnd, CallIds, Decoder, Wire};
use figure::say;
use serde_json::json;
use std::collections::HashSet;
use std::time::Instant;

/// Bytes of one body.
const SIZE: usize = 2 * 1024 * 1024;
const READ: usize = 16 * 1024;
const ROUNDS: u32 = 200;
/// Megabytes (10^6 bytes) per second.
const TARGET: f64 = 200.0;

fn main() -> Result<(), String> {
    let tools: HashSet<String> = ["write_file".to_owned()].into();
    let text = " and then it said";
    let piece = json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]});
    let start = json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "write_file", "arguments": "{\"a\":\""}}]});
    let bodies = [
        ("decode_chat_completions", Wire::ChatCompletions, chat(&json!({"content": text}), "")),
        ("decode_chat_arguments", Wire::ChatCompletions, chat(&piece, &chat_chunk(&start))),
        ("decode_messages", Wire::Messages, messages(text)),
    ];
    let mut slow = Vec::new();
    for (name, wire, body) in bodies {
        let rate = rate(wire, body.as_bytes(), &tools);
        say(name, rate, "MB/s", &format!("≥ {TARGET}"));
        if rate < TARGET {
            slow.push(name);
        }
    }
    if slow.is_empty() { Ok(()) } else { Err(format!("below the target: {}", slow.join(", "))) }
}

/// The best of the rounds.
fn rate(wire: Wire, body: &[u8], tools: &HashSet<String>) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let mut decoder = Decoder::new(wire, tools.clone(), CallIds::new(HashSet::new(), 1));
        let shown: usize = body.chunks(READ).map(|piece| decoder.push(piece).len()).sum();
        let decoded = decoder.finish(&BodyEnd::Whole);
        assert!(shown > 0 && decoded.reply.error.is_none(), "the body is a whole reply");
        best = best.min(started.elapsed().as_secs_f64());
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let size = body.len() as f64;
    size / best / 1e6
}

fn chat(delta: &serde_json::Value, start: &str) -> String {
    let chunk = chat_chunk(delta);
    format!("{start}{}data: [DONE]\n\n", chunk.repeat(SIZE / chunk.len()))
}

fn chat_chunk(delta: &serde_json::Value) -> String {
    let chunk = json!({
        "id": "chatcmpl-f1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "m",
        "system_fingerprint": "fp_0123456789",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}],
    });
    format!("data: {chunk}\n\n")
}

fn messages(text: &str) -> String {
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let event = format!("event: content_block_delta\ndata: {delta}\n\n");
    format!("{}data: {{\"type\":\"message_stop\"}}\n\n", event.repeat(SIZE / event.len()))
}
