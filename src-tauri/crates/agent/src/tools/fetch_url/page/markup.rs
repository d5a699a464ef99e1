//! The markup of a page: tags, comments, attributes, as far as they can be told apart without a tree.

use super::references::resolved;

/// What begins with a `<`.
pub(super) enum Markup<'a> {
    Open {
        name: String,
        attributes: &'a str,
        after: &'a str,
    },
    Close {
        name: String,
        after: &'a str,
    },
    /// A comment, a declaration, an end tag with no name.
    Other {
        after: &'a str,
    },
    /// Just a `<`.
    Text,
}

impl<'a> Markup<'a> {
    /// Reads one piece of markup at the start of `text`.
    pub(super) fn read(text: &'a str) -> Self {
        if let Some(comment) = text.strip_prefix("<!--") {
            return Self::Other { after: comment.split_once("-->").map_or("", |(_, after)| after) };
        }
        if text.starts_with("<!") || text.starts_with("<?") {
            return Self::Other { after: text.split_once('>').map_or("", |(_, after)| after) };
        }
        let (closes, body) = match text.strip_prefix("</") {
            Some(body) => (true, body),
            None => (false, text.strip_prefix('<').unwrap_or(text)),
        };
        let length = body.find(|it: char| !it.is_ascii_alphanumeric() && it != '-').unwrap_or(body.len());
        let (name, rest) = body.split_at(length);
        if !name.starts_with(|it: char| it.is_ascii_alphabetic()) {
            return if closes {
                Self::Other { after: text.split_once('>').map_or("", |(_, after)| after) }
            } else {
                Self::Text
            };
        }
        let end = end_of_tag(rest);
        let attributes = rest.get(..end).unwrap_or(rest);
        let after = rest.get(end + 1..).unwrap_or_default();
        let name = name.to_ascii_lowercase();
        if closes { Self::Close { name, after } } else { Self::Open { name, attributes, after } }
    }
}

/// The value of an attribute, empty where it has none.
pub(super) fn attribute(attributes: &str, wanted: &str) -> Option<String> {
    let mut rest = attributes;
    loop {
        rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace() || it == '/');
        if rest.is_empty() {
            return None;
        }
        let length = rest
            .char_indices()
            .skip(1)
            .find(|(_, it)| it.is_ascii_whitespace() || matches!(it, '=' | '/'))
            .map_or(rest.len(), |(at, _)| at);
        let (name, after) = rest.split_at(length);
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('=') {
            None => ("", after),
            Some(value) => {
                let value = value.trim_start();
                match value.chars().next() {
                    Some(quote @ ('"' | '\'')) => {
                        value.get(1..).unwrap_or_default().split_once(quote).unwrap_or((value, ""))
                    }
                    _ => {
                        value.split_at(value.find(|it: char| it.is_ascii_whitespace()).unwrap_or(value.len()))
                    }
                }
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(resolved(value));
        }
        rest = next;
    }
}

/// Where the `>` is that ends a tag; quoted ones don't count.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at,
            (None, _) => {}
        }
    }
    // A quote that never ends: the tag ends at the first `>` all the same.
    text.find('>').unwrap_or(text.len())
}
