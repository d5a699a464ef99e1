//! The one escaper: what a person sees can't be reordered, hidden or forged by what is shown.

use std::fmt::Write as _;
use unicode_properties::{GeneralCategory, UnicodeEmoji as _, UnicodeGeneralCategory as _};

/// More marks than this on one letter are shown as escapes: they pile up over other lines.
const MARKS: usize = 6;

/// `text` with everything a person can't see, or that reorders what they see, spelled `\u{…}`;
/// newlines as `\n`, tabs as `\t`. Letters of every language, and emoji with their joiners, stay.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (character, shown) in characters(text) {
        match (character, shown) {
            ('\n', _) => out.push_str("\\n"),
            ('\r', _) => out.push_str("\\r"),
            ('\t', _) => out.push_str("\\t"),
            (_, true) => out.push(character),
            (_, false) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
        }
    }
    out
}

/// Whether `text` holds a character that a person couldn't see; line breaks and tabs don't count.
#[must_use]
pub fn has_hidden(text: &str) -> bool {
    characters(text).any(|(character, shown)| !shown && !matches!(character, '\n' | '\r' | '\t'))
}

/// Each character, and whether it may be shown as it is.
fn characters(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut rest = text.chars().peekable();
    // The emoji that the next joiner or selector may follow.
    let mut emoji = false;
    let mut marks = 0;
    let mut previous = '\0';
    std::iter::from_fn(move || {
        let character = rest.next()?;
        let next = rest.peek().copied();
        let shown = match character {
            '\u{fe0f}' => selects_emoji(previous, next),
            '\u{200d}' => emoji && next.is_some_and(is_picture),
            '\u{20e3}' => true,
            _ => !is_hidden(character),
        };
        marks = if is_mark(character) { marks + 1 } else { 0 };
        emoji = match character {
            '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => emoji && shown,
            _ => is_picture(character),
        };
        previous = character;
        Some((character, shown && marks <= MARKS))
    })
}

/// Whether the emoji selector means something here: after a picture, or between a digit and the keycap.
fn selects_emoji(previous: char, next: Option<char>) -> bool {
    if matches!(previous, '#' | '*' | '0'..='9') { next == Some('\u{20e3}') } else { is_picture(previous) }
}

/// Whether `character` is an emoji by itself (digits, `#` and `*` are parts of emoji only).
fn is_picture(character: char) -> bool {
    !character.is_ascii()
        && character.is_emoji_char()
        && !matches!(character.general_category(), GeneralCategory::Format | GeneralCategory::NonspacingMark)
}

fn is_mark(character: char) -> bool {
    !character.is_ascii()
        && matches!(
            character.general_category(),
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
        )
}

/// Whether `character` is never shown as it is.
fn is_hidden(character: char) -> bool {
    // Most texts are ASCII and some are large: no look into the tables.
    if character.is_ascii() {
        return character.is_ascii_control();
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
        || is_blank(character)
}

/// `Default_Ignorable_Code_Point` beyond the categories above (Unicode DerivedCoreProperties).
fn is_default_ignorable(character: char) -> bool {
    matches!(u32::from(character),
        0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x3164 | 0xFFA0
        | 0xFE00..=0xFE0F | 0x2060..=0x206F | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Looks like a space and is none to a shell: other words than a person reads. The space of Chinese texts stays.
fn is_blank(character: char) -> bool {
    matches!(u32::from(character), 0x00A0 | 0x1680 | 0x2000..=0x200A | 0x202F | 0x205F | 0x2800)
}

#[cfg(test)]
mod tests {
    use super::{escape, has_hidden, is_picture};
    use proptest::prelude::*;
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

    #[test]
    fn hidden_characters_are_spelled_out_and_letters_stay() {
        assert_eq!(escape("a\u{202e}b\0\n\u{ad}"), "a\\u{202e}b\\u{0}\\n\\u{ad}");
        for text in
            ["Grüße, 你好　世界", "👩‍💻 ❤\u{fe0f} 🏳\u{fe0f}‍🌈 👍🏽 👩🏽‍🚀 1\u{fe0f}\u{20e3} 🇩🇪", "नमस्ते สวัสดี שלום"]
        {
            assert_eq!(escape(text), text);
            assert!(!has_hidden(text));
        }
    }

    /// Joiners and selectors stay only where they belong to an emoji.
    #[test]
    fn lone_joiners_and_selectors_are_spelled_out() {
        for (text, expected) in [
            ("a\u{200d}b", "a\\u{200d}b"),
            ("^\u{200d}👍", "^\\u{200d}👍"),
            ("👍\u{200d}rm", "👍\\u{200d}rm"),
            ("1\u{fe0f}2", "1\\u{fe0f}2"),
            ("x\u{fe0f}", "x\\u{fe0f}"),
            ("👍\u{fe0f}\u{fe0f}", "👍\u{fe0f}\\u{fe0f}"),
            ("🏴\u{e0067}\u{e007f}", "🏴\\u{e0067}\\u{e007f}"),
            ("git\u{a0}push", "git\\u{a0}push"),
            ("\u{2800}\u{3164}", "\\u{2800}\\u{3164}"),
        ] {
            assert_eq!(escape(text), expected);
            assert!(has_hidden(text), "{text:?}");
        }
    }

    #[test]
    fn a_pile_of_marks_is_cut() {
        let shown = escape(&format!("z{}", "\u{301}".repeat(20)));
        assert_eq!(shown.matches('\u{301}').count(), 6);
        assert_eq!(shown.matches("\\u{301}").count(), 14);
    }

    /// Every code point, alone and between letters: what comes out can be seen, whatever Unicode says about it.
    #[test]
    fn no_code_point_comes_out_hidden() {
        for code in 0..=0x10_FFFF_u32 {
            let Some(character) = char::from_u32(code) else { continue };
            for text in [character.to_string(), format!("a{character}b")] {
                for shown in escape(&text).chars() {
                    assert!(
                        !matches!(
                            shown.general_category(),
                            GeneralCategory::Control
                                | GeneralCategory::Format
                                | GeneralCategory::LineSeparator
                                | GeneralCategory::ParagraphSeparator
                                | GeneralCategory::PrivateUse
                                | GeneralCategory::Unassigned
                        ),
                        "U+{code:04X}"
                    );
                }
            }
            if character.is_alphanumeric() && !matches!(code, 0x115F | 0x1160 | 0x3164 | 0xFFA0) {
                assert_eq!(escape(&character.to_string()), character.to_string(), "U+{code:04X}");
            }
        }
    }

    proptest! {
        /// What is shown is what was there: the escapes read back to the same characters, in the same order.
        #[test]
        fn nothing_is_lost_or_reordered(text in any::<String>()) {
            let text = text.replace('\\', "");
            let mut back = String::new();
            let shown = escape(&text);
            let mut rest = shown.as_str();
            while let Some(character) = rest.chars().next() {
                let taken = if let Some(after) = rest.strip_prefix("\\u{") {
                    let (code, tail) = after.split_once('}').unwrap();
                    back.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
                    tail
                } else if character == '\\' {
                    let letter = rest.chars().nth(1).unwrap();
                    back.push(match letter { 'n' => '\n', 'r' => '\r', _ => '\t' });
                    rest.get(2..).unwrap()
                } else {
                    back.push(character);
                    rest.get(character.len_utf8()..).unwrap()
                };
                rest = taken;
            }
            prop_assert_eq!(back, text);
        }

        /// Escaping what is already escaped changes nothing.
        #[test]
        fn it_is_idempotent(text in any::<String>()) {
            let once = escape(&text);
            prop_assert_eq!(escape(&once), once);
        }

        /// Joiners that survive stand between two emoji.
        #[test]
        fn joiners_only_join_emoji(text in "[a-z👍❤🏽0-9#\u{200d}\u{fe0f}\u{20e3}]{0,12}") {
            let shown: Vec<char> = escape(&text).chars().collect();
            for (place, character) in shown.iter().enumerate() {
                if *character == '\u{200d}' {
                    prop_assert!(is_picture(shown[place + 1]));
                }
            }
        }
    }
}
