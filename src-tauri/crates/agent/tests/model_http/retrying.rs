//! What is tried again, and what never is.

use crate::server::{Act, Server, ask, ask_model, chunk, hello, request, response, settings, stream};
use assent_agent::model::{
    Attachment, Delta, HttpModel, HttpModelSettings, Message, ModelRequest, StopReason, Wire,
};
use serde_json::json;

fn once(server: &Server) -> HttpModelSettings {
    HttpModelSettings { retries: 1, ..settings(&server.base_url) }
}

fn with_image() -> ModelRequest {
    let image = Attachment {
        name: "plan.png".to_owned(),
        media_type: "image/png".to_owned(),
        data: "aGVsbG8=".to_owned(),
        cut: false,
    };
    let message = Message::User { text: "look".to_owned(), attachments: vec![image], by_hook: false };
    ModelRequest { messages: vec![message], ..request() }
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

/// A model that reads no images is told their names, once it has said so; the person is told as well.
#[tokio::test]
async fn a_model_that_refuses_images_gets_their_names() {
    let with_image = with_image();
    for (wire, status, said) in [
        (Wire::ChatCompletions, "400 Bad Request", "This model does not support image input"),
        (Wire::ChatCompletions, "404 Not Found", "No endpoints found that support image input"),
        (Wire::ChatCompletions, "400 Bad Request", "x is not a multimodal model"),
        (Wire::ChatCompletions, "422 Unprocessable Entity", "unknown variant `image_url`, expected `text`"),
        (Wire::ChatCompletions, "500 Internal Server Error", "image input is not supported - hint: mmproj"),
        (Wire::Messages, "400 Bad Request", "messages.0.content.1: images are not supported by this model"),
    ] {
        let refusal = response(status, "", &json!({"error": {"message": said}}).to_string());
        let done = match wire {
            Wire::ChatCompletions => hello(),
            Wire::Messages => {
                response("200 OK", "", &json!({"type": "message", "content": "hello"}).to_string())
            }
        };
        let server = Server::start(vec![vec![refusal.clone()], vec![done.clone()]]).await;
        let model = HttpModel::new(HttpModelSettings { wire, ..once(&server) }).unwrap();
        let (shown, reply) = ask_model(&model, &with_image).await;
        assert_eq!(
            (reply.stop, reply.text.as_str()),
            (StopReason::End, "hello"),
            "{said}: {:?}",
            reply.error
        );
        assert!(reply.hint.is_some_and(|hint| hint.contains("reads no images")), "{said}");
        assert!(matches!(&shown[..], [Delta::Text(_)]), "it is no failure worth a wait: {shown:?}");
        // The next request of the session knows it already.
        ask_model(&model, &with_image).await;
        let bodies: Vec<String> =
            server.requests().iter().map(|request| request.body["messages"].to_string()).collect();
        let holds_image: Vec<bool> = bodies.iter().map(|body| body.contains("aGVsbG8=")).collect();
        assert_eq!(holds_image, [true, false, false], "{said}");
        assert!(bodies[1..].iter().all(|body| body.contains("plan.png")), "{said}: {bodies:?}");

        // One that refuses that, too, is not asked for ever.
        let server = Server::start(vec![vec![refusal]]).await;
        let (_, reply) =
            ask_model(&HttpModel::new(HttpModelSettings { wire, ..once(&server) }).unwrap(), &with_image)
                .await;
        assert_eq!(reply.stop, StopReason::Error, "{said}");
        assert!(server.requests().len() <= 3, "{said}: {}", server.requests().len());
    }
}

/// Words about images where there are none, and other refusals beside one, change nothing.
#[tokio::test]
async fn images_are_given_up_for_no_other_reason() {
    for (said, code) in [
        ("Incorrect API key provided", "auth"),
        ("prompt is too long", "context_overflow"),
        ("image exceeds 5 MB maximum", "bad_request"),
    ] {
        let refusal = response("400 Bad Request", "", &json!({"error": {"message": said}}).to_string());
        let server = Server::start(vec![vec![refusal]]).await;
        let (_, reply) = ask_model(&HttpModel::new(once(&server)).unwrap(), &with_image()).await;
        assert_eq!(reply.error.map(|error| error.code), Some(code));
        assert_eq!(server.requests().len(), 1, "{said}");
    }
    let refusal =
        response("400 Bad Request", "", &json!({"error": {"message": "no image support"}}).to_string());
    let server = Server::start(vec![vec![refusal]]).await;
    let (_, reply) = ask(once(&server)).await;
    assert_eq!((reply.stop, server.requests().len()), (StopReason::Error, 1));
}

#[tokio::test]
async fn with_no_tries_left_one_request_is_made() {
    let server = Server::start(vec![vec![response("503 Service Unavailable", "", "")]]).await;
    let (_, reply) = ask(HttpModelSettings { retries: 0, ..settings(&server.base_url) }).await;
    assert_eq!(reply.error.map(|error| error.code), Some("upstream_error"));
    assert_eq!(server.requests().len(), 1);
}
