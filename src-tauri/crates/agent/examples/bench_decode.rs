//! How fast replies are decoded, in reads of 16 KiB: `cargo run --release -p assent-agent --example bench_decode`.
//! Short rounds, the best of many, so that a busy machine shows little; by the clock on the wall.

use assent_agent::model::{BodyEnd, CallIds, Decoder, Wire};
use assent_figure::Report;
use serde_json::json;
use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

/// Bytes of one body.
const SIZE: usize = 2 * 1024 * 1024;
const READ: usize = 16 * 1024;
const ROUNDS: u32 = 200;

fn main() -> ExitCode {
    let mut report = Report::from_arguments();
    let tools: HashSet<String> = ["write_file".to_owned()].into();
    let text = " and then it said";
    let piece = json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]});
    let start = json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "write_file", "arguments": "{\"a\":\""}}]});
    let bodies = [
        ("decode_chat_completions", Wire::ChatCompletions, chat(&json!({"content": text}), "")),
        ("decode_chat_arguments", Wire::ChatCompletions, chat(&piece, &chat_chunk(&start))),
        ("decode_messages", Wire::Messages, messages(text)),
    ];
    for (name, wire, body) in bodies {
        report.promised(name, rate(wire, body.as_bytes(), &tools));
    }
    report.end()
}

/// The best of the rounds, megabytes (10^6 bytes) a second.
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
