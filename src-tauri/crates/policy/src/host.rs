//! Host names in addresses: found, and spelled in ASCII, so that a look-alike letter shows.

use std::fmt::Write as _;
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

/// The host of an `http` or `https` address, in ASCII, with its port where one is given that isn't the scheme's own; `None` for
/// anything else. It is read as the browser's standard says (WHATWG URL), because whoever connects reads it so: an
/// escaped letter, a letter that is ignored or a final dot must not be a way around a rule for a host.
#[must_use]
pub fn host_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let name = url.host_str()?;
    let name = name.strip_suffix('.').unwrap_or(name);
    Some(url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}")))
        .filter(|_| !name.is_empty())
}

/// A host name with every non-ASCII label in Punycode (RFC 3492), lower case.
#[must_use]
pub fn to_ascii(name: &str) -> Option<String> {
    let folded: String = name.nfkc().flat_map(char::to_lowercase).nfc().collect();
    let labels: Option<Vec<String>> = folded
        .split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'])
        .map(|label| if label.is_ascii() { Some(label.to_owned()) } else { punycode(label) })
        .collect();
    labels.map(|labels| labels.join(".")).filter(|name| !name.is_empty())
}

/// RFC 3492 §6.3 with the parameters of §5.
fn punycode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    const T_MIN: u32 = 1;
    const T_MAX: u32 = 26;
    let characters: Vec<u32> = label.chars().map(u32::from).collect();
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    if basic > 0 {
        out.push('-');
    }
    let total = u32::try_from(characters.len()).ok()?;
    let (mut current, mut delta, mut bias, mut handled) = (128_u32, 0_u32, 72_u32, basic);
    while handled < total {
        let next = characters.iter().copied().filter(|code| *code >= current).min()?;
        delta = delta.checked_add((next - current).checked_mul(handled + 1)?)?;
        current = next;
        for &code in &characters {
            if code < current {
                delta = delta.checked_add(1)?;
            }
            if code == current {
                let mut rest = delta;
                let mut place = BASE;
                loop {
                    let threshold = place.saturating_sub(bias).clamp(T_MIN, T_MAX);
                    if rest < threshold {
                        break;
                    }
                    out.push(digit(threshold + (rest - threshold) % (BASE - threshold))?);
                    rest = (rest - threshold) / (BASE - threshold);
                    place += BASE;
                }
                out.push(digit(rest)?);
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        current = current.checked_add(1)?;
    }
    let mut full = String::with_capacity(out.len() + 4);
    write!(full, "xn--{out}").ok()?;
    Some(full)
}

fn adapt(delta: u32, points: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / points.max(1);
    let mut steps = 0;
    while delta > (35 * 26) / 2 {
        delta /= 35;
        steps += 36;
    }
    steps + (36 * delta) / (delta + 38)
}

fn digit(value: u32) -> Option<char> {
    // Letters come first: 0 is `a`, 26 is `0`.
    char::from_digit(if value < 26 { value + 10 } else { value.checked_sub(26)? }, 36)
}

#[cfg(test)]
mod tests {
    use super::{host_of, to_ascii};
    use proptest::prelude::*;

    #[test]
    fn hosts_in_ascii() {
        for (url, host) in [
            ("https://Example.test/x?y", Some("example.test")),
            ("http://user:pass@a.test:8080/", Some("a.test:8080")),
            ("https://good.test@evil.test/", Some("evil.test")),
            ("https://bücher.test", Some("xn--bcher-kva.test")),
            ("https://ex\u{430}mple.test/", Some("xn--exmple-4nf.test")),
            ("https://例え.test/", Some("xn--r8jz45g.test")),
            ("http://[::1]:80/", Some("[::1]")),
            ("http://[::1]:81/", Some("[::1]:81")),
            ("https://%61.test/", Some("a.test")),
            ("https://a\u{ad}.test/", Some("a.test")),
            ("https://a.test./", Some("a.test")),
            ("https:/\\a.test", Some("a.test")),
            ("https://a\t.test\\@evil.test", Some("a.test")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("ftp://a.test/", None),
            ("https://", None),
            ("https://a.test:8\u{ff10}/", None),
            ("https://[\u{ff11}::]/", None),
            ("file:///etc/passwd", None),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
        assert_eq!(to_ascii("münchen.de").as_deref(), Some("xn--mnchen-3ya.de"));
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,40}") {
            let _ = host_of(&format!("https://{text}"));
            let _ = to_ascii(&text);
        }
    }
}
