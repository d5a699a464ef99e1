//! Native dialogs whose default is deny (R30, R31). Two implementations, one layout, one reading of answers.
//!
//! [`layout`] makes the text, [`answer`] reads what a toolkit reports; [`gtk`] and [`rfd`] only show.

pub mod answer;
pub mod layout;

#[cfg(target_os = "linux")]
pub mod gtk;
pub mod rfd;

use assent_policy::request::Line;
use async_trait::async_trait;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An answer that comes sooner was on its way before the question could be read.
pub const READING_TIME: Duration = Duration::from_millis(400);

/// Shows one question at a time in a native window.
#[async_trait]
pub trait ApprovalDialog: Send + Sync {
    /// The name in logs and diagnostics.
    fn name(&self) -> &'static str;

    /// Shows `prompt` and waits for what is pressed; `withdraw` ends the wait, and the window where the toolkit can.
    async fn ask(&self, prompt: Prompt, withdraw: &CancellationToken) -> Press;
}

/// What a dialog shows.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Verb and object, in our own words.
    pub title: String,
    /// Label and value, escaped; sentences have no label.
    pub lines: Vec<Line>,
    /// What stands on the buttons.
    pub labels: Labels,
}

/// The words on the buttons, in one language. [`Labels::are_distinct`] holds for every catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// First, focused and default.
    pub deny: String,
    /// The one explicit yes.
    pub allow: String,
    /// Third; closes without an answer. On macOS it has to be the literal `Cancel`, or Escape dies there.
    pub cancel: String,
    /// In the place of `allow` while there is more to read.
    pub next: String,
    /// Below a text whose end was not in view yet.
    pub read_on: String,
}

impl Labels {
    /// Whether no two buttons that stand side by side read the same.
    #[cfg(test)]
    #[must_use]
    pub fn are_distinct(&self) -> bool {
        [&self.allow, &self.next]
            .iter()
            .all(|middle| **middle != self.deny && **middle != self.cancel && !middle.trim().is_empty())
            && self.deny != self.cancel
            && self.allow != self.next
    }
}

/// How a dialog ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Press {
    /// The allow button itself was pressed.
    Allow,
    /// The deny button, by pointer, Enter or Space.
    Deny,
    /// Escape, the window's close, Cancel, or an answer nobody offered: counts as deny.
    Dismissed,
    /// The request ended elsewhere while it was shown.
    Withdrawn,
    /// It couldn't be shown.
    Failed(String),
}
