//! Characters beyond the basic plane that were cut in two. A server that slices its text by UTF-16 units ends one event
//! in the first half of an emoji, escaped, and begins the next with the second; neither is JSON that can be read.

/// A first half that waits for its second.
#[derive(Debug, Default)]
pub struct Halves {
    /// Its escape, `\ud83d`; empty where nothing waits.
    first: Vec<u8>,
}

impl Halves {
    /// The event with its halves where they belong: a second one behind the first, which came before; a first one kept
    /// for the next event. `None` where that doesn't mend it.
    pub fn mend(&mut self, data: &[u8]) -> Option<Vec<u8>> {
        let mut first = std::mem::take(&mut self.first);
        let mut mended = Vec::with_capacity(data.len().saturating_add(first.len()));
        let mut rest = data;
        let mut after_quote = false;
        while let Some(byte) = rest.first() {
            let token = rest.get(..token_length(rest))?;
            let after = rest.get(token.len()..)?;
            let is_second = is_half(token, b"cdef");
            if is_half(token, b"89ab") {
                if is_half(after.get(..after.len().min(6))?, b"cdef") {
                    let pair = rest.get(..12)?;
                    mended.extend_from_slice(pair);
                    rest = rest.get(12..)?;
                    after_quote = false;
                    continue;
                }
                if after.first() != Some(&b'"') || !self.first.is_empty() {
                    return None;
                }
                self.first = token.to_vec();
            } else if is_second {
                if !after_quote || first.is_empty() {
                    return None;
                }
                mended.append(&mut first);
                mended.extend_from_slice(token);
            } else {
                mended.extend_from_slice(token);
            }
            after_quote = *byte == b'"';
            rest = after;
        }
        // What still waits came before what this event brought, and will never be whole.
        (first.is_empty() && mended != data).then_some(mended)
    }

    /// Whether a first half still waits.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.first.is_empty()
    }
}

/// The length of what begins `text`: an escape, or one byte.
fn token_length(text: &[u8]) -> usize {
    match text {
        [b'\\', b'u', ..] => text.len().min(6),
        [b'\\', _, ..] => 2,
        _ => 1,
    }
}

/// Whether `token` is `\udXYY` with X among `digits`.
fn is_half(token: &[u8], digits: &[u8]) -> bool {
    let [b'\\', b'u', d, digit, third, fourth] = token else { return false };
    d.eq_ignore_ascii_case(&b'd')
        && digits.contains(&digit.to_ascii_lowercase())
        && third.is_ascii_hexdigit()
        && fourth.is_ascii_hexdigit()
}

#[cfg(test)]
mod tests {
    use super::Halves;

    #[test]
    fn halves_find_each_other_over_events() {
        type Events<'a> = &'a [(&'a str, Option<&'a str>)];
        let cases: &[(Events<'_>, bool)] = &[
            (
                &[
                    (r#"{"a":"hi \ud83d"}"#, Some(r#"{"a":"hi "}"#)),
                    (r#"{"a":"\ude00!"}"#, Some(r#"{"a":"\ud83d\ude00!"}"#)),
                ],
                false,
            ),
            (
                &[
                    (r#"{"a":"\uD83D"}"#, Some(r#"{"a":""}"#)),
                    (r#"{"a":"\uDE00\ud83d"}"#, Some(r#"{"a":"\uD83D\uDE00"}"#)),
                ],
                true,
            ),
            (&[(r#"{"a":"\ud83d\ude00\ud83d"}"#, Some(r#"{"a":"\ud83d\ude00"}"#))], true),
            // Nothing to mend, or nothing that could be mended.
            (&[(r#"{"a":"\ud83d\ude00"}"#, None)], false),
            (&[(r#"{"a":"\\ud83d"}"#, None)], false),
            (&[(r#"{"a":"\ud83d x"}"#, None)], false),
            (&[(r#"{"a":"\ude00"}"#, None)], false),
            (&[(r#"{"a":"x\ude00"}"#, None)], false),
            (&[(r#"{"a":"\ud83d","b":"\ud83d"}"#, None)], true),
            (&[(r#"{"a":"#, None), (r#"\u"#, None), ("", None)], false),
            (&[(r#"{"a":"\ud83d"}"#, Some(r#"{"a":""}"#)), (r#"{"a":"\ud83d"}"#, None)], true),
        ];
        for (events, waits) in cases {
            let mut halves = Halves::default();
            for (event, expected) in *events {
                let mended = halves.mend(event.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap());
                assert_eq!(mended.as_deref(), *expected, "{event}");
            }
            assert_eq!(halves.is_waiting(), *waits, "{events:?}");
        }
    }
}
