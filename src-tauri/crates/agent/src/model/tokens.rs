//! How many tokens a conversation has: estimated before it is sent, corrected by what the provider reports.

use super::{Arguments, Message, ModelRequest, Usage};

/// Tokens that each message costs beyond its text.
const PER_MESSAGE: u64 = 4;

/// Tokens that an image costs, about, whatever its size.
const PER_IMAGE: u64 = 1_500;

/// About how many tokens a text has: four ASCII characters make one; of other scripts each character is one.
#[must_use]
pub fn estimate_text(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|character| !character.is_ascii()).count();
    let whole = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    whole(ascii.div_ceil(4)).saturating_add(whole(other))
}

/// About how many tokens a message has.
#[must_use]
pub fn estimate_message(message: &Message) -> u64 {
    let content = match message {
        Message::User { text, attachments, .. } => {
            let files = attachments
                .iter()
                .map(|file| if file.is_image() { PER_IMAGE } else { estimate_text(&file.data) });
            files.fold(estimate_text(text), u64::saturating_add)
        }
        Message::Assistant(reply) => {
            let calls = reply.calls.iter().map(|call| {
                let arguments = match &call.arguments {
                    Arguments::Object(object) => {
                        estimate_text(&serde_json::Value::Object(object.clone()).to_string())
                    }
                    Arguments::Unreadable { .. } => 1,
                };
                arguments.saturating_add(estimate_text(&call.name)).saturating_add(2 * PER_MESSAGE)
            });
            calls.fold(estimate_text(&reply.text), u64::saturating_add)
        }
        Message::Tool(answer) => estimate_text(&answer.content),
    };
    content.saturating_add(PER_MESSAGE)
}

/// About how many tokens a request has, tools and system prompt included.
#[must_use]
pub fn estimate_request(request: &ModelRequest) -> u64 {
    let tools = request.tools.iter().map(|tool| {
        estimate_text(&tool.description)
            .saturating_add(estimate_text(&tool.schema.to_string()))
            .saturating_add(estimate_text(&tool.name))
    });
    let messages = request.messages.iter().map(estimate_message);
    tools.chain(messages).fold(estimate_text(&request.system), u64::saturating_add)
}

/// How full the context is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextMeter {
    /// The model's window, tokens; `None` where nobody knows.
    window: Option<u64>,
    /// The last request that the provider counted: our estimate, and its count.
    counted: Option<(u64, u64)>,
}

impl ContextMeter {
    /// An empty meter for a window of so many tokens.
    #[must_use]
    pub fn new(window: Option<u64>) -> Self {
        Self { window, counted: None }
    }

    /// The window, tokens.
    #[must_use]
    pub fn window(&self) -> Option<u64> {
        self.window
    }

    /// The provider counted a request.
    pub fn count(&mut self, request: &ModelRequest, usage: Usage) {
        if usage.input > 0 {
            self.counted = Some((estimate_request(request), usage.input));
        }
    }

    /// About how many tokens a request has, in the light of the last count.
    #[must_use]
    pub fn used(&self, request: &ModelRequest) -> u64 {
        let estimate = estimate_request(request);
        match self.counted {
            // One estimate may be off by half or double; more than that is a server that counts something else.
            Some((estimated, counted)) if estimated > 0 => {
                let counted = counted.clamp(estimated / 2, estimated.saturating_mul(2));
                let scaled = u128::from(estimate) * u128::from(counted) / u128::from(estimated);
                u64::try_from(scaled).unwrap_or(u64::MAX)
            }
            Some(_) | None => estimate,
        }
    }

    /// The share of the window that a request fills, percent.
    #[must_use]
    pub fn percent(&self, request: &ModelRequest) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        Some(self.used(request).saturating_mul(100) / window)
    }
}

/// The context window of well-known models, tokens; `None` for others, and for local servers, which choose it
/// themselves.
#[must_use]
pub fn context_window(model: &str) -> Option<u64> {
    const WINDOWS: [(&str, u64); 12] = [
        ("gpt-4.1", 1_047_576),
        ("gpt-4o", 128_000),
        ("gpt-5", 400_000),
        ("o3", 200_000),
        ("o4-mini", 200_000),
        ("claude-", 200_000),
        ("gemini-2", 1_048_576),
        ("gemini-3", 1_048_576),
        ("deepseek-", 128_000),
        ("kimi-k2", 262_144),
        ("qwen3-max", 262_144),
        ("mistral-large", 131_072),
    ];
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    WINDOWS.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, window)| *window)
}

/// Whether a local server has read far less than was sent: Ollama cuts the front, system prompt and tools first,
/// and says nothing. `usage` is what it reported.
#[must_use]
pub fn was_cut_in_silence(request: &ModelRequest, usage: Usage) -> bool {
    /// Below this an estimate says little, tokens.
    const RELIABLE: u64 = 3_000;
    let estimate = estimate_request(request);
    let is_default_window = [2_048, 4_096].contains(&usage.input.saturating_add(usage.output));
    usage.input > 0 && estimate > RELIABLE && (usage.input < estimate / 2 || is_default_window)
}

#[cfg(test)]
mod tests {
    use super::{ContextMeter, context_window, estimate_request, estimate_text, was_cut_in_silence};
    use crate::model::{Message, ModelRequest, Usage};

    fn request(text: &str) -> ModelRequest {
        let messages = vec![Message::User { text: text.to_owned(), attachments: Vec::new(), by_hook: false }];
        ModelRequest { system: String::new(), messages, tools: Vec::new() }
    }

    #[test]
    fn scripts_are_counted_apart() {
        assert_eq!(estimate_text(""), 0);
        assert_eq!(estimate_text("twelve chars"), 3);
        assert_eq!(estimate_text("你好，世界"), 5);
        assert_eq!(estimate_text("abcd你"), 2);
    }

    #[test]
    fn a_count_corrects_the_estimate_within_reason() {
        let sent = request(&"word ".repeat(1_000));
        let mut meter = ContextMeter::new(Some(10_000));
        let estimate = estimate_request(&sent);
        assert_eq!(meter.used(&sent), estimate);
        meter.count(&sent, Usage { input: estimate + estimate / 2, output: 7 });
        assert_eq!(meter.used(&sent), estimate + estimate / 2);
        assert_eq!(meter.percent(&sent), Some((estimate + estimate / 2) * 100 / 10_000));
        meter.count(&sent, Usage { input: 1, output: 7 });
        assert_eq!(meter.used(&sent), estimate / 2);
        assert_eq!(ContextMeter::new(None).percent(&sent), None);
    }

    #[test]
    fn a_silent_cut_is_noticed() {
        let long = request(&"word ".repeat(8_000));
        let estimate = estimate_request(&long);
        for (input, output, expected) in
            [(estimate, 10, false), (estimate / 3, 10, true), (4_000, 96, true), (0, 0, false)]
        {
            assert_eq!(was_cut_in_silence(&long, Usage { input, output }), expected, "{input}");
        }
        assert!(!was_cut_in_silence(&request("hi"), Usage { input: 1, output: 1 }));
    }

    #[test]
    fn windows_follow_the_models_name() {
        assert_eq!(context_window("anthropic/claude-sonnet-4"), Some(200_000));
        assert_eq!(context_window("llama3.2"), None);
    }
}
