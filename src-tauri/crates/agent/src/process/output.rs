//! A command's output: streamed as it comes, kept whole in a file, handed to the model as head and tail.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// How much the model gets, bytes: half from the beginning, half from the end.
pub const KEPT: usize = 50 * 1024;

/// How much is kept in the file, bytes. A command that writes more is ended.
pub const MOST: u64 = 4 << 30;

const HALF: usize = KEPT / 2;

/// Takes output in pieces; memory doesn't grow with it.
#[derive(Debug)]
pub struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    file: Option<File>,
    file_error: Option<io::Error>,
    pending: Vec<u8>,
}

impl Output {
    /// Output that is kept whole at `path`, whose folders are made.
    ///
    /// # Errors
    /// When the file can't be made.
    pub fn kept_at(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.create(true).write(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Ok(Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            total: 0,
            file: Some(options.open(path)?),
            file_error: None,
            pending: Vec::new(),
        })
    }

    /// Output that could not be read to its end.
    #[must_use]
    pub fn lost() -> Self {
        Self {
            head: b"(output lost)".to_vec(),
            tail: VecDeque::new(),
            total: 0,
            file: None,
            file_error: None,
            pending: Vec::new(),
        }
    }

    /// Takes a piece; gives what can be shown of it as text. A character that is still incomplete waits.
    pub fn take(&mut self, piece: &[u8]) -> String {
        self.total = self.total.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(piece)
        {
            // The command goes on; what is kept ends here, and the result says so.
            self.file_error = Some(error);
            self.file = None;
        }
        let room = HALF.saturating_sub(self.head.len()).min(piece.len());
        let (first, rest) = piece.split_at_checked(room).unwrap_or((piece, &[]));
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(HALF)..).unwrap_or_default();
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(HALF);
        self.tail.drain(..over);
        self.pending.extend_from_slice(piece);
        self.drain_pending(false)
    }

    /// Bytes so far.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Whether more came than is kept.
    #[must_use]
    pub fn is_flood(&self) -> bool {
        self.total > MOST
    }

    /// What the model gets; `name` is the name by which it may read the whole.
    #[must_use]
    pub fn finish(mut self, name: &str) -> Finished {
        let last = self.drain_pending(true);
        let kept = self.head.len().saturating_add(self.tail.len());
        let left_out = self.total.saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX));
        let mut bytes = std::mem::take(&mut self.head);
        let text = if left_out == 0 {
            bytes.extend(self.tail.drain(..));
            readable(&bytes)
        } else {
            let whole = match &self.file_error {
                None => format!("read_file with path \"{name}\" shows the whole"),
                Some(error) => format!("the rest could not be kept: {error}"),
            };
            let head = readable(whole_lines_at_start(&bytes));
            let tail: Vec<u8> = self.tail.drain(..).collect();
            let tail = readable(whole_lines_at_end(&tail));
            format!("{head}\n[{left_out} bytes left out; {whole}]\n{tail}")
        };
        Finished { text, last }
    }

    /// The longest part of what waits that is complete; at the end all of it.
    fn drain_pending(&mut self, end: bool) -> String {
        let complete = match std::str::from_utf8(&self.pending) {
            Ok(_) => self.pending.len(),
            // Only a character that may still be completed waits; anything else is no text anyway.
            Err(error) if error.error_len().is_none() && !end => error.valid_up_to(),
            Err(_) => {
                let start = self.pending.len().saturating_sub(3);
                let open = self.pending.get(start..).unwrap_or_default();
                if end { self.pending.len() } else { start.saturating_add(incomplete_from(open)) }
            }
        };
        let ready: Vec<u8> = self.pending.drain(..complete).collect();
        readable(&ready)
    }
}

/// What came of the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// For the model.
    pub text: String,
    /// What was still waiting to be shown.
    pub last: String,
}

/// Where in the last bytes a character begins that isn't complete; their number if none does.
fn incomplete_from(bytes: &[u8]) -> usize {
    for (place, byte) in bytes.iter().enumerate() {
        let length = match byte {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => continue,
        };
        if place.saturating_add(length) > bytes.len() {
            return place;
        }
    }
    bytes.len()
}

/// Bytes as text: what is no UTF-8 becomes U+FFFD, a NUL its picture, a carriage return before a line's end nothing.
fn readable(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\0', "\u{2400}")
}

fn whole_lines_at_start(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').filter(|end| *end >= bytes.len() / 2);
    end.and_then(|end| bytes.get(..end)).unwrap_or_else(|| bytes.get(..char_end(bytes)).unwrap_or(bytes))
}

fn whole_lines_at_end(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| *byte == b'\n').filter(|start| *start < bytes.len() / 2);
    match start {
        Some(start) => bytes.get(start.saturating_add(1)..).unwrap_or(bytes),
        None => {
            let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
            bytes.get(cut..).unwrap_or(bytes)
        }
    }
}

fn char_end(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(3);
    start.saturating_add(incomplete_from(bytes.get(start..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> (tempfile::TempDir, Output) {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::kept_at(&folder.path().join("output/x")).unwrap();
        (folder, output)
    }

    /// R52: head and tail reach the model, the whole is in the file, in constant memory.
    #[test]
    fn head_and_tail_are_kept() {
        let (folder, mut output) = output();
        for number in 0..100_000 {
            output.take(format!("line {number}\n").as_bytes());
        }
        assert!(output.head.capacity() + output.tail.capacity() < 4 * KEPT);
        let finished = output.finish("output:c1");
        assert!(finished.text.len() <= KEPT + 200);
        assert!(finished.text.starts_with("line 0\n") && finished.text.ends_with("line 99999\n"));
        let middle = finished.text.lines().find(|line| line.starts_with('[')).unwrap();
        assert_eq!(middle, "[1037690 bytes left out; read_file with path \"output:c1\" shows the whole]");
        let whole = std::fs::read_to_string(folder.path().join("output/x")).unwrap();
        assert_eq!(whole.lines().count(), 100_000);
    }

    /// R52
    #[test]
    fn nothing_is_left_out_of_a_short_output() {
        let (_folder, mut output) = output();
        output.take(b"a\r\nb");
        assert_eq!(output.finish("output:c").text, "a\nb");
    }

    proptest::proptest! {
        /// R52: however the bytes are cut, what is streamed is what they say, and nothing panics.
        #[test]
        fn pieces_do_not_matter(text in "(a|\u{e9}|\u{4f60}|\u{1f600}){0,60}", cut in 1_usize..7) {
            let (_folder, mut output) = output();
            let mut shown = String::new();
            for piece in text.as_bytes().chunks(cut) {
                shown.push_str(&output.take(piece));
            }
            shown.push_str(&output.finish("x").last);
            proptest::prop_assert_eq!(shown, text);
        }

        /// R52: any bytes are text in the end.
        #[test]
        fn bytes_are_text(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..300), cut in 1_usize..9) {
            let (_folder, mut output) = output();
            for piece in bytes.chunks(cut) {
                output.take(piece);
                proptest::prop_assert!(output.pending.len() < 4);
            }
            proptest::prop_assert!(!output.finish("x").text.contains('\0'));
        }
    }
}
