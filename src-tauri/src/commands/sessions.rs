//! The list of sessions and their transcripts.

use super::Shared;
use crate::questions::Question;
use crate::shell::{Reply, failed};
use crate::view::{
    AppEvent, Asked, BackendError, OlderItems, SessionQuery, SessionSummary, Transcript, TranscriptItem,
};
use serde::Deserialize;

/// Most items of one page.
const PAGE: usize = 200;

#[tauri::command]
pub fn list_sessions(shell: Shared<'_>, query: SessionQuery) -> Reply<Vec<SessionSummary>> {
    Ok(shell.summaries(&query))
}

/// The newest items of a session.
#[tauri::command]
pub fn open_session(shell: Shared<'_>, session_id: String) -> Reply<Transcript> {
    let conversation = shell.conversation(&session_id)?;
    let session = conversation.summary(shell.waiting_in(&session_id));
    let teller = conversation.teller();
    let items = teller.items();
    let from = items.len().saturating_sub(PAGE);
    let before = (from > 0).then(|| from.to_string());
    Ok(Transcript {
        session,
        items: items.iter().skip(from).cloned().collect(),
        before,
        usage: teller.usage(),
    })
}

/// Items before `before`, oldest first.
#[tauri::command]
pub fn older_items(shell: Shared<'_>, session_id: String, before: String) -> Reply<OlderItems> {
    let conversation = shell.conversation(&session_id)?;
    let to: usize = before
        .parse()
        .map_err(|_| BackendError::new("invalid_value", "That is no place in the transcript."))?;
    let from = to.saturating_sub(PAGE);
    let teller = conversation.teller();
    let items: Vec<TranscriptItem> = teller.items().iter().take(to).skip(from).cloned().collect();
    Ok(OlderItems { items, before: (from > 0).then(|| from.to_string()) })
}
