//! From what a server reports to a kind of failure. The table's order is its meaning: the first row that fits wins.

use super::{FailureCode, Report};
use crate::model::ModelError;

/// A failure and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified {
    /// The kind.
    pub code: FailureCode,
    /// The error for the person.
    pub error: ModelError,
    /// With [`FailureCode::UnsupportedParameter`]: the one to leave out or rename.
    pub parameter: Option<String>,
}

/// Classifies a failure. `status` is that of the HTTP response; `None` for an error inside a reply.
#[must_use]
pub fn classify(status: Option<u16>, report: &Report) -> Classified {
    // An error inside a response with status 200 often names the status it would have had.
    let status = status.filter(|status| *status >= 300).or(report.status);
    let words = report.words();
    let code = from_words(status, report, &words).unwrap_or_else(|| from_status(status, report, &words));
    let said = match (report.message.is_empty(), status) {
        (true, Some(status)) => format!("status {status}"),
        (true, None) => report.labels.join(", "),
        (false, Some(status)) => format!("{} (status {status})", Report::shorten(&report.message)),
        (false, None) => report.message.clone(),
    };
    let mut error = code.error(&said);
    error.retry_after_ms = report.retry_after_ms.filter(|_| error.retryable);
    let parameter = (code == FailureCode::UnsupportedParameter).then(|| parameter(report, &words)).flatten();
    Classified { code, error, parameter }
}

/// The parameters that we send and that some server somewhere refuses. The replacement comes before what it
/// replaces, since a refusal of the one names the other.
const PARAMETERS: [&str; 7] = [
    "stream_options",
    "parallel_tool_calls",
    "temperature",
    "reasoning_effort",
    "tool_choice",
    "max_tokens",
    "max_completion_tokens",
];

fn parameter(report: &Report, words: &str) -> Option<String> {
    let named = report.parameter.as_deref().filter(|name| PARAMETERS.contains(name));
    named.or_else(|| PARAMETERS.into_iter().find(|name| words.contains(name))).map(str::to_owned)
}

fn from_words(status: Option<u16>, report: &Report, words: &str) -> Option<FailureCode> {
    let has = |patterns: &[&str]| patterns.iter().any(|pattern| words.contains(pattern));
    let label = |names: &[&str]| {
        report.labels.iter().any(|label| names.iter().any(|name| label.eq_ignore_ascii_case(name)))
    };
    let is_client_fault = status.is_none_or(|status| matches!(status, 400 | 404 | 409 | 413 | 422));

    if has(&["overloaded"]) || status == Some(529) {
        return Some(FailureCode::Overloaded);
    }
    if status == Some(402)
        || has(&QUOTA)
        || (has(&["exceeded your current quota"]) && report.retry_after_ms.is_none())
    {
        return Some(FailureCode::QuotaExhausted);
    }
    if status == Some(429) || has(&THROTTLED) {
        return Some(FailureCode::RateLimited);
    }
    if status == Some(413) || has(&OVERFLOW) || (report.is_empty && status == Some(400)) {
        return Some(FailureCode::ContextOverflow);
    }
    if has(&NO_TOOLS) {
        return Some(FailureCode::ToolsUnsupported);
    }
    if is_client_fault
        && (has(&PARAMETER_WORDS)
            || label(&["unsupported_parameter", "unsupported_value", "unknown_parameter"]))
        && parameter(report, words).is_some()
    {
        return Some(FailureCode::UnsupportedParameter);
    }
    if report.is_flagged || has(&BLOCKED) {
        return Some(FailureCode::ContentBlocked);
    }
    if is_client_fault && is_about_history(words) {
        return Some(FailureCode::InvalidHistory);
    }
    if has(&NO_KEY)
        || label(&["authentication_error", "permission_error", "UNAUTHENTICATED", "PERMISSION_DENIED"])
    {
        return Some(FailureCode::Auth);
    }
    let is_about_model = has(&["model"]) && has(&NOT_THERE);
    if label(&["model_not_found", "not_found_error"]) || (is_client_fault && is_about_model) || has(&NO_MODEL)
    {
        return Some(FailureCode::ModelNotFound);
    }
    None
}

fn from_status(status: Option<u16>, report: &Report, words: &str) -> FailureCode {
    match status {
        Some(401 | 403 | 407) => FailureCode::Auth,
        Some(300..=399 | 405) => FailureCode::NotAnApi,
        // A page, or nothing, where the API should be: the address is wrong.
        Some(404) if report.is_html || report.is_empty || words.trim() == "not found" => {
            FailureCode::NotAnApi
        }
        Some(404) => FailureCode::ModelNotFound,
        Some(408 | 425 | 499) => FailureCode::UpstreamError,
        Some(400..=498) if report.is_html => FailureCode::NotAnApi,
        Some(400..=498) => FailureCode::BadRequest,
        Some(_) => FailureCode::UpstreamError,
        None if words.contains("invalid_request") || words.contains("badrequest") => FailureCode::BadRequest,
        None => FailureCode::UpstreamError,
    }
}

/// Overloaded, spent and throttled are told apart before overflow is looked for: "too many tokens" means either.
const QUOTA: [&str; 9] = [
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient credit",
    "insufficient funds",
    "credit balance",
    "billing_error",
    "billing_hard_limit",
    "payment required",
];

const THROTTLED: [&str; 11] = [
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "throttl",
    "tokens per min",
    "requests per min",
    "per-minute",
    "please wait before trying again",
    "resource_exhausted",
    "exceeded your current quota",
];

/// How servers and gateways say that a conversation is too long.
const OVERFLOW: [&str; 44] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context_window_exceeded",
    "model_context_window",
    "request_too_large",
    "prompt is too long",
    "prompt too long",
    "prompt_too_long",
    "input is too long",
    "input too long",
    "too many input tokens",
    "exceeds max length",
    "exceeds the context",
    "exceeds the available context",
    "exceeds the model's context",
    "exceed the context",
    "exceeds the maximum number of tokens",
    "exceeds the maximum allowed",
    "maximum context length",
    "max context length",
    "maximum prompt length",
    "maximum number of input tokens",
    "maximum allowed input length",
    "greater than the context length",
    "larger than the context",
    "context window exceeds",
    "context length exceeded",
    "context window is full",
    "reduce the length of the messages",
    "exceeded model token limit",
    "exceeds the limit of",
    "range of input length",
    "input token count",
    "exceed context limit",
    "exceeds context limit",
    "exceeds the input limit",
    "exceeds the token limit",
    "token limit exceeded",
    "too many tokens",
    "too large for model with",
    "maximum input length",
    "configured context size",
    "longer than the model's context",
    // Ollama, when the person's words themselves were cut off the front.
    "no user query found",
];

const NO_TOOLS: [&str; 14] = [
    "does not support tool",
    "doesn't support tool",
    "do not support tool",
    "not support function call",
    "tools is not supported",
    "tools are not supported",
    "tool use is not supported",
    "tool calling is not supported",
    "function calling is not enabled",
    "function calling is not supported",
    "endpoints found that support tool use",
    "--jinja",
    "enable-auto-tool-choice",
    "tool-call-parser",
];

const PARAMETER_WORDS: [&str; 10] = [
    "unsupported parameter",
    "unsupported_parameter",
    "unsupported value",
    "unknown parameter",
    "unrecognized request argument",
    "unrecognized argument",
    "not supported with this model",
    "is not supported",
    "does not support",
    "extra inputs are not permitted",
];

const BLOCKED: [&str; 10] = [
    "content_policy",
    "content policy",
    "content_filter",
    "content management policy",
    "moderation",
    "flagged",
    "data_inspection_failed",
    "responsible_ai",
    "inappropriate content",
    "safety system",
];

const NO_KEY: [&str; 9] = [
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "api_key_invalid",
    "no auth credentials",
    "invalid x-api-key",
    "unauthorized",
    "missing api key",
];

const NOT_THERE: [&str; 7] = [
    "not found",
    "does not exist",
    "doesn't exist",
    "not exist",
    "no such model",
    "not a valid model",
    "unknown model",
];

const NO_MODEL: [&str; 3] = ["no models loaded", "model_not_found", "model not found"];

/// Words about pairing, order, ids, thinking blocks and empty content. Two are needed: a subject and a complaint,
/// so that a text that merely mentions a tool isn't taken for one.
fn is_about_history(words: &str) -> bool {
    const SUBJECTS: [&str; 18] = [
        "tool_call",
        "tool_use",
        "tool_result",
        "tool call",
        "tool result",
        "tool message",
        "role 'tool'",
        "function call",
        "function response",
        "reasoning_content",
        "reasoning content",
        "thinking",
        "signature",
        "message content",
        "assistant content",
        "content block",
        "roles",
        "messages:",
    ];
    const COMPLAINTS: [&str; 30] = [
        "must be",
        "must have",
        "must follow",
        "must match",
        "must alternate",
        "must contain",
        "must immediately",
        "must end",
        "must start",
        "not follow",
        "followed by",
        "without",
        "unexpected",
        "missing",
        "preceding",
        "corresponding",
        "cannot be",
        "cannot end",
        "can't be",
        "invalid",
        "not found",
        "not match",
        "mismatch",
        "duplicate",
        "unique",
        "non-empty",
        "empty",
        "is required",
        "equal to the number",
        "alternate",
    ];
    SUBJECTS.iter().any(|subject| words.contains(subject))
        && COMPLAINTS.iter().any(|complaint| words.contains(complaint))
}

#[cfg(test)]
mod tests {
    use super::classify;
    use crate::model::errors::Report;

    fn code(status: u16, body: &str) -> (&'static str, bool) {
        let classified = classify(Some(status), &Report::from_body(body.as_bytes()));
        (classified.error.code, classified.error.retryable)
    }

    #[test]
    fn words_count_more_than_the_status() {
        let cases = [
            (
                429,
                r#"{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}"#,
                "rate_limited",
            ),
            (
                429,
                r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
                "quota_exhausted",
            ),
            (
                429,
                r#"[{"error":{"code":429,"message":"You exceeded your current quota","details":[{"retryDelay":"3s"}]}}]"#,
                "rate_limited",
            ),
            (
                400,
                r#"{"error":{"message":"Too many tokens, please wait before trying again."}}"#,
                "rate_limited",
            ),
            (400, r#"{"error":{"message":"Your credit balance is too low"}}"#, "quota_exhausted"),
            (503, r#"{"error":{"message":"The model is overloaded."}}"#, "overloaded"),
            (
                400,
                r#"{"error":{"message":"The input token count (9) exceeds the maximum number of tokens allowed (8)."}}"#,
                "context_overflow",
            ),
            (400, "", "context_overflow"),
            (
                400,
                r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","code":"unsupported_parameter","param":"max_tokens"}}"#,
                "unsupported_parameter",
            ),
            (
                400,
                r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#,
                "unsupported_parameter",
            ),
            (
                404,
                r#"{"error":{"message":"No endpoints found that support tool use."}}"#,
                "tools_unsupported",
            ),
            (
                400,
                r#"{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}}"#,
                "invalid_history",
            ),
            (
                400,
                r#"{"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#,
                "invalid_history",
            ),
            (
                400,
                r#"{"error":{"message":"messages: text content blocks must be non-empty"}}"#,
                "invalid_history",
            ),
            (400, r#"{"error":{"message":"API key not valid. Please pass a valid API key."}}"#, "auth"),
            (400, r#"{"error":{"message":"foo/bar is not a valid model ID"}}"#, "model_not_found"),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
                "model_not_found",
            ),
            (404, "<html>", "not_an_api"),
            (404, r#"{"detail":"Not Found"}"#, "not_an_api"),
            (301, "", "not_an_api"),
            (401, "", "auth"),
            (403, r#"{"error":{"message":"no access"}}"#, "auth"),
            (
                400,
                r#"{"error":{"message":"The response was filtered","code":"content_filter"}}"#,
                "content_blocked",
            ),
            (418, "?", "bad_request"),
            (500, "oops", "upstream_error"),
            (502, "<html>", "upstream_error"),
            (520, "", "upstream_error"),
        ];
        for (status, body, expected) in cases {
            assert_eq!(code(status, body).0, expected, "{status} {body}");
        }
    }

    #[test]
    fn the_parameter_to_leave_out_is_named() {
        let body = br#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."}}"#;
        assert_eq!(classify(Some(400), &Report::from_body(body)).parameter.as_deref(), Some("max_tokens"));
    }

    #[test]
    fn an_error_inside_a_reply_may_name_its_status() {
        let cases = [
            (r#"{"error":{"code":402,"message":"m"}}"#, "quota_exhausted"),
            (r#"{"error":{"code":403,"message":"m"}}"#, "auth"),
            (r#"{"error":{"code":502,"message":"m"}}"#, "upstream_error"),
            (r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#, "overloaded"),
            (r#"{"error":{"type":"rate_limit_error","message":"m"}}"#, "rate_limited"),
            (r#"{"error":{"type":"invalid_request_error","message":"m"}}"#, "bad_request"),
            (r#"{"error":"runner stopped"}"#, "upstream_error"),
        ];
        for (body, expected) in cases {
            let report = Report::from_body(body.as_bytes());
            assert_eq!(classify(None, &report).error.code, expected, "{body}");
            assert_eq!(classify(Some(200), &report).error.code, expected, "{body}");
        }
    }
}
