//! The audit log's figures: `cargo run --release -p assent-agent --example bench_audit`.
//!
//! Records of an allowed call against one bare fsync of the same disk; `verify`; the panel on a million records.

use assent_agent::audit::query::{AuditFilter, BehaviorFilter};
use assent_agent::audit::verify::verify;
use assent_agent::audit::{
    AuditLog as _, AuditPlaces, AuditReader, AuditStore, Entry, Phase, Redactor, SystemKeys,
};
use assent_agent::clock::SystemClock;
use assent_figure::{Report, median};
use assent_policy::{Behavior, Source, Verdict};
use serde_json::json;
use std::fs::File;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Calls in the large log; each leaves four records.
const CALLS: usize = 250_000;
const BATCH: usize = 2_000;
const ROUNDS: usize = 300;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut report = Report::from_arguments();
    let folder = std::env::temp_dir().join(format!("assent-bench-audit-{}", std::process::id()));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let places = AuditPlaces { data: folder.join("data"), state: folder.join("state") };
    let keys = SystemKeys::file_only(&places.data);
    let store = AuditStore::open(places.clone(), &keys, Arc::new(SystemClock), Redactor::default())?;

    let mut small = Vec::new();
    let mut bare = Vec::new();
    let mut file = File::create(folder.join("bare"))?;
    for number in 0..ROUNDS {
        let started = Instant::now();
        store.append(&begun(number))?;
        store.append(&[outcome(number)])?;
        small.push(started.elapsed().as_secs_f64());
        file.write_all(&[0; 4096])?;
        let started = Instant::now();
        file.sync_data()?;
        bare.push(started.elapsed().as_secs_f64());
    }
    let (call, fsync) = (median(small), median(bare));
    report.plain("audit_call_p50", call * 1e6, "µs");
    report.plain("bare_fsync_p50", fsync * 1e6, "µs");
    report.promised("audit_call_per_fsync", call / fsync);

    let started = Instant::now();
    let mut number = ROUNDS;
    while number < CALLS {
        let mut entries = Vec::with_capacity(4 * BATCH);
        for call in number..(number + BATCH).min(CALLS) {
            entries.extend(begun(call));
            entries.push(outcome(call));
        }
        store.append(&entries)?;
        number += BATCH;
    }
    let records = 4 * CALLS;
    report.plain("audit_append_batched", as_rate(records, started.elapsed().as_secs_f64()), "records/s");

    let started = Instant::now();
    let found = verify(&places, &keys, &|_, _| ControlFlow::Continue(()))?;
    if !found.ok {
        return Err(format!("the log is broken: {found:?}").into());
    }
    report.promised("verify", as_rate(records, started.elapsed().as_secs_f64()));

    let started = Instant::now();
    let reader = AuditReader::open(&places)?.ok_or("no log")?;
    reader.page(&AuditFilter::default(), None, 100)?;
    report.promised("panel_open", ms(started));
    let filters = [
        ("panel_filter_tool", AuditFilter { tool: Some("edit_file".to_owned()), ..AuditFilter::default() }),
        (
            "panel_filter_session",
            AuditFilter { session: Some("session-3".to_owned()), ..AuditFilter::default() },
        ),
        (
            "panel_filter_denied",
            AuditFilter { behavior: Some(BehaviorFilter::Deny), ..AuditFilter::default() },
        ),
        ("panel_filter_nothing", AuditFilter { surface: Some("tray".to_owned()), ..AuditFilter::default() }),
    ];
    for (name, filter) in filters {
        let started = Instant::now();
        reader.page(&filter, None, 100)?;
        report.promised(name, ms(started));
    }
    let words = |text: &str| AuditFilter { text: text.to_owned(), ..AuditFilter::default() };
    let started = Instant::now();
    reader.page(&words("warm"), None, 100)?;
    report.plain("panel_index_of_words", ms(started), "ms");
    for (name, text) in [("panel_search_rare", "test199999"), ("panel_search_common", "cargo")] {
        let started = Instant::now();
        let page = reader.page(&words(text), None, 100)?;
        if page.rows.is_empty() {
            return Err(format!("{text} was not found").into());
        }
        report.promised(name, ms(started));
    }
    let started = Instant::now();
    reader.metrics(&AuditFilter::default())?;
    report.plain("panel_metrics", ms(started), "ms");
    std::fs::remove_dir_all(&folder)?;
    Ok(report.end())
}

fn begun(number: usize) -> Vec<Entry> {
    let denied = number.is_multiple_of(50);
    let entry = |phase| Entry {
        phase,
        session: format!("session-{}", number % 200),
        run: format!("run-{}", number / 20),
        call: format!("call_{number:024}"),
        tool: tool(number).to_owned(),
        arguments: json!({ "command": format!("cargo test test{number} -- --nocapture"), "description": "Run one test." }),
        ..Entry::default()
    };
    let judged = |phase| Entry {
        risk: "low".to_owned(),
        digest: "0123456789abcdef".repeat(4),
        policy_version: "0123456789abcdef".repeat(4),
        sandbox: "read-only".to_owned(),
        targets: vec!["/home/ann/code/shop/src/checkout.rs".to_owned()],
        attempt: 1,
        ..entry(phase)
    };
    let decision = Entry {
        behavior: if denied { "deny" } else { "allow" }.to_owned(),
        source: "shell-default".to_owned(),
        reason: "It only reads, inside the sandbox.".to_owned(),
        verdicts: vec![Verdict::new(
            Source::SHELL_DEFAULT,
            Behavior::Allow,
            "It only reads, inside the sandbox.",
        )],
        ..judged(Phase::Decision)
    };
    vec![entry(Phase::Intent), decision, judged(Phase::Start)]
}

fn outcome(number: usize) -> Entry {
    Entry {
        phase: Phase::Outcome,
        run: format!("run-{}", number / 20),
        call: format!("call_{number:024}"),
        tool: tool(number).to_owned(),
        outcome: "succeeded".to_owned(),
        duration_ms: 12,
        attempt: 1,
        ..Entry::default()
    }
}

fn tool(number: usize) -> &'static str {
    match number % 4 {
        0 => "shell",
        1 => "read_file",
        2 => "grep",
        _ => "edit_file",
    }
}

fn ms(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "a rate")]
fn as_rate(count: usize, seconds: f64) -> f64 {
    count as f64 / seconds
}
