//! The options a program may be given, as its manual page lists them, and the reader that holds arguments against them.
//!
//! A list is words between spaces:
//! - `-abc`: short options without a value, which may be bundled; `-#`: a number as an option (`head -5`)
//! - `-n:num`: a short option whose value is attached or the next word; `-M?text`: only attached
//! - `--all`: a long option; `--width:num`: its value follows `=` or is the next word; `--color?text`: only after `=`
//! - `--arg::text`: a long option that takes the next two words
//! - `!--output`: exists, but may not be used; it counts for abbreviations
//!
//! Kinds of value: `text`, `num`, `file` (its content is read), `name` (it is looked at).

use super::super::command::{Part, Word};
use super::Doubt;
use std::borrow::Cow;

/// A program's arguments, sorted.
#[derive(Debug, Default)]
pub struct Arguments<'c> {
    /// Options with their values, in order; the name as in the list, with its dashes.
    pub options: Vec<Given<'c>>,
    /// Everything else, in order.
    pub operands: Vec<&'c Word>,
    /// How many operands stand before a `--`; all of them where there is none.
    pub before_dashes: usize,
    /// An option holds a pattern; it stays as it is unless a file is named like an option.
    pub globbed: bool,
}

/// An option that was given.
#[derive(Debug)]
pub struct Given<'c> {
    /// With its dashes.
    pub name: String,
    /// Its value.
    pub value: Option<Value<'c>>,
}

/// An option's value.
#[derive(Debug)]
pub struct Value<'c> {
    /// What it is.
    pub kind: ValueKind,
    /// Literal text, or the word that stands for it.
    pub text: ValueText<'c>,
}

/// Where a value was found.
#[derive(Debug)]
pub enum ValueText<'c> {
    /// Attached to the option.
    Attached(String),
    /// The next word.
    Word(&'c Word),
}

/// What an option's value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Text that names nothing.
    Text,
    /// A number, possibly with a sign or a unit.
    Number,
    /// A file whose content is read.
    File,
    /// A path that is looked at.
    Name,
}

/// Whether long options may be shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abbreviations {
    /// As GNU's `getopt_long` does.
    Gnu,
    /// Exact names only.
    None,
}

impl Arguments<'_> {
    /// Whether the option was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|given| given.name == name)
    }

    /// Whether one of the options was given.
    #[must_use]
    pub fn has_any(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name.as_str()))
    }

    /// The literal values of one of the options, in order.
    pub fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = String> + 'a {
        self.options
            .iter()
            .filter(move |given| names.contains(&given.name.as_str()))
            .filter_map(|given| given.value.as_ref().and_then(|value| value.text.literal()))
    }
}

impl ValueText<'_> {
    /// The value where it is literal.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        match self {
            Self::Attached(text) => Some(text.clone()),
            Self::Word(word) => word.literal().map(std::borrow::Cow::into_owned),
        }
    }
}

/// Sorts `words` by `list`.
///
/// # Errors
/// When an option isn't in the list, or can't be read off the text.
pub fn sort<'c>(list: &str, abbreviations: Abbreviations, words: &'c [Word]) -> Result<Arguments<'c>, Doubt> {
    let mut found = Arguments::default();
    let mut rest = words;
    let mut only_operands = false;
    while let [word, more @ ..] = rest {
        rest = more;
        let start = word.literal_prefix();
        if only_operands
            || start.len() < 2 && !(start == "-" && word.parts.len() > 1)
            || !start.starts_with('-')
        {
            found.operands.push(word);
            continue;
        }
        let text = match word.literal() {
            Some(text) => text,
            None if stays_as_written(word) => {
                found.globbed = true;
                Cow::Owned(word.shown())
            }
            None => return Err(Doubt::new("An option is known only at run time.")),
        };
        if text == "--" {
            only_operands = true;
            found.before_dashes = found.operands.len();
            continue;
        }
        rest = match text.strip_prefix("--") {
            Some(long) => long_option(list, abbreviations, long, rest, &mut found)?,
            None => short_options(list, text.trim_start_matches('-'), rest, &mut found)?,
        };
    }
    if !only_operands {
        found.before_dashes = found.operands.len();
    }
    Ok(found)
}

/// `--include=*.rs`: a file would have to be called `--include=a.rs` for the pattern to become something else.
fn stays_as_written(word: &Word) -> bool {
    let start = word.literal_prefix();
    start.starts_with("--")
        && start.contains('=')
        && !start.contains('/')
        && word.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Glob(_)))
}

fn long_option<'c>(
    list: &str,
    abbreviations: Abbreviations,
    long: &str,
    rest: &'c [Word],
    found: &mut Arguments<'c>,
) -> Result<&'c [Word], Doubt> {
    let (given, attached) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let entry = long_entry(list, abbreviations, given)
        .ok_or_else(|| Doubt::new(format!("The option --{given} isn't known to be harmless.")))?;
    let name = format!("--{}", entry.name);
    match (entry.value, attached) {
        (Takes::Nothing, None) | (Takes::Attached(_), None) => {
            found.options.push(Given { name, value: None });
            Ok(rest)
        }
        (Takes::Attached(kind) | Takes::Value(kind), Some(text)) => {
            check(kind, &text)?;
            found.options.push(Given { name, value: Some(Value { kind, text: ValueText::Attached(text) }) });
            Ok(rest)
        }
        (Takes::Value(kind), None) => {
            let (word, rest) =
                rest.split_first().ok_or_else(|| Doubt::new(format!("The option {name} has no value.")))?;
            take_word(kind, word)?;
            found.options.push(Given { name, value: Some(Value { kind, text: ValueText::Word(word) }) });
            Ok(rest)
        }
        (Takes::Pair(kind), None) => {
            let (Some(pair), Some(rest)) = (rest.get(..2), rest.get(2..)) else {
                return Err(Doubt::new(format!("The option {name} has no value.")));
            };
            for word in pair {
                take_word(kind, word)?;
                let text = ValueText::Word(word);
                found.options.push(Given { name: name.clone(), value: Some(Value { kind, text }) });
            }
            Ok(rest)
        }
        (Takes::Nothing | Takes::Pair(_), Some(_)) => {
            Err(Doubt::new(format!("The option {name} takes no value.")))
        }
    }
}

fn short_options<'c>(
    list: &str,
    cluster: &str,
    mut rest: &'c [Word],
    found: &mut Arguments<'c>,
) -> Result<&'c [Word], Doubt> {
    let number = cluster.chars().all(|digit| digit.is_ascii_digit());
    if number && list.split(' ').any(|entry| entry == "-#") {
        found.options.push(Given { name: "-#".to_owned(), value: None });
        return Ok(rest);
    }
    let mut letters = cluster.chars();
    while let Some(letter) = letters.next() {
        let takes = short_entry(list, letter)
            .ok_or_else(|| Doubt::new(format!("The option -{letter} isn't known to be harmless.")))?;
        let name = format!("-{letter}");
        let attached = letters.as_str();
        match takes {
            Takes::Nothing => found.options.push(Given { name, value: None }),
            Takes::Attached(_) if attached.is_empty() => found.options.push(Given { name, value: None }),
            Takes::Attached(kind) | Takes::Value(kind) | Takes::Pair(kind) if !attached.is_empty() => {
                check(kind, attached)?;
                let text = ValueText::Attached(attached.to_owned());
                found.options.push(Given { name, value: Some(Value { kind, text }) });
                return Ok(rest);
            }
            Takes::Attached(kind) | Takes::Value(kind) | Takes::Pair(kind) => {
                let (word, more) = rest
                    .split_first()
                    .ok_or_else(|| Doubt::new(format!("The option {name} has no value.")))?;
                take_word(kind, word)?;
                found.options.push(Given { name, value: Some(Value { kind, text: ValueText::Word(word) }) });
                rest = more;
                return Ok(rest);
            }
        }
    }
    Ok(rest)
}

/// What an option takes.
#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Attached(ValueKind),
    Value(ValueKind),
    /// Long options only.
    Pair(ValueKind),
}

struct LongEntry<'l> {
    name: &'l str,
    value: Takes,
}

fn long_entry<'l>(list: &'l str, abbreviations: Abbreviations, given: &str) -> Option<LongEntry<'l>> {
    let mut candidates = Vec::new();
    for entry in list.split(' ') {
        let (entry, forbidden) = entry.strip_prefix('!').map_or((entry, false), |entry| (entry, true));
        let Some(body) = entry.strip_prefix("--") else { continue };
        let (name, value) = takes(body);
        if name == given {
            return (!forbidden).then_some(LongEntry { name, value });
        }
        if abbreviations == Abbreviations::Gnu && !given.is_empty() && name.starts_with(given) {
            candidates.push((!forbidden).then_some(LongEntry { name, value }));
        }
    }
    match candidates.len() {
        1 => candidates.pop().flatten(),
        _ => None,
    }
}

fn short_entry(list: &str, letter: char) -> Option<Takes> {
    list.split(' ')
        .filter_map(|entry| entry.strip_prefix('-'))
        .filter(|body| !body.starts_with('-'))
        .find_map(|body| {
            let (names, value) = takes(body);
            names.contains(letter).then_some(value)
        })
}

fn takes(body: &str) -> (&str, Takes) {
    let kind = |text: &str| match text {
        "num" => ValueKind::Number,
        "file" => ValueKind::File,
        "name" => ValueKind::Name,
        _ => ValueKind::Text,
    };
    if let Some((name, value)) = body.split_once("::") {
        return (name, Takes::Pair(kind(value)));
    }
    match body.split_once([':', '?']) {
        Some((name, value)) if body.contains(':') => (name, Takes::Value(kind(value))),
        Some((name, value)) => (name, Takes::Attached(kind(value))),
        None => (body, Takes::Nothing),
    }
}

/// The next word as a value: one word whatever happens at run time.
fn take_word(kind: ValueKind, word: &Word) -> Result<(), Doubt> {
    match (kind, word.literal()) {
        (_, Some(text)) => check(kind, &text),
        // The path check looks at the word itself.
        (ValueKind::File | ValueKind::Name, None) => Ok(()),
        (ValueKind::Text | ValueKind::Number, None) => {
            Err(Doubt::new("An option's value is known only at run time."))
        }
    }
}

fn check(kind: ValueKind, text: &str) -> Result<(), Doubt> {
    let number = |text: &str| {
        let digits = text.trim_start_matches(['+', '-']);
        !digits.is_empty()
            && digits.starts_with(|digit: char| digit.is_ascii_digit())
            && digits.chars().all(|character| character.is_ascii_alphanumeric() || character == '.')
    };
    match kind {
        ValueKind::Number if !number(text) => Err(Doubt::new(format!("`{text}` isn't a number."))),
        ValueKind::Text | ValueKind::Number | ValueKind::File | ValueKind::Name => Ok(()),
    }
}
