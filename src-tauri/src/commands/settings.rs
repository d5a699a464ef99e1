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
    let mut done = Ok(());
    let next = shell.settings.update(|settings| done = set(settings, &key, value));
    done?;
    speak(&shell, &next)?;
    shell.settings_changed(&next);
    Ok(())
}

/// Sets the value called `key` in `settings`, where it fits.
fn set(settings: &mut Settings, key: &str, value: Value) -> Reply<()> {
    match key {
        "language" => settings.language = read(value)?,
        "theme" => settings.theme = read(value)?,
        "fontSize" => settings.font_size = read(value)?,
        "notifications" => settings.notifications = read(value)?,
        "closeToTray" => settings.close_to_tray = read(value)?,
        "approvalMinutes" => settings.approval_minutes = read(value)?,
        "maxTurns" => settings.max_turns = read(value)?,
        "firstRunDone" => settings.first_run_done = read(value)?,
        other => return Err(BackendError::new("unknown_setting", format!("There is no setting {other}."))),
    }
    *settings = std::mem::take(settings).sound();
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

#[cfg(test)]
mod tests {
    use super::set;
    use crate::settings::Settings;
    use assent_policy::Mode;
    use serde_json::json;

    /// Whatever else was changed meanwhile stays, and what doesn't fit changes nothing.
    #[test]
    fn one_value_is_set_and_no_other() {
        let mut settings = Settings { mode: Mode::Strict, max_turns: 7, ..Settings::default() };
        let before = settings.clone();
        for (key, value) in [("mode", json!("sandboxed")), ("fontSize", json!("large")), ("x", json!(1))] {
            assert!(set(&mut settings, key, value).is_err(), "{key}");
            assert_eq!(settings, before);
        }
        set(&mut settings, "fontSize", json!(99)).unwrap();
        assert_eq!(settings, Settings { font_size: 28, ..before });
    }
}
