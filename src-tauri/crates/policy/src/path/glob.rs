//! Glob patterns as paths: which folder they start in, and whether a part climbs out.

use globset::ErrorKind;

/// Why a pattern is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobFault {
    /// A part is `..`, in some alternative.
    #[error("the pattern climbs out of its folder")]
    Climbs,
    /// A part is a bare `~`.
    #[error("~ is not expanded in a pattern")]
    Tilde,
    /// A control character.
    #[error("the pattern holds a control character")]
    Control,
    /// More alternatives than are looked at.
    #[error("the pattern has too many alternatives")]
    TooMany,
}

/// What is wrong with a pattern that is no glob, in our own words.
#[must_use]
pub fn fault(error: &globset::Error) -> &'static str {
    match error.kind() {
        ErrorKind::UnclosedClass => "the pattern opens a bracket and doesn't close it",
        ErrorKind::InvalidRange(..) => "the pattern has a range of characters that runs backwards",
        ErrorKind::UnopenedAlternates => "the pattern closes a brace that it didn't open",
        ErrorKind::UnclosedAlternates => "the pattern opens a brace and doesn't close it",
        ErrorKind::NestedAlternates | ErrorKind::TooManyNestedAlternates => {
            "the pattern nests its braces too deeply"
        }
        ErrorKind::DanglingEscape => "the pattern ends with a backslash that stands before nothing",
        ErrorKind::Regex(_) => "the pattern is too large",
        // Other people's type, which may grow.
        _ => "the pattern is malformed",
    }
}

/// Most brace alternatives that are looked at.
const MAX_ALTERNATIVES: usize = 256;
/// Longest pattern, in bytes.
const MAX_PATTERN: usize = 4096;

/// `pattern` with its braces expanded, separators as `/` (both kinds count, on every system).
///
/// # Errors
/// Where some alternative has a part that climbs, or there are too many.
pub fn alternatives(pattern: &str) -> Result<Vec<String>, GlobFault> {
    if pattern.chars().any(char::is_control) {
        return Err(GlobFault::Control);
    }
    if pattern.len() > MAX_PATTERN {
        return Err(GlobFault::TooMany);
    }
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(text) = open.pop() {
        if open.len() + done.len() >= MAX_ALTERNATIVES {
            return Err(GlobFault::TooMany);
        }
        match first_brace(&text) {
            Some((before, choices, after)) => {
                open.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(text),
        }
    }
    for text in &done {
        // A backslash is a separator on Windows and quotes the next character elsewhere: both readings count.
        for reading in [text.replace('\\', "/"), text.replace('\\', "")] {
            let mut parts = reading.split('/');
            if parts.clone().any(is_climbing) {
                return Err(GlobFault::Climbs);
            }
            if parts.any(|part| part == "~") || reading.starts_with('~') {
                return Err(GlobFault::Tilde);
            }
        }
    }
    done.sort();
    Ok(done)
}

/// Whether a part can mean `..`: two dots, perhaps in brackets.
fn is_climbing(part: &str) -> bool {
    part == ".." || matches!(part, "[.][.]" | "[.]." | ".[.]")
}

/// The first innermost-complete brace group: what is before, its choices, what is after.
fn first_brace(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let start = text.find('{')?;
    let (before, rest) = text.split_at_checked(start)?;
    let inner = rest.strip_prefix('{')?;
    let mut depth = 0_usize;
    let mut choices = Vec::new();
    let mut from = 0;
    for (place, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                choices.push(inner.get(from..place)?);
                from = place + 1;
            }
            '}' => {
                choices.push(inner.get(from..place)?);
                return Some((before, choices, inner.get(place + 1..)?));
            }
            _ => {}
        }
    }
    None
}

/// The leading parts of one alternative that hold no wildcard: the folder it surely starts in.
#[must_use]
pub fn literal_prefix(alternative: &str) -> String {
    let mut prefix = String::new();
    for part in alternative.split_inclusive('/') {
        if part.contains(['*', '?', '[', '{', '\\']) {
            break;
        }
        prefix.push_str(part);
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::{GlobFault, alternatives, literal_prefix};
    use proptest::prelude::*;

    /// R54
    #[test]
    fn patterns_that_climb() {
        for pattern in [
            "../x",
            "a/../../*",
            "{src,../..}/*",
            "{a,{b,..}}/x",
            "..",
            "src\\..\\..\\x",
            "\\.\\./x",
            "[.][.]/x",
        ] {
            assert_eq!(alternatives(pattern), Err(GlobFault::Climbs), "{pattern}");
        }
        for pattern in ["src/**/*.rs", "*.{js,ts}", "a..b/*", "...", "{unclosed", "[a-z]*"] {
            assert!(alternatives(pattern).is_ok(), "{pattern}");
        }
        assert_eq!(alternatives("~/x"), Err(GlobFault::Tilde));
        assert_eq!(
            alternatives("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
            Err(GlobFault::TooMany)
        );
    }

    #[test]
    fn where_a_pattern_starts() {
        assert_eq!(literal_prefix("shared/**/*.txt"), "shared/");
        assert_eq!(literal_prefix("*.rs"), "");
        assert_eq!(literal_prefix("a/b.txt"), "a/b.txt");
        assert_eq!(literal_prefix("/etc/*"), "/etc/");
    }

    proptest! {
        #[test]
        fn never_panics(pattern in "\\PC{0,40}") {
            let _ = alternatives(&pattern);
        }
    }
}
