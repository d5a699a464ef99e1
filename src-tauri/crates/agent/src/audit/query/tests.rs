//! Pages, filters, words, numbers.

use super::{AuditFilter, BehaviorFilter};
use crate::audit::fixture::World;
use crate::audit::{AuditLog as _, AuditReader, Entry, Phase};
use assent_policy::{Behavior, Source, Verdict};
use serde_json::json;
use std::time::Duration;

/// Three allowed calls of three tools, one that a person denied at the dialog, one invalid, one event.
fn world() -> (World, AuditReader) {
    let world = World::with_calls(3);
    let store = world.open();
    let entry = |phase| Entry {
        phase,
        session: "s-9".to_owned(),
        run: "r".to_owned(),
        call: "c-9".to_owned(),
        tool: "shell".to_owned(),
        arguments: json!({ "command": "rm -r build/old\nls" }),
        ..Entry::default()
    };
    store.append(&[entry(Phase::Intent)]).unwrap();
    let decision = Entry {
        behavior: "deny".to_owned(),
        source: "person:dialog".to_owned(),
        reason: "删除 build 之前先问".to_owned(),
        verdicts: vec![Verdict::new(Source::SHELL_DEFAULT, Behavior::Ask, "Needs you.")],
        surface: "dialog".to_owned(),
        risk: "high".to_owned(),
        ..entry(Phase::Decision)
    };
    let outcome = Entry { outcome: "approval_denied".to_owned(), ..entry(Phase::Outcome) };
    store.append(&[decision, outcome]).unwrap();
    let invalid = |phase| Entry { call: "c-10".to_owned(), tool: "nonsense".to_owned(), ..entry(phase) };
    let ended = Entry { outcome: "unknown_tool".to_owned(), ..invalid(Phase::Outcome) };
    store.append(&[invalid(Phase::Intent), ended]).unwrap();
    store.append(&[Entry::event("mode", "The mode is strict.", json!({ "to": "strict" }))]).unwrap();
    let reader = AuditReader::open(&world.places).unwrap().unwrap();
    (world, reader)
}

fn tools(reader: &AuditReader, filter: &AuditFilter) -> Vec<String> {
    let page = reader.page(filter, None, 100).unwrap();
    assert_eq!(page.total, Some(page.rows.len() as i64));
    page.rows.into_iter().map(|row| row.tool).collect()
}

/// R44
#[test]
fn filters_narrow_and_add_up() {
    let (_world, reader) = world();
    let all = AuditFilter::default();
    assert_eq!(
        tools(&reader, &all),
        ["mode", "nonsense", "shell", "edit_file", "read_file", "shell", "audit_created"]
    );
    let by = |change: &dyn Fn(&mut AuditFilter)| {
        let mut filter = AuditFilter::default();
        change(&mut filter);
        tools(&reader, &filter)
    };
    assert_eq!(by(&|it| it.tool = Some("shell".to_owned())), ["shell", "shell"]);
    assert_eq!(by(&|it| it.session = Some("s-9".to_owned())), ["nonsense", "shell"]);
    assert_eq!(by(&|it| it.behavior = Some(BehaviorFilter::Deny)), ["shell"]);
    assert_eq!(by(&|it| it.behavior = Some(BehaviorFilter::Asked)), ["shell"]);
    assert_eq!(by(&|it| it.behavior = Some(BehaviorFilter::Allow)), ["edit_file", "read_file", "shell"]);
    assert_eq!(by(&|it| it.surface = Some("dialog".to_owned())), ["shell"]);
    assert_eq!(by(&|it| it.source = Some("shell-default".to_owned())), ["edit_file", "read_file", "shell"]);
    assert_eq!(by(&|it| it.risk = Some("high".to_owned())), ["shell"]);
    assert_eq!(by(&|it| it.to_ms = Some(0)), [""; 0]);
    assert_eq!(
        by(&|it| {
            it.risk = Some("high".to_owned());
            it.tool = Some("edit_file".to_owned());
        }),
        [""; 0]
    );
}

/// R44: words are found in subject, reason, codes; Chinese too; what came since the last search as well.
#[test]
fn words_are_found_with_and_without_filters() {
    let (world, reader) = world();
    let find =
        |text: &str, filter: AuditFilter| tools(&reader, &AuditFilter { text: text.to_owned(), ..filter });
    assert_eq!(find("build/old", AuditFilter::default()), ["nonsense", "shell"]);
    assert_eq!(find("之前", AuditFilter::default()), ["shell"]);
    assert_eq!(find("approval_den", AuditFilter::default()), ["shell"]);
    assert_eq!(
        find("cargo", AuditFilter { tool: Some("shell".to_owned()), ..AuditFilter::default() }),
        ["shell"]
    );
    assert_eq!(
        find("build", AuditFilter { behavior: Some(BehaviorFilter::Deny), ..AuditFilter::default() }),
        ["shell"]
    );
    assert_eq!(find("\"", AuditFilter::default()), [""; 0]);
    world.open().append(&[Entry::event("later", "Zebra.", json!({}))]).unwrap();
    assert_eq!(find("zebra", AuditFilter::default()), ["later"]);
}

#[test]
fn a_damaged_word_index_is_made_anew() {
    let (world, reader) = world();
    std::fs::write(world.places.data.join("audit-words.sqlite"), vec![1; 9000]).unwrap();
    let filter = AuditFilter { text: "cargo".to_owned(), ..AuditFilter::default() };
    assert_eq!(tools(&reader, &filter), ["edit_file", "read_file", "shell"]);
}

#[test]
fn pages_meet_without_gap_or_overlap() {
    let (_world, reader) = world();
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = reader.page(&AuditFilter::default(), before, 2).unwrap();
        seen.extend(page.rows.iter().map(|row| row.seq));
        before = page.before;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen, [19, 17, 14, 10, 6, 2, 1]);
}

/// R40, R42: one call in detail, found by any of its records or by its id.
#[test]
fn a_call_opens_to_its_phases() {
    let (_world, reader) = world();
    let seq = reader.call("c-9").unwrap().unwrap();
    let detail = reader.detail(seq + 2).unwrap().unwrap();
    assert_eq!(detail.row.seq, seq);
    assert_eq!(detail.row.subject, "rm -r build/old");
    assert_eq!(detail.row.line(), "shell: deny (person:dialog) - 删除 build 之前先问");
    let phases: Vec<_> = detail.records.iter().map(|record| record.phase.as_str()).collect();
    assert_eq!(phases, ["intent", "decision", "outcome"]);
    assert_eq!(reader.detail(999).unwrap(), None);
    let (rows, newest) = reader.since(seq).unwrap();
    assert_eq!((rows.len(), newest), (3, 19));
}

/// R44: how often something decided.
#[test]
fn uses_are_counted() {
    let (_world, reader) = world();
    assert_eq!(reader.uses("shell-default").unwrap().0, 3);
    assert_eq!(reader.uses("rules:none").unwrap(), (0, None));
}

/// R44
#[test]
fn numbers_per_tool() {
    let (_world, reader) = world();
    let metrics = reader.metrics(&AuditFilter::default()).unwrap();
    let shell = metrics.iter().find(|it| it.tool == "shell").unwrap();
    assert_eq!((shell.calls, shell.denied, shell.asked, shell.failed), (2, 1, 1, 0));
    assert_eq!((shell.denial_rate, shell.p50_ms, shell.p95_ms), (0.5, Some(0), Some(0)));
    let unknown = metrics.iter().find(|it| it.tool == "nonsense").unwrap();
    assert_eq!((unknown.calls, unknown.p50_ms), (1, None));
}

/// R44
#[test]
fn numbers_are_of_what_the_filter_shows() {
    let (_world, reader) = world();
    let calls = |filter: &AuditFilter| {
        let metrics = reader.metrics(filter).unwrap();
        metrics.into_iter().map(|it| (it.tool, it.calls, it.denied)).collect::<Vec<_>>()
    };
    let row = |tool: &str, calls, denied| (tool.to_owned(), calls, denied);
    let session = AuditFilter { session: Some("s-9".to_owned()), ..AuditFilter::default() };
    assert_eq!(calls(&session), [row("nonsense", 1, 0), row("shell", 1, 1)]);
    let denied = AuditFilter { behavior: Some(BehaviorFilter::Deny), ..AuditFilter::default() };
    assert_eq!(calls(&denied), [row("shell", 1, 1)]);
    let words = AuditFilter { text: "cargo".to_owned(), ..AuditFilter::default() };
    assert_eq!(calls(&words), [row("edit_file", 1, 0), row("read_file", 1, 0), row("shell", 1, 0)]);
    let tool = AuditFilter { tool: Some("shell".to_owned()), ..words };
    assert_eq!(calls(&tool), [row("shell", 1, 0)]);
    assert_eq!(calls(&AuditFilter { text: "\"".to_owned(), ..AuditFilter::default() }), []);
}

/// R44: words are indexed in steps; a search meanwhile says that it hasn't seen everything, and finds it in the end.
#[test]
fn a_search_says_that_it_is_still_indexing() {
    let (_world, reader) = world();
    let words = AuditFilter { text: "build".to_owned(), ..AuditFilter::default() };
    let page = reader.page_within(&words, None, 10, Duration::ZERO).unwrap();
    assert_eq!((page.rows.len(), page.indexing), (0, Some(0)));
    let indexed = reader.index_words(Duration::from_secs(3_600)).unwrap();
    assert!(indexed.is_whole() && indexed.records == 19, "{indexed:?}");
    let page = reader.page_within(&words, None, 10, Duration::ZERO).unwrap();
    assert_eq!((page.rows.is_empty(), page.indexing), (false, None));
    let all = reader.page_within(&AuditFilter::default(), None, 10, Duration::ZERO).unwrap();
    assert_eq!(all.indexing, None);
}
