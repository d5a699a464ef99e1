//! Exact replacement in text, whatever its line ends, and words for when it doesn't fit.

use crate::workspace::text::LineEnd;
use memchr::memmem;
use std::borrow::Cow;
use std::fmt;

/// Lines shown before and after the first replacement.
const AROUND: usize = 3;
/// Occurrences named in a refusal.
const NAMED: usize = 5;
/// Lines compared in the search for the nearest one.
const COMPARED: usize = 20_000;
/// Least likeness, 0 to 1, of a line that is worth naming.
const ALIKE: f32 = 0.6;

/// What is to be replaced by what.
pub(super) struct Substitution<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) all: bool,
}

/// The outcome of a substitution.
#[derive(Debug)]
pub(super) struct Substituted {
    /// The whole new content.
    pub(super) content: Vec<u8>,
    /// How many places were changed.
    pub(super) count: usize,
    /// Where the first replacement lies in `content`.
    first: std::ops::Range<usize>,
}

/// Why a text can't be replaced.
#[derive(Debug)]
pub(super) enum Mismatch {
    /// It isn't there.
    Missing {
        /// What else is there.
        hint: Hint,
    },
    /// It is there more than once.
    Ambiguous {
        /// Lines on which it begins, the first few.
        lines: Vec<usize>,
        /// How often it is there.
        count: usize,
    },
    /// Both texts come to the same once line ends are kept.
    Unchanged,
}

/// What helps to find the right text.
#[derive(Debug)]
pub(super) enum Hint {
    /// Nothing like it.
    None,
    /// It looks as if it was copied with `read_file`'s line numbers.
    LineNumbers,
    /// There but for blanks, on this line.
    Blanks(usize),
    /// The most similar line, and its number.
    Nearest(usize, String),
}

impl Substitution<'_> {
    /// Replaces in `content`. `\n` in the old text also matches `\r\n`, and in the new text becomes what the
    /// file has; an old text that itself holds `\r` is taken to the letter.
    pub(super) fn apply(&self, content: &[u8]) -> Result<Substituted, Mismatch> {
        let literal = self.old.contains('\r') || !content.contains(&b'\r');
        let (flat, returns) = if literal { (Cow::Borrowed(content), Vec::new()) } else { flatten(content) };
        let starts: Vec<usize> = memmem::find_iter(&flat, self.old.as_bytes()).collect();
        match starts.len() {
            0 => return Err(Mismatch::Missing { hint: hint(&flat, self.old) }),
            1 => {}
            count if !self.all => {
                let lines = starts.iter().take(NAMED).map(|start| line_of(&flat, *start)).collect();
                return Err(Mismatch::Ambiguous { lines, count });
            }
            _ => {}
        }
        let style = if literal { LineEnd::Lf } else { line_end_of(content) };
        let new = style.apply(self.new);
        let mut out = Vec::with_capacity(content.len() + new.len());
        let mut done = 0;
        let mut first = 0..0;
        for start in &starts {
            let from = unflatten(&returns, *start);
            let to = unflatten(&returns, start + self.old.len());
            out.extend_from_slice(content.get(done..from).unwrap_or_default());
            if done == 0 && first.end == 0 {
                first = out.len()..out.len() + new.len();
            }
            out.extend_from_slice(new.as_bytes());
            done = to;
        }
        out.extend_from_slice(content.get(done..).unwrap_or_default());
        if out == content {
            return Err(Mismatch::Unchanged);
        }
        Ok(Substituted { content: out, count: starts.len(), first })
    }
}

impl Substituted {
    /// The first changed lines with a few around them, numbered as `read_file` does.
    pub(super) fn excerpt(&self) -> String {
        let text = String::from_utf8_lossy(&self.content);
        let from = line_of(&self.content, self.first.start);
        let to = line_of(&self.content, self.first.end);
        text.lines()
            .enumerate()
            .skip(from.saturating_sub(AROUND + 1))
            .take((to - from).min(40) + 2 * AROUND + 1)
            .map(|(index, line)| {
                let shown: String = line.chars().take(300).collect();
                format!("{:>6}\t{shown}\n", index + 1)
            })
            .collect()
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { hint } => {
                write!(formatter, "old_string was not found; nothing was written.{hint}")
            }
            Self::Ambiguous { lines, count } => {
                let named: Vec<String> = lines.iter().map(usize::to_string).collect();
                let more = if *count > lines.len() { ", …" } else { "" };
                write!(
                    formatter,
                    "old_string occurs {count} times (lines {}{more}); nothing was written. Add surrounding \
                     lines so that it occurs once, or set replace_all.",
                    named.join(", ")
                )
            }
            Self::Unchanged => write!(formatter, "the replacement changes nothing; nothing was written."),
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => Ok(()),
            Self::LineNumbers => {
                write!(formatter, " It begins with line numbers, which are not part of the file.")
            }
            Self::Blanks(line) => {
                write!(formatter, " Line {line} differs only in blanks or indentation.")
            }
            Self::Nearest(line, text) => write!(formatter, " The nearest line is:\n{line:>6}\t{text}"),
        }
    }
}

/// `content` with `\r\n` as `\n`, and where, in the flattened text, each `\r` was left out.
fn flatten(content: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut flat = Vec::with_capacity(content.len());
    let mut returns = Vec::new();
    let mut rest = content.iter().peekable();
    while let Some(byte) = rest.next() {
        if *byte == b'\r' && rest.peek() == Some(&&b'\n') {
            returns.push(flat.len());
        } else {
            flat.push(*byte);
        }
    }
    (Cow::Owned(flat), returns)
}

/// The place in the real text of `place` in the flattened one: before a `\r` that was left out there.
fn unflatten(returns: &[usize], place: usize) -> usize {
    place + returns.partition_point(|left_out| *left_out < place)
}

fn line_end_of(content: &[u8]) -> LineEnd {
    LineEnd::of(&String::from_utf8_lossy(content)).unwrap_or(LineEnd::Lf)
}

/// The number of the line that holds `place`, counted from 1.
fn line_of(content: &[u8], place: usize) -> usize {
    content.get(..place).unwrap_or(content).iter().filter(|byte| **byte == b'\n').count() + 1
}

fn hint(content: &[u8], old: &str) -> Hint {
    if old.lines().all(line_number_prefix) {
        return Hint::LineNumbers;
    }
    let text = String::from_utf8_lossy(content);
    let lines: Vec<&str> = text.lines().take(COMPARED).collect();
    let wanted: Vec<String> = old.lines().map(squeeze).collect();
    let squeezed: Vec<String> = lines.iter().map(|line| squeeze(line)).collect();
    if wanted.iter().any(|line| !line.is_empty())
        && let Some(index) = squeezed.windows(wanted.len()).position(|window| window == wanted)
    {
        return Hint::Blanks(index + 1);
    }
    let Some(first) = wanted.iter().find(|line| line.len() > 3) else { return Hint::None };
    let mut best = (ALIKE, None);
    for (index, line) in squeezed.iter().enumerate() {
        if most_alike(line, first) <= best.0 {
            continue;
        }
        let likeness = similar::TextDiff::from_chars(line.as_str(), first.as_str()).ratio();
        if likeness > best.0 {
            best = (likeness, Some(index));
        }
    }
    match best.1.and_then(|index| lines.get(index).map(|line| (index, line))) {
        Some((index, line)) => Hint::Nearest(index + 1, line.chars().take(200).collect()),
        None => Hint::None,
    }
}

/// A bound on the likeness of two lines that is cheap: the bytes they share, in whatever order.
fn most_alike(left: &str, right: &str) -> f32 {
    let mut counts = [0_i32; 256];
    for byte in left.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let mut shared = 0_u16;
    for byte in right.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)).filter(|count| **count > 0) {
            *count -= 1;
            shared = shared.saturating_add(1);
        }
    }
    let total = u16::try_from(left.len() + right.len()).unwrap_or(u16::MAX);
    if total == 0 { 0.0 } else { 2.0 * f32::from(shared) / f32::from(total) }
}

/// A line without its blanks at both ends and with single ones inside.
fn squeeze(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a line begins like `read_file`'s: a number and a tab.
fn line_number_prefix(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(number, _)| {
        let number = number.trim();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
