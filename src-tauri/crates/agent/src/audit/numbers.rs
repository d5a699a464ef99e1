//! Numbers per tool (R44).

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use serde::Serialize;
use std::collections::BTreeMap;

/// Numbers of one tool (R44).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ToolMetrics {
    /// The tool.
    pub tool: String,
    /// Calls that were decided or ended.
    pub calls: i64,
    /// Calls that were denied.
    pub denied: i64,
    /// Calls about which a person was asked.
    pub asked: i64,
    /// Calls that ran and failed.
    pub failed: i64,
    /// Denied calls of all, 0 to 1.
    pub denial_rate: f64,
    /// Half of the calls that ran took no longer, ms.
    pub p50_ms: Option<i64>,
    /// 95 of 100 that ran took no longer, ms.
    pub p95_ms: Option<i64>,
}

/// Numbers per tool, by name; `calls` is what SQL adds to narrow the calls, with the values of its `?`.
pub(super) fn numbers(
    connection: &Connection,
    calls: &str,
    values: &[Sql],
) -> rusqlite::Result<Vec<ToolMetrics>> {
    let mut tools: BTreeMap<String, (ToolMetrics, Vec<i64>)> = BTreeMap::new();
    let mut decided = connection.prepare_cached(&format!(
        "SELECT tool, COUNT(*), SUM(behavior = 'deny'), SUM(asked) FROM records INDEXED BY records_decision \
         WHERE phase = 'decision'{calls} GROUP BY tool",
    ))?;
    let mut rows = decided.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        let tool: String = row.get(0)?;
        let entry = tools.entry(tool).or_default();
        entry.0.calls = row.get(1)?;
        entry.0.denied = row.get(2)?;
        entry.0.asked = row.get(3)?;
    }
    let mut ended = connection.prepare_cached(&format!(
        "SELECT tool, outcome, duration_ms FROM records INDEXED BY records_outcome \
         WHERE phase = 'outcome'{calls}",
    ))?;
    let mut rows = ended.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        let outcome: String = row.get(1)?;
        let tool: String = row.get(0)?;
        let (numbers, durations) = tools.entry(tool).or_default();
        match end(&outcome) {
            End::Undecided => numbers.calls += 1,
            End::NotRun => {}
            End::Succeeded => durations.push(row.get(2)?),
            End::Failed => {
                numbers.failed += 1;
                durations.push(row.get(2)?);
            }
        }
    }
    Ok(tools
        .into_iter()
        .map(|(tool, (mut numbers, mut durations))| {
            durations.sort_unstable();
            numbers.tool = tool;
            numbers.denial_rate =
                if numbers.calls == 0 { 0.0 } else { numbers.denied as f64 / numbers.calls as f64 };
            numbers.p50_ms = percentile(&durations, 50);
            numbers.p95_ms = percentile(&durations, 95);
            numbers
        })
        .collect())
}

/// What an outcome says about a call.
enum End {
    /// It never got to a decision.
    Undecided,
    /// It was decided, and nothing ran.
    NotRun,
    Succeeded,
    Failed,
}

fn end(outcome: &str) -> End {
    match outcome {
        "unknown_tool" | "invalid_json" | "invalid_arguments" => End::Undecided,
        "permission_denied"
        | "path_escape"
        | "approval_denied"
        | "approval_expired"
        | "approval_withdrawn"
        | "approval_unavailable"
        | "stale_or_revoked"
        | "permission_evaluation_error" => End::NotRun,
        "succeeded" => End::Succeeded,
        _ => End::Failed,
    }
}

/// The nearest-rank percentile of sorted values.
fn percentile(sorted: &[i64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}
