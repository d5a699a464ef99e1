//! The audit tab: pages, details, verification, export.

use super::{Shared, crashed};
use crate::export;
use crate::shell::{Reply, failed};
use crate::view::{
    AppEvent, Asked, AuditDetail, AuditFilter, AuditPage, AuditVerification, BackendError, ToolMetrics,
};
use crate::window;
use assent_agent::audit::export::{ExportError, ExportFormat};
use assent_agent::audit::verify::{VerifyError, verify};
use assent_agent::audit::{AuditError, AuditPlaces, AuditReader, Record, SystemKeys};
use assent_agent::clock::{Clock as _, SystemClock};
use assent_policy::request::reason_in;
use rfd::AsyncFileDialog;
use serde::Deserialize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tauri::Manager as _;

/// Most rows of one page.
const PAGE: usize = 500;

/// How long a search may go on indexing before it answers with what there is.
const INDEXING: Duration = Duration::from_millis(100);

/// Fires when the person stops a verification.
#[derive(Default)]
pub struct StopVerify(AtomicBool);

#[tauri::command]
pub async fn query_audit(
    shell: Shared<'_>,
    filter: AuditFilter,
    before: Option<i64>,
    limit: usize,
) -> Reply<AuditPage> {
    let page =
        read(&shell, move |reader| reader.page_within(&filter.into(), before, limit.min(PAGE), INDEXING))
            .await?;
    Ok(page.map_or_else(
        || AuditPage { rows: Vec::new(), before: None, total: Some(0), indexing: None },
        |page| AuditPage {
            rows: page.rows.into_iter().map(Into::into).collect(),
            before: page.before,
            total: page.total.and_then(|total| u64::try_from(total).ok()),
            indexing: page.indexing,
        },
    ))
}

#[tauri::command]
pub async fn audit_detail(shell: Shared<'_>, seq: i64) -> Reply<AuditDetail> {
    let found = read(&shell, move |reader| reader.detail(seq)).await?.flatten();
    let found = found.ok_or_else(|| BackendError::new("not_found", "There is no such record."))?;
    let change_id = change_of(&shell, &found.records);
    let mut detail = AuditDetail { change_id, ..found.into() };
    let language = shell.words.language().of_requests();
    detail.row.reason = reason_in(language, &detail.row.reason);
    for verdict in &mut detail.verdicts {
        verdict.reason = reason_in(language, &verdict.reason);
    }
    Ok(detail)
}

/// What the call with these records changed and what can be taken back of it; a session that isn't the app's own, or
/// is gone, has nothing.
fn change_of(shell: &Shared<'_>, records: &[Record]) -> Option<String> {
    let start = records.iter().find(|record| record.phase == "start")?;
    let ended = records.iter().find(|record| record.phase == "outcome");
    let time = |ms: i64| u64::try_from(ms).unwrap_or(0);
    let until = ended.map_or(u64::MAX, |record| time(record.time_ms));
    let changes = shell.changes(&start.session).ok()?;
    changes.to_take_back(&start.call, time(start.time_ms)..=until).unwrap_or_else(|error| {
        tracing::warn!(code = error.code, "the changes of a call can't be read");
        None
    })
}

/// The row of a call, for "why?".
#[tauri::command]
pub async fn audit_row_of(shell: Shared<'_>, call_id: String) -> Reply<Option<i64>> {
    Ok(read(&shell, move |reader| reader.call(&call_id)).await?.flatten())
}

/// Counts and latencies per tool, of what the filter shows.
#[tauri::command]
pub async fn audit_metrics(shell: Shared<'_>, filter: AuditFilter) -> Reply<Vec<ToolMetrics>> {
    let numbers = read(&shell, move |reader| reader.metrics(&filter.into())).await?.unwrap_or_default();
    Ok(numbers.into_iter().map(Into::into).collect())
}

/// Checks the whole chain; tells `verify_progress` on the way.
#[tauri::command]
pub async fn verify_audit(
    shell: Shared<'_>,
    stop: tauri::State<'_, std::sync::Arc<StopVerify>>,
) -> Reply<AuditVerification> {
    let places = places(&shell);
    let bridge = shell.bridge.clone();
    let stop = std::sync::Arc::clone(&stop);
    stop.0.store(false, Ordering::Release);
    let checked = tokio::task::spawn_blocking(move || {
        let keys = SystemKeys::new(&places.data);
        verify(&places, &keys, &|checked, total| {
            let number = |value: i64| u64::try_from(value).unwrap_or(0);
            bridge.send(AppEvent::VerifyProgress { checked: number(checked), total: number(total) });
            if stop.0.load(Ordering::Acquire) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    })
    .await
    .map_err(|error| crashed(&error))?;
    let finished_ms = SystemClock.now_ms();
    let without = |kind: &str| AuditVerification {
        ok: false,
        kind: Some(kind.to_owned()),
        seq: None,
        records: 0,
        duration_ms: 0,
        finished_ms,
    };
    Ok(match checked {
        Ok(found) => AuditVerification {
            ok: found.ok,
            kind: found.kind.map(|kind| kind.as_str().to_owned()),
            seq: found.seq,
            records: u64::try_from(found.records).unwrap_or(0),
            duration_ms: found.duration_ms,
            finished_ms,
        },
        Err(VerifyError::Stopped) => without("stopped"),
        Err(VerifyError::Audit(error)) => {
            tracing::warn!(%error, "the audit log can't be verified");
            without("unreadable")
        }
    })
}

#[tauri::command]
pub fn stop_verify(_shell: Shared<'_>, stop: tauri::State<'_, std::sync::Arc<StopVerify>>) {
    stop.0.store(true, Ordering::Release);
}

/// The forms of an export.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// A table.
    Csv,
}

/// Native save dialog, then everything the filter shows.
#[tauri::command]
pub async fn export_audit(shell: Shared<'_>, filter: AuditFilter, format: Format) -> Reply<Asked> {
    let words = shell.words();
    let (format, name) = match format {
        Format::Jsonl => (ExportFormat::Jsonl, "assent-audit.jsonl"),
        Format::Csv => (ExportFormat::Csv, "assent-audit.csv"),
    };
    let mut dialog = AsyncFileDialog::new().set_title(&words.save_audit).set_file_name(name);
    if let Some(window) = shell.app.get_webview_window(window::MAIN) {
        dialog = dialog.set_parent(&window);
    }
    let Some(target) = dialog.save_file().await else { return Ok(Asked::declined()) };
    let target = target.path().to_owned();
    let written = read(&shell, move |reader| {
        Ok(export::write(&target, |out| match reader.export(&filter.into(), format, out) {
            Ok(_) => Ok(()),
            Err(ExportError::Write(error)) => Err(error.into()),
            Err(error @ ExportError::Audit(_)) => Err(error.into()),
        }))
    })
    .await?;
    match written {
        Some(Err(error)) => Err(failed(&error)),
        Some(Ok(())) => Ok(Asked::done()),
        None => Ok(Asked::impossible("The audit log is empty.")),
    }
}

/// Runs `question` on a reader, off the async threads; `None` where there is no log yet.
async fn read<T: Send + 'static>(
    shell: &Shared<'_>,
    question: impl FnOnce(&AuditReader) -> Result<T, AuditError> + Send + 'static,
) -> Reply<Option<T>> {
    let places = places(shell);
    tokio::task::spawn_blocking(move || AuditReader::open(&places)?.as_ref().map(question).transpose())
        .await
        .map_err(|error| crashed(&error))?
        .map_err(|error| BackendError::new("audit_unavailable", format!("Can't {error}.")))
}

fn places(shell: &Shared<'_>) -> AuditPlaces {
    AuditPlaces { data: shell.places.data.clone(), state: shell.places.state.clone() }
}
