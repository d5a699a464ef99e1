//! API keys: in the OS keychain, for this run in memory, or, by explicit choice, in a file of the user alone.
//!
//! A key belongs to a profile and a host: where the host changes, the key isn't found.

use crate::settings::{Profile, replace};
use crate::view::KeyPlace;
use anyhow::{Context as _, bail};
use assent_agent::secret::Secret;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

const SERVICE: &str = "assent-model";

/// The keys of this user.
pub struct Keys {
    memory: Mutex<HashMap<String, Secret>>,
    folder: PathBuf,
}

impl Keys {
    /// Keys whose file form lives in `config`.
    #[must_use]
    pub fn new(config: PathBuf) -> Self {
        Self { memory: Mutex::default(), folder: config.join("keys") }
    }

    /// The key of a profile, if it has one and it can be reached.
    pub fn get(&self, profile: &Profile) -> Option<Secret> {
        let place = profile.key?;
        let name = name(profile);
        if let Some(key) = self.memory().get(&name) {
            return Some(key.clone());
        }
        let key = match place {
            KeyPlace::Memory => return None,
            KeyPlace::File => std::fs::read_to_string(self.file(&name)).map_err(anyhow::Error::from),
            KeyPlace::Keychain => entry(&name).and_then(|entry| Ok(entry.get_password()?)),
        };
        match key {
            Ok(key) => {
                let key = Secret::new(key.trim());
                self.memory().insert(name, key.clone());
                Some(key)
            }
            Err(error) => {
                tracing::warn!(%error, "the key of a profile is out of reach");
                None
            }
        }
    }

    /// Keeps `key` at `place`.
    ///
    /// # Errors
    /// When that place doesn't take it; nothing is kept elsewhere instead.
    pub fn save(&self, profile: &Profile, key: &str, place: KeyPlace) -> anyhow::Result<()> {
        if key.is_empty() {
            bail!("The key is empty.");
        }
        let name = name(profile);
        match place {
            KeyPlace::Memory => {}
            KeyPlace::File => {
                replace(&self.file(&name), key.as_bytes())?;
                only_for_the_user(&self.folder)?;
            }
            KeyPlace::Keychain => entry(&name)
                .and_then(|entry| Ok(entry.set_password(key)?))
                .context("The keychain didn't take the key. Keep it for this run, or in a file.")?,
        }
        self.memory().insert(name, Secret::new(key));
        Ok(())
    }

    /// Forgets the key of a profile everywhere.
    ///
    /// # Errors
    /// When it can't be taken out of the keychain or the file.
    pub fn remove(&self, profile: &Profile) -> anyhow::Result<()> {
        let name = name(profile);
        self.memory().remove(&name);
        match profile.key {
            Some(KeyPlace::File) => {
                std::fs::remove_file(self.file(&name)).context("Can't delete the key's file.")?
            }
            Some(KeyPlace::Keychain) => entry(&name)
                .and_then(|entry| Ok(entry.delete_credential()?))
                .context("The keychain didn't let go of the key.")?,
            Some(KeyPlace::Memory) | None => {}
        }
        Ok(())
    }

    /// Every key in use, for taking them out of what is stored.
    pub fn known(&self) -> Vec<String> {
        self.memory().values().map(|key| key.expose().to_owned()).collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, HashMap<String, Secret>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry(name: &str) -> anyhow::Result<keyring::Entry> {
    keyring::Entry::new(SERVICE, name).context("There is no keychain.")
}

/// Profile and host in one plain word.
fn name(profile: &Profile) -> String {
    let host = tauri::Url::parse(&profile.base_url)
        .map(|url| {
            format!("{}_{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(0))
        })
        .unwrap_or_default();
    let word = |text: &str| -> String {
        text.chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '_' })
            .collect()
    };
    format!("{}@{}", word(&profile.id), word(&host))
}

#[cfg(unix)]
fn only_for_the_user(folder: &std::path::Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
    Ok(())
}

#[cfg(not(unix))]
fn only_for_the_user(_folder: &std::path::Path) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Keys;
    use crate::settings::Profile;
    use crate::view::{KeyPlace, ProviderKind};

    fn profile(base_url: &str, key: KeyPlace) -> Profile {
        Profile {
            id: "p".into(),
            name: "P".into(),
            kind: ProviderKind::ChatCompletions,
            base_url: base_url.into(),
            model: "m".into(),
            key: Some(key),
            ..Profile::tour()
        }
    }

    /// A key is used only for the host it was saved for.
    #[test]
    fn another_host_finds_no_key() {
        let folder = tempfile::tempdir().unwrap();
        for place in [KeyPlace::Memory, KeyPlace::File] {
            let keys = Keys::new(folder.path().to_owned());
            keys.save(&profile("https://good.example/v1", place), "sk-1", place).unwrap();
            assert_eq!(keys.get(&profile("https://good.example/v2", place)).unwrap().expose(), "sk-1");
            assert!(keys.get(&profile("https://evil.example/v1", place)).is_none());
            assert!(keys.get(&profile("https://good.example:8443/v1", place)).is_none());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_file_is_for_the_user_alone_and_goes_when_it_is_removed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::new(folder.path().to_owned());
        let profile = profile("https://good.example/v1", KeyPlace::File);
        keys.save(&profile, "sk-1", KeyPlace::File).unwrap();
        let file = std::fs::read_dir(folder.path().join("keys")).unwrap().next().unwrap().unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);
        let again = Keys::new(folder.path().to_owned());
        assert_eq!(again.get(&profile).unwrap().expose(), "sk-1");
        again.remove(&profile).unwrap();
        assert!(again.get(&profile).is_none());
        assert!(again.save(&profile, "", KeyPlace::Memory).is_err());
    }
}
