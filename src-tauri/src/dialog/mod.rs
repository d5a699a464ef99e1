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
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An answer that comes sooner was on its way before the question could be read.
const READING_TIME: Duration = Duration::from_millis(400);

/// How long no allow counts once a dialog is shown: 400 ms, or longer by `ASSENT_READING_MS`, never shorter.
#[must_use]
pub fn reading_time() -> Duration {
    let wanted = std::env::var("ASSENT_READING_MS").ok().and_then(|ms| ms.parse().ok());
    READING_TIME.max(wanted.map_or(READING_TIME, Duration::from_millis))
}

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
    /// Hears what is pressed after the withdrawal, where the toolkit can't take its window away.
    pub late: Option<Late>,
}

/// Says what a dialog shows at the moment it opens: a program without the sandbox may run by then, or no more.
#[derive(Clone)]
pub struct Asks(pub Arc<dyn Fn() -> Prompt + Send + Sync>);

impl std::fmt::Debug for Asks {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Asks")
    }
}

/// Takes a press that came too late to count.
#[derive(Clone)]
pub struct Late(pub Arc<dyn Fn(Press) + Send + Sync>);

impl std::fmt::Debug for Late {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Late")
    }
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
