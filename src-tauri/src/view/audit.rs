//! The audit tab.

use super::{Argument, Final, Surface, Verdict, cut, shown};
use assent_policy::RiskLevel;
use serde::{Deserialize, Serialize};

/// What the tab shows.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum BehaviorFilter {
    Allow,
    Deny,
    Asked,
}

/// A risk level, from the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
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
    /// While words are still indexed: how far that has come, percent; newer rows may be missing.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub indexing: Option<u8>,
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

impl From<AuditFilter> for assent_agent::audit::query::AuditFilter {
    fn from(filter: AuditFilter) -> Self {
        let time = |ms: Option<u64>| ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
        Self {
            text: filter.text,
            session: filter.session_id,
            tool: filter.tool,
            behavior: filter.behavior.map(|behavior| match behavior {
                BehaviorFilter::Allow => assent_agent::audit::query::BehaviorFilter::Allow,
                BehaviorFilter::Deny => assent_agent::audit::query::BehaviorFilter::Deny,
                BehaviorFilter::Asked => assent_agent::audit::query::BehaviorFilter::Asked,
            }),
            source: filter.source,
            surface: filter.surface.map(|surface| surface.word().to_owned()),
            risk: filter.risk.map(|risk| risk.as_str().to_owned()),
            from_ms: time(filter.from_ms),
            to_ms: time(filter.to_ms),
        }
    }
}

impl From<assent_agent::audit::AuditRow> for AuditRow {
    fn from(row: assent_agent::audit::AuditRow) -> Self {
        let outcome = some(&row.outcome);
        Self {
            seq: row.seq,
            time_ms: unsigned(row.time_ms),
            kind: if row.event { AuditKind::Event } else { AuditKind::Call },
            session_id: some(&row.session),
            call_id: some(&row.call),
            tool: shown(&row.tool),
            subject: shown(&row.subject),
            behavior: match row.behavior.as_str() {
                "allow" => Some(Final::Allow),
                "deny" => Some(Final::Deny),
                _ => None,
            },
            asked: row.asked,
            source: shown(&row.source),
            surface: Surface::from_word(&row.surface),
            reason: shown(&row.reason),
            risk: risk_of(&row.risk),
            duration_ms: outcome.is_some().then(|| unsigned(row.duration_ms)),
            outcome,
        }
    }
}

impl From<assent_agent::audit::query::AuditDetail> for AuditDetail {
    fn from(detail: assent_agent::audit::query::AuditDetail) -> Self {
        let records = &detail.records;
        let decided = records.iter().find(|record| record.phase == "decision").or(records.first());
        let field = |of: fn(&assent_agent::audit::Record) -> &String| {
            decided.map(|record| shown(of(record))).unwrap_or_default()
        };
        let digest = field(|record| &record.digest);
        let first = records.first();
        Self {
            verdicts: decided.map(|record| verdicts(&record.verdicts)).unwrap_or_default(),
            arguments: first.map(|record| arguments(&record.arguments)).unwrap_or_default(),
            targets: decided
                .and_then(|record| serde_json::from_str::<Vec<String>>(&record.targets).ok())
                .unwrap_or_default()
                .iter()
                .map(|target| shown(target))
                .collect(),
            digest_short: assent_policy::CallDigest::from_hex(&digest)
                .map(|digest| digest.short())
                .unwrap_or_default(),
            approver: some(&field(|record| &record.approver)),
            policy_version: field(|record| &record.policy_version),
            sandbox: some(&field(|record| &record.sandbox)),
            attempt: first.and_then(|record| u32::try_from(record.attempt).ok()).unwrap_or(1),
            change_id: None,
            records: records.iter().map(AuditRecord::from).collect(),
            row: detail.row.into(),
        }
    }
}

impl From<&assent_agent::audit::Record> for AuditRecord {
    fn from(record: &assent_agent::audit::Record) -> Self {
        let json = assent_agent::audit::export::to_json(record);
        let hidden = ["seq", "phase", "time", "mac", "previous_mac"];
        let fields = json.as_object().into_iter().flatten().filter(|(name, value)| {
            !hidden.contains(&name.as_str()) && !value.is_null() && value.as_str() != Some("")
        });
        Self {
            seq: record.seq,
            phase: match record.phase.as_str() {
                "intent" => AuditPhase::Intent,
                "decision" => AuditPhase::Decision,
                "start" => AuditPhase::Start,
                "outcome" => AuditPhase::Outcome,
                _ => AuditPhase::Event,
            },
            time_ms: unsigned(record.time_ms),
            fields: fields
                .map(|(name, value)| {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    AuditField { name: name.clone(), value: cut(&shown(&text), FIELD).0 }
                })
                .collect(),
            mac: record.mac.to_hex().chars().take(8).collect(),
            previous_mac: record.previous_mac.to_hex().chars().take(8).collect(),
        }
    }
}

impl From<assent_agent::audit::ToolMetrics> for ToolMetrics {
    fn from(numbers: assent_agent::audit::ToolMetrics) -> Self {
        Self {
            tool: shown(&numbers.tool),
            calls: unsigned(numbers.calls),
            denied: unsigned(numbers.denied),
            asked: unsigned(numbers.asked),
            failed: unsigned(numbers.failed),
            p50_ms: numbers.p50_ms.map(unsigned),
            p95_ms: numbers.p95_ms.map(unsigned),
        }
    }
}

/// Most bytes of one stored field that the tab shows.
const FIELD: usize = 4 * 1024;

fn verdicts(json: &str) -> Vec<Verdict> {
    #[derive(Deserialize)]
    struct Stored {
        source: String,
        behavior: assent_policy::Behavior,
        reason: String,
    }
    let stored: Vec<Stored> = serde_json::from_str(json).unwrap_or_default();
    stored
        .into_iter()
        .map(|verdict| Verdict {
            source: shown(&verdict.source),
            behavior: verdict.behavior,
            reason: shown(&verdict.reason),
        })
        .collect()
}

fn arguments(json: &str) -> Vec<Argument> {
    match serde_json::from_str(json) {
        Ok(serde_json::Value::Object(map)) => super::arguments(&map),
        Ok(other) => vec![super::argument("", &other)],
        Err(_) => Vec::new(),
    }
}

fn risk_of(word: &str) -> Option<RiskLevel> {
    [RiskLevel::Low, RiskLevel::Medium, RiskLevel::High, RiskLevel::Critical]
        .into_iter()
        .find(|level| level.as_str() == word)
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| shown(text))
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
