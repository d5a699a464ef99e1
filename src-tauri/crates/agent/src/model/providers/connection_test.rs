//! "Test connection": one small request that shows whether the server answers, knows the model, and whether the
//! model really calls a tool. Servers drop tools in silence; a friendly reply proves nothing.

use super::model_list::list_models;
use crate::model::client::{HttpModel, HttpModelSettings};
use crate::model::errors::FailureCode;
use crate::model::http::{endpoint, is_loopback};
use crate::model::{Arguments, Message, ModelClient as _, ModelError, ModelRequest, StopReason, ToolSpec};
use serde_json::json;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// What the test saw.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionReport {
    /// What went wrong, if the model gave no reply.
    pub error: Option<ModelError>,
    /// Whether the server's list names the model; `None` where it has no list.
    pub is_listed: Option<bool>,
    /// Whether the model called the tool.
    pub tool_use: ToolUse,
    /// From request to the end of the reply, ms.
    pub duration_ms: u64,
    /// The key goes over the network in clear.
    pub is_in_clear: bool,
}

/// What became of the tool that was offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolUse {
    /// Called, with the right arguments.
    Works,
    /// Not called, or with other arguments: this model may not be up to it.
    NotCalled,
    /// The server says that it can't.
    Unsupported,
    /// There was no reply to tell from.
    Unknown,
}

/// The word that the model is asked to pass on.
const WORD: &str = "ready";

/// Runs the test. It costs the tokens of one short reply.
pub async fn test_connection(settings: HttpModelSettings, cancel: &CancellationToken) -> ConnectionReport {
    let started = Instant::now();
    let url = endpoint(&settings.connection.base_url, "", "");
    let is_in_clear = settings.connection.key.is_some()
        && url.is_ok_and(|url| url.scheme() == "http" && !is_loopback(&url));
    let listed = list_models(settings.wire, &settings.connection).await;
    let is_listed =
        listed.ok().filter(|names| !names.is_empty()).map(|names| names.contains(&settings.model));
    let settings = HttpModelSettings { retries: settings.retries.min(1), ..settings };
    let (error, tool_use) = match HttpModel::new(settings) {
        Ok(model) => ask(&model, cancel).await,
        Err(error) => (Some(FailureCode::BadRequest.error(&error.to_string())), ToolUse::Unknown),
    };
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    ConnectionReport { error, is_listed, tool_use, duration_ms, is_in_clear }
}

async fn ask(model: &HttpModel, cancel: &CancellationToken) -> (Option<ModelError>, ToolUse) {
    let request = ModelRequest {
        system: "You are part of a connection test. Call the tool you are told to call.".to_owned(),
        messages: vec![Message::User {
            text: format!("Call the tool report_word with the word \"{WORD}\". Do nothing else."),
            attachments: Vec::new(),
            by_hook: false,
        }],
        tools: vec![ToolSpec {
            name: "report_word".to_owned(),
            description: "Reports one word.".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {"word": {"type": "string"}},
                "required": ["word"],
                "additionalProperties": false
            }),
        }],
    };
    let reply = model.complete(&request, &|_| {}, cancel).await;
    let was_called = reply.calls.iter().any(|call| match &call.arguments {
        Arguments::Object(arguments) => {
            call.name == "report_word" && arguments.get("word").and_then(|word| word.as_str()) == Some(WORD)
        }
        Arguments::Unreadable { .. } => false,
    });
    let tool_use = match (reply.stop, &reply.error) {
        (_, Some(error)) if error.code == FailureCode::ToolsUnsupported.as_str() => ToolUse::Unsupported,
        (StopReason::Error, _) => ToolUse::Unknown,
        (StopReason::End | StopReason::ToolCalls | StopReason::Length | StopReason::ContentFilter, _) => {
            if was_called {
                ToolUse::Works
            } else {
                ToolUse::NotCalled
            }
        }
    };
    (reply.error, tool_use)
}
