//! Simple settings, and the sandbox's self-test.

use super::Shared;
use crate::settings::Settings;
use crate::shell::{Reply, failed};
use crate::view::BackendError;
use crate::words::{Language, system_locales};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Sets one simple value; none of them can loosen anything.
#[tauri::command]
pub fn set_setting(shell: Shared<'_>, key: String, value: Value) -> Reply<()> {
    let mut next = shell.settings.get();
    match key.as_str() {
        "language" => next.language = read(value)?,
        "theme" => next.theme = read(value)?,
        "fontSize" => next.font_size = read(value)?,
        "notifications" => next.notifications = read(value)?,
        "closeToTray" => next.close_to_tray = read(value)?,
        "approvalMinutes" => next.approval_minutes = read(value)?,
        "maxTurns" => next.max_turns = read(value)?,
        "firstRunDone" => next.first_run_done = read(value)?,
        other => return Err(BackendError::new("unknown_setting", format!("There is no setting {other}."))),
    }
    let next = shell.settings.update(|settings| *settings = next.sound());
    speak(&shell, &next)?;
    shell.settings_changed(&next);
    Ok(())
}

/// Switches to the language of `settings`.
pub(super) fn speak(shell: &Shared<'_>, settings: &Settings) -> Reply<()> {
    let language = Language::resolve(settings.language, &system_locales());
    if language != shell.words.language() {
        shell.words.switch(language).map_err(|error| failed(&error))?;
        shell.language_changed();
    }
    Ok(())
}

/// Runs the sandbox self-test again.
#[tauri::command]
pub async fn test_sandbox(shell: Shared<'_>) -> Reply<()> {
    shell.test_sandbox().await;
    Ok(())
}

fn read<T: DeserializeOwned>(value: Value) -> Reply<T> {
    serde_json::from_value(value)
        .map_err(|error| BackendError::new("invalid_value", format!("That value doesn't fit: {error}.")))
}
