//! Secrets in memory: a key can be used, and not printed, stored or compared by accident.

mod keychain;
pub mod of_models;

pub use keychain::{Keychain, KeychainError};

use std::fmt;

/// A secret text. It has no `Display` and no `Serialize`; its `Debug` is a placeholder.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret; blanks around it (a pasted newline) don't count.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The text, for the one place that sends it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `text` without this secret, for words that come back from a server.
    #[must_use]
    pub fn hide_in(&self, text: &str) -> String {
        if self.0.len() < 4 { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    /// R43
    #[test]
    fn it_does_not_show() {
        let secret = Secret::new(" sk-12345\n");
        assert_eq!(format!("{secret:?}"), "[secret]");
        assert_eq!(secret.expose(), "sk-12345");
        assert_eq!(secret.hide_in("bad key sk-12345"), "bad key [key]");
    }
}
