//! Further headers of requests to a provider: their values are often tokens, so the window gets the names only.

use crate::view::Header;
use assent_agent::secret::of_models::secrets_of_header;

/// Stands for a value that the window doesn't get; sent back, it keeps that value.
const HIDDEN: &str = "••••••";

/// The headers as the window gets them.
#[must_use]
pub fn hidden(headers: &[Header]) -> Vec<Header> {
    headers.iter().map(|header| Header { name: header.name.clone(), value: HIDDEN.to_owned() }).collect()
}

/// What a person typed; a hidden value is the one that `before` has.
///
/// # Errors
/// With the name of a header whose hidden value isn't there.
pub fn typed(headers: Vec<Header>, before: &[Header]) -> Result<Vec<Header>, String> {
    let value = |header: Header| {
        if header.value != HIDDEN {
            return Ok(header);
        }
        let known = before.iter().find(|known| known.name.eq_ignore_ascii_case(&header.name));
        known.map(|known| Header { value: known.value.clone(), ..header.clone() }).ok_or(header.name)
    };
    headers.into_iter().map(value).collect()
}

/// The values among `headers` that have to be taken out of what is stored, with and without their scheme.
#[must_use]
pub fn secrets(headers: &[Header]) -> Vec<String> {
    headers.iter().flat_map(|Header { name, value }| secrets_of_header(name, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::{HIDDEN, hidden, secrets, typed};
    use crate::view::Header;

    fn header(name: &str, value: &str) -> Header {
        Header { name: name.to_owned(), value: value.to_owned() }
    }

    /// What the window doesn't get can't leak from it; what it sends back keeps the value, at the same server only.
    #[test]
    fn a_value_goes_in_and_never_comes_back() {
        let kept = [header("X-Token", "t0ken"), header("X-Team", "blue")];
        let shown = hidden(&kept);
        assert_eq!(shown, [header("X-Token", HIDDEN), header("X-Team", HIDDEN)]);
        assert_eq!(typed(shown.clone(), &kept).unwrap(), kept);
        let changed = vec![header("x-token", HIDDEN), header("X-Team", "red")];
        assert_eq!(typed(changed, &kept).unwrap(), [header("x-token", "t0ken"), header("X-Team", "red")]);
        assert_eq!(typed(shown, &[]), Err("X-Token".to_owned()));
    }

    /// R43
    #[test]
    fn secret_values_are_known_and_ordinary_ones_stay_readable() {
        let headers = [
            header("Authorization", "Bearer abc-def"),
            header("X-Api-Key", "short1"),
            header("X-Route", "0123456789abcdef0123"),
            header("X-Team", "backend"),
            header("Accept", "application/json; q=1"),
        ];
        assert_eq!(secrets(&headers), ["Bearer abc-def", "abc-def", "short1", "0123456789abcdef0123"]);
    }
}
