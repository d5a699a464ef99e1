//! Paths as a command writes them: joined and normalised as text, judged with what was found at them.

use super::command::{Part, Word};

/// `text` as seen from `folder`; `..` is kept, since links decide what it means.
#[must_use]
pub fn join(folder: &str, text: &str) -> String {
    if text.starts_with('/') { text.to_owned() } else { format!("{}/{text}", folder.trim_end_matches('/')) }
}

/// The absolute path `path` with `.`, `..` and repeated slashes worked out as text; no slash at the end.
#[must_use]
pub fn normal(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop();
            }
            name => components.push(name),
        }
    }
    format!("/{}", components.join("/"))
}

/// The word as text with the home folder written out; `None` where it is known only at run time or is a pattern.
#[must_use]
pub fn text_of(word: &Word, home: &str) -> Option<String> {
    word.parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Home => Some(home),
            Part::Glob(_) | Part::Number | Part::Variable { .. } | Part::Opaque => None,
        })
        .collect()
}
