//! Which characters PowerShell takes for blanks, quotes and dashes.

pub(super) fn is_close(one: char) -> bool {
    matches!(one, ')' | '}')
}

/// PowerShell's own list: any Unicode space separator, tab and a few controls (language specification §2.2.3).
pub(super) fn is_blank(one: char) -> bool {
    one != '\n' && one != '\r' && one.is_whitespace()
}

pub(super) fn is_quote(one: char) -> bool {
    is_single_quote(one) || is_double_quote(one)
}

/// `'` and the typographic quotes that PowerShell takes for it (language specification §2.3.5.2).
pub(super) fn is_single_quote(one: char) -> bool {
    matches!(one, '\'' | '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}')
}

/// `"` and the typographic quotes that PowerShell takes for it.
pub(super) fn is_double_quote(one: char) -> bool {
    matches!(one, '"' | '\u{201C}' | '\u{201D}' | '\u{201E}')
}

/// En dash, em dash and horizontal bar stand for a dash.
pub(super) fn is_dash(one: char) -> bool {
    matches!(one, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

/// Outside strings: a dash that isn't one, or a character nobody sees.
pub(super) fn is_doubtful(one: char) -> bool {
    !one.is_ascii() && (is_dash(one) || one.is_control() || crate::path::fold(&format!("a{one}")) == "a")
}
