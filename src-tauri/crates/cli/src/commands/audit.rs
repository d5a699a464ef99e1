//! `assent audit list|show|verify|export`: the log, for people and scripts.

use anyhow::{Context as _, bail};
use assent_agent::audit::export::{ExportFormat, timestamp, to_json};
use assent_agent::audit::metrics::exposition;
use assent_agent::audit::query::{AuditDetail, AuditFilter, BehaviorFilter};
use assent_agent::audit::verify::{Breach, HeadState, Verification, verify};
use assent_agent::audit::{AuditPlaces, AuditReader, AuditRow, SystemKeys};
use assent_agent::places::Places;
use assent_policy::escape::escape;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

/// What to do with the log.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Calls and events, newest first
    List {
        #[command(flatten)]
        filter: Filter,
        /// Rows to show
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Only rows older than this sequence
        #[arg(long, value_name = "SEQ")]
        before: Option<i64>,
    },
    /// One call with all its records
    Show {
        /// A record's sequence, or a call's id
        which: String,
    },
    /// Check the chain; exit 1 where it is broken
    Verify,
    /// Write records, oldest first
    Export {
        #[command(flatten)]
        filter: Filter,
        /// Form of the export
        #[arg(long, value_enum, default_value_t = Format::Jsonl)]
        format: Format,
        /// File to write instead of standard output; must not exist
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// Which calls and events.
#[derive(Debug, Args)]
pub struct Filter {
    /// Words in tool, subject, reason, source or code
    #[arg(long, default_value = "")]
    text: String,
    /// The session
    #[arg(long)]
    session: Option<String>,
    /// The tool
    #[arg(long)]
    tool: Option<String>,
    /// What was decided
    #[arg(long, value_enum)]
    behavior: Option<Behavior>,
    /// Who decided
    #[arg(long)]
    source: Option<String>,
    /// Where a person answered
    #[arg(long)]
    surface: Option<String>,
    /// low, medium, high or critical
    #[arg(long)]
    risk: Option<String>,
    /// Not before: 2026-01-31 or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<i64>,
    /// Not after
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    until: Option<i64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Behavior {
    Allow,
    Deny,
    /// A person was asked, whatever the answer
    Asked,
}

/// A form of export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated; no cell is a formula
    Csv,
    /// Numbers per tool, for Prometheus
    Metrics,
}

/// Runs `command` on the log of `places`.
///
/// # Errors
/// When the log can't be read or the output can't be written.
pub fn run(
    command: AuditCommand,
    places: &Places,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let places = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    match command {
        AuditCommand::List { filter, limit, before } => {
            list(&places, &filter.into(), limit, before, json, out)
        }
        AuditCommand::Show { which } => show(&places, &which, json, out),
        AuditCommand::Verify => check(&places, json, out),
        AuditCommand::Export { filter, format, output } => {
            let filter = filter.into();
            match output {
                None => export(&places, &filter, format, out),
                Some(path) => {
                    let file = std::fs::OpenOptions::new()
                        .write(true)
                        .create_new(true)
                        .open(&path)
                        .with_context(|| format!("write {}", path.display()))?;
                    let mut file = BufWriter::new(file);
                    let code = export(&places, &filter, format, &mut file)?;
                    file.flush()?;
                    Ok(code)
                }
            }
        }
    }
}

fn list(
    places: &AuditPlaces,
    filter: &AuditFilter,
    limit: usize,
    before: Option<i64>,
    json: bool,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let Some(reader) = AuditReader::open(places)? else { return nothing(places, json, out) };
    for row in reader.page(filter, before, limit)?.rows {
        if json {
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            writeln!(out, "{}", line(&row))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(places: &AuditPlaces, which: &str, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let Some(reader) = AuditReader::open(places)? else { return nothing(places, json, out) };
    let seq = match which.parse() {
        Ok(seq) => Some(seq),
        Err(_) => reader.call(which)?,
    };
    let detail = match seq {
        Some(seq) => reader.detail(seq)?,
        None => None,
    };
    let Some(detail) = detail else {
        bail!("show {which}: the audit log has no such record or call; `assent audit list` names them")
    };
    if json {
        let records: Vec<Value> = detail.records.iter().map(to_json).collect();
        writeln!(out, "{}", json!({ "row": detail.row, "records": records }))?;
    } else {
        write!(out, "{}", describe(&detail))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(places: &AuditPlaces, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let found = verify(places, &SystemKeys::new(&places.data), &|_, _| ControlFlow::Continue(()))?;
    if json {
        writeln!(out, "{}", serde_json::to_string(&found)?)?;
    } else {
        writeln!(out, "{}", sentence(&found))?;
    }
    Ok(if found.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn export(
    places: &AuditPlaces,
    filter: &AuditFilter,
    format: Format,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let Some(reader) = AuditReader::open(places)? else { return Ok(ExitCode::SUCCESS) };
    match format {
        Format::Jsonl => {
            reader.export(filter, ExportFormat::Jsonl, out)?;
        }
        Format::Csv => {
            reader.export(filter, ExportFormat::Csv, out)?;
        }
        Format::Metrics => write!(out, "{}", exposition(&reader.metrics(filter)?))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn nothing(places: &AuditPlaces, json: bool, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    if !json {
        writeln!(out, "There is no audit log in {} yet.", places.data.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `2026-01-31T12:00:00.000Z #14 shell: deny (person:dialog) - reason | rm -r build | approval_denied`
fn line(row: &AuditRow) -> String {
    let mut parts = vec![format!("{} #{} {}", timestamp(row.time_ms), row.seq, row.line())];
    if !row.event && !row.subject.is_empty() {
        parts.push(row.subject.clone());
    }
    match row.outcome.as_str() {
        "" if row.started => parts.push("started, no outcome yet".to_owned()),
        "" => {}
        outcome if row.started => parts.push(format!("{outcome}, {} ms", row.duration_ms)),
        outcome => parts.push(outcome.to_owned()),
    }
    escape(&parts.join(" | "))
}

/// A call with its records, one field a line, empty ones left out.
fn describe(detail: &AuditDetail) -> String {
    let mut text = line(&detail.row);
    text.push('\n');
    for record in &detail.records {
        text.push_str(&format!("\n{} #{}\n", record.phase, record.seq));
        let Value::Object(fields) = to_json(record) else { continue };
        for (name, value) in fields {
            let shown = match value {
                Value::Null => continue,
                Value::String(text) => text,
                other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                    other.to_string()
                }
            };
            if !shown.is_empty() && shown != "[]" && !matches!(name.as_str(), "seq" | "phase" | "time_ms") {
                text.push_str(&format!("  {name:<15}{}\n", escape(&shown)));
            }
        }
    }
    text
}

fn sentence(found: &Verification) -> String {
    let seq = found.seq.unwrap_or(0);
    match found.kind {
        None => {
            let end = match found.head {
                HeadState::Present => "",
                HeadState::Missing => {
                    " There is no head file for this folder, so nothing vouches for the end."
                }
            };
            format!("The chain is intact: {} records, {} ms.{end}", found.records, found.duration_ms)
        }
        Some(Breach::Edit) => format!("Broken at record {seq}: it was changed after it was written (edit)."),
        Some(Breach::Deletion) => format!("Broken at record {seq}: it was taken out (deletion)."),
        Some(Breach::Insertion) => {
            format!("Broken at record {seq}: Assent did not write it (insertion).")
        }
        Some(Breach::Truncation) => {
            format!("Broken at record {seq}: it and all newer ones were cut off (truncation).")
        }
        Some(Breach::Rollback) => {
            format!("Broken at record {seq}: the log was replaced by an older or another copy (rollback).")
        }
    }
}

impl From<Filter> for AuditFilter {
    fn from(filter: Filter) -> Self {
        Self {
            text: filter.text,
            session: filter.session,
            tool: filter.tool,
            behavior: filter.behavior.map(|behavior| match behavior {
                Behavior::Allow => BehaviorFilter::Allow,
                Behavior::Deny => BehaviorFilter::Deny,
                Behavior::Asked => BehaviorFilter::Asked,
            }),
            source: filter.source,
            surface: filter.surface,
            risk: filter.risk,
            from_ms: filter.since,
            to_ms: filter.until,
        }
    }
}

fn parse_time(text: &str) -> Result<i64, String> {
    assent_agent::audit::export::parse_timestamp(text)
        .ok_or_else(|| "a time looks like 2026-01-31 or 2026-01-31T12:00:00Z".to_owned())
}

#[cfg(test)]
mod tests;
