//! The list of sessions and their transcripts.

use super::workspace::pick_folder;
use super::{Shared, beside};
use crate::changes::Changes;
use crate::export;
use crate::questions::Question;
use crate::shell::{PAGE, Reply, failed, real_folder};
use crate::view::{AppEvent, Asked, BackendError, OlderItems, SessionQuery, SessionSummary, TranscriptItem};
use crate::window;
use anyhow::Context as _;
use assent_agent::clock::{Clock as _, SystemClock};
use assent_agent::id::new_id;
use assent_agent::session::{StoreError, export_json, export_markdown, import_json};
use rfd::AsyncFileDialog;
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tauri::Manager as _;

/// Longest title, characters.
const TITLE: usize = 200;
/// The largest file that is imported, bytes.
const LARGEST_IMPORT: u64 = 256 * 1024 * 1024;

/// Newest first.
#[tauri::command]
pub fn list_sessions(shell: Shared<'_>, query: SessionQuery) -> Reply<Vec<SessionSummary>> {
    shell.summaries(query)
}

/// Sends the newest items of a session over the stream, so that what follows builds on them; works in its folder
/// from here on.
#[tauri::command]
pub fn open_session(shell: Shared<'_>, session_id: String) -> Reply<()> {
    let folder = PathBuf::from(shell.record_of(&session_id)?.workspace);
    shell.tell_opened(&session_id)?;
    if shell.open_folder().is_none_or(|open| open.path != folder) {
        shell.follow(&folder);
        shell.tell_app();
    }
    Ok(())
}

/// Items before `before`, oldest first.
#[tauri::command]
pub fn older_items(shell: Shared<'_>, session_id: String, before: String) -> Reply<OlderItems> {
    let to: usize = before
        .parse()
        .map_err(|_| BackendError::new("invalid_value", "That is no place in the transcript."))?;
    let from = to.saturating_sub(PAGE);
    shell.transcript(&session_id, |teller| {
        let items: Vec<TranscriptItem> = teller.items().iter().take(to).skip(from).cloned().collect();
        OlderItems { items, before: (from > 0).then(|| from.to_string()) }
    })
}

#[tauri::command]
pub fn rename_session(shell: Shared<'_>, session_id: String, title: String) -> Reply<()> {
    let title: String = title.trim().chars().take(TITLE).collect();
    if title.is_empty() {
        return Err(BackendError::new("invalid_value", "A session needs a name."));
    }
    shell.store()?.rename(&session_id, &title).map_err(|error| refused(&error))?;
    shell.session_changed(&session_id);
    Ok(())
}

#[tauri::command]
pub fn archive_session(shell: Shared<'_>, session_id: String, archived: bool) -> Reply<()> {
    shell.store()?.archive(&session_id, archived).map_err(|error| refused(&error))?;
    shell.bridge.send(AppEvent::SessionsChanged);
    Ok(())
}

/// Deletes a session with its undo copies after a native question; the audit stays.
#[tauri::command]
pub async fn delete_session(shell: Shared<'_>, session_id: String) -> Reply<Asked> {
    let record = shell.record_of(&session_id)?;
    let words = shell.words();
    let question = Question::new(
        &words.ask_delete_session_title,
        &words.ask_delete_session,
        &words.ask_delete_session_yes,
    )
    .line(&words.label_session, &record.title)
    .line(&words.label_folder, &record.workspace);
    if !shell.questions.confirmed(question, &words).await {
        return Ok(Asked::declined());
    }
    let details = json!({"session": session_id});
    shell.record("session_deleted", "A session was deleted.", details.clone(), "dialog")?;
    let mut deleted = shell.delete_session(&session_id).await;
    shell.bridge.send(AppEvent::SessionsChanged);
    if deleted.is_ok() {
        let store = Arc::clone(shell.store()?);
        deleted = beside(move || store.erase().map_err(|error| failed(&error.into()))).await;
    }
    if deleted.is_err() {
        shell.record("session_kept", "It could not be deleted, or not all of it.", details, "dialog")?;
    }
    deleted.map(|()| Asked::done())
}

/// The forms of an export.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// For people.
    Markdown,
    /// Whole, can be imported.
    Json,
}

/// Native save dialog.
#[tauri::command]
pub async fn export_session(shell: Shared<'_>, session_id: String, format: Format) -> Reply<Asked> {
    let name = match format {
        Format::Markdown => "session.md",
        Format::Json => "session.json",
    };
    let reader = Arc::clone(shell.inner());
    let text = beside(move || {
        let store = reader.store()?;
        let text = match format {
            Format::Markdown => export_markdown(store, &session_id, &reader.words().export_headings()),
            Format::Json => export_json(store, &session_id),
        };
        text.map_err(|error| refused(&error))
    })
    .await?;
    let mut dialog = AsyncFileDialog::new().set_title(&shell.words().save_session).set_file_name(name);
    if let Some(window) = shell.app.get_webview_window(window::MAIN) {
        dialog = dialog.set_parent(&window);
    }
    let Some(target) = dialog.save_file().await else { return Ok(Asked::declined()) };
    let written = move || export::write(target.path(), |out| Ok(out.write_all(text.as_bytes())?));
    beside(move || written().map_err(|error| failed(&error))).await?;
    Ok(Asked::done())
}

/// Native file picker; adds a session that was exported as JSON, and shows it.
///
/// It works in its own folder only where a person opened that here before, in the open folder otherwise: a file
/// from elsewhere chooses no folder.
#[tauri::command]
pub async fn import_session(shell: Shared<'_>) -> Reply<Asked> {
    let open = shell.workspace()?;
    let mut dialog =
        AsyncFileDialog::new().set_title(&shell.words().pick_session).add_filter("JSON", &["json"]);
    if let Some(window) = shell.app.get_webview_window(window::MAIN) {
        dialog = dialog.set_parent(&window);
    }
    let Some(picked) = dialog.pick_file().await else { return Ok(Asked::declined()) };
    let id = new_id(SystemClock.now_ms()).map_err(|error| failed(&error.into()))?;
    let (importer, new) = (Arc::clone(shell.inner()), id.clone());
    let imported = beside(move || {
        let text = read_export(picked.path()).map_err(|error| failed(&error))?;
        let known = importer.folders.get().folders;
        let choose = |own: String| {
            let is_known = known.iter().any(|folder| folder.path == Path::new(&own));
            if is_known { own } else { open.path.to_string_lossy().into_owned() }
        };
        Ok(import_json(importer.store()?, &new, &text, choose))
    });
    if let Err(error) = imported.await? {
        return Ok(Asked::impossible(format!("Can't {error}.")));
    }
    shell.record(
        "session_imported",
        "A session was imported from a file.",
        json!({"session": id}),
        "window",
    )?;
    shell.bridge.send(AppEvent::SessionsChanged);
    shell.bridge.send(AppEvent::Show { session_id: Some(id), panel: None });
    Ok(Asked::done())
}

fn read_export(path: &Path) -> anyhow::Result<String> {
    let known = path.metadata().with_context(|| format!("read {}", path.display()))?;
    // A pipe would be read for ever.
    anyhow::ensure!(known.is_file(), "read {}: it is no file", path.display());
    anyhow::ensure!(known.len() <= LARGEST_IMPORT, "read {}: it is larger than 256 MiB", path.display());
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("read {}: it is no text", path.display()))
}

/// Native folder picker for a session whose folder was moved.
#[tauri::command]
pub async fn locate_workspace(shell: Shared<'_>, session_id: String) -> Reply<Asked> {
    let record = shell.record_of(&session_id)?;
    let words = shell.words();
    let start = PathBuf::from(&record.workspace).ancestors().find(|path| path.is_dir()).map(PathBuf::from);
    let window = shell.app.get_webview_window(window::MAIN);
    let Some(picked) = pick_folder(&window, &words.pick_folder, start).await else {
        return Ok(Asked::declined());
    };
    let real = real_folder(&picked)?;
    // The folder changes only where the session comes along, and under no run.
    let lock = shell.withhold(&session_id).await?;
    let (from, scratch) = (PathBuf::from(&record.workspace), shell.engine()?.scratch(&session_id));
    Changes::relocate(&from, &real, &scratch)?;
    if let Err(error) = shell.store()?.relocate(&session_id, &real.to_string_lossy()) {
        Changes::relocate(&real, &from, &scratch)?;
        return Err(refused(&error));
    }
    drop(lock);
    shell.set_folder(&picked)?;
    // The session first: the window leaves one whose folder isn't the open one.
    let told = shell.tell_opened(&session_id);
    shell.tell_app();
    told?;
    Ok(Asked::done())
}

fn refused(error: &StoreError) -> BackendError {
    BackendError::new("io", format!("Can't {error}."))
}

#[cfg(all(test, unix))]
mod tests {
    use super::read_export;
    use std::path::Path;

    #[test]
    fn what_is_no_file_is_not_read() {
        let refused = read_export(Path::new("/dev/null")).unwrap_err();
        assert_eq!(refused.to_string(), "read /dev/null: it is no file");
    }
}
