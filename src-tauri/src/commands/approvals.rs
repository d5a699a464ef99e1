//! Waiting calls: the window can open their native dialog, or deny.

use super::Shared;
use crate::shell::Reply;
use crate::view::BackendError;
use assent_agent::approval::{DecideError, Surface};

/// Most characters of the words that go to the model with a denial.
const WORDS: usize = 500;

/// Opens the native dialog of a waiting call (again).
#[tauri::command]
pub fn review(shell: Shared<'_>, approval_id: String) -> Reply<()> {
    shell.presenter.review(Some(&approval_id));
    Ok(())
}

/// Denies a waiting call; `words` go to the model.
#[tauri::command]
pub fn deny(shell: Shared<'_>, approval_id: String, words: Option<String>) -> Reply<()> {
    let words = words.map(|words| words.trim().to_owned()).filter(|words| !words.is_empty());
    if words.as_ref().is_some_and(|words| words.chars().count() > WORDS) {
        return Err(BackendError::new("too_long", format!("At most {WORDS} characters go to the model.")));
    }
    match shell.waiting.deny(&approval_id, Surface::Window, words) {
        // What ended already needs no denial; the window hears how it ended.
        Ok(()) | Err(DecideError::Unknown | DecideError::Stale) => Ok(()),
        Err(error @ (DecideError::NotMine | DecideError::MayNotAllow | DecideError::Store(_))) => {
            Err(BackendError::new("not_denied", format!("Can't {error}.")))
        }
    }
}

/// Denies everything that waits in this process.
#[tauri::command]
pub fn deny_all(shell: Shared<'_>) {
    shell.waiting.deny_all(Surface::Window);
}
