//! One word of a bash text: quote removal, brace and tilde expansion as bash does them (bash(1), EXPANSION).

mod braces;
mod dollar;

use super::command::{Part, Unsupported, Word};
use super::cursor::{Cursor, ends_word};
use braces::expanded;
use dollar::dollar;
use std::ops::Range;

/// `text` with its lines joined where a `\` outside single quotes stands at their end.
#[must_use]
pub fn without_line_breaks(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"')) => match characters.next() {
                Some('\n') => {}
                escaped => joined.extend(std::iter::once('\\').chain(escaped)),
            },
            ('\'' | '"', _) => {
                match quote {
                    None => quote = Some(character),
                    Some(open) if open == character => quote = None,
                    Some(_) => {}
                }
                joined.push(character);
            }
            _ => joined.push(character),
        }
    }
    joined
}

/// A piece of a word before brace expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Unit {
    Bare(char),
    Quoted(char),
    /// An empty pair of quotes: keeps the word and stops a tilde.
    Empty,
    Whole(Part),
}

/// Reads the word at `cursor`. `holes` are byte ranges whose value is known only at run time (substitutions), in the
/// order of the text.
///
/// # Errors
/// When it holds something whose end or meaning this reader doesn't know.
pub fn read(cursor: &mut Cursor<'_>, holes: &[Range<usize>]) -> Result<Vec<Word>, Unsupported> {
    read_with(cursor, holes, &mut |_| Err(RUNS_COMMAND))
}

const RUNS_COMMAND: Unsupported = Unsupported::new("runs a command inside a word, or computes");

/// Takes what runs in a `"$(…)"`, up to its closing bracket.
pub type Inner<'i> = dyn FnMut(&mut Cursor<'_>) -> Result<(), Unsupported> + 'i;

/// Like [`read`]; `inner` takes what runs in double quotes.
///
/// # Errors
/// Those of [`read`] and `inner`.
pub fn read_with(
    cursor: &mut Cursor<'_>,
    holes: &[Range<usize>],
    inner: &mut Inner<'_>,
) -> Result<Vec<Word>, Unsupported> {
    read_as(cursor, holes, inner, Place::Word)
}

/// Like [`read_with`], for the value of an assignment: nothing in it is split or matched against files.
///
/// # Errors
/// Those of [`read_with`].
pub fn read_value(cursor: &mut Cursor<'_>, inner: &mut Inner<'_>) -> Result<Vec<Word>, Unsupported> {
    read_as(cursor, &[], inner, Place::Value)
}

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Word,
    Value,
}

fn read_as(
    cursor: &mut Cursor<'_>,
    holes: &[Range<usize>],
    inner: &mut Inner<'_>,
    place: Place,
) -> Result<Vec<Word>, Unsupported> {
    let start = cursor.at();
    let units = scan(cursor, holes, inner, place)?;
    let span = start..cursor.at();
    Ok(expanded(units)?.into_iter().map(|units| word(units, span.clone(), place)).collect())
}

fn scan(
    cursor: &mut Cursor<'_>,
    holes: &[Range<usize>],
    inner: &mut Inner<'_>,
    place: Place,
) -> Result<Vec<Unit>, Unsupported> {
    let mut units = Vec::new();
    loop {
        if skip_hole(cursor, holes) {
            units.push(Unit::Whole(Part::Opaque));
            continue;
        }
        let Some(character) = cursor.peek() else { break };
        match character {
            end if ends_word(end) => break,
            '\\' => {
                cursor.advance();
                match cursor.advance() {
                    // A continued word is still one word to bash, and may become a keyword or a number.
                    Some('\n') if cursor.peek().is_none_or(|next| matches!(next, ' ' | '\t' | '\n')) => {}
                    Some('\n') => return Err(Unsupported::new("breaks a word over two lines")),
                    Some(escaped) => units.push(Unit::Quoted(escaped)),
                    None => return Err(Unsupported::new("ends in a backslash")),
                }
            }
            '\'' => {
                cursor.advance();
                let text = cursor.until("'").ok_or(Unsupported::new("has a quote that doesn't end"))?;
                quoted(text.chars(), &mut units);
            }
            '"' => {
                cursor.advance();
                double_quoted(cursor, holes, &mut units, inner)?;
            }
            '`' => return Err(Unsupported::new("runs a command inside a word")),
            '$' => dollar(cursor, false, place == Place::Value, &mut units, inner)?,
            other => {
                cursor.advance();
                units.push(Unit::Bare(other));
            }
        }
    }
    Ok(units)
}

fn skip_hole(cursor: &mut Cursor<'_>, holes: &[Range<usize>]) -> bool {
    match hole_at(cursor.at(), holes) {
        Some(hole) => {
            cursor.jump(hole.end);
            true
        }
        None => false,
    }
}

/// The hole that starts at byte `at`; `holes` stand in the order of the text.
#[must_use]
pub fn hole_at(at: usize, holes: &[Range<usize>]) -> Option<&Range<usize>> {
    let place = holes.binary_search_by_key(&at, |hole| hole.start).ok()?;
    holes.get(place).filter(|hole| hole.end > at)
}

fn quoted(text: impl Iterator<Item = char>, units: &mut Vec<Unit>) {
    let before = units.len();
    units.extend(text.map(Unit::Quoted));
    if units.len() == before {
        units.push(Unit::Empty);
    }
}

fn double_quoted(
    cursor: &mut Cursor<'_>,
    holes: &[Range<usize>],
    units: &mut Vec<Unit>,
    inner: &mut Inner<'_>,
) -> Result<(), Unsupported> {
    units.push(Unit::Empty);
    loop {
        if skip_hole(cursor, holes) {
            units.push(Unit::Whole(Part::Opaque));
            continue;
        }
        match cursor.peek() {
            None => return Err(Unsupported::new("has a quote that doesn't end")),
            Some('"') => {
                cursor.advance();
                return Ok(());
            }
            Some('`') => return Err(Unsupported::new("runs a command inside a word")),
            Some('$') => dollar(cursor, true, true, units, inner)?,
            Some('\\') => {
                cursor.advance();
                match cursor.advance() {
                    Some('\n') => {}
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => units.push(Unit::Quoted(escaped)),
                    Some(other) => units.extend([Unit::Quoted('\\'), Unit::Quoted(other)]),
                    None => return Err(Unsupported::new("has a quote that doesn't end")),
                }
            }
            Some(other) => {
                cursor.advance();
                units.push(Unit::Quoted(other));
            }
        }
    }
}

fn word(units: Vec<Unit>, span: Range<usize>, place: Place) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    let mut units = units.into_iter().peekable();
    if units.peek() == Some(&Unit::Bare('~')) {
        units.next();
        match units.peek() {
            None | Some(Unit::Bare('/')) => parts.push(Part::Home),
            Some(Unit::Bare(_) | Unit::Whole(_)) => parts.push(Part::Opaque),
            Some(Unit::Quoted(_) | Unit::Empty) => push_text(&mut parts, '~'),
        }
    }
    let mut after_assignment = false;
    let mut name_so_far = parts.is_empty() && place == Place::Word;
    for unit in units {
        match unit {
            // bash expands a tilde after `NAME=` and its colons in every word.
            Unit::Bare('~') if after_assignment => parts.push(Part::Opaque),
            Unit::Bare(pattern @ ('*' | '?' | '[')) => push_glob(&mut parts, pattern),
            Unit::Bare(character) | Unit::Quoted(character) => push_text(&mut parts, character),
            Unit::Empty => {
                if parts.is_empty() {
                    parts.push(Part::Text(String::new()));
                }
                name_so_far = false;
                continue;
            }
            Unit::Whole(part) => {
                parts.push(part);
                name_so_far = false;
                continue;
            }
        }
        let last = parts.last().and_then(|part| match part {
            Part::Text(text) => text.chars().last(),
            Part::Glob(_)
            | Part::Home
            | Part::Number
            | Part::Variable { .. }
            | Part::Output
            | Part::Pipe
            | Part::Opaque => None,
        });
        after_assignment = match last {
            Some('=') => name_so_far || after_assignment,
            Some(':') => !name_so_far,
            Some(_) | None => false,
        };
        if last.is_some_and(|character| {
            character == '=' || !(character == '_' || character.is_ascii_alphanumeric())
        }) {
            name_so_far = false;
        }
    }
    // A lone bracket is the test command.
    if let [Part::Glob(text)] = parts.as_slice()
        && matches!(text.as_str(), "[" | "[[")
    {
        parts = vec![Part::Text(text.clone())];
    }
    Word { parts, span }
}

fn push_text(parts: &mut Vec<Part>, character: char) {
    if let Some(Part::Text(text)) = parts.last_mut() {
        text.push(character);
    } else {
        parts.push(Part::Text(character.to_string()));
    }
}

fn push_glob(parts: &mut Vec<Part>, character: char) {
    if let Some(Part::Glob(text)) = parts.last_mut() {
        text.push(character);
    } else {
        parts.push(Part::Glob(character.to_string()));
    }
}
