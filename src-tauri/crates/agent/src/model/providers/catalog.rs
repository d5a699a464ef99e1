//! The table of known providers. Any other server is `custom`.

use crate::model::client::HttpModelSettings;
use crate::model::decoder::Wire;
use crate::model::history::IdForm;
use crate::model::http::{Connection, is_loopback};
use crate::model::tokens::context_window;
use reqwest::Url;

/// A known provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Stable word.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// What it speaks.
    pub wire: Wire,
    /// Where it is; empty for `custom`.
    pub base_url: &'static str,
    /// Whether it wants a key.
    pub needs_key: bool,
}

impl Provider {
    /// Whether it runs on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.base_url.starts_with("http://127.0.0.1")
    }
}

/// Every provider, in the order in which they are offered.
pub const PROVIDERS: &[Provider] = &[
    chat("openai", "OpenAI", "https://api.openai.com/v1", true),
    Provider {
        id: "anthropic",
        name: "Anthropic",
        wire: Wire::Messages,
        base_url: "https://api.anthropic.com",
        needs_key: true,
    },
    chat("deepseek", "DeepSeek", "https://api.deepseek.com/v1", true),
    chat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", true),
    chat("qwen", "Qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1", true),
    chat("kimi", "Kimi", "https://api.moonshot.cn/v1", true),
    chat("gemini", "Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", true),
    chat("ollama", "Ollama", "http://127.0.0.1:11434/v1", false),
    chat("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", false),
    chat("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", false),
    chat("vllm", "vLLM", "http://127.0.0.1:8000/v1", false),
    chat("custom", "Custom", "", false),
];

const fn chat(id: &'static str, name: &'static str, base_url: &'static str, needs_key: bool) -> Provider {
    Provider { id, name, wire: Wire::ChatCompletions, base_url, needs_key }
}

/// The provider of this id.
#[must_use]
pub fn provider(id: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.id == id)
}

/// The form of call ids that a server and model accept. Where only the model's name tells, the strict form is
/// taken: it is right everywhere.
#[must_use]
pub fn id_form(wire: Wire, base_url: &str, model: &str) -> IdForm {
    const MISTRAL: [&str; 7] =
        ["mistral", "mixtral", "codestral", "devstral", "magistral", "ministral", "pixtral"];
    let (base_url, model) = (base_url.to_lowercase(), model.to_lowercase());
    match wire {
        Wire::Messages => IdForm::Word,
        Wire::ChatCompletions
            if MISTRAL.iter().any(|name| base_url.contains(name) || model.contains(name)) =>
        {
            IdForm::NineAlphanumerics
        }
        Wire::ChatCompletions if base_url.contains("moonshot") || model.contains("kimi") => IdForm::Kimi,
        Wire::ChatCompletions => IdForm::Short,
    }
}

impl HttpModelSettings {
    /// Everything by default: no key, the system's proxy, three further tries.
    #[must_use]
    pub fn new(wire: Wire, base_url: &str, model: &str) -> Self {
        Self {
            connection: Connection { base_url: base_url.to_owned(), ..Connection::default() },
            wire,
            model: model.to_owned(),
            id_form: id_form(wire, base_url, model),
            max_output_tokens: output_limit(wire, model),
            temperature: None,
            context_window: context_window(model).filter(|_| !is_local(base_url)),
            retries: 3,
        }
    }
}

/// A server on this machine chooses its own window, whatever the model could read.
fn is_local(base_url: &str) -> bool {
    Url::parse(base_url).is_ok_and(|url| is_loopback(&url))
}

/// Output limits below our default, in tokens, of the Anthropic models that have one.
fn output_limit(wire: Wire, model: &str) -> Option<u32> {
    const LIMITS: [(&str, u32); 4] =
        [("claude-3-haiku", 4_096), ("claude-3-opus", 4_096), ("claude-3-5", 8_192), ("claude-3.5", 8_192)];
    match wire {
        Wire::ChatCompletions => None,
        Wire::Messages => LIMITS.iter().find(|(name, _)| model.contains(name)).map(|(_, limit)| *limit),
    }
}

#[cfg(test)]
mod tests {
    use super::{PROVIDERS, id_form};
    use crate::model::decoder::Wire;
    use crate::model::history::IdForm;
    use crate::model::http::{endpoint, is_loopback};

    #[test]
    fn the_table_is_sound() {
        for (place, provider) in PROVIDERS.iter().enumerate() {
            assert!(PROVIDERS.iter().skip(place + 1).all(|other| other.id != provider.id), "{}", provider.id);
            if provider.id == "custom" {
                continue;
            }
            let url = endpoint(provider.base_url, "/models", "").unwrap();
            assert_eq!(is_loopback(&url), provider.is_local(), "{}", provider.id);
            assert_eq!(provider.needs_key, !provider.is_local(), "{}", provider.id);
            assert!(provider.is_local() || url.scheme() == "https", "{}", provider.id);
        }
    }

    #[test]
    fn the_form_of_ids_follows_server_and_model() {
        let chat = Wire::ChatCompletions;
        for (wire, url, model, expected) in [
            (chat, "https://api.openai.com/v1", "gpt-5", IdForm::Short),
            (chat, "https://api.mistral.ai/v1", "x", IdForm::NineAlphanumerics),
            (chat, "http://127.0.0.1:8000/v1", "mistralai/Devstral-Small", IdForm::NineAlphanumerics),
            (chat, "https://api.moonshot.cn/v1", "x", IdForm::Kimi),
            (chat, "https://openrouter.ai/api/v1", "moonshotai/kimi-k2", IdForm::Kimi),
            (Wire::Messages, "https://api.anthropic.com", "claude", IdForm::Word),
        ] {
            assert_eq!(id_form(wire, url, model), expected, "{url} {model}");
        }
    }
}
