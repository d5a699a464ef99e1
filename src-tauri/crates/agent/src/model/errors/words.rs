//! The words of servers and gateways by which a failure is recognised, in lower case. Overloaded, spent and throttled
//! are told apart before overflow is looked for: "too many tokens" may mean either.

/// The account is spent.
pub(super) const QUOTA: [&str; 24] = [
    "insufficient_quota",
    "insufficient quota",
    "insufficient balance",
    "insufficient credit",
    "insufficient funds",
    "credit balance",
    "any credits",
    "enough credits",
    "more credits",
    "out of credits",
    "billing_error",
    "billing_hard_limit",
    "billing_not_active",
    "payment required",
    "arrearage",
    // Insufficient balance.
    "余额不足",
    "available credits",
    "spending limit",
    "api usage limits",
    "exceeded_current_quota",
    "budget_exceeded",
    "budget has been exceeded",
    "balance is insufficient",
    "overdue",
];

/// Too much in a time span.
pub(super) const THROTTLED: [&str; 12] = [
    "rate limit",
    "rate-limit",
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

/// How servers and gateways say that a conversation is too long, where [`LONG_SUBJECTS`], [`LONG_UNITS`] and
/// [`LONG_COMPLAINTS`] don't tell.
pub(super) const OVERFLOW: [&str; 28] = [
    "context_length_exceeded",
    "exceed_context_size",
    "context_window_exceeded",
    "model_context_window",
    "request_too_large",
    "prompt is too long",
    "prompt too long",
    "prompt_too_long",
    "prompt 超长",
    "input is too long",
    "input too long",
    "too many input tokens",
    "too many tokens",
    "maximum context length",
    "max context length",
    "maximum prompt length",
    "maximum number of input tokens",
    "maximum allowed input length",
    "maximum input length",
    "context window is full",
    "reduce the length of the messages",
    "exceeded model token limit",
    "exceeds the limit of",
    "range of input length",
    "token limit exceeded",
    // Text Generation Inference: `inputs` must have less than 4095 tokens; `inputs` tokens + … must be <= 8193.
    "`inputs` must have less than",
    "`inputs` tokens",
    // Ollama, when the person's words themselves were cut off the front.
    "no user query found",
];

/// What may be too long,
pub(super) const LONG_SUBJECTS: [&str; 5] = ["context", "prompt", "input", "conversation", "token count"];

/// what it is measured in,
pub(super) const LONG_UNITS: [&str; 6] =
    ["token", "length", "window", "context size", "conversation", "kv size"];

/// and how that is said.
pub(super) const LONG_COMPLAINTS: [&str; 9] = [
    "exceed",
    "too long",
    "too large",
    "longer than",
    "larger than",
    "greater than the context",
    "overflow",
    "must be less than max_seq_len",
    "too big",
];

/// No tools with this model or server.
pub(super) const NO_TOOLS: [&str; 19] = [
    "does not support tool",
    "doesn't support tool",
    "do not support tool",
    "not support function call",
    "tools is not supported",
    "'tools' is not supported",
    "tools are not supported",
    "tool use is not supported",
    "tool calling is not supported",
    "function calling is not enabled",
    "function calling is not supported",
    "endpoints found that support tool use",
    "--jinja",
    "enable-auto-tool-choice",
    "tool-call-parser",
    "function call is not supported",
    "function calls are not supported",
    "tool call is not supported",
    "tool calls are not supported",
];

/// A parameter is refused; its name tells which.
pub(super) const PARAMETER_WORDS: [&str; 11] = [
    "unsupported parameter",
    "unsupported_parameter",
    "unsupported value",
    "unknown parameter",
    "unrecognized request argument",
    "unrecognized argument",
    "not supported with this model",
    "is not supported",
    "does not support",
    "is deprecated",
    "extra inputs are not permitted",
];

/// No room for this request just now.
pub(super) const FULL: [&str; 4] =
    ["capacity exceeded", "capacity_exceeded", "capacity temporarily exceeded", "at capacity"];

/// The provider could not read the call that its model made.
pub(super) const MALFORMED_CALL: [&str; 2] = ["tool_use_failed", "failed to call a function"];

/// The provider's filter.
pub(super) const BLOCKED: [&str; 16] = [
    "content_policy",
    "content policy",
    "content_filter",
    "content management policy",
    "moderation",
    "flagged",
    "data_inspection_failed",
    "responsible_ai",
    "inappropriate content",
    "content exists risk",
    "safety system",
    "content filter",
    "sensitivecontent",
    "sensitive content",
    "sensitive information",
    // Unsafe or sensitive content.
    "敏感内容",
];

/// The key.
pub(super) const NO_KEY: [&str; 10] = [
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "api_key_invalid",
    "no auth credentials",
    "invalid x-api-key",
    "unauthorized",
    "missing api key",
    "login fail",
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
pub(super) const NO_MODEL: [&str; 11] = [
    "no models loaded",
    "model_not_found",
    "model not found",
    "invalid_model",
    "invalid model:",
    "no endpoints found for",
    "invalid model name",
    "unknown_model",
    "model_not_supported",
    // NVIDIA, of the function behind a model.
    "not found for account",
    // The model does not exist.
    "模型不存在",
];

/// What a complaint about the form of a conversation is about.
pub(super) const SUBJECTS: [&str; 23] = [
    "tool_call",
    "tool_use",
    "tool_result",
    "tool call",
    "tool result",
    "tool message",
    "toolresult",
    "tooluse",
    "function call",
    "function response",
    "reasoning_content",
    "reasoning content",
    "thinking",
    "signature",
    "message content",
    "assistant content",
    "assistant message",
    "content block",
    "contentblock",
    "content element",
    "role",
    "messages:",
    "messages.",
];

/// And what is wrong with it.
pub(super) const COMPLAINTS: [&str; 38] = [
    "must be",
    "must have",
    "must follow",
    "must match",
    "must alternate",
    "must contain",
    "must immediately",
    "must use",
    "must not",
    "must end",
    "must start",
    "should be",
    "should match",
    "not follow",
    "followed by",
    "without",
    "expected",
    "insufficient",
    "missing",
    "preceding",
    "corresponding",
    "cannot be",
    "cannot end",
    "can't be",
    "invalid",
    "not found",
    "not match",
    "not the same",
    "mismatch",
    "duplicate",
    "unique",
    "empty",
    "blank",
    "is required",
    "equal to the number",
    "alternate",
    "comes immediately",
    "exceeds the number",
];
