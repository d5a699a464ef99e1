//! A session as a file: Markdown for people, JSON to move it elsewhere and back.

use super::stored_history::conversation;
use super::{Item, SessionRecord, SessionStore, StoreError, StoredItem};
use crate::malformed;
use crate::model::history::{Unanswered, check, without_answer};
use crate::model::{Arguments, Message};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The form's name and version in an exported file.
const FORMAT: &str = "assent-session/1";
/// The largest file that is imported, bytes.
const IMPORT_LIMIT: usize = 256 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exported {
    format: String,
    title: String,
    workspace: String,
    items: Vec<Item>,
}

/// The whole session as JSON.
///
/// # Errors
/// When it can't be read.
pub fn export_json(store: &SessionStore, session: &str) -> Result<String, StoreError> {
    let SessionRecord { title, workspace, .. } = store.session(session)?;
    let items = store.items(session, None, usize::MAX)?.into_iter().map(|stored| stored.item).collect();
    serde_json::to_string_pretty(&Exported { format: FORMAT.to_owned(), title, workspace, items })
        .map_err(|error| StoreError::Item { session: session.to_owned(), seq: 0, why: error.to_string() })
}

/// What stands between the parts of a session in Markdown, in a person's language.
#[derive(Clone, Copy, Debug)]
pub struct Headings<'a> {
    /// Before the path of the session's folder.
    pub workspace: &'a str,
    /// Over what the person wrote.
    pub you: &'a str,
    /// Before the name of what was sent along.
    pub attached: &'a str,
    /// Over what the agent wrote.
    pub agent: &'a str,
    /// Over a reply that was cut off.
    pub interrupted: &'a str,
    /// Before the name of a tool.
    pub call: &'a str,
    /// Before what a call returned.
    pub result: &'a str,
    /// Over the summary of what came before.
    pub summary: &'a str,
}

/// The session as a person sees it, as Markdown: what was replaced by another message isn't in it.
///
/// # Errors
/// When it can't be read.
pub fn export_markdown(
    store: &SessionStore,
    session: &str,
    headings: &Headings<'_>,
) -> Result<String, StoreError> {
    let record = store.session(session)?;
    let Headings { workspace, you, attached, agent, interrupted, call, result, summary } = headings;
    let mut out = format!("# {}\n\n{workspace}: `{}`\n", record.title, record.workspace);
    for item in uncut(store.items(session, None, usize::MAX)?) {
        match item {
            Item::Message(Message::User { text, by_hook: true, .. }) | Item::Notice { message: text, .. } => {
                let _ = write!(out, "\n> {}\n", text.replace('\n', "\n> "));
            }
            Item::Message(Message::User { text, attachments, by_hook: false }) => {
                let _ = write!(out, "\n## {you}\n\n{text}\n");
                for attachment in attachments {
                    let _ = write!(out, "\n{attached}: {}\n", attachment.name);
                }
            }
            Item::Message(Message::Assistant(reply)) => {
                let heading = if reply.interrupted { interrupted } else { agent };
                let _ = write!(out, "\n## {heading}\n\n{}\n", reply.text);
                for proposed in reply.calls {
                    let arguments = match proposed.arguments {
                        Arguments::Object(map) => serde_json::to_string_pretty(&map).unwrap_or_default(),
                        Arguments::Unreadable { raw, .. } => raw,
                    };
                    let _ = write!(out, "\n{call} `{}`:\n\n{}\n", proposed.name, fenced(&arguments));
                }
            }
            Item::Message(Message::Tool(answer)) => {
                let _ = write!(out, "\n{result}:\n\n{}\n", fenced(&answer.content));
            }
            Item::Compaction { summary: text, .. } if text.trim().is_empty() => {}
            Item::Compaction { summary: text, .. } => {
                let _ = write!(out, "\n## {summary}\n\n{text}\n");
            }
            Item::Call { .. } | Item::RunEnd { .. } | Item::Cut { .. } => {}
        }
    }
    Ok(out)
}

/// What is left of `items` where a person replaced some.
fn uncut(items: Vec<StoredItem>) -> Vec<Item> {
    let mut left: Vec<StoredItem> = Vec::with_capacity(items.len());
    for stored in items {
        match stored.item {
            Item::Cut { from_seq } => left.retain(|earlier| earlier.seq < from_seq),
            Item::Message(_)
            | Item::Call { .. }
            | Item::Notice { .. }
            | Item::RunEnd { .. }
            | Item::Compaction { .. } => left.push(stored),
        }
    }
    left.into_iter().map(|stored| stored.item).collect()
}

/// Adds an exported session under the id `id`, whole or not at all. What it holds is shown and never run. It works in
/// the folder that `choose` makes of the one it had.
///
/// # Errors
/// When the file is no such export, holds a conversation that no run could go on from, or can't be stored.
pub fn import_json(
    store: &SessionStore,
    id: &str,
    text: &str,
    choose: impl FnOnce(String) -> String,
) -> Result<(), ImportError> {
    if text.len() > IMPORT_LIMIT {
        return Err(ImportError::TooLarge);
    }
    // Some editors of Windows write a mark before the text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Head { format } = understood(text)?;
    match format.as_deref() {
        Some(FORMAT) => {}
        Some(other) => return Err(ImportError::Form(format!("its format is `{other}`, not `{FORMAT}`"))),
        None => return Err(ImportError::Form("it is no session that Assent exported".to_owned())),
    }
    let exported: Exported = understood(text)?;
    check(&conversation_of(&exported.items))
        .map_err(|fault| ImportError::Form(format!("no run could go on from it: {fault}")))?;
    Ok(store.add_whole(id, &choose(exported.workspace), &exported.title, &exported.items)?)
}

/// What every version of the form has.
#[derive(Deserialize)]
struct Head {
    format: Option<String>,
}

/// What `text` says, or what is wrong with it and where; the reader's own words may quote what it holds.
fn understood<T: DeserializeOwned>(text: &str) -> Result<T, ImportError> {
    serde_json::from_str(text).map_err(|error| {
        tracing::debug!(%error, "a file is no exported session");
        ImportError::Form(malformed::json(text, &error).unwrap_or_else(|| {
            let (line, column) = (error.line(), error.column().max(1));
            format!("line {line}, column {column} is not as Assent exports a session")
        }))
    })
}

/// What would be sent of `items`, the calls answered that a run had not come to.
fn conversation_of(items: &[Item]) -> Vec<Message> {
    let stored = |(place, item): (usize, &Item)| StoredItem {
        seq: i64::try_from(place).unwrap_or(i64::MAX).saturating_add(1),
        time_ms: 0,
        item: item.clone(),
    };
    let mut messages = conversation(items.iter().enumerate().map(stored).collect());
    let open = without_answer(&messages);
    messages.extend(open.iter().map(|call| Message::Tool(Unanswered::NeverStarted.answer(&call.id))));
    messages
}

/// A file can't be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is too large.
    #[error("import the session: the file is larger than 256 MiB")]
    TooLarge,
    /// It is something else.
    #[error("import the session: {0}")]
    Form(String),
    /// It can't be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A fence longer than any in the text.
fn fenced(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
