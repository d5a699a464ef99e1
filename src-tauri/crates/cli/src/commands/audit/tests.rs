//! The four commands on a real log.

use super::{AuditCommand, run};
use assent_agent::audit::{AuditLog as _, AuditPlaces, AuditStore, Entry, Phase, Redactor, SystemKeys};
use assent_agent::clock::Clock;
use assent_agent::places::Places;
use clap::Parser;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: AuditCommand,
}

struct Noon;

impl Clock for Noon {
    fn now_ms(&self) -> u64 {
        1_767_268_800_000
    }
}

struct World {
    _folder: tempfile::TempDir,
    places: Places,
}

fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let places = Places {
        config: folder.path().join("config"),
        data: folder.path().join("data"),
        state: folder.path().join("state"),
    };
    let files = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    let keys = SystemKeys::file_only(&places.data);
    let store = AuditStore::open(files, &keys, Arc::new(Noon), Redactor::default()).unwrap();
    let entry = |phase| Entry {
        phase,
        session: "s1".to_owned(),
        run: "r1".to_owned(),
        call: "c1".to_owned(),
        tool: "shell".to_owned(),
        arguments: json!({ "command": "rm -r build\u{202e}" }),
        ..Entry::default()
    };
    let decision = Entry {
        behavior: "deny".to_owned(),
        source: "person:terminal".to_owned(),
        reason: "The user denied this call.".to_owned(),
        surface: "terminal".to_owned(),
        approver: "ann".to_owned(),
        risk: "high".to_owned(),
        ..entry(Phase::Decision)
    };
    let outcome = Entry { outcome: "approval_denied".to_owned(), ..entry(Phase::Outcome) };
    store.append(&[entry(Phase::Intent), decision, outcome]).unwrap();
    World { _folder: folder, places }
}

fn assent(world: &World, line: &str, json: bool) -> (String, ExitCode) {
    let words = std::iter::once("audit").chain(line.split_whitespace());
    let mut out = Vec::new();
    let code = run(Line::parse_from(words).command, &world.places, json, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), code)
}

/// R44
#[test]
fn people_read_sentences_without_hidden_characters() {
    let world = world();
    insta::assert_snapshot!(assent(&world, "list", false).0, @r"
    2026-01-01T12:00:00.000Z #2 shell: deny (person:terminal) - The user denied this call. | rm -r build\u{202e} | approval_denied
    2026-01-01T12:00:00.000Z #1 audit_created: The log begins here.
    ");
    let (shown, _) = assent(&world, "show c1", false);
    assert!(shown.contains("  approver       ann\n") && shown.contains("decision #3"), "{shown}");
    assert!(!shown.contains('\u{202e}'));
    assert!(assent(&world, "verify", false).0.starts_with("The chain is intact: 4 records"));
}

/// R44
#[test]
fn scripts_read_json() {
    let world = world();
    let (listed, _) = assent(&world, "list --behavior deny --surface terminal", true);
    let row: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!((&row["seq"], &row["outcome"]), (&json!(2), &json!("approval_denied")));
    let shown: Value = serde_json::from_str(&assent(&world, "show 3", true).0).unwrap();
    assert_eq!(shown["records"][1]["phase"], "decision");
    let (verified, code) = assent(&world, "verify", true);
    let verified: Value = serde_json::from_str(&verified).unwrap();
    assert_eq!((&verified["ok"], code), (&json!(true), ExitCode::SUCCESS));
    assert_eq!(assent(&world, "export --format jsonl", true).0.lines().count(), 4);
    assert!(
        assent(&world, "export --format metrics", true)
            .0
            .contains("assent_calls_denied_total{tool=\"shell\"} 1")
    );
}

#[test]
fn a_broken_chain_ends_with_one() {
    let world = world();
    std::fs::remove_file(world.places.data.join("audit.sqlite")).unwrap();
    let (verified, code) = assent(&world, "verify", true);
    let verified: Value = serde_json::from_str(&verified).unwrap();
    assert_eq!(
        (&verified["ok"], &verified["kind"], &verified["seq"]),
        (&json!(false), &json!("truncation"), &json!(1))
    );
    assert_eq!(code, ExitCode::from(1));
}

#[test]
fn an_existing_file_is_not_overwritten() {
    let world = world();
    let file = world.places.data.join("out.csv");
    std::fs::write(&file, "mine").unwrap();
    let words = ["audit", "export", "--format", "csv", "--output", file.to_str().unwrap()];
    let result = run(Line::parse_from(words).command, &world.places, false, &mut Vec::new());
    assert!(result.is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}
