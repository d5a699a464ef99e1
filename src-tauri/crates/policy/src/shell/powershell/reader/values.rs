//! Values at the head of a pipeline that say nothing secret and do nothing.

use super::super::plain::{PURE_OPERATORS, is_plain_property};
use super::{Word, is_one_of};

/// Operators between plain values, which change nothing: `-replace 'a', 'b'`, `-f 1`, `+ 2`.
pub(super) fn computes_plainly(words: &[Word]) -> bool {
    const MORE: &[&str] = &["-creplace", "+", "-", "*", "/", "%"];
    let is_operator = |text: &str| is_one_of(PURE_OPERATORS, text) || is_one_of(MORE, text);
    words.iter().all(|word| {
        let is_value = word.quoted && word.literal
            || word.text.parse::<f64>().is_ok()
            || word.group && is_plain_value(word)
            || !word.literal && is_plain_value(word);
        word.block.is_none() && (is_value || !word.quoted && is_operator(&word.text))
    })
}

/// What follows `[0]`, `[-1]` or `[0..4]`.
fn without_index(text: &str) -> &str {
    let is_index = |one: char| one.is_ascii_digit() || matches!(one, '-' | '.' | ',' | ' ');
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((index, rest)) if !index.is_empty() && index.chars().all(is_index) => rest,
        Some(_) | None => text,
    }
}

/// A pipeline in brackets or one of the variables that say nothing secret, with properties but no calls.
pub(in super::super) fn is_plain_value(word: &Word) -> bool {
    let properties = |text: &str| {
        text.is_empty() || text.strip_prefix('.').is_some_and(|names| names.split('.').all(is_plain_property))
    };
    if word.group {
        return word.text.rsplit_once(')').is_some_and(|(_, rest)| properties(without_index(rest)));
    }
    let text = word.text.to_lowercase();
    let known = |text: &str| KNOWN.iter().any(|name| text.strip_prefix(name).is_some_and(properties));
    if !word.quoted {
        return text.strip_prefix('$').is_some_and(known);
    }
    // In a string each variable ends with its name.
    let mut variables = text.split('$');
    variables.next();
    variables.all(|text| {
        let end =
            text.find(|one: char| !(one.is_alphanumeric() || matches!(one, '_' | ':'))).unwrap_or(text.len());
        text.get(..end).is_some_and(|name| KNOWN.contains(&name))
    })
}

/// The properties behind a pipeline in brackets, `.Directory.Name`; empty where it is handed on as it is, or an element.
pub(in super::super) fn properties_of(group: &Word) -> &str {
    group.text.rsplit_once(')').map_or("", |(_, rest)| without_index(rest))
}

/// Variables that say nothing secret.
const KNOWN: &[&str] =
    &["null", "true", "false", "pwd", "psversiontable", "pshome", "iswindows", "islinux", "ismacos"];
