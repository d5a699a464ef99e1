//! A call as one line: its phases folded together.

use crate::audit::record::{COLUMNS, Record};
use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::Value;

/// One line of the panel: a call with its phases, or one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditRow {
    /// Sequence of the first record; what pages go by.
    pub seq: i64,
    /// When it was proposed or happened, ms since the epoch.
    pub time_ms: i64,
    /// Whether it is an event and no call.
    pub event: bool,
    /// The session; empty for most events.
    pub session: String,
    /// The run.
    pub run: String,
    /// The call; empty for events.
    pub call: String,
    /// The tool's, or the event's, name.
    pub tool: String,
    /// The path, the host, or the first line of the command.
    pub subject: String,
    /// `allow` or `deny`; empty until decided.
    pub behavior: String,
    /// Whether a person had to be asked.
    pub asked: bool,
    /// Who decided.
    pub source: String,
    /// Where a person answered; empty where nobody did.
    pub surface: String,
    /// Why.
    pub reason: String,
    /// `low` … `critical`; empty until judged.
    pub risk: String,
    /// Whether execution began.
    pub started: bool,
    /// `succeeded` or an error code; empty while it has none.
    pub outcome: String,
    /// How long the execution took, ms.
    pub duration_ms: i64,
}

impl AuditRow {
    /// Folds the records of one call (or the one of an event); `None` where there are none.
    #[must_use]
    pub fn fold(records: &[Record]) -> Option<Self> {
        let first = records.first()?;
        let mut row = Self {
            seq: first.call_seq,
            time_ms: first.time_ms,
            event: first.phase == "event",
            session: first.session.clone(),
            run: first.run.clone(),
            call: first.call.clone(),
            tool: first.tool.clone(),
            subject: subject(&first.arguments),
            behavior: first.behavior.clone(),
            asked: first.asked != 0,
            source: first.source.clone(),
            surface: first.surface.clone(),
            reason: first.reason.clone(),
            risk: first.risk.clone(),
            started: false,
            outcome: first.outcome.clone(),
            duration_ms: first.duration_ms,
        };
        for record in records {
            match record.phase.as_str() {
                "decision" => {
                    row.behavior.clone_from(&record.behavior);
                    row.asked = record.asked != 0;
                    row.source.clone_from(&record.source);
                    row.surface.clone_from(&record.surface);
                    row.reason.clone_from(&record.reason);
                    row.risk.clone_from(&record.risk);
                }
                "start" => row.started = true,
                "outcome" => {
                    row.outcome.clone_from(&record.outcome);
                    row.duration_ms = record.duration_ms;
                }
                _ => {}
            }
        }
        Some(row)
    }

    /// The plain line (R44): `tool: behaviour (source) - reason`.
    #[must_use]
    pub fn line(&self) -> String {
        if self.event {
            return format!("{}: {}", self.tool, self.reason);
        }
        let behavior = if self.behavior.is_empty() { "undecided" } else { &self.behavior };
        let source = if self.source.is_empty() { "none" } else { &self.source };
        let reason = if self.reason.is_empty() { &self.outcome } else { &self.reason };
        format!("{}: {behavior} ({source}) - {reason}", self.tool)
    }
}

/// What a call is about, from its redacted arguments.
fn subject(arguments: &str) -> String {
    let Ok(Value::Object(map)) = serde_json::from_str::<Value>(arguments) else { return String::new() };
    let named = ["command", "path", "url", "pattern", "to", "name"]
        .iter()
        .find_map(|name| map.get(*name).and_then(Value::as_str));
    let first = named.or_else(|| map.values().find_map(Value::as_str)).unwrap_or("");
    first.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().to_owned()
}

/// All records of the call (or event) whose first record is `seq`, in order.
///
/// # Errors
/// What SQLite says.
pub(super) fn records_of(connection: &Connection, seq: i64) -> rusqlite::Result<Vec<Record>> {
    let mut records = Vec::with_capacity(4);
    let mut head = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM records WHERE seq = ?1"))?;
    for record in head.query_map(params![seq], Record::from_row)? {
        records.push(record?);
    }
    for phase in ["decision", "start", "outcome"] {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM records WHERE phase = '{phase}' AND call_seq = ?1 ORDER BY seq"
        ))?;
        for record in statement.query_map(params![seq], Record::from_row)? {
            records.push(record?);
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::subject;

    #[test]
    fn the_subject_is_what_the_call_is_about() {
        for (arguments, expected) in [
            (r#"{"description":"x","command":"\n cargo test \nrm x"}"#, "cargo test"),
            (r#"{"content":"y","path":"src/a.rs"}"#, "src/a.rs"),
            (r#"{"n":1,"other":"z"}"#, "z"),
            ("null", ""),
            ("{", ""),
        ] {
            assert_eq!(subject(arguments), expected, "{arguments}");
        }
    }
}
