//! What is wrong with a text that a reader of others refuses, in our own words and with its place.

use reqwest::Url;
use serde_json::error::Category;
use url::ParseError;

/// The address that `text` is.
///
/// # Errors
/// What is wrong with it, in our own words.
pub fn address(text: &str) -> Result<Url, &'static str> {
    Url::parse(text.trim()).map_err(|error| match error {
        ParseError::RelativeUrlWithoutBase
        | ParseError::RelativeUrlWithCannotBeABaseBase
        | ParseError::SetHostOnCannotBeABaseUrl => "it has no beginning such as https://",
        ParseError::EmptyHost => "it names no host",
        ParseError::InvalidPort => "its port is no number from 0 to 65535",
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => {
            "its host is a malformed IP address"
        }
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => {
            "its host holds a character that no host name has"
        }
        ParseError::Overflow => "it is too long",
        // Other people's type, which may grow.
        _ => "it is malformed",
    })
}

/// Why `text` is no JSON; `None` where it is some, of another form than was wanted.
#[must_use]
pub fn json(text: &str, error: &serde_json::Error) -> Option<String> {
    let (line, column) = (error.line(), error.column().max(1));
    match error.classify() {
        Category::Eof if text.trim().is_empty() => Some("it is empty".to_owned()),
        Category::Eof => Some(format!("it ends in the middle of something, at line {line}, column {column}")),
        Category::Syntax => Some(format!("it is no JSON from line {line}, column {column} on")),
        Category::Data | Category::Io => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{address, json};

    #[test]
    fn each_fault_is_told_in_our_own_words() {
        for (text, fault) in [
            ("", "it has no beginning such as https://"),
            ("localhost", "it has no beginning such as https://"),
            ("/path", "it has no beginning such as https://"),
            ("https://", "it names no host"),
            ("https://a.example:port", "its port is no number from 0 to 65535"),
            ("https://a.example:65536", "its port is no number from 0 to 65535"),
            ("https://1.2.3.400", "its host is a malformed IP address"),
            ("https://[::1", "its host is a malformed IP address"),
            ("https://a b.example", "its host holds a character that no host name has"),
            ("https://xn--.example", "its host holds a character that no host name has"),
        ] {
            assert_eq!(address(text).unwrap_err(), fault, "{text}");
        }
        assert_eq!(address(" https://a.example ").unwrap().as_str(), "https://a.example/");
    }

    #[test]
    fn a_fault_in_json_has_its_place() {
        for (text, fault) in [
            ("", Some("it is empty")),
            (" \n", Some("it is empty")),
            ("{\n  so", Some("it is no JSON from line 2, column 3 on")),
            ("{\"a\":", Some("it ends in the middle of something, at line 1, column 5")),
            ("[]", None),
        ] {
            let error = serde_json::from_str::<serde_json::Map<_, _>>(text).unwrap_err();
            assert_eq!(json(text, &error).as_deref(), fault, "{text}");
        }
    }
}
