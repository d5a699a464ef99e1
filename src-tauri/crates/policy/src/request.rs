//! The words of a question: what the dialog, the terminal, the card and `policy check` show.

use crate::escape::escape;
use crate::{CallDigest, Evaluation, PreparedCall};
use serde::Serialize;

/// One question to a person, ready to be laid out; every text is already escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PermissionRequest {
    /// Verb and object in our own words, never the model's.
    pub title: String,
    /// Label and value, in the order they are shown; a label occurs at most once.
    pub lines: Vec<Line>,
}

/// A labelled line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// `Workspace`, `Command`, …; empty for a sentence.
    pub label: String,
    /// The value, escaped.
    pub value: String,
}

impl PermissionRequest {
    /// The question about `call`.
    #[must_use]
    pub fn new(call: &PreparedCall, evaluation: &Evaluation, workspace: &str, digest: &CallDigest) -> Self {
        let line = |label: &str, value: &str| Line { label: label.to_owned(), value: escape(value) };
        let mut lines = vec![line("Asked because", evaluation.reason.as_str()), line("Workspace", workspace)];
        lines.extend(call.arguments.iter().map(|(name, value)| match value {
            serde_json::Value::String(text) => line(name, text),
            other => line(name, &other.to_string()),
        }));
        lines.push(line("Check", &digest.short()));
        Self { title: format!("Assent · {}?", escape(&call.tool)), lines }
    }

    /// The lines as plain text, one each.
    #[must_use]
    pub fn display(&self) -> Vec<String> {
        std::iter::once(self.title.clone())
            .chain(self.lines.iter().map(|line| format!("{}  {}", line.label, line.value)))
            .collect()
    }
}
