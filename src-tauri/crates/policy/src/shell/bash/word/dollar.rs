//! What a `$` stands for: a variable, a number, what a command prints, `$'…'`.

use super::{Inner, RUNS_COMMAND, Unit};
use crate::shell::bash::command::{Part, Unsupported};
use crate::shell::bash::cursor::Cursor;

/// What follows a `$`; what it stands for stays `whole` where bash doesn't split it.
pub(super) fn dollar(
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
