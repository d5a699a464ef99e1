//! The audit tab.

use super::{Argument, Final, Surface, Verdict};
use assent_policy::RiskLevel;
use serde::{Deserialize, Serialize};

/// What the tab shows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditFilter {
    pub text: String,
    pub session_id: Option<String>,
    pub tool: Option<String>,
    pub behavior: Option<BehaviorFilter>,
    pub source: Option<String>,
    pub surface: Option<Surface>,
    pub risk: Option<RiskFilter>,
    pub from_ms: Option<u64>,
    pub to_ms: Option<u64>,
}

/// `asked` = a person was asked, whatever the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BehaviorFilter {
    Allow,
    Deny,
    Asked,
}

/// A risk level, from the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskFilter {
    Low,
    Medium,
    High,
    Critical,
}

impl RiskFilter {
    /// The level as the audit stores it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// A call, or something that is no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AuditKind {
    Call,
    Event,
}

/// One line of the tab: a call with its phases folded in, or one event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditRow {
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub time_ms: u64,
    pub kind: AuditKind,
    pub session_id: Option<String>,
    pub call_id: Option<String>,
    pub tool: String,
    pub subject: String,
    pub behavior: Option<Final>,
    pub asked: bool,
    pub source: String,
    pub surface: Option<Surface>,
    pub reason: String,
    #[cfg_attr(test, ts(type = "\"low\" | \"medium\" | \"high\" | \"critical\" | null"))]
    pub risk: Option<RiskLevel>,
    pub outcome: Option<String>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub duration_ms: Option<u64>,
}

/// Rows, newest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditPage {
    pub rows: Vec<AuditRow>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub before: Option<i64>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub total: Option<u64>,
}

/// One stored field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditField {
    pub name: String,
    pub value: String,
}

/// One stored record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditRecord {
    #[cfg_attr(test, ts(type = "number"))]
    pub seq: i64,
    pub phase: AuditPhase,
    #[cfg_attr(test, ts(type = "number"))]
    pub time_ms: u64,
    pub fields: Vec<AuditField>,
    pub mac: String,
    pub previous_mac: String,
}

/// The phases people are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AuditPhase {
    Intent,
    Decision,
    Start,
    Outcome,
    Event,
}

/// Everything about one row.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditDetail {
    pub row: AuditRow,
    pub records: Vec<AuditRecord>,
    pub verdicts: Vec<Verdict>,
    pub arguments: Vec<Argument>,
    pub targets: Vec<String>,
    pub digest_short: String,
    pub approver: Option<String>,
    pub policy_version: String,
    pub sandbox: Option<String>,
    pub attempt: u32,
    pub change_id: Option<String>,
}

/// What verifying the chain found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditVerification {
    pub ok: bool,
    #[cfg_attr(
        test,
        ts(
            type = "\"edit\" | \"deletion\" | \"insertion\" | \"truncation\" | \"rollback\" | \"unreadable\" | \"stopped\" | null"
        )
    )]
    pub kind: Option<String>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub seq: Option<i64>,
    #[cfg_attr(test, ts(type = "number"))]
    pub records: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub duration_ms: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub finished_ms: u64,
}

/// Counts and latencies of one tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToolMetrics {
    pub tool: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub calls: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub denied: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub asked: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub failed: u64,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub p50_ms: Option<u64>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub p95_ms: Option<u64>,
}
