//! Servers that stall, flood or lie: every wait ends, memory stays bounded, nothing runs.

use crate::server::{Act, Server, ask, chunk, request, settings, stream};
use assent_agent::model::{
    Delta, HttpModel, HttpModelSettings, ModelClient as _, Reply, StopReason, Timeouts,
};
use serde_json::json;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

async fn answered_by(script: Vec<Act>) -> Reply {
    answered_within(script, |_| {}).await
}

async fn answered_within(script: Vec<Act>, limit: impl FnOnce(&mut Timeouts)) -> Reply {
    let server = Server::start(vec![script]).await;
    let mut settings = HttpModelSettings { retries: 0, ..settings(&server.base_url) };
    limit(&mut settings.connection.timeouts);
    tokio::time::timeout(Duration::from_secs(170), ask(settings)).await.expect("the wait ends").1
}

fn code(reply: &Reply) -> &'static str {
    reply.error.as_ref().map_or("none", |error| error.code)
}

#[tokio::test]
async fn silence_ends_the_wait() {
    let text = stream(&chunk(json!({"content": "half"}), None));
    // Each case shortens the one wait that it is about.
    let short = Duration::from_millis(400);
    let first: fn(&mut Timeouts, Duration) = |timeouts, short| timeouts.first_byte = short;
    let idle: fn(&mut Timeouts, Duration) = |timeouts, short| timeouts.idle = short;
    let fruitless: fn(&mut Timeouts, Duration) = |timeouts, short| timeouts.fruitless = 5 * short;
    let alive = || Act::KeepAlive(Duration::from_millis(50));
    for (script, limit, expected, shown) in [
        (vec![Act::Stall], first, "upstream_error", ""),
        (vec![stream(": hello\n\n"), Act::Stall], idle, "stream_truncated", ""),
        (vec![text.clone(), Act::Stall], idle, "stream_truncated", "half"),
        (vec![text, alive()], fruitless, "stream_truncated", "half"),
        (vec![stream(""), alive()], fruitless, "stream_truncated", ""),
    ] {
        let reply = answered_within(script.clone(), |timeouts| limit(timeouts, short)).await;
        assert_eq!((code(&reply), reply.text.as_str()), (expected, shown), "{script:?}");
    }
}

#[tokio::test]
async fn a_complete_reply_does_not_wait_for_the_connection_to_end() {
    for tail in ["data: [DONE]\n\n", ""] {
        let body = format!("{}{tail}", chunk(json!({"content": "hello"}), Some("stop")));
        let reply = answered_by(vec![stream(&body), Act::Stall]).await;
        assert_eq!((reply.stop, reply.text.as_str()), (StopReason::End, "hello"), "{tail:?}");
    }
}

/// What never ends is ended here, with bounded memory and nothing to run.
async fn flood(first: &str, then: Vec<u8>, expected: &str) {
    // Only what never says anything is given up by the clock.
    let fruitless = Duration::from_secs(if expected == "stream_truncated" { 2 } else { 60 });
    let script = vec![stream(first), Act::Flood(then)];
    let reply = answered_within(script, |timeouts| timeouts.fruitless = fruitless).await;
    assert_eq!(code(&reply), expected);
    assert!(reply.calls.is_empty());
    assert!(reply.text.len() <= 33 << 20);
}

#[tokio::test]
async fn an_endless_line_is_refused() {
    flood("", b"data: xxxxxxxxxxxxxxxx".repeat(4_000), "bad_stream").await;
}

#[tokio::test]
async fn endless_text_is_refused() {
    flood("", chunk(json!({"content": "x".repeat(1 << 20)}), None).into_bytes(), "bad_stream").await;
}

#[tokio::test]
async fn endless_arguments_are_refused() {
    let function = json!({"name": "shell", "arguments": "x".repeat(1 << 20)});
    let delta = json!({"tool_calls": [{"index": 0, "id": "0", "function": function}]});
    flood("", chunk(delta, None).into_bytes(), "bad_stream").await;
}

#[tokio::test]
async fn garbage_is_refused() {
    flood("", b"data: {oops\n\n".repeat(100), "bad_stream").await;
    flood("", vec![0xff; 60_000], "bad_stream").await;
}

#[tokio::test]
async fn an_endless_document_is_refused() {
    flood("{", vec![b' '; 600_000], "bad_response").await;
}

#[tokio::test]
async fn endless_blanks_are_given_up() {
    flood("", vec![b'\n'; 60_000], "stream_truncated").await;
}

#[tokio::test]
async fn a_thousand_calls_are_refused() {
    let call = |index: u32| json!({"index": index, "id": format!("c{index}"), "function": {"name": "shell", "arguments": "{}"}});
    let calls: String = (0..1_000).map(|index| chunk(json!({"tool_calls": [call(index)]}), None)).collect();
    let reply = answered_by(vec![stream(&calls)]).await;
    assert_eq!((code(&reply), reply.calls.len()), ("bad_stream", 0));
}

/// R5: ten megabytes of arguments are refused, not run and not kept.
#[tokio::test]
async fn overlong_arguments_make_a_call_that_cannot_run() {
    let piece = chunk(
        json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "shell", "arguments": "x".repeat(1 << 20)}}]}),
        None,
    );
    let body = format!("{}{}data: [DONE]\n\n", piece.repeat(10), chunk(json!({}), Some("tool_calls")));
    let reply = answered_by(vec![stream(&body)]).await;
    assert_eq!(reply.calls.len(), 1);
    assert!(
        matches!(&reply.calls[0].arguments, assent_agent::model::Arguments::Unreadable { raw, .. } if raw.len() < 1_000)
    );
}

#[tokio::test]
async fn stop_drops_the_request_and_keeps_what_was_shown() {
    let body = chunk(
        json!({"content": "half", "tool_calls": [{"index": 0, "id": "1", "function": {"name": "shell", "arguments": "{}"}}]}),
        None,
    );
    let server = Server::start(vec![vec![stream(&body), Act::Stall]]).await;
    let model = HttpModel::new(settings(&server.base_url)).unwrap();
    let cancel = CancellationToken::new();
    let sink = |delta: Delta| {
        if matches!(delta, Delta::CallStarted(_)) {
            cancel.cancel();
        }
    };
    let reply = model.complete(&request(), &sink, &cancel).await;
    assert_eq!((code(&reply), reply.text.as_str(), reply.dropped_calls), ("cancelled", "half", 1));
    assert!(reply.calls.is_empty());
    tokio::time::timeout(Duration::from_secs(60), server.abandoned.notified())
        .await
        .expect("the connection is dropped");
    assert_eq!(server.requests().len(), 1);
}
