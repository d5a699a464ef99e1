//! From what a server reports to a kind of failure. The table's order is its meaning: the first row that fits wins.

use super::words::{
    BLOCKED, COMPLAINTS, FULL, LONG_COMPLAINTS, LONG_SUBJECTS, LONG_UNITS, MALFORMED_CALL, NO_KEY, NO_MODEL,
    NO_TOOLS, NOT_THERE, OVERFLOW, PARAMETER_WORDS, QUOTA, SUBJECTS, THROTTLED,
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
    let is_too_long = has(&LONG_SUBJECTS) && has(&LONG_UNITS) && has(&LONG_COMPLAINTS) && !has(&["image"]);
    if status == Some(413) || has(&OVERFLOW) || is_too_long || (report.is_empty && status == Some(400)) {
        return Some(FailureCode::ContextOverflow);
    }
    if has(&FULL) {
        return Some(FailureCode::Overloaded);
    }
    if has(&MALFORMED_CALL) {
        return Some(FailureCode::MalformedToolCall);
    }
    let is_about_parameter =
        has(&PARAMETER_WORDS) || label(&["unsupported_parameter", "unsupported_value", "unknown_parameter"]);
    let is_about_tools = report.parameter.as_deref() == Some("tools") || has(&["'tools'"]);
    if has(&NO_TOOLS) || (is_about_parameter && is_about_tools) {
        return Some(FailureCode::ToolsUnsupported);
    }
    if is_client_fault && is_about_parameter && parameter(report, words).is_some() {
        return Some(FailureCode::UnsupportedParameter);
    }
    if report.is_flagged || has(&BLOCKED) {
        return Some(FailureCode::ContentBlocked);
    }
    if is_client_fault && is_about_history(report, words) {
        return Some(FailureCode::InvalidHistory);
    }
    if has(&NO_KEY)
        || label(&["authentication_error", "permission_error", "UNAUTHENTICATED", "PERMISSION_DENIED"])
    {
        return Some(FailureCode::Auth);
    }
    let is_about_model = names_a_model(words) && has(&NOT_THERE);
    if label(&["model_not_found", "not_found_error"]) || (is_client_fault && is_about_model) || has(&NO_MODEL)
    {
        return Some(FailureCode::ModelNotFound);
    }
    // LM Studio says so with status 200.
    has(&["unexpected endpoint or method"]).then_some(FailureCode::NotAnApi)
}

fn from_status(status: Option<u16>, report: &Report, words: &str) -> FailureCode {
    match status {
        Some(401 | 403 | 407) => FailureCode::Auth,
        Some(300..=399 | 405) => FailureCode::NotAnApi,
        // Where no model is missing, it is the path: the address is wrong.
        Some(404) if report.is_html || !names_a_model(words) => FailureCode::NotAnApi,
        Some(404) => FailureCode::ModelNotFound,
        // 424: what the gateway asked for it failed.
        Some(408 | 424 | 425 | 499) => FailureCode::UpstreamError,
        Some(400..=498) if report.is_html => FailureCode::NotAnApi,
        Some(400..=498) => FailureCode::BadRequest,
        Some(_) => FailureCode::UpstreamError,
        None if words.contains("invalid_request") || words.contains("badrequest") => FailureCode::BadRequest,
        None => FailureCode::UpstreamError,
    }
}

fn names_a_model(words: &str) -> bool {
    words.contains("model") || words.contains("deployment")
}

/// Words about pairing, order, ids, thinking blocks and empty content. Two are needed: a subject and a complaint,
/// so that a text that merely mentions a tool isn't taken for one. A complaint stands in the message: nearly every
/// error is labelled `invalid_request_error`. An image that can't be read is no matter of form.
fn is_about_history(report: &Report, words: &str) -> bool {
    let said = report.message.to_lowercase();
    SUBJECTS.iter().any(|subject| words.contains(subject))
        && COMPLAINTS.iter().any(|complaint| said.contains(complaint))
        && !said.contains("image")
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
            (404, "404 page not found", "not_an_api"),
            (404, r#"{"error":{"message":"Invalid URL (POST /v1/v1/chat/completions)"}}"#, "not_an_api"),
            (404, r#"{"message":"no Route matched with those values"}"#, "not_an_api"),
            (
                404,
                r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment does not exist."}}"#,
                "model_not_found",
            ),
            (301, "", "not_an_api"),
            (401, "", "auth"),
            (403, r#"{"error":{"message":"no access"}}"#, "auth"),
            (
                400,
                r#"{"error":{"message":"The response was filtered","code":"content_filter"}}"#,
                "content_blocked",
            ),
            (418, "?", "bad_request"),
            (424, r#"{"message":"The system encountered an unexpected error."}"#, "upstream_error"),
            (
                403,
                r#"{"code":30001,"message":"Sorry, your account balance is insufficient"}"#,
                "quota_exhausted",
            ),
            (
                429,
                r#"{"error":{"message":"Your account is suspended","type":"exceeded_current_quota_error"}}"#,
                "quota_exhausted",
            ),
            (
                400,
                r#"{"error":{"code":"model_not_supported","message":"The requested model is not supported."}}"#,
                "model_not_found",
            ),
            (
                404,
                r#"{"title":"Not Found","detail":"Function 'x': Not found for account 'y'"}"#,
                "model_not_found",
            ),
            (
                200,
                r#"{"base_resp":{"status_code":1004,"status_msg":"login fail: carry the API key"}}"#,
                "auth",
            ),
            (500, "oops", "upstream_error"),
            (502, "<html>", "upstream_error"),
            (520, "", "upstream_error"),
        ];
        for (status, body, expected) in cases {
            assert_eq!(code(status, body).0, expected, "{status} {body}");
        }
    }

    /// How each server and gateway says it, without the label that some of them add.
    #[test]
    fn every_servers_words_are_understood() {
        let cases: &[(&str, &[&str])] = &[
            (
                "context_overflow",
                &[
                    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
                    "Your input exceeds the context window of this model.",
                    "Requested token count exceeds the model's maximum context length of 131072 tokens",
                    "Input length (265330) exceeds model's maximum context length (262144).",
                    "The input token count exceeds the maximum number of tokens allowed 1048576.",
                    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
                    "Please reduce the length of the messages or completion.",
                    "Input length 300000 exceeds the maximum allowed input length of 262144 tokens.",
                    "The input (140000 tokens) is longer than the model's context length (131072 tokens).",
                    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens",
                    "Input validation error: `inputs` must have less than 4095 tokens. Given: 6000",
                    "The number of tokens to keep from the initial prompt is greater than the context length",
                    "Trying to keep the first 9000 tokens when context the overflows. The model has a context length of only 4096 tokens",
                    "prompt token count of 140000 exceeds the limit of 128000",
                    "invalid params, context window exceeds limit (2013)",
                    "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
                    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
                    "prompt too long; exceeded max context length by 120 tokens",
                    "input length exceeds the context length",
                    "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
                    "You passed 8193 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
                    "the request exceeds the available context size, try increasing it",
                    "Range of input length should be [1, 129024]",
                    "Prompt exceeds max length",
                    "Prompt 超长",
                    "too many tokens: total number of tokens in the prompt cannot exceed 4081",
                    "Input is too long for requested model.",
                    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
                    "The prompt is too long: 140000, model maximum context length: 131072",
                    "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).",
                    "length of prompt_tokens must be less than max_seq_len",
                    "Input length 40000 exceeds the maximum length 32768.",
                    "Input prompt is too big compared to KV size. Please try increasing KV size.",
                ],
            ),
            (
                "invalid_history",
                &[
                    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
                    "insufficient tool messages following tool_calls message",
                    "The reasoning_content in the thinking mode must be passed back to the API.",
                    "tool_call_id  is not found",
                    "tool_call_id functions.x:0 is duplicated",
                    "message at position 3 with role 'assistant' must not be empty",
                    "invalid params, tool call result does not follow tool call (2013)",
                    "Tool call id was call_123 but must be a-z, A-Z, 0-9, with a length of 9.",
                    "Unexpected role 'user' after role 'tool'",
                    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
                    "Not the same number of function calls and responses",
                    "Function call is missing a thought_signature in functionCall parts.",
                    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
                    "The text field in the ContentBlock object at messages.1.content.0 is blank.",
                    "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_1",
                    "Conversation roles must alternate user/assistant/user/assistant/...",
                    "Invalid 'messages[3].tool_calls[0].function.arguments': the JSON is not valid",
                    "Each message must have at least one content element.",
                    "invalid message content type: <nil>",
                    "messages.1: all messages must have non-empty content",
                    "messages: first message must use the \"user\" role",
                    "messages.3.content.1.text: cache_control cannot be set for empty text blocks",
                    "messages.5.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
                    "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
                    "This model does not support assistant message prefill. The conversation must end with a user message.",
                    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
                ],
            ),
            (
                "tools_unsupported",
                &[
                    "Unsupported parameter: 'tools' is not supported with this model.",
                    "gemma:latest does not support tools",
                    "This model does not support function calling",
                    "Function call is not supported for this model.",
                    "UnsupportedParamsError: ollama does not support parameters: ['tools'], for model=m.",
                ],
            ),
            (
                "unsupported_parameter",
                &[
                    "`temperature` is deprecated for this model.",
                    "Unsupported value: 'temperature' does not support 0.2 with this model.",
                    "Unknown parameter: 'parallel_tool_calls'.",
                ],
            ),
            (
                "model_not_found",
                &[
                    "Invalid model: foo",
                    "Model Not Exist",
                    "No endpoints found for foo/bar.",
                    "/chat/completions: Invalid model name passed in model=foo. Call `/v1/models` to view available models.",
                    "模型不存在，请检查模型代码。",
                ],
            ),
            (
                "content_blocked",
                &[
                    "Content Exists Risk",
                    "Input data may contain inappropriate content.",
                    "Output blocked by content filtering policy",
                    "The request failed because the input text may contain sensitive information.",
                    "系统检测到输入或生成内容可能包含不安全或敏感内容",
                ],
            ),
            (
                "quota_exhausted",
                &[
                    "Your team doesn't have any credits yet.",
                    "余额不足,请充值",
                    "Insufficient Balance",
                    "Your team has either used all available credits or reached its monthly spending limit.",
                    "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
                    "Budget has been exceeded! Current cost: 10.1, Max budget: 10.0",
                    "The request failed because your account has an overdue balance.",
                    "Sorry, your account balance is insufficient",
                ],
            ),
            ("overloaded", &["Flex tier capacity exceeded", "The model is at capacity."]),
            (
                "malformed_tool_call",
                &["Failed to call a function. Please adjust your prompt. See 'failed_generation'."],
            ),
            (
                "rate_limited",
                &["too many tokens, please wait before trying again", "temporarily rate-limited upstream"],
            ),
            ("not_an_api", &["Unexpected endpoint or method. (POST /chat/completions)"]),
            (
                "bad_request",
                &[
                    "max_tokens: 200000 > 8192, which is the maximum allowed number of output tokens for this model",
                    "max_tokens is too large: 200000. This model supports at most 16384 completion tokens.",
                    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
                    "messages.0.content.1.image: Image does not match the provided media type image/png",
                    "tools.0.custom.input_schema: JSON schema is invalid",
                    "Input should be less than or equal to 2",
                    "you must provide a model parameter",
                    "We could not parse the JSON body of your request.",
                ],
            ),
        ];
        for (expected, messages) in cases {
            for message in *messages {
                let body =
                    serde_json::json!({"error": {"type": "invalid_request_error", "message": message}});
                assert_eq!(code(400, &body.to_string()).0, *expected, "{message}");
            }
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
            (r#"{"error":{"code":"429","message":"m"}}"#, "rate_limited"),
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
