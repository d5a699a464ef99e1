//! The words of servers and gateways by which a failure is recognised, in lower case. Overloaded, spent and throttled
//! are told apart before overflow is looked for: "too many tokens" may mean either.

/// The account is spent.
pub(super) const QUOTA: [&str; 9] = [
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

/// Too much in a time span.
pub(super) const THROTTLED: [&str; 11] = [
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
pub(super) const OVERFLOW: [&str; 44] = [
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

/// No tools with this model or server.
pub(super) const NO_TOOLS: [&str; 14] = [
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

/// A parameter is refused; its name tells which.
pub(super) const PARAMETER_WORDS: [&str; 10] = [
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

/// The provider's filter.
pub(super) const BLOCKED: [&str; 10] = [
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

/// The key.
pub(super) const NO_KEY: [&str; 9] = [
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

/// Of a model: there is none.
pub(super) const NOT_THERE: [&str; 7] = [
    "not found",
    "does not exist",
    "doesn't exist",
    "not exist",
    "no such model",
    "not a valid model",
    "unknown model",
];

/// There is no model at all.
pub(super) const NO_MODEL: [&str; 3] = ["no models loaded", "model_not_found", "model not found"];

/// What a complaint about the form of a conversation is about.
pub(super) const SUBJECTS: [&str; 18] = [
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

/// And what is wrong with it.
pub(super) const COMPLAINTS: [&str; 30] = [
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
