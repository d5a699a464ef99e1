//! Deletes what the app keeps.

use super::Shared;
use super::settings::speak;
use super::workspace::record_mode;
use crate::anew::{After, Before};
use crate::folders::{Folders, FoldersFile};
use crate::questions::Question;
use crate::removed::RemovedProfiles;
use crate::reviewers::reviewers;
use crate::settings::SettingsFile;
use crate::shell::{Reply, failed};
use crate::view::{AppEvent, Asked, SessionQuery};
use serde_json::Value;
use tauri::State;

/// Deletes sessions, undo copies, settings, keys and the trust of folders after a native question; audit, rules and
/// hooks stay. It never makes less be asked.
#[tauri::command]
pub async fn delete_data(shell: Shared<'_>, removed: State<'_, RemovedProfiles>) -> Reply<Asked> {
    let words = shell.words();
    let mut question =
        Question::new(&words.ask_delete_data_title, &words.ask_delete_data, &words.ask_delete_data_yes)
            .line(&words.label_folder, &shell.places.data.to_string_lossy());
    if !reviewers(&shell).is_empty() {
        question = question.sentence(&words.risk_loosens).sentence(&words.ask_delete_data_reviewer);
    }
    let file = SettingsFile::in_folder(&shell.places.config);
    if file.read().is_err() {
        question = question.sentence(&words.ask_delete_data_unread);
    }
    if !shell.questions.confirmed(question, &words).await {
        return Ok(Asked::declined());
    }
    let before = Before::look(shell.settings.get(), &file);
    let told = if before.is_unread() {
        "Sessions, undo copies and settings were deleted; keys may be left in the keychain."
    } else {
        "Sessions, undo copies, settings and keys were deleted."
    };
    shell.record("data_deleted", told, Value::Null, "dialog")?;
    let everything =
        SessionQuery { workspace: None, text: String::new(), archived: false, limit: usize::MAX };
    for archived in [false, true] {
        // A list has an end, of which there may be more.
        loop {
            let sessions = shell.summaries(SessionQuery { archived, ..everything.clone() })?;
            if sessions.is_empty() {
                break;
            }
            for session in sessions {
                shell.delete_session(&session.session_id).await?;
            }
        }
    }
    let sessions = shell.places.data.join("sessions");
    if sessions.is_dir() {
        std::fs::remove_dir_all(&sessions).map_err(|error| failed(&error.into()))?;
    }
    // Their keys may be where they couldn't be read.
    let gone = removed.list().drain(..).map(|removed| removed.profile).collect::<Vec<_>>();
    for profile in before.profiles().into_iter().chain(gone) {
        if let Err(error) = shell.keys.remove(&profile) {
            shell.warn("key_left", format!("{error:#}"));
        }
    }
    if before.is_unread() {
        shell.warn("key_left", words.ask_delete_data_unread.as_str());
    }
    shell.keys.clear().map_err(|error| failed(&error))?;
    let After { counting, file: left } = before.after(shell.safe_mode);
    // Also what only the files can say.
    FoldersFile::in_folder(&shell.places.config).remove().map_err(|error| failed(&error))?;
    file.begin_anew(&left).map_err(|error| failed(&error))?;
    shell.prices.remove().map_err(|error| failed(&error))?;
    shell.folders.update(|folders| *folders = Folders::default());
    let mode = shell.settings.get().mode;
    let next = shell.settings.update(|settings| *settings = counting);
    shell.close_folder();
    shell.mode_changed();
    speak(&shell, &next)?;
    shell.redact_secrets();
    shell.bridge.send(AppEvent::SessionsChanged);
    shell.bridge.send(AppEvent::DataDeleted);
    shell.settings_changed(&next);
    if next.mode != mode {
        record_mode(&shell, mode, next.mode, "dialog")?;
    }
    Ok(Asked::done())
}
