//! How fast replies are decoded: `cargo run --release -p assent-agent --example bench_decode`.
//! One line of JSON: megabytes of body per second, in reads of 16 KiB.

use assent_agent::model::{BodyEnd, CallIds, Decoder, Wire};
use serde_json::json;
use std::collections::HashSet;
use std::time::Instant;

const SIZE: usize = 16 * 1024 * 1024;
const READ: usize = 16 * 1024;
const ROUNDS: u32 = 5;

fn main() {
    let tools: HashSet<String> = ["write_file".to_owned()].into();
    let chat = body(&chat_chunk(" and then it said"), "data: [DONE]\n\n");
    let messages = body(&messages_event(" and then it said"), "data: {\"type\":\"message_stop\"}\n\n");
    let chat_rate = rate(Wire::ChatCompletions, &chat, &tools);
    let messages_rate = rate(Wire::Messages, &messages, &tools);
    #[expect(clippy::print_stdout, reason = "the result of a benchmark")]
    {
        println!(
            "{}",
            json!({"decode_mb_per_s": {"chat_completions": chat_rate, "messages": messages_rate}})
        );
    }
}

/// The best of several rounds, 10^6 bytes per second.
fn rate(wire: Wire, body: &[u8], tools: &HashSet<String>) -> u64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let mut decoder = Decoder::new(wire, tools.clone(), CallIds::new(HashSet::new(), 1));
        let shown: usize = body.chunks(READ).map(|piece| decoder.push(piece).len()).sum();
        let decoded = decoder.finish(&BodyEnd::Whole);
        assert!(shown > 0 && !decoded.reply.text.is_empty() && decoded.reply.error.is_none());
        best = best.min(started.elapsed().as_secs_f64());
    }
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate"
    )]
    let rate = (body.len() as f64 / best / 1e6) as u64;
    rate
}

fn body(event: &str, end: &str) -> Vec<u8> {
    let mut body = event.repeat(SIZE / event.len());
    body.push_str(end);
    body.into_bytes()
}

fn chat_chunk(text: &str) -> String {
    let chunk = json!({
        "id": "chatcmpl-f1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "m",
        "system_fingerprint": "fp_0123456789",
        "choices": [{"index": 0, "delta": {"content": text}, "logprobs": null, "finish_reason": null}],
    });
    format!("data: {chunk}\n\n")
}

fn messages_event(text: &str) -> String {
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    format!("event: content_block_delta\ndata: {delta}\n\n")
}
