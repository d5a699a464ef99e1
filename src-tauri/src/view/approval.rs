//! A waiting call.

use super::{FileDiff, Risk};
use serde::Serialize;

/// One line of the dialog.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RequestLine {
    pub label: String,
    pub value: String,
}

/// What the queue and the pinned card show of a waiting call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Approval {
    pub approval_id: String,
    pub session_id: String,
    pub session_title: String,
    pub call_id: String,
    pub tool: String,
    pub title: String,
    pub subject: String,
    pub risk: Risk,
    pub reason: String,
    pub source: String,
    pub says: Option<String>,
    pub lines: Vec<RequestLine>,
    pub diffs: Vec<FileDiff>,
    pub digest_short: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_ms: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub expires_ms: u64,
    pub dialog_open: bool,
    pub mine: bool,
}

/// How a waiting call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ApprovalEnd {
    Allowed,
    Denied,
    Expired,
    Withdrawn,
    Unavailable,
}
