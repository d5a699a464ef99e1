//! Server-sent events: bytes in, events out (WHATWG HTML §9.2, as LLM servers really send it).
//!
//! Bytes are buffered until a line is whole, so that a cut inside a character, a CRLF pair or an escape
//! never shows. A line ends at LF, CRLF or CR.

/// Longest event that is accepted, bytes.
pub const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One event, lent to the caller.
#[derive(Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event:` field, empty where there was none. Proxies drop and rename it: a hint only.
    pub name: &'a [u8],
    /// The `data:` lines joined by LF, or the value of the non-standard `error:` field of old llama.cpp servers.
    pub data: &'a [u8],
    /// `data` came from an `error:` field.
    pub is_error_field: bool,
}

/// An event grew beyond [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read an event: it is longer than {MAX_EVENT} bytes")]
pub struct EventTooLong;

/// Splits a body into events.
#[derive(Debug, Default)]
pub struct EventSplitter {
    /// The part of a line that has arrived so far.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    is_error_field: bool,
    /// The last byte was a CR: an LF that follows belongs to it.
    after_cr: bool,
    /// Bytes of the byte order mark seen at the start; 3 once that question is settled.
    bom_checked: bool,
}

impl EventSplitter {
    /// Takes the next bytes and hands each event that is complete to `take`.
    ///
    /// # Errors
    /// When one event is longer than [`MAX_EVENT`]; nothing after it can be trusted.
    pub fn push(&mut self, mut bytes: &[u8], take: &mut dyn FnMut(Event<'_>)) -> Result<(), EventTooLong> {
        while !bytes.is_empty() {
            if self.after_cr {
                self.after_cr = false;
                if let Some(rest) = bytes.strip_prefix(b"\n") {
                    bytes = rest;
                    continue;
                }
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) else {
                if self.line.len() + self.data.len() + bytes.len() > MAX_EVENT {
                    return Err(EventTooLong);
                }
                self.line.extend_from_slice(bytes);
                return Ok(());
            };
            let (line, rest) = bytes.split_at(end);
            if self.line.len() + self.data.len() + line.len() > MAX_EVENT {
                return Err(EventTooLong);
            }
            if self.line.is_empty() {
                self.take_line(line, take);
            } else {
                let mut whole = std::mem::take(&mut self.line);
                whole.extend_from_slice(line);
                self.take_line(&whole, take);
                whole.clear();
                self.line = whole;
            }
            self.after_cr = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
        }
        Ok(())
    }

    /// The body ended: hands over what is pending, although its blank line is missing. Many servers close right
    /// after the last line; whether its content is whole is for the reader to judge.
    pub fn finish(&mut self, take: &mut dyn FnMut(Event<'_>)) {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, take);
        }
        self.dispatch(take);
    }

    fn take_line(&mut self, mut line: &[u8], take: &mut dyn FnMut(Event<'_>)) {
        if !self.bom_checked {
            self.bom_checked = true;
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(take);
            return;
        }
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let (field, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" | b"error" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
                self.is_error_field |= field == b"error";
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // Comments (an empty field name), `id`, `retry` and whatever else a server adds.
            _ => {}
        }
    }

    fn dispatch(&mut self, take: &mut dyn FnMut(Event<'_>)) {
        if self.has_data {
            take(Event { name: &self.name, data: &self.data, is_error_field: self.is_error_field });
        }
        self.name.clear();
        self.data.clear();
        self.has_data = false;
        self.is_error_field = false;
    }
}

#[cfg(test)]
mod tests {
    use super::{EventSplitter, EventTooLong, MAX_EVENT};
    use proptest::prelude::*;

    fn split(cuts: &[&[u8]]) -> Vec<(String, String)> {
        let mut splitter = EventSplitter::default();
        let mut events = Vec::new();
        let mut take = |event: super::Event<'_>| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            events.push((text(event.name), text(event.data)));
        };
        for cut in cuts {
            splitter.push(cut, &mut take).unwrap();
        }
        splitter.finish(&mut take);
        events
    }

    #[test]
    fn every_line_ending_and_every_odd_field_is_read() {
        let cases: &[(&str, &[&str])] = &[
            ("data: a\n\ndata: b\n\n", &["a", "b"]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            ("data:a\n\ndata:  b\n\n", &["a", " b"]),
            ("\u{feff}data: a\n\n", &["a"]),
            (": hello\n\n:\n\ndata: a\n\n", &["a"]),
            ("id: 7\nretry: 10\nfoo\nevent: x\ndata: a\n\n", &["a"]),
            ("data: {\ndata: }\n\n", &["{\n}"]),
            ("data\n\ndata:\n\ndata: a\n\n", &["", "", "a"]),
            ("event: ping\n\ndata: a", &["a"]),
            ("error: {}\n\n", &["{}"]),
        ];
        for (body, expected) in cases {
            let data: Vec<_> = split(&[body.as_bytes()]).into_iter().map(|(_, data)| data).collect();
            assert_eq!(&data, expected, "{body:?}");
        }
    }

    #[test]
    fn a_pair_cut_in_two_is_one_line_ending() {
        assert_eq!(
            split(&[b"event: x\r", b"\ndata: a\r", b"\n\r", b"\n"]),
            [("x".to_owned(), "a".to_owned())]
        );
    }

    #[test]
    fn an_endless_event_is_refused_with_bounded_memory() {
        let mut splitter = EventSplitter::default();
        let block = vec![b'x'; 1 << 20];
        let mut take = |_: super::Event<'_>| {};
        let refused = (0..32).find_map(|_| splitter.push(&block, &mut take).err());
        assert_eq!(refused, Some(EventTooLong));
        assert!(splitter.line.len() <= MAX_EVENT);

        let mut splitter = EventSplitter::default();
        let line = [b"data: ".as_slice(), &block, b"\n"].concat();
        let refused = (0..32).find_map(|_| splitter.push(&line, &mut take).err());
        assert_eq!(refused, Some(EventTooLong));
    }

    proptest! {
        #[test]
        fn cuts_never_change_the_events(
            body in proptest::collection::vec(proptest::sample::select(b"da:t\r\n e\xef\xbb\xbf{\xc3\xa9".to_vec()), 0..80),
            cut in 1usize..9,
        ) {
            let pieces: Vec<&[u8]> = body.chunks(cut).collect();
            prop_assert_eq!(split(&pieces), split(&[&body]));
        }
    }
}
