//! Sessions and their transcripts.

use super::Call;
use serde::{Deserialize, Serialize};

/// One line of the session list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionSummary {
    pub session_id: String,
    pub title: String,
    pub workspace: String,
    pub workspace_display: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_ms: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub updated_ms: u64,
    pub running: bool,
    pub waiting: usize,
    pub archived: bool,
    pub read_only: Option<ReadOnly>,
}

/// Why nothing can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ReadOnly {
    FolderMissing,
    OtherProcess,
}

/// Which sessions to list.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionQuery {
    pub workspace: Option<String>,
    pub text: String,
    pub archived: bool,
    pub limit: usize,
}

/// What a session has used: tokens, how full the model's context is, and dollars where prices are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Usage {
    #[cfg_attr(test, ts(type = "number"))]
    pub input_tokens: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_tokens: u64,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub context_tokens: Option<u64>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub context_window: Option<u64>,
    pub context_percent: Option<u8>,
    pub cost: Option<f64>,
}

/// Something that was sent along.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Attachment {
    pub name: String,
    pub media_type: String,
    pub bytes: usize,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum RunOutcome {
    Completed,
    TurnLimit,
    Incomplete,
    Cancelled,
    ProviderError,
    CircuitBreaker,
}

impl From<assent_agent::event::Outcome> for RunOutcome {
    fn from(outcome: assent_agent::event::Outcome) -> Self {
        use assent_agent::event::Outcome;
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::TurnLimit => Self::TurnLimit,
            Outcome::Incomplete => Self::Incomplete,
            Outcome::Cancelled => Self::Cancelled,
            Outcome::ProviderError => Self::ProviderError,
            Outcome::CircuitBreaker => Self::CircuitBreaker,
        }
    }
}

/// One entry of a transcript; `item_id` is unique in its session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum TranscriptItem {
    User {
        item_id: String,
        #[cfg_attr(test, ts(type = "number"))]
        time_ms: u64,
        text: String,
        mentions: Vec<String>,
        attachments: Vec<Attachment>,
    },
    Assistant {
        item_id: String,
        #[cfg_attr(test, ts(type = "number"))]
        time_ms: u64,
        text: String,
        reasoning: String,
    },
    Call {
        item_id: String,
        #[cfg_attr(test, ts(type = "number"))]
        time_ms: u64,
        call: Box<Call>,
    },
    Notice {
        item_id: String,
        #[cfg_attr(test, ts(type = "number"))]
        time_ms: u64,
        code: String,
        message: String,
    },
    Summary {
        item_id: String,
        #[cfg_attr(test, ts(type = "number"))]
        time_ms: u64,
        text: String,
        undone: bool,
    },
    RunEnd {
        item_id: String,
        #[cfg_attr(test, ts(type = "number"))]
        time_ms: u64,
        outcome: RunOutcome,
        error_code: Option<String>,
        message: Option<String>,
        turns: u32,
    },
}

/// The newest items of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Transcript {
    pub session: SessionSummary,
    pub items: Vec<TranscriptItem>,
    pub before: Option<String>,
    pub usage: Usage,
}

/// Older items of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OlderItems {
    pub items: Vec<TranscriptItem>,
    pub before: Option<String>,
}

/// A pasted or dropped file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AttachmentInput {
    pub name: String,
    pub media_type: String,
    pub base64: String,
}

/// What the person sends.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MessageInput {
    pub session_id: Option<String>,
    pub text: String,
    pub mentions: Vec<String>,
    pub attachments: Vec<AttachmentInput>,
    pub replace_from: Option<String>,
}
