//! What the file tools changed, and the way back.

use super::{Shared, beside};
use crate::changes::parse_id;
use crate::shell::Reply;
use crate::view::{AppEvent, Change, FileDiff, UndoResult};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Newest first.
#[tauri::command]
pub async fn changes(shell: Shared<'_>, session_id: String) -> Reply<Vec<Change>> {
    let shell = Arc::clone(shell.inner());
    beside(move || {
        let changes = shell.changes(&session_id)?;
        let calls = changes.calls()?;
        let tools: BTreeMap<String, String> = shell.transcript(&session_id, |teller| {
            let known = calls.into_iter().filter_map(|id| Some((teller.call(&id)?.tool.clone(), id)));
            known.map(|(tool, id)| (id, tool)).collect()
        })?;
        changes.list(&tools)
    })
    .await
}

/// What the change did to the file.
#[tauri::command]
pub async fn change_diff(shell: Shared<'_>, change_id: String) -> Reply<FileDiff> {
    let shell = Arc::clone(shell.inner());
    beside(move || {
        let (session, id) = parse_id(&change_id)?;
        shell.changes(session)?.diff(id)
    })
    .await
}

/// Restores what was there; with `even_if_changed` also over later edits.
#[tauri::command]
pub async fn undo(shell: Shared<'_>, change_id: String, even_if_changed: bool) -> Reply<UndoResult> {
    let shell = Arc::clone(shell.inner());
    beside(move || {
        let (session, id) = parse_id(&change_id)?;
        let record = |name, reason, details| shell.record(name, reason, details, "window");
        let result = shell.changes(session)?.undo(id, even_if_changed, record)?;
        shell.bridge.send(AppEvent::ChangesChanged { session_id: session.to_owned() });
        Ok(result)
    })
    .await
}
