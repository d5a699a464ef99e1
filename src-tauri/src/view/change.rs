//! What the file tools changed.

use super::Sentence;
use serde::{Deserialize, Serialize};

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum DiffKind {
    Context,
    Added,
    Removed,
}

/// One line; the window renders it inertly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DiffLine {
    pub kind: DiffKind,
    pub text: String,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub old_line: Option<usize>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub new_line: Option<usize>,
}

/// Lines that stand together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DiffHunk {
    pub header: String,
    pub lines: Vec<DiffLine>,
}

/// What happened, or would happen, to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum DiffOf {
    Created,
    Modified,
    Deleted,
    Binary,
}

/// The difference of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileDiff {
    pub path: String,
    pub kind: DiffOf,
    pub added: usize,
    pub removed: usize,
    pub hunks: Vec<DiffHunk>,
    pub cut: bool,
}

/// Whether a change can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ChangeState {
    Undoable,
    Undone,
    ChangedSince,
    CopyMissing,
    FolderMissing,
}

/// One file that a tool changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Change {
    pub change_id: String,
    pub session_id: String,
    pub call_id: String,
    pub tool: String,
    pub path: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub time_ms: u64,
    #[cfg_attr(test, ts(type = "\"created\" | \"modified\" | \"deleted\""))]
    pub kind: DiffOf,
    pub added: usize,
    pub removed: usize,
    pub state: ChangeState,
}

/// How an undo went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum UndoStatus {
    Undone,
    ChangedSince,
    Failed,
}

/// What undoing did, or would do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UndoResult {
    pub status: UndoStatus,
    pub diff: Option<FileDiff>,
    pub message: Option<Sentence>,
}
