//! Sending, stopping, and looking into calls.

use super::{Shared, crashed};
use crate::conversation::parse_call_id;
use crate::shell::{Reply, failed};
use crate::view::{self, Argument, BackendError, MessageInput, OutputPage};
use assent_agent::tools::command_output;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};

/// Most bytes of one page of output.
const PAGE: u64 = 64 * 1024;

/// Adds the message and starts a run; the session's id.
#[tauri::command]
pub async fn send_message(shell: Shared<'_>, message: MessageInput) -> Reply<String> {
    shell.inner().send(message).await
}

/// Stops the run: model, process trees, waiting calls; or the summary in the making.
#[tauri::command]
pub fn stop(shell: Shared<'_>, session_id: String) -> Reply<()> {
    // One that isn't taken up runs nothing.
    if let Some(conversation) = shell.running_conversation(&session_id) {
        conversation.stop();
    }
    Ok(())
}

/// Ends a command that goes on in the background, with every process it started.
#[tauri::command]
pub fn stop_command(shell: Shared<'_>, call_id: String) -> Reply<()> {
    let (session, call) = parse_call_id(&call_id).ok_or_else(no_call)?;
    if shell.background.stop(session, call) { Ok(()) } else { Err(no_call()) }
}

/// Has the older part of the conversation sent as a summary from now on.
#[tauri::command]
pub async fn compact_session(shell: Shared<'_>, session_id: String) -> Reply<()> {
    shell.conversation(&session_id)?.compact().await
}

/// Takes the newest summary back: everything is sent as it is again.
#[tauri::command]
pub async fn undo_compaction(shell: Shared<'_>, session_id: String) -> Reply<()> {
    let conversation = shell.conversation(&session_id)?;
    let held = conversation.hold()?;
    let undone = assent_agent::session::undo_compaction(shell.store()?, &session_id);
    drop(held);
    undone.map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
    let mut teller = conversation.teller();
    if let Some(event) = teller.summary_undone() {
        shell.bridge.send(event);
    }
    Ok(())
}

/// All arguments of a call in full.
#[tauri::command]
pub fn call_arguments(shell: Shared<'_>, call_id: String) -> Reply<Vec<Argument>> {
    let (session, call) = parse_call_id(&call_id).ok_or_else(no_call)?;
    let arguments =
        shell.transcript(session, |teller| teller.arguments(call).cloned())?.ok_or_else(no_call)?;
    Ok(arguments.iter().map(|(name, value)| view::whole_argument(name, value)).collect())
}

/// A page of a tool's whole output, cut at a character.
#[tauri::command]
pub async fn tool_output(shell: Shared<'_>, call_id: String, offset: u64) -> Reply<OutputPage> {
    let (session, call) = parse_call_id(&call_id).ok_or_else(no_call)?;
    let engine = shell.engine()?;
    let path = command_output::path(&engine.scratch(session), call);
    let read = move || -> std::io::Result<OutputPage> {
        let mut file = std::fs::File::open(path)?;
        let total_bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(PAGE).read_to_end(&mut bytes)?;
        let at_end = offset.saturating_add(bytes.len() as u64) >= total_bytes;
        let whole = if at_end { bytes.len() } else { whole_characters(&bytes) };
        bytes.truncate(whole);
        let next = (!at_end).then(|| offset.saturating_add(whole as u64));
        Ok(OutputPage { text: String::from_utf8_lossy(&bytes).into_owned(), next, total_bytes })
    };
    tokio::task::spawn_blocking(read).await.map_err(|error| crashed(&error))?.map_err(|error| {
        match error.kind() {
            ErrorKind::NotFound => BackendError::new("not_found", "The whole output isn't kept any more."),
            _ => failed(&anyhow::Error::from(error).context("read the whole output")),
        }
    })
}

/// The length of `bytes` without a character that was cut at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let back = bytes.iter().rev().take(4).position(|byte| byte & 0b1100_0000 != 0b1000_0000);
    match back.and_then(|back| bytes.get(bytes.len() - 1 - back).map(|byte| (back, *byte))) {
        Some((back, first)) if first >= 0b1100_0000 => bytes.len() - 1 - back,
        Some(_) | None => bytes.len(),
    }
}

fn no_call() -> BackendError {
    BackendError::new("not_found", "There is no such call.")
}

#[cfg(test)]
mod tests {
    use super::whole_characters;

    #[test]
    fn a_page_ends_between_characters() {
        for (text, cut, whole) in [("ab", 2, 2), ("a你", 2, 1), ("a你", 3, 1), ("你你", 3, 0)] {
            assert_eq!(whole_characters(&text.as_bytes()[..cut]), whole, "{text} {cut}");
        }
    }
}
