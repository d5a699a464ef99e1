//! Which model a run talks to, from the command line and `ASSENT_API_KEY`.

use anyhow::{Context as _, bail};
use assent_agent::model::{
    ApiKey, HttpModel, HttpModelSettings, ModelClient, Tour, TourLanguage, Wire, WithoutTools,
};
use assent_agent::secret::Secret;
use clap::{Args, ValueEnum};
use std::sync::Arc;

/// The model and how it is reached.
#[derive(Debug, Args)]
pub struct ModelArguments {
    /// What the server speaks; `tour` is scripted and needs none
    #[arg(long, value_enum, default_value_t = Provider::Tour)]
    provider: Provider,
    /// Address of the API; the provider's own where it is left out
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The model's name there
    #[arg(long, value_name = "M")]
    model: Option<String>,
    /// Further tries after a failure that may pass
    #[arg(long, value_name = "N", default_value_t = 3)]
    max_retries: u32,
    /// Only talk: offer the model no tools, for one that can't use them
    #[arg(long)]
    without_tools: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Provider {
    /// Scripted, offline, and says so
    Tour,
    /// OpenAI's Chat Completions and everything compatible with it
    Openai,
    /// Anthropic's Messages
    Anthropic,
}

impl ModelArguments {
    /// The client. Nothing is sent yet.
    ///
    /// # Errors
    /// When a name is missing or the address doesn't fit.
    pub fn connect(&self) -> anyhow::Result<Arc<dyn ModelClient>> {
        let model = self.with_tools()?;
        Ok(if self.without_tools { Arc::new(WithoutTools::new(model)) } else { model })
    }

    fn with_tools(&self) -> anyhow::Result<Arc<dyn ModelClient>> {
        let (wire, usual) = match self.provider {
            Provider::Tour => return Ok(Arc::new(Tour::new(language()))),
            Provider::Openai => (Wire::ChatCompletions, "https://api.openai.com/v1"),
            Provider::Anthropic => (Wire::Messages, "https://api.anthropic.com"),
        };
        let Some(model) = self.model.clone() else { bail!("tell which model: name it with --model") };
        let base_url = self.base_url.clone().unwrap_or_else(|| usual.to_owned());
        let key = match std::env::var("ASSENT_API_KEY") {
            Ok(key) if !key.is_empty() => {
                Some(ApiKey::for_url(Secret::new(&key), &base_url).context("use the key in ASSENT_API_KEY")?)
            }
            Ok(_) | Err(_) => None,
        };
        let mut settings = HttpModelSettings::new(wire, &base_url, &model);
        settings.connection.key = key;
        settings.retries = self.max_retries;
        Ok(Arc::new(HttpModel::new(settings).context("set up the model")?))
    }
}

/// The tour's language, by the locale.
fn language() -> TourLanguage {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
    if locale.is_some_and(|locale| locale.starts_with("zh")) {
        TourLanguage::Chinese
    } else {
        TourLanguage::English
    }
}
