//! What is tried again, and what never is.

use crate::server::{Act, Server, ask, chunk, hello, response, settings, stream};
use assent_agent::model::{Delta, HttpModelSettings, StopReason};
use serde_json::json;

fn once(server: &Server) -> HttpModelSettings {
    HttpModelSettings { retries: 1, ..settings(&server.base_url) }
}

#[tokio::test]
async fn a_failure_before_anything_was_shown_is_tried_again() {
    for first in [
        vec![response("503 Service Unavailable", "retry-after-ms: 1\r\n", "")],
        vec![response("429 Too Many Requests", "retry-after: 0\r\n", r#"{"error":{"message":"slow down"}}"#)],
        vec![Act::Reset],
        vec![stream(": ping\n\n")],
        vec![stream("data: {\"error\":{\"message\":\"overloaded\"}}\n\n")],
        vec![stream(&chunk(json!({"role": "assistant", "content": ""}), None)), Act::Reset],
    ] {
        let server = Server::start(vec![first.clone(), vec![hello()]]).await;
        let (shown, reply) = ask(once(&server)).await;
        assert_eq!((reply.stop, reply.text.as_str()), (StopReason::End, "hello"), "{first:?}");
        assert!(matches!(&shown[..], [Delta::Waiting { .. }, Delta::Text(_)]), "the wait is told: {shown:?}");
        assert_eq!(server.requests().len(), 2);
    }
}

/// R3: what was shown is kept and marked, never silently replaced.
#[tokio::test]
async fn a_reply_that_was_shown_is_not_tried_again() {
    let call =
        json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "shell", "arguments": "{"}}]});
    for delta in [json!({"content": "half"}), json!({"reasoning_content": "hm"}), call] {
        let server = Server::start(vec![vec![stream(&chunk(delta, None)), Act::Reset], vec![hello()]]).await;
        let (_, reply) = ask(once(&server)).await;
        assert_eq!(reply.error.as_ref().map(|error| error.code), Some("stream_truncated"));
        assert!(reply.calls.is_empty());
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_refusal_that_time_does_not_heal_is_told_at_once() {
    for (status, body, code) in [
        ("401 Unauthorized", "{}", "auth"),
        ("402 Payment Required", "{}", "quota_exhausted"),
        ("400 Bad Request", r#"{"error":{"message":"prompt is too long"}}"#, "context_overflow"),
        ("404 Not Found", "<html>", "not_an_api"),
        ("302 Found", "", "not_an_api"),
    ] {
        let server =
            Server::start(vec![vec![response(status, "location: http://127.0.0.1:9/\r\n", body)]]).await;
        let (_, reply) = ask(once(&server)).await;
        assert_eq!(reply.error.map(|error| error.code), Some(code));
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_long_wait_is_told_instead_of_made() {
    let server =
        Server::start(vec![vec![response("429 Too Many Requests", "retry-after: 3600\r\n", "{}")]]).await;
    let (_, reply) = ask(once(&server)).await;
    let error = reply.error.unwrap();
    assert_eq!((error.code, error.retry_after_ms), ("rate_limited", Some(3_600_000)));
    assert!(error.message.ends_with("It asks to wait 60 minutes."), "{}", error.message);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_refused_parameter_is_left_out_once() {
    let refusal =
        r#"{"error":{"message":"Unrecognized request argument: stream_options","param":"stream_options"}}"#;
    let server = Server::start(vec![vec![response("400 Bad Request", "", refusal)], vec![hello()]]).await;
    let (_, reply) = ask(once(&server)).await;
    assert_eq!(reply.text, "hello");
    let requests = server.requests();
    assert!(requests[0].body.get("stream_options").is_some());
    assert!(requests[1].body.get("stream_options").is_none());

    let server = Server::start(vec![vec![response("400 Bad Request", "", refusal)]]).await;
    let (_, reply) = ask(once(&server)).await;
    assert_eq!(reply.error.map(|error| error.code), Some("unsupported_parameter"));
    assert_eq!(server.requests().len(), 2, "the same refusal twice ends it");
}

#[tokio::test]
async fn with_no_tries_left_one_request_is_made() {
    let server = Server::start(vec![vec![response("503 Service Unavailable", "", "")]]).await;
    let (_, reply) = ask(HttpModelSettings { retries: 0, ..settings(&server.base_url) }).await;
    assert_eq!(reply.error.map(|error| error.code), Some("upstream_error"));
    assert_eq!(server.requests().len(), 1);
}
