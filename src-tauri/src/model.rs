//! The model client of a profile.

use crate::settings::Profile;
use crate::view::ProviderKind;
use crate::words::Language;
use anyhow::Context as _;
use assent_agent::model::{
    ApiKey, Connection, HttpModel, HttpModelSettings, ModelClient, Tour, TourLanguage, Wire, WithoutTools,
};
use assent_agent::secret::Secret;
use std::sync::Arc;
use std::time::Duration;

/// Between two words of the tour: fast enough to read along.
const PACE: Duration = Duration::from_millis(12);

/// The client that `profile` names; nothing is sent yet.
///
/// # Errors
/// When address, key or model don't fit.
pub fn connect(
    profile: &Profile,
    key: Option<Secret>,
    language: Language,
) -> anyhow::Result<Arc<dyn ModelClient>> {
    match settings(profile, key)? {
        Some(settings) => {
            let model: Arc<dyn ModelClient> = Arc::new(HttpModel::new(settings).context("set up the model")?);
            Ok(if profile.without_tools { Arc::new(WithoutTools::new(model)) } else { model })
        }
        None => {
            let language = match language {
                Language::English => TourLanguage::English,
                Language::Chinese => TourLanguage::Chinese,
            };
            Ok(Arc::new(Tour::new(language).paced(PACE)))
        }
    }
}

/// How a profile's server is reached; `None` for the tour.
///
/// # Errors
/// When the key doesn't fit the address.
pub fn settings(profile: &Profile, key: Option<Secret>) -> anyhow::Result<Option<HttpModelSettings>> {
    let Some(wire) = wire(profile.kind) else { return Ok(None) };
    let mut settings = HttpModelSettings::new(wire, &profile.base_url, &profile.model);
    settings.connection = connection(profile, key)?;
    settings.context_window = profile.context_window.or(settings.context_window);
    Ok(Some(settings))
}

/// The connection of a profile, its key bound to its host.
///
/// # Errors
/// When the address can't be read.
pub fn connection(profile: &Profile, key: Option<Secret>) -> anyhow::Result<Connection> {
    let key = key.map(|key| ApiKey::for_url(key, &profile.base_url)).transpose().context("use the key")?;
    let extra_ca = match profile.ca_file.as_str() {
        "" => None,
        path => Some(std::fs::read(path).with_context(|| format!("read the certificates {path}"))?),
    };
    Ok(Connection {
        base_url: profile.base_url.clone(),
        key,
        headers: profile.headers.iter().map(|header| (header.name.clone(), header.value.clone())).collect(),
        proxy: (!profile.proxy.is_empty()).then(|| profile.proxy.clone()),
        extra_ca,
        ..Connection::default()
    })
}

/// What a kind of provider speaks; `None` for the tour.
pub const fn wire(kind: ProviderKind) -> Option<Wire> {
    match kind {
        ProviderKind::Tour => None,
        ProviderKind::ChatCompletions => Some(Wire::ChatCompletions),
        ProviderKind::Anthropic => Some(Wire::Messages),
    }
}
