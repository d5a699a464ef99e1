//! Numbered lines of a stream of any length: bounded memory, bounded answer, long lines cut.

use std::io::{self, BufRead, BufReader, Read};
use tokio_util::sync::CancellationToken;

/// A line's longest part that is shown, in bytes of UTF-8.
pub(super) const LINE_LIMIT: usize = 2_000;
/// The longest answer, in bytes of UTF-8.
const ANSWER_LIMIT: usize = 50 * 1024;

/// Gives lines one by one, keeping no more of each than [`LINE_LIMIT`].
pub(super) struct LineReader<R> {
    source: BufReader<R>,
}

/// One line, without its end.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Its first [`LINE_LIMIT`] bytes.
    pub(super) head: Vec<u8>,
    /// Bytes beyond.
    pub(super) cut: u64,
}

impl<R: Read> LineReader<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source: BufReader::with_capacity(64 * 1024, source) }
    }

    /// Reads the next line into `line`; false at the end. With `keep` false its bytes are only skipped.
    pub(super) fn next(&mut self, line: &mut Line, keep: bool) -> io::Result<bool> {
        line.head.clear();
        line.cut = 0;
        let mut any = false;
        loop {
            let piece = match self.source.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if piece.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', piece);
            let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or(piece);
            if keep {
                let room = LINE_LIMIT.saturating_sub(line.head.len()).min(part.len());
                line.head.extend_from_slice(part.get(..room).unwrap_or_default());
                line.cut += (part.len() - room) as u64;
            }
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                break;
            }
        }
        if line.cut == 0 && line.head.last() == Some(&b'\r') {
            line.head.pop();
        }
        Ok(any)
    }
}

/// An answer of numbered lines in the making.
pub(super) struct Numbered {
    first: u64,
    limit: u64,
    text: String,
    shown: u64,
    invalid: bool,
}

impl Numbered {
    /// At most `limit` lines, from line `first` on, counted from 1.
    pub(super) fn new(first: u64, limit: u64) -> Self {
        Self { first, limit, text: String::new(), shown: 0, invalid: false }
    }

    /// Reads from `source`; with `to_end`, on to the end to count the lines. `None` when cancelled.
    pub(super) fn read<R: Read>(
        mut self,
        mut source: LineReader<R>,
        to_end: bool,
        cancel: &CancellationToken,
    ) -> io::Result<Option<String>> {
        let mut line = Line::default();
        let mut number = 0_u64;
        let mut full = false;
        let at_end = loop {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let wanted = !full && number + 1 >= self.first;
            if !source.next(&mut line, wanted)? {
                break true;
            }
            number += 1;
            if wanted {
                full = !self.take(number, &line);
            }
            if full && !to_end {
                break false;
            }
        };
        Ok(Some(self.finish(number, at_end)))
    }

    /// Adds a line if it fits; false once the answer is full.
    fn take(&mut self, number: u64, line: &Line) -> bool {
        if self.shown == self.limit {
            return false;
        }
        let (shown, valid) = visible(line);
        let note = if line.cut > 0 { format!(" [line cut, {} more bytes]", line.cut) } else { String::new() };
        let row = format!("{number:>6}\t{shown}{note}\n");
        if self.shown > 0 && self.text.len() + row.len() > ANSWER_LIMIT {
            return false;
        }
        self.invalid |= !valid;
        self.text.push_str(&row);
        self.shown += 1;
        true
    }

    fn finish(mut self, last_seen: u64, at_end: bool) -> String {
        if self.shown == 0 {
            return format!("[The file has {last_seen} lines; there is no line {}.]", self.first);
        }
        let next = self.first + self.shown;
        if self.invalid {
            self.text.push_str("[Bytes that are no valid UTF-8 are shown as \u{fffd}.]\n");
        }
        if !at_end {
            self.text.push_str(&format!(
                "[Lines {} to {} of a longer file; continue with offset {next}.]\n",
                self.first,
                next - 1
            ));
        } else if next <= last_seen || self.first > 1 {
            let more =
                if next <= last_seen { format!("; continue with offset {next}") } else { String::new() };
            self.text.push_str(&format!("[Lines {} to {} of {last_seen}{more}.]\n", self.first, next - 1));
        }
        self.text
    }
}

/// A line's head as text, and whether all of it was UTF-8. A character cut in two at the end is left out.
fn visible(line: &Line) -> (String, bool) {
    let mut bytes = line.head.as_slice();
    if line.cut > 0
        && let Err(error) = std::str::from_utf8(bytes)
        && error.error_len().is_none()
    {
        bytes = bytes.get(..error.valid_up_to()).unwrap_or(bytes);
    }
    let text = String::from_utf8_lossy(bytes);
    let valid = matches!(text, std::borrow::Cow::Borrowed(_));
    (text.replace('\0', "\u{fffd}"), valid)
}
