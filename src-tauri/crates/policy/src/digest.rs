//! What an approval is bound to (R32).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// SHA-256 over the canonical JSON of everything a call depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallDigest([u8; 32]);

impl CallDigest {
    /// The digest of `value`'s canonical text.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        Self(Sha256::digest(crate::canonical_json(value).as_bytes()).into())
    }

    /// 64 hexadecimal digits, lower case.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The form people compare in dialog, card and audit: `7F3A-91C2`.
    #[must_use]
    pub fn short(&self) -> String {
        let [a, b, c, d, ..] = self.0;
        format!("{a:02X}{b:02X}-{c:02X}{d:02X}")
    }

    /// Reads [`Self::to_hex`] back; `None` for anything else.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0_u8; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Debug for CallDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CallDigest({})", self.short())
    }
}

impl Serialize for CallDigest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for CallDigest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| serde::de::Error::custom("a digest is 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::CallDigest;
    use serde_json::json;

    #[test]
    fn it_reads_back_and_shows_eight_digits() {
        let digest = CallDigest::of(&json!({"a": 1}));
        assert_eq!(CallDigest::from_hex(&digest.to_hex()), Some(digest));
        assert_eq!(digest.short().len(), 9);
        assert_ne!(digest, CallDigest::of(&json!({"a": 2})));
    }
}
