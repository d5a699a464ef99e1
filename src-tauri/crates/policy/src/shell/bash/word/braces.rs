//! Brace expansion (bash(1), Brace Expansion).

use super::Unit;
use crate::shell::bash::command::{Part, Unsupported};

/// Words that one brace expansion may give, and pairs of braces in one word.
const MAX_EXPANSION: usize = 64;

const TOO_MANY_WORDS: Unsupported = Unsupported::new("expands to too many words");

/// The words that the braces in `units` give, or an error where those are too many.
pub(super) fn expanded(units: Vec<Unit>) -> Result<Vec<Vec<Unit>>, Unsupported> {
    match pairs_of_braces(&units) {
        0 => Ok(vec![units]),
        1..=MAX_EXPANSION => {
            let mut words = Vec::new();
            expand_braces(&units, &mut words)?;
            Ok(words)
        }
        _ => Err(TOO_MANY_WORDS),
    }
}

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
