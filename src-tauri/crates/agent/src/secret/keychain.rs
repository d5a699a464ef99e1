//! The OS keychain. It is asked on a thread of its own: it may have to ask the person for a password first, or never
//! answer at all.

use crate::blocking::in_place;
use keyring::Entry;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

/// How long an answer may take. The person may be typing the keychain's password.
const PATIENCE: Duration = Duration::from_secs(60);

/// The entries of one service in the OS keychain.
#[derive(Clone, Debug)]
pub struct Keychain {
    service: &'static str,
    patience: Duration,
    /// A question is out that was not answered in time; behind it no other would be.
    is_silent: Arc<AtomicBool>,
}

/// Why the keychain gives or takes nothing, and what to do.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    /// There is no such entry.
    #[error("it holds no such key")]
    Missing,
    /// It is locked, and the question for its password was dismissed or can't be shown.
    #[error("it is locked; unlock it and try again")]
    Locked,
    /// It did not answer in time.
    #[error("it does not answer; restart it, then Assent")]
    Silent,
    /// There is none, or it failed.
    #[error("{0}")]
    Failed(String),
}

impl Keychain {
    /// The entries of `service`.
    #[must_use]
    pub fn new(service: &'static str) -> Self {
        Self { service, patience: PATIENCE, is_silent: Arc::default() }
    }

    /// What is kept under `name`.
    ///
    /// # Errors
    /// When there is nothing, or the keychain doesn't give it.
    pub fn get(&self, name: &str) -> Result<String, KeychainError> {
        self.ask(name, |entry| entry.get_password())
    }

    /// Keeps `secret` under `name`.
    ///
    /// # Errors
    /// When the keychain doesn't take it.
    pub fn set(&self, name: &str, secret: &str) -> Result<(), KeychainError> {
        let secret = secret.to_owned();
        self.ask(name, move |entry| entry.set_password(&secret))
    }

    /// Forgets what is kept under `name`.
    ///
    /// # Errors
    /// When there is nothing, or the keychain doesn't let go of it.
    pub fn remove(&self, name: &str) -> Result<(), KeychainError> {
        self.ask(name, |entry| entry.delete_credential())
    }

    fn ask<T: Send + 'static>(
        &self,
        name: &str,
        question: impl FnOnce(&Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let (service, name) = (self.service, name.to_owned());
        self.wait_for(move || Entry::new(service, &name).and_then(|entry| question(&entry)))
    }

    /// The answer, where it comes in time.
    fn wait_for<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> keyring::Result<T> + Send + 'static,
    ) -> Result<T, KeychainError> {
        if self.is_silent.load(Ordering::SeqCst) {
            return Err(KeychainError::Silent);
        }
        let (sender, receiver) = sync_channel(1);
        let is_silent = Arc::clone(&self.is_silent);
        let asking = move || {
            let answer = question();
            is_silent.store(false, Ordering::SeqCst);
            // Whoever asked may have given up.
            drop(sender.send(answer));
        };
        let started = thread::Builder::new().name("keychain".to_owned()).spawn(asking);
        started.map_err(|error| KeychainError::Failed(error.to_string()))?;
        match in_place(|| receiver.recv_timeout(self.patience)) {
            Ok(answer) => answer.map_err(|error| KeychainError::of(&error)),
            Err(_) => {
                self.is_silent.store(true, Ordering::SeqCst);
                Err(KeychainError::Silent)
            }
        }
    }
}

impl KeychainError {
    fn of(error: &keyring::Error) -> Self {
        match error {
            keyring::Error::NoEntry => Self::Missing,
            keyring::Error::NoStorageAccess(_) => Self::Locked,
            keyring::Error::NoDefaultStore => Self::Failed("there is none".to_owned()),
            // More kinds may come; what they say is the best there is.
            other => Self::Failed(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Keychain, KeychainError};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    #[test]
    fn each_refusal_says_what_to_do() {
        let keychain = Keychain::new("test");
        let answer = |error: keyring::Error| keychain.wait_for::<()>(move || Err(error)).unwrap_err();
        assert_eq!(answer(keyring::Error::NoEntry), KeychainError::Missing);
        let locked = answer(keyring::Error::NoStorageAccess("prompt dismissed".into()));
        assert_eq!(locked, KeychainError::Locked);
        assert!(locked.to_string().contains("unlock it"));
        assert!(matches!(answer(keyring::Error::NoDefaultStore), KeychainError::Failed(_)));
        assert_eq!(keychain.wait_for(|| Ok("key")), Ok("key"));
    }

    /// One that never answers holds nobody up twice, and is asked again once it does.
    #[test]
    fn a_keychain_that_never_answers_stops_nothing() {
        let keychain = Keychain { patience: Duration::ZERO, ..Keychain::new("test") };
        let (release, released) = channel::<()>();
        let (told, heard) = channel::<()>();
        let stuck = move || {
            let _ = released.recv();
            drop(told);
            Ok(())
        };
        assert_eq!(keychain.wait_for(stuck), Err(KeychainError::Silent));
        let patient = Keychain { patience: Duration::MAX, ..keychain };
        assert_eq!(patient.wait_for(|| Ok(())), Err(KeychainError::Silent));
        drop(release);
        let _ = heard.recv();
        while patient.wait_for(|| Ok(())) == Err(KeychainError::Silent) {
            std::thread::yield_now();
        }
    }
}
