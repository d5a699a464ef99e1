//! One word of a bash text: quote removal, brace and tilde expansion as bash does them (bash(1), EXPANSION).

use super::command::{Part, Unsupported, Word};
use super::cursor::{Cursor, ends_word};
use std::ops::Range;

/// Words that one brace expansion may give, and pairs of braces in one word.
const MAX_EXPANSION: usize = 64;

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
    let mut words = Vec::new();
    match pairs_of_braces(&units) {
        0 => words.push(units),
        1..=MAX_EXPANSION => expand_braces(&units, &mut words)?,
        _ => return Err(TOO_MANY_WORDS),
    }
    Ok(words.into_iter().map(|units| word(units, span.clone(), place)).collect())
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

/// What follows a `$`; what it stands for stays `whole` where bash doesn't split it.
fn dollar(
    cursor: &mut Cursor<'_>,
    in_quotes: bool,
    whole: bool,
    units: &mut Vec<Unit>,
    inner: &mut Inner<'_>,
) -> Result<(), Unsupported> {
    cursor.advance();
    let plain = if in_quotes { Unit::Quoted('$') } else { Unit::Bare('$') };
    match cursor.peek() {
        Some('\'') if !in_quotes => {
            cursor.advance();
            return ansi_c(cursor, units);
        }
        // A `\` and a new line vanish before bash looks at what follows the `$`.
        Some('\\') if cursor.rest().starts_with("\\\n") => {
            return Err(Unsupported::new("breaks a word over two lines"));
        }
        // A message to be translated; without a catalogue it means itself.
        Some('"') if !in_quotes => {}
        Some('(') => {
            let number = cursor.rest().strip_prefix("((").and_then(constant_arithmetic);
            match number {
                Some(length) => {
                    cursor.jump(cursor.at() + length);
                    units.push(Unit::Whole(Part::Number));
                }
                None if whole && !cursor.rest().starts_with("((") => {
                    cursor.take("(");
                    inner(cursor)?;
                    units.push(Unit::Whole(Part::Output));
                }
                None => return Err(RUNS_COMMAND),
            }
        }
        Some('[') => return Err(Unsupported::new("computes a value")),
        Some('{') => {
            let rest = cursor.rest();
            let body = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(body, _)| body);
            match body {
                Some(name) if is_name(name) => {
                    cursor.jump(cursor.at() + name.len() + 2);
                    units.push(Unit::Whole(variable(name, whole)));
                }
                Some(_) | None => return Err(Unsupported::new("changes a variable while using it")),
            }
        }
        Some('?' | '#' | '$' | '!') => {
            cursor.advance();
            units.push(Unit::Whole(Part::Number));
        }
        Some('@' | '*' | '-' | '0'..='9') => {
            cursor.advance();
            units.push(Unit::Whole(Part::Opaque));
        }
        Some(letter) if letter == '_' || letter.is_ascii_alphabetic() => {
            let name = cursor.take_while(|character| character == '_' || character.is_ascii_alphanumeric());
            units.push(Unit::Whole(variable(name, whole)));
        }
        Some(_) | None => units.push(plain),
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|character: char| character == '_' || character.is_ascii_alphabetic())
        && text.chars().all(|character| character == '_' || character.is_ascii_alphanumeric())
}

fn variable(name: &str, quoted: bool) -> Part {
    match name {
        "HOME" => Part::Home,
        other => Part::Variable { name: other.to_owned(), quoted },
    }
}

/// Bytes up to and with the closing `))`, plus the opening two, where only numbers are computed.
fn constant_arithmetic(body: &str) -> Option<usize> {
    let end = body.find("))")?;
    let text = body.get(..end)?;
    let mut in_number = false;
    let plain = text.chars().all(|character| {
        // A letter starts a name, whose value would be computed too; inside a number it is a digit (`0x1f`).
        in_number = character.is_ascii_digit() || in_number && character.is_ascii_alphanumeric();
        in_number || " +-*/%()<>=!~&|^?:,".contains(character)
    });
    // `))` may close two inner groups; count them.
    let opened = text.matches('(').count();
    let closed = text.matches(')').count();
    (plain && opened == closed && text.contains(|character: char| character.is_ascii_digit()))
        .then_some(end + 4)
}

/// `$'…'`: the escapes of bash(1), QUOTING.
fn ansi_c(cursor: &mut Cursor<'_>, units: &mut Vec<Unit>) -> Result<(), Unsupported> {
    const UNKNOWN: Unsupported = Unsupported::new("spells characters in a way that isn't understood");
    units.push(Unit::Empty);
    loop {
        let character = cursor.advance().ok_or(Unsupported::new("has a quote that doesn't end"))?;
        let decoded = match character {
            '\'' => return Ok(()),
            '\\' => match cursor.advance().ok_or(UNKNOWN)? {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'e' | 'E' => '\u{1b}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                same @ ('\\' | '\'' | '"' | '?') => same,
                'x' => code(cursor, 16, 2, 0x7f).ok_or(UNKNOWN)?,
                'u' => code(cursor, 16, 4, 0x0010_ffff).ok_or(UNKNOWN)?,
                'U' => code(cursor, 16, 8, 0x0010_ffff).ok_or(UNKNOWN)?,
                first @ '0'..='7' => {
                    let digits: String = std::iter::once(first)
                        .chain(cursor.rest().chars().take(2).take_while(|digit| ('0'..='7').contains(digit)))
                        .collect();
                    cursor.jump(cursor.at() + digits.len() - 1);
                    u32::from_str_radix(&digits, 8)
                        .ok()
                        .filter(|value| (1..=0x7f).contains(value))
                        .and_then(char::from_u32)
                        .ok_or(UNKNOWN)?
                }
                _ => return Err(UNKNOWN),
            },
            plain => plain,
        };
        units.push(Unit::Quoted(decoded));
    }
}

/// A character by its number; one that would end the string or isn't one character in every locale is refused.
fn code(cursor: &mut Cursor<'_>, radix: u32, most: usize, highest: u32) -> Option<char> {
    let digits: String = cursor.rest().chars().take(most).take_while(|digit| digit.is_digit(radix)).collect();
    cursor.jump(cursor.at() + digits.len());
    let value = u32::from_str_radix(&digits, radix).ok()?;
    (1..=highest).contains(&value).then(|| char::from_u32(value)).flatten()
}

const TOO_MANY_WORDS: Unsupported = Unsupported::new("expands to too many words");

/// Braces that open and are closed again: only those can expand.
fn pairs_of_braces(units: &[Unit]) -> usize {
    let (mut open, mut pairs) = (0_usize, 0);
    for unit in units {
        match unit {
            Unit::Bare('{') => open += 1,
            Unit::Bare('}') if open > 0 => {
                open -= 1;
                pairs += 1;
            }
            Unit::Bare(_) | Unit::Quoted(_) | Unit::Empty | Unit::Whole(_) => {}
        }
    }
    pairs
}

/// `{a,b}` and `{1..3}`; anything else in braces stays as it is.
fn expand_braces(units: &[Unit], words: &mut Vec<Vec<Unit>>) -> Result<(), Unsupported> {
    let Some((open, close, alternatives)) = first_brace(units) else {
        if words.len() >= MAX_EXPANSION {
            return Err(TOO_MANY_WORDS);
        }
        words.push(units.to_vec());
        return Ok(());
    };
    if alternatives.len() > MAX_EXPANSION {
        return Err(TOO_MANY_WORDS);
    }
    let before = units.get(..open).unwrap_or_default();
    let after = units.get(close + 1..).unwrap_or_default();
    for alternative in alternatives {
        let mut joined = before.to_vec();
        joined.extend(alternative);
        joined.extend(after.iter().cloned());
        expand_braces(&joined, words)?;
    }
    Ok(())
}

type Brace = (usize, usize, Vec<Vec<Unit>>);

fn first_brace(units: &[Unit]) -> Option<Brace> {
    (0..units.len()).filter(|&place| units.get(place) == Some(&Unit::Bare('{'))).find_map(|open| {
        let mut depth = 0_usize;
        let mut alternatives = vec![Vec::new()];
        for (place, unit) in units.iter().enumerate().skip(open + 1) {
            match unit {
                Unit::Bare('{') => depth += 1,
                Unit::Bare('}') if depth == 0 => {
                    if alternatives.len() > 1 {
                        return Some((open, place, alternatives));
                    }
                    let only = alternatives.first()?;
                    return sequence(only).map(|alternatives| (open, place, alternatives));
                }
                Unit::Bare('}') => depth -= 1,
                Unit::Bare(',') if depth == 0 => {
                    alternatives.push(Vec::new());
                    continue;
                }
                Unit::Bare(_) | Unit::Quoted(_) | Unit::Empty | Unit::Whole(_) => {}
            }
            if let Some(last) = alternatives.last_mut() {
                last.push(unit.clone());
            }
        }
        None
    })
}

/// `1..3` or `a..e`; other sequences become unknown.
fn sequence(units: &[Unit]) -> Option<Vec<Vec<Unit>>> {
    let text: String = units
        .iter()
        .map(|unit| match unit {
            Unit::Bare(character) => Some(*character),
            Unit::Quoted(_) | Unit::Empty | Unit::Whole(_) => None,
        })
        .collect::<Option<String>>()?;
    let (from, to) = text.split_once("..")?;
    match (from.parse::<i32>(), to.parse::<i32>()) {
        (Ok(from), Ok(to)) if from <= to && to.saturating_sub(from) < 64 && !padded(&text) => {
            Some((from..=to).map(|number| number.to_string().chars().map(Unit::Bare).collect()).collect())
        }
        _ => Some(vec![vec![Unit::Whole(Part::Opaque)]]),
    }
}

/// Leading zeros and signs change how a sequence is printed.
fn padded(text: &str) -> bool {
    text.split("..")
        .any(|end| end.len() > 1 && (end.starts_with('0') || end.starts_with('-') || end.starts_with('+')))
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
