//! API keys: in the OS keychain, for this run in memory, or, by explicit choice, in a file of the user alone.
//!
//! A key belongs to a profile and a host: where the host changes, the key isn't found.

use crate::config_file::{remove, replace};
use crate::headers;
use crate::settings::{Profile, Settings};
use crate::view::KeyPlace;
use anyhow::{Context as _, anyhow, bail};
use assent_agent::secret::of_models::{FOLDER, SERVICE, key_name};
use assent_agent::secret::{Keychain, KeychainError, Secret};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The keys of this user.
pub struct Keys {
    memory: Mutex<HashMap<String, Secret>>,
    read: OnceLock<Box<dyn Fn() + Send + Sync>>,
    keychain: Keychain,
    folder: PathBuf,
}

impl Keys {
    /// Keys whose file form lives in `config`.
    #[must_use]
    pub fn new(config: PathBuf) -> Self {
        Self {
            memory: Mutex::default(),
            read: OnceLock::new(),
            keychain: Keychain::new(SERVICE),
            folder: config.join(FOLDER),
        }
    }

    /// Calls `tell` whenever a key was read for the first time, before it is given out; only the first listener counts.
    pub fn on_read(&self, tell: impl Fn() + Send + Sync + 'static) {
        drop(self.read.set(Box::new(tell)));
    }

    /// The key of a profile; `None` where it has none, or had one for an earlier run only.
    ///
    /// # Errors
    /// When it has one that can't be reached, and what to do about it.
    pub fn get(&self, profile: &Profile) -> anyhow::Result<Option<Secret>> {
        let Some(place) = profile.key else { return Ok(None) };
        let name = name(profile);
        if let Some(key) = self.memory().get(&name) {
            return Ok(Some(key.clone()));
        }
        let key = match place {
            KeyPlace::Memory => return Ok(None),
            KeyPlace::File => match std::fs::read_to_string(self.file(&name)) {
                // It was saved for another host.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
                read => read.context("read the key's file")?,
            },
            KeyPlace::Keychain => match self.keychain.get(&name) {
                Err(KeychainError::Missing) => return Ok(None),
                given => given.context("get the key from the keychain")?,
            },
        };
        let key = Secret::new(&key);
        self.memory().insert(name, key.clone());
        if let Some(tell) = self.read.get() {
            tell();
        }
        Ok(Some(key))
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
                replace(&self.file(&name), key.as_bytes())
                    .and_then(|()| only_for_the_user(&self.folder))
                    .map_err(|error| anyhow!("Can't keep the key in a file: {error:#}."))?;
            }
            KeyPlace::Keychain => self.keychain.set(&name, key).map_err(|error| {
                anyhow!("The keychain didn't take the key: {error}. Keep it for this run, or in a file.")
            })?,
        }
        self.memory().insert(name, Secret::new(key));
        Ok(())
    }

    /// Forgets the key of a profile everywhere.
    ///
    /// # Errors
    /// When it can't be taken out of the keychain or the file.
    pub fn remove(&self, profile: &Profile) -> anyhow::Result<()> {
        self.memory().remove(&name(profile));
        self.remove_stored(profile)
    }

    /// Forgets the key of a profile everywhere, and gives it: what was forgotten can be put back. One that can't be
    /// read stays where it is.
    ///
    /// # Errors
    /// When it can't be read, or taken out of the keychain or the file; where it could be read, it is given too.
    pub fn take(&self, profile: &Profile) -> (Option<Secret>, anyhow::Result<()>) {
        match self.get(profile) {
            Ok(key) => (key, self.remove(profile)),
            Err(error) => (None, profile.key.map_or(Ok(()), |place| Err(left(profile, place, &error)))),
        }
    }

    /// Takes the key of a profile out of the keychain or the file where `profile` says it is; a key in memory stays.
    ///
    /// # Errors
    /// When it can't be taken out.
    pub fn remove_stored(&self, profile: &Profile) -> anyhow::Result<()> {
        let Some(place) = profile.key else { return Ok(()) };
        let name = name(profile);
        match place {
            KeyPlace::File => remove(&self.file(&name)).map_err(|error| left(profile, place, &error)),
            KeyPlace::Keychain => match self.keychain.remove(&name) {
                Ok(()) | Err(KeychainError::Missing) => Ok(()),
                Err(error) => Err(left(profile, place, &error.into())),
            },
            KeyPlace::Memory => Ok(()),
        }
    }

    /// Forgets every key in memory and in files, of profiles that are gone too.
    ///
    /// # Errors
    /// When the folder of the files can't be deleted.
    pub fn clear(&self) -> anyhow::Result<()> {
        self.memory().clear();
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("remove {}", self.folder.display()))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Every key in use and every secret in the headers of `settings`, for taking them out of what is stored.
    pub fn secrets(&self, settings: &Settings) -> Vec<String> {
        let keys: Vec<String> = self.memory().values().map(|key| key.expose().to_owned()).collect();
        let headers = settings.profiles.iter().flat_map(|profile| headers::secrets(&profile.headers));
        keys.into_iter().chain(headers).collect()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, HashMap<String, Secret>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the key of a profile is still at `place`.
fn left(profile: &Profile, place: KeyPlace, error: &anyhow::Error) -> anyhow::Error {
    match place {
        KeyPlace::File => anyhow!("A key is still in a file: {error:#}. Delete it there."),
        KeyPlace::Keychain => anyhow!(
            "A key is still in the keychain, as {} of {SERVICE}: {error:#}. Delete it there.",
            name(profile)
        ),
        KeyPlace::Memory => anyhow!("{error:#}"),
    }
}

/// Profile and host in one plain word.
#[must_use]
pub fn name(profile: &Profile) -> String {
    key_name(&profile.id, &profile.base_url)
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
    use crate::settings::{Profile, Settings};
    use crate::view::{KeyPlace, ProviderKind};
    use std::sync::{Arc, Mutex};

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
            let expose = |keys: &Keys, url: &str| {
                keys.get(&profile(url, place)).unwrap().map(|key| key.expose().to_owned())
            };
            assert_eq!(expose(&keys, "https://good.example/v2"), Some("sk-1".to_owned()));
            assert_eq!(expose(&keys, "https://evil.example/v1"), None);
            assert_eq!(expose(&keys, "https://good.example:8443/v1"), None);
        }
    }

    /// R43: a key that was out of reach at the start is taken out of the record from its first use on.
    #[test]
    fn a_key_that_is_read_later_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let profile = profile("https://good.example/v1", KeyPlace::File);
        let keys = Arc::new(Keys::new(folder.path().to_owned()));
        let (heard, known) = (Arc::<Mutex<Vec<Vec<String>>>>::default(), Arc::downgrade(&keys));
        let told = Arc::clone(&heard);
        keys.on_read(move || {
            let secrets = known.upgrade().unwrap().secrets(&Settings::default());
            told.lock().unwrap().push(secrets);
        });
        assert!(keys.get(&profile).unwrap().is_none());
        Keys::new(folder.path().to_owned()).save(&profile, "sk-late", KeyPlace::File).unwrap();
        for _ in 0..2 {
            assert!(keys.get(&profile).unwrap().is_some());
        }
        assert_eq!(*heard.lock().unwrap(), [["sk-late"]]);
    }

    /// A key that can't be read is no missing key: a request without it would be refused, and nobody knew why.
    #[test]
    fn a_key_out_of_reach_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let keys = Keys::new(folder.path().to_owned());
        let profile = profile("https://good.example/v1", KeyPlace::File);
        keys.save(&profile, "sk-1", KeyPlace::File).unwrap();
        let file = std::fs::read_dir(folder.path().join("keys")).unwrap().next().unwrap().unwrap().path();
        std::fs::write(&file, [0xff]).unwrap();
        assert!(Keys::new(folder.path().to_owned()).get(&profile).is_err());
        // Nobody could put it back.
        let (taken, left) = Keys::new(folder.path().to_owned()).take(&profile);
        assert!(taken.is_none());
        let left = format!("{:#}", left.unwrap_err());
        assert!(left.starts_with("A key is still in a file: read the key's file: "), "{left}");
        assert_eq!(std::fs::read(&file).unwrap(), [0xff]);
        std::fs::write(&file, "sk-1").unwrap();
        let (taken, left) = Keys::new(folder.path().to_owned()).take(&profile);
        assert_eq!(taken.unwrap().expose(), "sk-1");
        left.unwrap();
        assert!(!file.exists());
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
        assert_eq!(again.get(&profile).unwrap().unwrap().expose(), "sk-1");
        again.remove(&profile).unwrap();
        again.remove(&profile).unwrap();
        assert!(again.get(&profile).unwrap().is_none());
        again.save(&profile, "sk-2", KeyPlace::File).unwrap();
        again.remove_stored(&profile).unwrap();
        assert_eq!(std::fs::read_dir(folder.path().join("keys")).unwrap().count(), 0);
        assert!(again.get(&profile).unwrap().is_some(), "it counts for this run");
        again.save(&profile, "sk-3", KeyPlace::File).unwrap();
        again.clear().unwrap();
        again.clear().unwrap();
        assert!(again.get(&profile).unwrap().is_none());
        assert!(!folder.path().join("keys").exists());
        assert!(again.save(&profile, "", KeyPlace::Memory).is_err());
    }
}
