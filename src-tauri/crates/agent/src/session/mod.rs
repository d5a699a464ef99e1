//! Conversations on disk: every message durable before the run goes on, found again after a crash, searched,
//! renamed, exported. One SQLite file, `sessions.sqlite` in the data folder.

mod autosave;
mod compaction;
mod lock;
mod resume;
mod schema;
mod search;
mod store;
mod stored_history;
mod transfer;

#[cfg(test)]
mod tests;

pub use autosave::Autosave;
pub use compaction::{Compacted, CompactionError, compact, needs_compaction, undo_compaction};
pub use lock::{SessionLock, SessionLockError};
pub use resume::{Fate, open_calls, resume};
pub use search::Found;
pub use store::{Filter, SessionStore, StoreError};
pub use stored_history::StoredHistory;
pub use transfer::{Headings, ImportError, export_json, export_markdown, import_json};

use crate::model::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session, without what was said in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// Its id.
    pub id: String,
    /// Its name; the first message's beginning until a person gives another.
    pub title: String,
    /// Real path of the workspace.
    pub workspace: String,
    /// When it began, ms since the epoch.
    pub created_ms: u64,
    /// When something was last added, ms since the epoch.
    pub updated_ms: u64,
    /// Put away.
    pub archived: bool,
}

/// One thing of a session, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredItem {
    /// 1 for the first; never reused.
    pub seq: i64,
    /// When it was added, ms since the epoch.
    pub time_ms: u64,
    /// What it is.
    pub item: Item,
}

/// What a session consists of. Only messages go to the model; the rest is for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "body", rename_all = "snake_case")]
pub enum Item {
    /// Part of the conversation.
    Message(Message),
    /// How a call was decided and what came of it, as the cards show it; its form belongs to the shell.
    Call {
        /// The call.
        call_id: String,
        /// The state.
        state: Value,
    },
    /// A remark.
    Notice {
        /// A stable word.
        code: String,
        /// One sentence.
        message: String,
    },
    /// A run ended.
    RunEnd {
        /// How.
        outcome: String,
        /// The code behind it.
        error_code: Option<String>,
        /// What it means.
        message: Option<String>,
        /// Requests made.
        turns: u32,
        /// Tokens read in the run.
        input: u64,
        /// Tokens written in the run.
        output: u64,
        /// The model; empty in what older builds stored.
        #[serde(default)]
        model: String,
    },
    /// From here on the conversation goes on from a summary; what was said before stays readable.
    Compaction {
        /// What the model is told instead of everything before `from_seq`. Empty: an earlier summary is taken
        /// back, and everything is sent as it is again.
        summary: String,
        /// The first item that is still sent as it is.
        from_seq: i64,
    },
    /// Everything from this item to here no longer counts: a message was edited and sent again.
    Cut {
        /// The first item that no longer counts.
        from_seq: i64,
    },
}
