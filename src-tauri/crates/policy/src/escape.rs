//! The one escaper: what a person sees can't be reordered, hidden or forged by what is shown.

use std::fmt::Write as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// `text` with everything a person can't see, or that reorders what they see, spelled `\u{…}`;
/// newlines as `\n`, tabs as `\t`. Letters of every language, and emoji with their joiners, stay.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = None;
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if is_hidden(character, previous) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            _ => out.push(character),
        }
        previous = Some(character);
    }
    out
}

/// Whether `character`, after `previous`, must be shown as an escape.
fn is_hidden(character: char, previous: Option<char>) -> bool {
    if matches!(character, '\u{200d}' | '\u{fe0f}') && previous.is_some_and(joins_emoji) {
        return false;
    }
    matches!(
        character.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Surrogate
            | GeneralCategory::Unassigned
    ) || is_default_ignorable(character)
}

/// Whether an emoji joiner or selector may follow `previous`.
fn joins_emoji(previous: char) -> bool {
    matches!(previous.general_category(), GeneralCategory::OtherSymbol | GeneralCategory::ModifierSymbol)
        || matches!(previous, '#' | '*' | '0'..='9' | '\u{fe0f}')
}

/// `Default_Ignorable_Code_Point` beyond the categories above (Unicode DerivedCoreProperties).
fn is_default_ignorable(character: char) -> bool {
    matches!(u32::from(character),
        0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x3164 | 0xFFA0
        | 0xFE00..=0xFE0F | 0x2060..=0x206F | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn hidden_characters_are_spelled_out_and_letters_stay() {
        assert_eq!(escape("a\u{202e}b\0\n\u{ad}"), "a\\u{202e}b\\u{0}\\n\\u{ad}");
        assert_eq!(escape("Grüße, 你好 👩‍💻 ❤\u{fe0f}"), "Grüße, 你好 👩‍💻 ❤\u{fe0f}");
    }
}
