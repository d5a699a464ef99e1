//! What is sent where: keys, headers, model lists and the connection test.

use crate::server::{Act, Server, ask, chunk, hello, response, settings, stream};
use assent_agent::model::providers::{ToolUse, list_models, test_connection};
use assent_agent::model::{ApiKey, HttpModel, HttpModelSettings, Wire};
use assent_agent::secret::Secret;
use serde_json::json;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn key_and_headers_go_to_their_host_and_never_into_words() {
    let echo = r#"{"error":{"message":"bad key sk-secret-1"}}"#;
    let server = Server::start(vec![vec![hello()], vec![response("401 Unauthorized", "", echo)]]).await;
    let mut with_key = settings(&server.base_url);
    with_key.connection.key = Some(ApiKey::for_url(Secret::new("sk-secret-1"), &server.base_url).unwrap());
    with_key.connection.headers = vec![("X-Team".to_owned(), "blue".to_owned())];
    assert!(!format!("{with_key:?}").contains("sk-secret"));
    ask(with_key.clone()).await;
    let head = &server.requests()[0].head;
    assert!(head.contains("authorization: bearer sk-secret-1") && head.contains("x-team: blue"), "{head}");
    let (_, reply) = ask(with_key).await;
    let message = reply.error.unwrap().message;
    assert!(message.contains("[key]") && !message.contains("sk-secret"), "{message}");
}

#[tokio::test]
async fn a_key_saved_for_another_host_stays_here() {
    let server = Server::start(vec![vec![hello()]]).await;
    let mut other = settings(&server.base_url);
    other.connection.key = Some(ApiKey::for_url(Secret::new("sk"), "https://api.openai.com/v1").unwrap());
    let error = HttpModel::new(other.clone()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("it was saved for https://api.openai.com"), "{error}");
    let error = list_models(Wire::ChatCompletions, &other.connection).await.unwrap_err();
    assert_eq!(error.code, "bad_request");
    assert!(server.requests().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Server::start(vec![vec![hello()]]).await;
    let location = format!("location: {}/chat/completions\r\n", other.base_url);
    let server = Server::start(vec![vec![response("307 Temporary Redirect", &location, "")]]).await;
    let (_, reply) = ask(settings(&server.base_url)).await;
    assert_eq!(reply.error.map(|error| error.code), Some("not_an_api"));
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let (_, reply) = ask(settings("http://127.0.0.1:9/v1")).await;
    let error = reply.error.unwrap();
    assert_eq!(error.code, "upstream_error");
    assert!(
        error.message.starts_with("Can't reach http://127.0.0.1:9 (connection refused"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn messages_requests_carry_their_own_headers() {
    let server = Server::start(vec![vec![response(
        "200 OK",
        "",
        r#"{"type":"message","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}"#,
    )]])
    .await;
    let base_url = server.base_url.trim_end_matches("/v1").to_owned();
    let mut anthropic = HttpModelSettings::new(Wire::Messages, &base_url, "m");
    anthropic.connection.key = Some(ApiKey::for_url(Secret::new("sk-ant"), &base_url).unwrap());
    let (_, reply) = ask(anthropic).await;
    assert_eq!(reply.text, "hi");
    let head = &server.requests()[0].head;
    for part in ["post /v1/messages", "x-api-key: sk-ant", "anthropic-version: 2023-06-01"] {
        assert!(head.contains(part), "{part}: {head}");
    }
    assert!(!head.contains("authorization"));
}

#[tokio::test]
async fn the_connection_test_tells_whether_tools_work() {
    let list = || response("200 OK", "", r#"{"data":[{"id":"m"}]}"#);
    let call = |word: &str| {
        let arguments = json!({"word": word}).to_string();
        let delta = json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "report_word", "arguments": arguments}}]});
        stream(&format!("{}data: [DONE]\n\n", chunk(delta, Some("tool_calls"))))
    };
    let no_tools = response("400 Bad Request", "", r#"{"error":{"message":"m does not support tools"}}"#);
    type Case = (Act, Act, Option<bool>, ToolUse, Option<&'static str>);
    let cases: [Case; 5] = [
        (list(), call("ready"), Some(true), ToolUse::Works, None),
        (list(), call("other"), Some(true), ToolUse::NotCalled, None),
        (response("404 Not Found", "", ""), hello(), None, ToolUse::NotCalled, None),
        (
            response("200 OK", "", r#"{"data":[{"id":"x"}]}"#),
            no_tools,
            Some(false),
            ToolUse::Unsupported,
            Some("tools_unsupported"),
        ),
        (list(), response("401 Unauthorized", "", "{}"), Some(true), ToolUse::Unknown, Some("auth")),
    ];
    for (first, second, is_listed, tool_use, code) in cases {
        let server = Server::start(vec![vec![first], vec![second]]).await;
        let report = test_connection(settings(&server.base_url), &CancellationToken::new()).await;
        assert_eq!((report.is_listed, report.tool_use), (is_listed, tool_use));
        assert_eq!(report.error.map(|error| error.code), code);
        assert!(!report.is_in_clear);
    }
}
