//! Deletes what the app keeps.

use super::settings::speak;
use super::workspace::record_mode;
use super::{Shared, beside};
use crate::anew::begin_anew;
use crate::deletion::{delete_all, empty};
use crate::folders::{Folders, FoldersFile};
use crate::keys::Keys;
use crate::questions::Question;
use crate::removed::RemovedProfiles;
use crate::reviewers::reviewers;
use crate::settings::{Profile, SettingsFile};
use crate::shell::{Reply, failed};
use crate::view::{AppEvent, Asked, BackendError, SessionQuery};
use anyhow::Context as _;
use assent_agent::layers::distrust_projects;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tauri::State;

/// Deletes sessions, undo copies, settings, keys and the trust of folders after a native question; audit, rules and
/// hooks stay. It never makes less be asked. What can't be deleted is told, and keeps nothing else.
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
    let told = if file.read().is_err() {
        "Sessions, undo copies and settings were deleted; keys may be left in the keychain."
    } else {
        "Sessions, undo copies, settings and keys were deleted."
    };
    shell.record("data_deleted", told, Value::Null, "dialog")?;
    let mut failures = delete_sessions(&shell).await;
    let (before, anew) = begin_anew(&shell.settings, &file, shell.safe_mode);
    // Also what only the files can say.
    let folders = FoldersFile::in_folder(&shell.places.config).remove();
    shell.folders.update(|folders| *folders = Folders::default());
    // Their keys may be where they couldn't be read.
    let gone = removed.take_all().into_iter().map(|removed| removed.profile);
    let keys_left = keys_left(&shell.keys, before.profiles().into_iter().chain(gone));
    for left in &keys_left {
        shell.warn("key_left", left.as_str());
    }
    if before.is_unread() {
        shell.warn("key_left", words.ask_delete_data_unread.as_str());
    }
    // Trust in folders is also that in their policy files.
    let projects = distrust_projects(&shell.places).map_err(anyhow::Error::from);
    let done = [anew, folders, projects, shell.keys.clear(), shell.prices.remove()];
    failures.extend(done.into_iter().filter_map(|done| done.err().map(|error| failed(&error))));
    shell.close_folder();
    shell.mode_changed();
    let next = shell.settings.get();
    let spoken = speak(&shell, &next);
    shell.redact_secrets();
    shell.bridge.send(AppEvent::SessionsChanged);
    shell.bridge.send(AppEvent::DataDeleted);
    shell.settings_changed(&next);
    let mut why: Vec<String> = failures.iter().map(|failure| failure.message.to_string()).collect();
    why.extend(keys_left);
    if !why.is_empty() {
        let details = json!({"failures": why});
        shell.record("data_kept", "It could not be deleted, or not all of it.", details, "dialog")?;
    }
    if next.mode != before.mode() {
        record_mode(&shell, before.mode(), next.mode, "dialog")?;
    }
    spoken?;
    failures.into_iter().next().map_or_else(|| Ok(Asked::done()), Err)
}

/// Forgets the keys of `profiles`; why some of them are still there.
fn keys_left(keys: &Keys, profiles: impl Iterator<Item = Profile>) -> Vec<String> {
    profiles.filter_map(|profile| keys.remove(&profile).err().map(|error| format!("{error:#}"))).collect()
}

/// Deletes every session that can be; what kept the others.
async fn delete_sessions(shell: &Shared<'_>) -> Vec<BackendError> {
    let mut failures = Vec::new();
    let mut kept = BTreeSet::new();
    for archived in [false, true] {
        let list = || {
            let query = SessionQuery { workspace: None, text: String::new(), archived, limit: usize::MAX };
            let listed = shell.summaries(query)?;
            Ok(listed.into_iter().map(|session| session.session_id).collect())
        };
        let (left, why) = delete_all(list, |id| async move { shell.delete_session(&id).await }).await;
        kept.extend(left);
        failures.extend(why);
    }
    let purged = match shell.store() {
        Ok(store) => {
            beside({
                let store = Arc::clone(store);
                move || store.purge().map_err(|error| failed(&error.into()))
            })
            .await
        }
        Err(error) => Err(error),
    };
    failures.extend(purged.err());
    // Of sessions that are in no list, too.
    let folder = shell.places.data.join("sessions");
    let emptied = empty(&folder, &kept).with_context(|| format!("empty {}", folder.display()));
    failures.extend(emptied.err().map(|error| failed(&error)));
    match shell.waiting.sessions() {
        Ok(asked) => {
            let gone = asked.into_iter().filter(|session| !kept.contains(session));
            failures.extend(gone.filter_map(|session| shell.forget_asked(&session).err()));
        }
        Err(error) => failures.push(failed(&error.into())),
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::keys_left;
    use crate::keys::Keys;
    use crate::settings::Profile;
    use crate::view::{KeyPlace, ProviderKind};

    /// The log doesn't say that a key is gone where it isn't; the others go all the same.
    #[test]
    fn a_key_that_cannot_be_deleted_is_told() {
        let config = tempfile::tempdir().unwrap();
        let keys = Keys::new(config.path().to_owned());
        let profile = |id: &str| Profile {
            id: id.into(),
            kind: ProviderKind::ChatCompletions,
            base_url: "https://good.example".into(),
            key: Some(KeyPlace::File),
            ..Profile::tour()
        };
        let files =
            || std::fs::read_dir(config.path().join("keys")).unwrap().map(|file| file.unwrap().path());
        keys.save(&profile("stays"), "sk-1", KeyPlace::File).unwrap();
        let stays = files().next().unwrap();
        // A folder in a file's place can't be deleted as a file.
        std::fs::remove_file(&stays).unwrap();
        std::fs::create_dir(&stays).unwrap();
        keys.save(&profile("goes"), "sk-2", KeyPlace::File).unwrap();
        let left = keys_left(&keys, ["stays", "goes"].map(profile).into_iter());
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(left[0].starts_with("A key is still in a file: "), "{left:?}");
        assert_eq!(files().collect::<Vec<_>>(), [stays]);
    }
}
