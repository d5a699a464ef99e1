//! Text as it is stored in files: encodings, byte order marks, line ends.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How many bytes at a file's start tell what it is.
pub const SNIFF_BYTES: usize = 8 * 1024;

/// What a file's first bytes say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniffed {
    /// Text in this encoding, after a byte order mark of so many bytes.
    Text(&'static Encoding, usize),
    /// No text.
    Binary,
}

/// Guesses from the first [`SNIFF_BYTES`]. UTF-16 is recognised by its mark, or by the zero bytes that
/// mostly-Latin text has in every second place; other zero bytes mean binary.
#[must_use]
pub fn sniff(head: &[u8]) -> Sniffed {
    if let Some((encoding, length)) = Encoding::for_bom(head) {
        return Sniffed::Text(encoding, length);
    }
    if !head.contains(&0) {
        return Sniffed::Text(UTF_8, 0);
    }
    let zeros = |start: usize| head.iter().skip(start).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let pairs = head.len() / 2;
    if pairs > 0 && head.len().is_multiple_of(2) || head.len() >= SNIFF_BYTES {
        if even == 0 && odd * 2 > pairs {
            return Sniffed::Text(UTF_16LE, 0);
        }
        if odd == 0 && even * 2 > pairs {
            return Sniffed::Text(UTF_16BE, 0);
        }
    }
    Sniffed::Binary
}

/// A whole file's text, with what is needed to write it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Without the byte order mark; line ends as they are.
    pub text: String,
    /// How it was stored.
    pub encoding: &'static Encoding,
    /// Whether it began with a byte order mark.
    pub mark: bool,
}

/// Decodes a whole file; `None` if it is binary or would not be the same after decoding and encoding.
#[must_use]
pub fn decode(bytes: &[u8]) -> Option<Decoded> {
    let Sniffed::Text(encoding, mark) = sniff(bytes.get(..SNIFF_BYTES).unwrap_or(bytes)) else { return None };
    let body = bytes.get(mark..)?;
    let text = encoding.decode_without_bom_handling_and_without_replacement(body)?.into_owned();
    let decoded = Decoded { text, encoding, mark: mark > 0 };
    (encode(&decoded.text, encoding, decoded.mark) == bytes).then_some(decoded)
}

/// The bytes of `text` in `encoding`: UTF-8 or one of the two UTF-16 forms.
#[must_use]
pub fn encode(text: &str, encoding: &'static Encoding, mark: bool) -> Vec<u8> {
    let marked = mark.then_some('\u{feff}');
    if encoding == UTF_16LE {
        marked.into_iter().chain(text.chars()).flat_map(units).flat_map(u16::to_le_bytes).collect()
    } else if encoding == UTF_16BE {
        marked.into_iter().chain(text.chars()).flat_map(units).flat_map(u16::to_be_bytes).collect()
    } else {
        let mut bytes = Vec::with_capacity(text.len() + 3);
        if mark {
            bytes.extend_from_slice("\u{feff}".as_bytes());
        }
        bytes.extend_from_slice(text.as_bytes());
        bytes
    }
}

fn units(character: char) -> impl Iterator<Item = u16> {
    let mut buffer = [0_u16; 2];
    let length = character.encode_utf16(&mut buffer).len();
    buffer.into_iter().take(length)
}

/// How lines end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl LineEnd {
    /// How most lines of `text` end; `None` where it has only one line.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let all = text.matches('\n').count();
        let with_return = text.matches("\r\n").count();
        match all {
            0 => None,
            _ if with_return * 2 > all => Some(Self::CrLf),
            _ => Some(Self::Lf),
        }
    }

    /// `text` with its `\n` line ends in this form; a `\r\n` stays.
    #[must_use]
    pub fn apply(self, text: &str) -> String {
        match self {
            Self::Lf => text.to_owned(),
            Self::CrLf => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        }
    }
}
