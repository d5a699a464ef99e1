//! Records as JSONL or CSV, one a line, oldest first.

use crate::audit::query::AuditFilter;
use crate::audit::row::records_of;
use crate::audit::{AuditError, AuditReader, Record};
use serde_json::{Map, Value, json};
use std::io::Write;

/// A form of export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated (RFC 4180), with a header; no cell is a formula.
    Csv,
}

/// An export that stopped.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The log can't be read.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The target can't be written.
    #[error("write the export: {0}")]
    Write(#[from] std::io::Error),
}

impl AuditReader {
    /// Writes the records of every call and event that passes `filter`; returns how many.
    ///
    /// # Errors
    /// When the log can't be read or the target can't be written.
    pub fn export(
        &self,
        filter: &AuditFilter,
        format: ExportFormat,
        out: &mut dyn Write,
    ) -> Result<u64, ExportError> {
        if format == ExportFormat::Csv {
            let names: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
            write!(out, "{}\r\n", names.join(","))?;
        }
        let mut count = 0;
        for seq in self.matching(filter)? {
            for record in records_of(&self.connection, seq).map_err(|error| self.error(&error))? {
                match format {
                    ExportFormat::Jsonl => writeln!(out, "{}", to_json(&record))?,
                    ExportFormat::Csv => {
                        let cells: Vec<String> =
                            FIELDS.iter().map(|(_, value)| cell(&value(&record))).collect();
                        write!(out, "{}\r\n", cells.join(","))?;
                    }
                }
                count += 1;
            }
        }
        Ok(count)
    }
}

/// A record as JSON, its JSON columns as values and not as texts.
#[must_use]
pub fn to_json(record: &Record) -> Value {
    Value::Object(
        FIELDS.iter().map(|(name, value)| ((*name).to_owned(), value(record))).collect::<Map<_, _>>(),
    )
}

type Field = (&'static str, fn(&Record) -> Value);

const FIELDS: &[Field] = &[
    ("seq", |record| json!(record.seq)),
    ("time", |record| json!(timestamp(record.time_ms))),
    ("time_ms", |record| json!(record.time_ms)),
    ("phase", |record| json!(record.phase)),
    ("session", |record| json!(record.session)),
    ("run", |record| json!(record.run)),
    ("call", |record| json!(record.call)),
    ("call_seq", |record| json!(record.call_seq)),
    ("tool", |record| json!(record.tool)),
    ("behavior", |record| json!(record.behavior)),
    ("asked", |record| json!(record.asked != 0)),
    ("source", |record| json!(record.source)),
    ("reason", |record| json!(record.reason)),
    ("verdicts", |record| parsed(&record.verdicts)),
    ("risk", |record| json!(record.risk)),
    ("digest", |record| json!(record.digest)),
    ("approver", |record| json!(record.approver)),
    ("surface", |record| json!(record.surface)),
    ("policy_version", |record| json!(record.policy_version)),
    ("sandbox", |record| json!(record.sandbox)),
    ("targets", |record| parsed(&record.targets)),
    ("arguments", |record| parsed(&record.arguments)),
    ("outcome", |record| json!(record.outcome)),
    ("duration_ms", |record| json!(record.duration_ms)),
    ("attempt", |record| json!(record.attempt)),
    ("previous_mac", |record| json!(record.previous_mac.to_hex())),
    ("mac", |record| json!(record.mac.to_hex())),
];

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}

/// RFC 3339 in UTC with milliseconds.
#[must_use]
pub fn timestamp(ms: i64) -> String {
    use time::OffsetDateTime;
    use time::macros::format_description;
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000)
        .ok()
        .and_then(|time| time.format(&format).ok())
        .unwrap_or_else(|| ms.to_string())
}

/// Reads a day (its first ms in UTC) or an RFC 3339 time, as ms since the epoch.
#[must_use]
pub fn parse_timestamp(text: &str) -> Option<i64> {
    use time::format_description::well_known::Rfc3339;
    use time::macros::format_description;
    use time::{Date, OffsetDateTime};
    let day = || {
        Date::parse(text, format_description!("[year]-[month]-[day]"))
            .ok()
            .map(|day| day.midnight().assume_utc())
    };
    let time = OffsetDateTime::parse(text, &Rfc3339).ok().or_else(day)?;
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).ok()
}

/// A cell that a spreadsheet shows as text: quoted, and never read as a formula
/// (OWASP, "CSV Injection": a leading `=`, `+`, `-`, `@`, tab or carriage return).
fn cell(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    let risky = !value.is_number()
        && text
            .trim_start_matches([' ', '\u{feff}', '\u{a0}'])
            .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let guard = if risky { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::{ExportFormat, cell, parse_timestamp, timestamp, to_json};
    use crate::audit::fixture::World;
    use crate::audit::query::AuditFilter;
    use crate::audit::{AuditLog as _, AuditReader, Entry};
    use serde_json::{Value, json};

    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=1+1", "+1", "-1", "@x", "\t=1", " =1", "\r=1", "＝1"] {
            assert!(cell(&json!(text)).starts_with("\"'"), "{text:?}");
        }
        assert_eq!(cell(&json!("a \"b\", c")), "\"a \"\"b\"\", c\"");
        assert_eq!(cell(&json!(-5)), "\"-5\"");
    }

    /// R44: every record, oldest first, in both forms.
    #[test]
    fn every_record_is_exported() {
        let world = World::with_calls(3);
        world.open().append(&[Entry::event("mode", "=cmd()", json!({"to": "strict"}))]).unwrap();
        let reader = AuditReader::open(&world.places).unwrap().unwrap();
        let mut jsonl = Vec::new();
        let count = reader.export(&AuditFilter::default(), ExportFormat::Jsonl, &mut jsonl).unwrap();
        let lines: Vec<Value> = String::from_utf8(jsonl)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!((count, lines.len()), (14, 14));
        assert_eq!(lines[1]["arguments"]["command"], "cargo test 0");
        assert_eq!(lines[2]["verdicts"][0]["source"], "shell-default");
        let mut csv = Vec::new();
        reader.export(&AuditFilter::default(), ExportFormat::Csv, &mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert_eq!(csv.split("\r\n").count(), 16);
        assert!(csv.contains("\"'=cmd()\""));
        let detail = reader.detail(3).unwrap().unwrap();
        assert_eq!(to_json(&detail.records[0])["seq"], 2);
        let only = AuditFilter { session: Some("session-1".to_owned()), ..AuditFilter::default() };
        assert_eq!(reader.export(&only, ExportFormat::Jsonl, &mut Vec::new()).unwrap(), 4);
    }

    #[test]
    fn times_are_rfc_3339() {
        assert_eq!(timestamp(1_700_000_000_123), "2023-11-14T22:13:20.123Z");
        assert_eq!(parse_timestamp("2023-11-14T22:13:20.123Z"), Some(1_700_000_000_123));
        assert_eq!(parse_timestamp("1970-01-02"), Some(86_400_000));
        assert_eq!(parse_timestamp("yesterday"), None);
    }
}
