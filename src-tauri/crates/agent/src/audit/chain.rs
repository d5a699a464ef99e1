//! The keyed chain: each record's MAC covers its content and the MAC before it.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;

/// HMAC-SHA-256 of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mac([u8; 32]);

impl Mac {
    /// What the first record follows.
    pub const ZERO: Self = Self([0; 32]);

    /// From stored bytes; `None` unless there are 32.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// From 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 hexadecimal digits, lower case.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_hex())
    }
}

/// The secret that makes MACs. Never printed.
#[derive(Clone)]
pub struct ChainKey(Hmac<Sha256>);

impl fmt::Debug for ChainKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ChainKey(…)")
    }
}

impl ChainKey {
    /// Bytes of a key.
    pub const LENGTH: usize = 32;

    /// A key from its bytes, filled up with zeros to one hash block (RFC 2104 §2).
    #[must_use]
    pub fn new(bytes: &[u8; Self::LENGTH]) -> Self {
        let mut block = [0_u8; 64];
        for (place, byte) in block.iter_mut().zip(bytes) {
            *place = *byte;
        }
        Self(Hmac::new(&block.into()))
    }

    /// The MAC of `content`, as [`Content::finish`] gives it.
    #[must_use]
    pub fn mac(&self, content: &[u8]) -> Mac {
        let mut mac = self.0.clone();
        mac.update(content);
        Mac(mac.finalize().into_bytes().into())
    }
}

/// The canonical bytes of a record: each field with its kind and length, so that no two records share them.
#[derive(Debug, Default)]
pub struct Content(Vec<u8>);

impl Content {
    /// Starts over, keeping the memory.
    pub fn begin(&mut self) -> &mut Self {
        self.0.clear();
        self.0.extend_from_slice(b"assent-audit-1\0");
        self
    }

    /// An integer column.
    pub fn integer(&mut self, value: i64) -> &mut Self {
        self.0.push(b'i');
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// A text column.
    pub fn text(&mut self, value: &[u8]) -> &mut Self {
        self.0.push(b't');
        self.0.extend_from_slice(&(value.len() as u64).to_be_bytes());
        self.0.extend_from_slice(value);
        self
    }

    /// The MAC of the record before; the last part.
    pub fn finish(&mut self, previous: &Mac) -> &[u8] {
        self.0.extend_from_slice(previous.as_bytes());
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{ChainKey, Content, Mac};

    #[test]
    fn the_mac_is_hmac_sha256() {
        // Computed with Python's hmac module.
        let key = ChainKey::new(&[7; 32]);
        assert_eq!(
            key.mac(b"abc").to_hex(),
            "127da4ced6a839b8f6118bc244684d2663e70cb5ff0adeefca89d7e74d5a0525"
        );
    }

    #[test]
    fn fields_cant_run_into_each_other() {
        let (mut left, mut right) = (Content::default(), Content::default());
        left.begin().text(b"ab").text(b"c");
        right.begin().text(b"a").text(b"bc");
        assert_ne!(left.finish(&Mac::ZERO), right.finish(&Mac::ZERO));
    }
}
