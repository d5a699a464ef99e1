//! From what a server reports to a kind of failure. The table's order is its meaning: the first row that fits wins.

use super::words::{
    BLOCKED, COMPLAINTS, NO_KEY, NO_MODEL, NO_TOOLS, NOT_THERE, OVERFLOW, PARAMETER_WORDS, QUOTA, SUBJECTS,
    THROTTLED,
};
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

/// Words about pairing, order, ids, thinking blocks and empty content. Two are needed: a subject and a complaint,
/// so that a text that merely mentions a tool isn't taken for one.
fn is_about_history(words: &str) -> bool {
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
    fn a_validator_names_the_parameter_by_its_place() {
        let body =
            br#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#;
        let classified = classify(Some(422), &Report::from_body(body));
        assert_eq!(classified.error.code, "unsupported_parameter");
        assert_eq!(classified.parameter.as_deref(), Some("stream_options"));
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
