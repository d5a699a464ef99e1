//! When two names are the same file on a system that ignores case, normal forms or invisible characters.

use crate::Os;
use unicode_normalization::UnicodeNormalization as _;

/// `name` as the most forgiving file system would see it: case, canonical normal form and ignorable
/// characters (HFS+ skips some of them) folded away.
#[must_use]
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfd()
        .filter(|character| !is_ignorable(*character))
        // Through upper case, so that `ſ`, `K` and their like meet their letter.
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .nfc()
        .collect()
}

/// `Default_Ignorable_Code_Point` (Unicode DerivedCoreProperties); HFS+ skips a part of these.
fn is_ignorable(character: char) -> bool {
    matches!(u32::from(character),
        0xAD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
        | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8
        | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Whether two names are one on `os`.
#[must_use]
pub fn same(left: &str, right: &str, os: Os) -> bool {
    match os {
        Os::Linux => left == right,
        Os::Macos | Os::Windows => left == right || fold(left) == fold(right),
    }
}

/// Whether the absolute `path` is `folder` or lies beneath it, part by part; `..` must be gone.
#[must_use]
pub fn contains(folder: &str, path: &str, os: Os) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    folder
        .split('/')
        .filter(|part| !part.is_empty())
        .all(|expected| parts.next().is_some_and(|part| same(expected, part, os)))
}

#[cfg(test)]
mod tests {
    use super::{contains, fold};
    use crate::Os;

    #[test]
    fn names_that_meet() {
        for (name, folded) in [
            (".GIT", ".git"),
            (".g\u{200c}it", ".git"),
            (".\u{17f}sh", ".ssh"),
            ("Cafe\u{301}", "café"),
            ("\u{feff}.env", ".env"),
        ] {
            assert_eq!(fold(name), folded);
        }
    }

    /// R14
    #[test]
    fn containment_is_by_parts() {
        assert!(contains("/ws", "/ws/a", Os::Linux));
        assert!(contains("/ws", "/ws", Os::Linux));
        assert!(!contains("/ws", "/ws-evil/a", Os::Linux));
        assert!(!contains("/ws", "/WS/a", Os::Linux));
        assert!(contains("/ws", "/WS/a", Os::Macos));
        assert!(contains("C:/Users/dev/proj", "c:/users/DEV/PROJ/x", Os::Windows));
    }
}
