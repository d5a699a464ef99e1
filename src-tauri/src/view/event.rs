//! What the shell tells the window, in order, over one channel.

use super::{
    App, Approval, ApprovalEnd, AttachmentInput, AuditRow, Call, CallState, Decision, FileDiff, RunOutcome,
    Sentence, SessionSummary, Surface, Transcript, TranscriptItem, Usage,
};
use serde::Serialize;

/// One message of the stream; most are under 8 KiB; those that hold a whole picture, a diff or a file are not.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AppEvent {
    App {
        app: Box<App>,
    },
    SessionsChanged,
    SessionChanged {
        session: SessionSummary,
    },
    /// The window forgets what it holds of it.
    SessionDeleted {
        session_id: String,
    },
    /// Everything was deleted: the window forgets what it remembers.
    DataDeleted,
    SessionOpened {
        transcript: Box<Transcript>,
    },
    RunStarted {
        session_id: String,
        run_id: String,
    },
    HistoryCut {
        session_id: String,
        from_item_id: String,
    },
    ItemAdded {
        session_id: String,
        item: TranscriptItem,
    },
    SummaryUndone {
        session_id: String,
        item_id: String,
    },
    TextDelta {
        session_id: String,
        item_id: String,
        text: String,
    },
    ReasoningDelta {
        session_id: String,
        item_id: String,
        text: String,
    },
    ReplyFinished {
        session_id: String,
        item_id: String,
    },
    CallProposed {
        session_id: String,
        item_id: String,
        call: Box<Call>,
    },
    ApprovalWaiting {
        approval: Box<Approval>,
    },
    ApprovalSettled {
        approval_id: String,
        session_id: String,
        call_id: String,
        end: ApprovalEnd,
        surface: Option<Surface>,
        words: Option<String>,
    },
    CallDecided {
        session_id: String,
        call_id: String,
        decision: Box<Decision>,
        error_code: Option<String>,
    },
    CallOutput {
        session_id: String,
        call_id: String,
        chunk: String,
        #[cfg_attr(test, ts(type = "number"))]
        total_bytes: u64,
    },
    CallFinished {
        session_id: String,
        call_id: String,
        state: CallState,
        error_code: Option<String>,
        exit_code: Option<i32>,
        #[cfg_attr(test, ts(type = "number | null"))]
        duration_ms: Option<u64>,
        output: String,
        #[cfg_attr(test, ts(type = "number"))]
        output_bytes: u64,
        diffs: Vec<FileDiff>,
        change_id: Option<String>,
    },
    Usage {
        session_id: String,
        usage: Usage,
    },
    Warning {
        session_id: Option<String>,
        code: String,
        message: Sentence,
    },
    RunFinished {
        session_id: String,
        run_id: String,
        item_id: String,
        outcome: RunOutcome,
        error_code: Option<String>,
        message: Option<String>,
        turns: u32,
    },
    AuditRows {
        rows: Vec<AuditRow>,
    },
    VerifyProgress {
        #[cfg_attr(test, ts(type = "number"))]
        checked: u64,
        #[cfg_attr(test, ts(type = "number"))]
        total: u64,
    },
    PermissionsChanged,
    ChangesChanged {
        session_id: String,
    },
    FileDropped {
        file: AttachmentInput,
    },
    Show {
        session_id: Option<String>,
        panel: Option<Panel>,
    },
}

/// The tabs of the side panel that the shell can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Panel {
    Approvals,
}
