//! A provider's failure: which kind it is, whether trying again can help, and what to tell the person.
//!
//! A status alone says little: overflow comes as 400, 413, 500 and 503, a spent quota as 429. So the words are
//! looked at first ([`classify`]), the status second.

mod classify;
mod report;
mod words;

pub use classify::{Classified, classify};
pub use report::Report;

use super::ModelError;

/// The kinds of failure. The text form never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureCode {
    /// Too many requests or tokens in a time span.
    RateLimited,
    /// The account is spent.
    QuotaExhausted,
    /// The provider has no capacity at the moment.
    Overloaded,
    /// The provider or something in front of it failed.
    UpstreamError,
    /// The conversation doesn't fit the model's context.
    ContextOverflow,
    /// The model or server can't call tools.
    ToolsUnsupported,
    /// The conversation breaks a rule of the API.
    InvalidHistory,
    /// One parameter isn't known to this model.
    UnsupportedParameter,
    /// The key is missing, wrong or not allowed.
    Auth,
    /// No such model.
    ModelNotFound,
    /// The provider refused the content.
    ContentBlocked,
    /// Any other refusal of the request.
    BadRequest,
    /// What answered is no model API.
    NotAnApi,
    /// The reply ended before its end.
    StreamTruncated,
    /// The reply can't be read.
    BadStream,
    /// A whole response that holds no reply.
    BadResponse,
    /// The model's call was thrown away or has no name.
    MalformedToolCall,
    /// The person stopped it.
    Cancelled,
}

impl FailureCode {
    /// Every code, in the order of the table.
    pub const ALL: &'static [Self] = &[
        Self::RateLimited,
        Self::QuotaExhausted,
        Self::Overloaded,
        Self::UpstreamError,
        Self::ContextOverflow,
        Self::ToolsUnsupported,
        Self::InvalidHistory,
        Self::UnsupportedParameter,
        Self::Auth,
        Self::ModelNotFound,
        Self::ContentBlocked,
        Self::BadRequest,
        Self::NotAnApi,
        Self::StreamTruncated,
        Self::BadStream,
        Self::BadResponse,
        Self::MalformedToolCall,
        Self::Cancelled,
    ];

    /// The stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.row().0
    }

    /// Whether the same request may succeed a little later.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        self.row().1
    }

    /// The error, in the words for a person: what happened, what the server said, what to do.
    #[must_use]
    pub fn error(self, server_said: &str) -> ModelError {
        let (code, retryable, what, advice) = self.row();
        let said = Report::shorten(server_said);
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.trim_end_matches('.')) };
        let advice = if advice.is_empty() { String::new() } else { format!(" {advice}") };
        ModelError { code, message: format!("{what}{said}.{advice}"), retryable, retry_after_ms: None }
    }

    const fn row(self) -> (&'static str, bool, &'static str, &'static str) {
        match self {
            Self::RateLimited => ("rate_limited", true, "Too many requests", "Try again a little later."),
            Self::QuotaExhausted => (
                "quota_exhausted",
                false,
                "The account has no credit or quota left",
                "Check billing at the provider, or choose another model.",
            ),
            Self::Overloaded => {
                ("overloaded", true, "The provider is overloaded", "Try again a little later.")
            }
            Self::UpstreamError => ("upstream_error", true, "The provider failed", "Try again."),
            Self::ContextOverflow => (
                "context_overflow",
                false,
                "The conversation is longer than the model can read",
                "Compact it, start a new session, or raise the context size of a local server.",
            ),
            Self::ToolsUnsupported => (
                "tools_unsupported",
                false,
                "This model or server can't call tools",
                "Choose a model with tool use, or start the server with its tool parser on. “Only talk” in its settings, or \
                 `assent exec --without-tools`, talks to it as it is.",
            ),
            Self::InvalidHistory => (
                "invalid_history",
                false,
                "The provider refused the form of the conversation",
                "The session stays usable; start a new one if it comes again.",
            ),
            Self::UnsupportedParameter => (
                "unsupported_parameter",
                false,
                "The model doesn't know one of the parameters",
                "Check the model settings.",
            ),
            Self::Auth => {
                ("auth", false, "The provider refused the key", "Check the key in the model settings.")
            }
            Self::ModelNotFound => (
                "model_not_found",
                false,
                "The provider has no such model",
                "Choose one from the model list.",
            ),
            Self::ContentBlocked => {
                ("content_blocked", false, "The provider refused the content", "Put it differently.")
            }
            Self::BadRequest => ("bad_request", false, "The provider refused the request", ""),
            Self::NotAnApi => (
                "not_an_api",
                false,
                "What answered is no model API",
                "Check the base URL, and whether a login page or a proxy stands in between.",
            ),
            Self::StreamTruncated => {
                ("stream_truncated", true, "The connection ended before the reply did", "Try again.")
            }
            Self::BadStream => ("bad_stream", true, "The reply can't be read", "Try again."),
            Self::BadResponse => ("bad_response", true, "The response holds no reply", "Try again."),
            Self::MalformedToolCall => {
                ("malformed_tool_call", true, "The model made a tool call that nobody can read", "Try again.")
            }
            Self::Cancelled => ("cancelled", false, "Stopped", ""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FailureCode;

    #[test]
    fn every_code_has_its_words() {
        let lines: Vec<String> = FailureCode::ALL
            .iter()
            .map(|code| {
                format!("{} [{}] {}", code.as_str(), code.is_retryable(), code.error("it said so.").message)
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
