//! The reviewer that `settings.toml` names, for a process that has no window: it is asked there too.

use crate::model::{
    ApiKey, Connection, ConnectionError, HttpModel, HttpModelSettings, ModelClient, Wire, WithoutTools,
};
use crate::secret::of_models::{FOLDER, SERVICE, key_name, secrets_of_header};
use crate::secret::{Keychain, KeychainError, Secret};
use serde::Deserialize;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The reviewer's model, set up.
pub struct Configured {
    /// The model; nothing was sent yet.
    pub model: Arc<dyn ModelClient>,
    /// Its key and the secret ones of its headers, to be taken out of what is stored.
    pub secrets: Vec<String>,
}

/// There may be a reviewer, and it can't be asked; then nothing runs, as less would be looked at.
#[derive(Debug, thiserror::Error)]
pub enum ConfiguredError {
    /// The file can't be read.
    #[error("read settings.toml, which may name a reviewer: {0}")]
    File(#[source] io::Error),
    /// It isn't understood.
    #[error("understand settings.toml, which may name a reviewer: {0}")]
    Form(String),
    /// It names no model.
    #[error("find the reviewer: the settings name {0}, and no model has that id")]
    NoSuchModel(String),
    /// Its key was kept for a run of the window.
    #[error(
        "use the reviewer {0}: its key is only in the window's memory; keep it in the keychain or in a file"
    )]
    KeyInMemory(String),
    /// Its key is out of reach.
    #[error("get the reviewer's key from its file: {0}")]
    KeyFile(#[source] io::Error),
    /// Its key is out of reach.
    #[error("get the reviewer's key from the keychain: {0}")]
    Keychain(#[source] KeychainError),
    /// Its certificates can't be read.
    #[error("read the reviewer's certificates {path}: {source}")]
    Certificates {
        /// Where they should be.
        path: String,
        /// What the OS said.
        source: io::Error,
    },
    /// Its address, key or headers don't fit.
    #[error("set up the reviewer: {0}")]
    Connection(#[from] ConnectionError),
}

#[derive(Deserialize)]
struct Form {
    reviewer: Option<String>,
    #[serde(default)]
    profiles: Vec<toml::Table>,
}

/// What the window writes of a profile, as far as a reviewer needs it.
#[derive(Deserialize)]
struct Profile {
    kind: Kind,
    base_url: String,
    model: String,
    key: Option<KeyPlace>,
    context_window: Option<u64>,
    #[serde(default)]
    without_tools: bool,
    #[serde(default)]
    proxy: String,
    #[serde(default)]
    ca_file: String,
    #[serde(default)]
    headers: Vec<Header>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Tour,
    ChatCompletions,
    Anthropic,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeyPlace {
    Keychain,
    File,
    Memory,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

/// The reviewer that the settings in `config` name; `None` where they name none, which is the default.
///
/// # Errors
/// When the settings can't be understood, or the model they name can't be set up.
pub fn configured(config: &Path) -> Result<Option<Configured>, ConfiguredError> {
    let text = match std::fs::read_to_string(config.join("settings.toml")) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(ConfiguredError::File(error)),
    };
    let form = |error: toml::de::Error| ConfiguredError::Form(error.message().to_owned());
    let Form { reviewer, profiles } = toml::from_str(&text).map_err(form)?;
    let Some(id) = reviewer else { return Ok(None) };
    let is_named = |profile: &toml::Table| profile.get("id").and_then(toml::Value::as_str) == Some(&id);
    let Some(named) = profiles.into_iter().find(is_named) else {
        return Err(ConfiguredError::NoSuchModel(id));
    };
    let profile: Profile = named.try_into().map_err(form)?;
    let wire = match profile.kind {
        Kind::ChatCompletions => Wire::ChatCompletions,
        Kind::Anthropic => Wire::Messages,
        Kind::Tour => return Err(ConfiguredError::NoSuchModel(id)),
    };
    let key = key(config, &id, &profile)?;
    let mut secrets: Vec<String> = key.iter().map(|key| key.expose().to_owned()).collect();
    for Header { name, value } in &profile.headers {
        secrets.extend(secrets_of_header(name, value));
    }
    let mut settings = HttpModelSettings::new(wire, &profile.base_url, &profile.model);
    settings.context_window = profile.context_window.or(settings.context_window);
    settings.connection = connection(&profile, key)?;
    let model: Arc<dyn ModelClient> = Arc::new(HttpModel::new(settings)?);
    let model = if profile.without_tools { Arc::new(WithoutTools::new(model)) } else { model };
    Ok(Some(Configured { model, secrets }))
}

fn connection(profile: &Profile, key: Option<Secret>) -> Result<Connection, ConfiguredError> {
    let path = &profile.ca_file;
    let certificates = |source| ConfiguredError::Certificates { path: path.clone(), source };
    Ok(Connection {
        base_url: profile.base_url.clone(),
        key: key.map(|key| ApiKey::for_url(key, &profile.base_url)).transpose()?,
        headers: profile.headers.iter().map(|header| (header.name.clone(), header.value.clone())).collect(),
        proxy: (!profile.proxy.is_empty()).then(|| profile.proxy.clone()),
        extra_ca: (!path.is_empty()).then(|| std::fs::read(path)).transpose().map_err(certificates)?,
        ..Connection::default()
    })
}

/// The key where the window put it; none where there is none for this host.
fn key(config: &Path, id: &str, profile: &Profile) -> Result<Option<Secret>, ConfiguredError> {
    let name = key_name(id, &profile.base_url);
    let key = match profile.key {
        None => return Ok(None),
        Some(KeyPlace::Memory) => return Err(ConfiguredError::KeyInMemory(id.to_owned())),
        Some(KeyPlace::File) => match std::fs::read_to_string(config.join(FOLDER).join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(ConfiguredError::KeyFile)?,
        },
        Some(KeyPlace::Keychain) => match Keychain::new(SERVICE).get(&name) {
            Err(KeychainError::Missing) => return Ok(None),
            given => given.map_err(ConfiguredError::Keychain)?,
        },
    };
    Ok(Some(Secret::new(&key)))
}

#[cfg(test)]
mod tests {
    use super::{ConfiguredError, configured};

    const PROFILE: &str = "[[profiles]]\nid = \"strict\"\nname = \"Strict\"\nkind = \"chat_completions\"\n\
        base_url = \"http://127.0.0.1:9/v1\"\nmodel = \"judge\"\n";

    /// R23: whoever set one up has it in the terminal too; one that can't be set up is never left out.
    #[test]
    fn the_settings_name_the_reviewer() {
        let config = tempfile::tempdir().unwrap();
        assert!(configured(config.path()).unwrap().is_none(), "no settings");
        let with = |text: String| {
            std::fs::write(config.path().join("settings.toml"), text).unwrap();
            configured(config.path()).map(|found| found.map(|found| found.model.model().to_owned()))
        };
        assert_eq!(with(format!("mode = \"strict\"\n{PROFILE}")).unwrap(), None);
        assert_eq!(with(format!("reviewer = \"strict\"\n{PROFILE}")).unwrap().as_deref(), Some("judge"));
        let refused = |text: String| with(text).unwrap_err();
        assert!(matches!(refused("reviewer = \"strict\"\n".into()), ConfiguredError::NoSuchModel(_)));
        assert!(matches!(
            refused(format!("reviewer = \"other\"\n{PROFILE}")),
            ConfiguredError::NoSuchModel(_)
        ));
        let tour = PROFILE.replace("chat_completions", "tour");
        assert!(matches!(refused(format!("reviewer = \"strict\"\n{tour}")), ConfiguredError::NoSuchModel(_)));
        assert!(matches!(refused("reviewer = 1".into()), ConfiguredError::Form(_)));
        assert!(matches!(refused("reviewer =".into()), ConfiguredError::Form(_)));
        let remembered = format!("reviewer = \"strict\"\n{PROFILE}key = \"memory\"\n");
        assert!(matches!(refused(remembered), ConfiguredError::KeyInMemory(_)));
        let uncertain = format!("reviewer = \"strict\"\n{PROFILE}ca_file = \"/not/there\"\n");
        assert!(matches!(refused(uncertain), ConfiguredError::Certificates { .. }));
    }

    /// R43: its key is found where the window put it, and the log leaves it out.
    #[test]
    fn its_secrets_are_known() {
        let config = tempfile::tempdir().unwrap();
        std::fs::create_dir(config.path().join("keys")).unwrap();
        std::fs::write(config.path().join("keys/strict@127.0.0.1_9"), "sk-12345\n").unwrap();
        let headers =
            "headers = [{ name = \"X-Token\", value = \"t-67890\" }, { name = \"X-A\", value = \"b\" }]";
        let text = format!("reviewer = \"strict\"\n{PROFILE}key = \"file\"\n{headers}\n");
        std::fs::write(config.path().join("settings.toml"), text).unwrap();
        assert_eq!(configured(config.path()).unwrap().unwrap().secrets, ["sk-12345", "t-67890"]);
    }
}
