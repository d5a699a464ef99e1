//! Whether, and to whom, the log is exported: the table `audit_export` of `settings.toml`.
//!
//! ```toml
//! [audit_export]
//! endpoint = "https://collector.example:4318"
//! headers = { x-key = "$COLLECTOR_KEY" }   # a value that begins with $ is read from the environment
//! ```

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

/// The table as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportSettings {
    /// The collector's base address; `/v1/logs` is added.
    pub endpoint: String,
    /// Headers of every request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// Where to send to.
#[derive(Clone, PartialEq, Eq)]
pub struct Collector {
    /// The base address, `https://collector.example:4318`.
    pub endpoint: String,
    /// Headers for every request (a key); never logged.
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Collector({}, {} headers)", self.endpoint, self.headers.len())
    }
}

/// The settings can't be followed; nothing is exported then.
#[derive(Debug, thiserror::Error)]
pub enum ExportSettingsError {
    /// The file can't be read.
    #[error("read the settings of the audit export: {0}")]
    File(#[from] std::io::Error),
    /// It isn't understood.
    #[error("understand the settings of the audit export: {0}")]
    Form(String),
    /// Records would go over the network in clear.
    #[error("export the audit to {0}: only https, or a collector on this machine")]
    InClear(String),
    /// A header names a variable that isn't set.
    #[error("export the audit: the variable {0} isn't set")]
    Variable(String),
}

impl ExportSettings {
    /// What `settings.toml` in `config` says; `None` where it says nothing, which is the default.
    ///
    /// # Errors
    /// When the file can't be read or the table isn't understood.
    pub fn read(config: &Path) -> Result<Option<Self>, ExportSettingsError> {
        #[derive(Deserialize)]
        struct Form {
            audit_export: Option<ExportSettings>,
        }
        let text = match std::fs::read_to_string(config.join("settings.toml")) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let form: Form =
            toml::from_str(&text).map_err(|error| ExportSettingsError::Form(error.message().to_owned()))?;
        Ok(form.audit_export)
    }

    /// The collector, with the values of headers looked up by `variable`.
    ///
    /// # Errors
    /// When the address isn't safe or a variable isn't set.
    pub fn collector(
        &self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Collector, ExportSettingsError> {
        if !is_safe(&self.endpoint) {
            return Err(ExportSettingsError::InClear(self.endpoint.clone()));
        }
        let headers = self.headers.iter().map(|(name, value)| -> Result<_, ExportSettingsError> {
            let value = match value.strip_prefix('$') {
                Some(named) => {
                    variable(named).ok_or_else(|| ExportSettingsError::Variable(named.to_owned()))?
                }
                None => value.clone(),
            };
            Ok((name.clone(), value))
        });
        Ok(Collector { endpoint: self.endpoint.clone(), headers: headers.collect::<Result<_, _>>()? })
    }
}

fn is_safe(endpoint: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(endpoint) else { return false };
    let local = url.host_str().is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    });
    url.scheme() == "https" || url.scheme() == "http" && local
}

#[cfg(test)]
mod tests {
    use super::{ExportSettings, ExportSettingsError};

    #[test]
    fn it_is_off_unless_the_settings_name_a_collector() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(ExportSettings::read(folder.path()).unwrap(), None);
        let write = |text: &str| std::fs::write(folder.path().join("settings.toml"), text).unwrap();
        write("mode = \"strict\"\n");
        assert_eq!(ExportSettings::read(folder.path()).unwrap(), None);
        write(
            "mode = \"strict\"\n[audit_export]\nendpoint = \"https://c.example:4318\"\nheaders = { x-key = \"$KEY\", a = \"b\" }\n",
        );
        let settings = ExportSettings::read(folder.path()).unwrap().unwrap();
        let collector = settings.collector(|name| (name == "KEY").then(|| "secret".to_owned())).unwrap();
        assert_eq!(collector.headers, [("a".into(), "b".into()), ("x-key".into(), "secret".into())]);
        assert!(!format!("{collector:?}").contains("secret"));
        assert!(
            matches!(settings.collector(|_| None), Err(ExportSettingsError::Variable(name)) if name == "KEY")
        );
        write("[audit_export]\nurl = 1\n");
        assert!(matches!(ExportSettings::read(folder.path()), Err(ExportSettingsError::Form(_))));
    }

    /// R43: the log doesn't cross a network in clear.
    #[test]
    fn only_https_or_this_machine() {
        for (endpoint, safe) in [
            ("https://c.example", true),
            ("http://localhost:4318", true),
            ("http://127.0.0.1:4318/", true),
            ("http://[::1]:4318", true),
            ("http://c.example", false),
            ("http://127.0.0.1.evil.example", false),
            ("ftp://localhost", false),
            ("", false),
        ] {
            let settings = ExportSettings { endpoint: endpoint.to_owned(), headers: Default::default() };
            assert_eq!(settings.collector(|_| None).is_ok(), safe, "{endpoint}");
        }
    }
}
