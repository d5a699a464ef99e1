//! Paths as a command writes them: joined and normalised as text, judged with what was found at them.

use super::command::{Part, Word};

/// `text` as seen from `folder`; `..` is kept, since links decide what it means.
#[must_use]
pub fn join(folder: &str, text: &str) -> String {
    // Where the folder is on a drive, so may the text be.
    let has_drive = |text: &str| text.get(1..3) == Some(":/");
    if text.starts_with('/') || has_drive(folder) && has_drive(text) {
        text.to_owned()
    } else {
        format!("{}/{text}", folder.trim_end_matches('/'))
    }
}

/// The absolute path `path` with `.`, `..` and repeated slashes worked out as text; no slash at the end.
#[must_use]
pub fn normal(path: &str) -> String {
    crate::path::lexical(path)
}

/// The word as text with the home folder written out; `None` where it is known only at run time or is a pattern.
#[must_use]
pub fn text_of(word: &Word, home: &str) -> Option<String> {
    word.parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Home => Some(home),
            Part::Glob(_)
            | Part::Number
            | Part::Variable { .. }
            | Part::Output
            | Part::Pipe
            | Part::Opaque => None,
        })
        .collect()
}
