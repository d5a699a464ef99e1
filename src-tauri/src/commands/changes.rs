//! What the file tools changed, and the way back.

use super::Shared;
use crate::conversation::shown_call_id;
use crate::diff;
use crate::shell::Reply;
use crate::view::{
    AppEvent, BackendError, Change, ChangeState, DiffOf, FileDiff, UndoResult, UndoStatus, shown,
};
use assent_agent::workspace::Workspace;
use assent_agent::workspace::undo::{Entry as UndoEntry, State as UndoState, UndoError, UndoLog};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// Newest first.
#[tauri::command]
pub async fn changes(shell: Shared<'_>, session_id: String) -> Reply<Vec<Change>> {
    let (log, root) = open(&shell, &session_id)?;
    let entries = log.list().map_err(io)?;
    let tools: BTreeMap<String, String> = shell.transcript(&session_id, |teller| {
        let calls = entries
            .iter()
            .filter_map(|(entry, _)| Some((entry.call_id.clone(), teller.call(&entry.call_id)?)));
        calls.map(|(id, call)| (id, call.tool.clone())).collect()
    })?;
    let mut listed = Vec::new();
    for (entry, state) in entries.iter().rev().filter(|(entry, _)| entry.reverts.is_none()) {
        let tool = tools.get(&entry.call_id).cloned().unwrap_or_default();
        listed.push(view(&log, &root, &session_id, entry, *state, tool));
    }
    Ok(listed)
}

/// What the change did to the file.
#[tauri::command]
pub async fn change_diff(shell: Shared<'_>, change_id: String) -> Reply<FileDiff> {
    let (session, id) = parse(&change_id)?;
    let (log, root) = open(&shell, session)?;
    let entry = log.entry(id).map_err(|error| refused(&error))?;
    Ok(difference(&log, &root, &entry))
}

/// Restores what was there; with `even_if_changed` also over later edits.
#[tauri::command]
pub async fn undo(shell: Shared<'_>, change_id: String, even_if_changed: bool) -> Reply<UndoResult> {
    let (session, id) = parse(&change_id)?;
    let (log, root) = open(&shell, session)?;
    let entry = log.entry(id).map_err(|error| refused(&error))?;
    let workspace =
        Workspace::open(&root).map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
    let states = log.list().map_err(io)?;
    let state = states.iter().find(|(known, _)| known.id == entry.id).map(|(_, state)| *state);
    if state == Some(UndoState::ChangedSince) && !even_if_changed {
        return Ok(changed_since(&root, &entry));
    }
    let details = json!({"path": entry.path, "change": id});
    shell.record("change_undone", "A change was taken back.", details, "window")?;
    let result = match log.revert(&workspace, id, even_if_changed) {
        Ok(_) => UndoResult { status: UndoStatus::Undone, diff: None, message: None },
        Err(UndoError::ChangedSince { .. }) => changed_since(&root, &entry),
        Err(error) => UndoResult {
            status: UndoStatus::Failed,
            diff: None,
            message: Some(shown(&format!("Can't undo: {error}."))),
        },
    };
    shell.bridge.send(AppEvent::ChangesChanged { session_id: session.to_owned() });
    Ok(result)
}

/// Somebody changed the file since: what taking it back would do to it now, for a choice.
fn changed_since(root: &Path, entry: &UndoEntry) -> UndoResult {
    let now = diff::read(&entry.path);
    let then = entry.before.as_deref().and_then(diff::read);
    let diff = diff::between(&relative(root, &entry.path), now.as_deref(), then.as_deref());
    UndoResult { status: UndoStatus::ChangedSince, diff: Some(diff), message: None }
}

fn view(
    log: &UndoLog,
    root: &Path,
    session: &str,
    entry: &UndoEntry,
    state: UndoState,
    tool: String,
) -> Change {
    let diff = difference(log, root, entry);
    let state = match state {
        UndoState::Reverted | UndoState::AsBefore => ChangeState::Undone,
        UndoState::ChangedSince => ChangeState::ChangedSince,
        UndoState::Revertible if entry.before.as_ref().is_some_and(|copy| !copy.is_file()) => {
            ChangeState::CopyMissing
        }
        UndoState::Revertible => ChangeState::Undoable,
    };
    Change {
        change_id: format!("{session}:{}", entry.id),
        session_id: session.to_owned(),
        call_id: shown_call_id(session, &entry.call_id),
        tool,
        path: relative(root, &entry.path),
        time_ms: entry.time_ms,
        kind: match (&entry.before, &entry.after) {
            (None, _) => DiffOf::Created,
            (Some(_), None) => DiffOf::Deleted,
            (Some(_), Some(_)) => DiffOf::Modified,
        },
        added: diff.added,
        removed: diff.removed,
        state,
    }
}

/// What a change did: from its copy to the copy of the next change of that file, else to the file as it is.
fn difference(log: &UndoLog, root: &Path, entry: &UndoEntry) -> FileDiff {
    let later = log.entries().unwrap_or_default();
    let next = later
        .iter()
        .skip_while(|other| other.id != entry.id)
        .skip(1)
        .find(|other| other.path == entry.path)
        .and_then(|other| other.before.clone());
    let after = next.unwrap_or_else(|| entry.path.clone());
    let before = entry.before.as_deref().and_then(diff::read);
    let after = diff::read(&after);
    let path = relative(root, &entry.path);
    if entry.before.is_some() && before.is_none() {
        return FileDiff {
            path: shown(&path),
            kind: DiffOf::Binary,
            added: 0,
            removed: 0,
            hunks: Vec::new(),
            cut: false,
        };
    }
    diff::between(&path, before.as_deref(), after.as_deref())
}

fn open(shell: &Shared<'_>, session: &str) -> Reply<(UndoLog, std::path::PathBuf)> {
    let record = shell.record_of(session)?;
    let log = UndoLog::open(&shell.engine()?.scratch(session)).map_err(io)?;
    Ok((log, record.workspace.into()))
}

fn parse(change_id: &str) -> Reply<(&str, &str)> {
    change_id.split_once(':').ok_or_else(|| BackendError::new("not_found", "There is no such change."))
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn io(error: std::io::Error) -> BackendError {
    BackendError::new("io", format!("Can't read the changes: {error}."))
}

fn refused(error: &UndoError) -> BackendError {
    BackendError::new("not_found", shown(&format!("Can't read that change: {error}.")))
}
