//! `assent exec` on a real pseudo-terminal: only `y` and `yes` allow, once; everything else denies.
#![cfg(unix)]
#![cfg(test)]

use std::path::Path;
use std::process::{Command, Output, Stdio};

struct Ran {
    shown: String,
    note: Option<String>,
}

/// The tour in a fresh folder, every question answered with `answer`.
fn tour(answer: &str) -> Ran {
    tour_with(answer, &[])
}

fn tour_with(answer: &str, options: &[&str]) -> Ran {
    let world = tempfile::tempdir().unwrap();
    let (home, project) = (world.path().join("home"), world.path().join("project"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("README.md"), "# A project\n").unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/terminal/drive.py");
    let done = Command::new("python3")
        .arg(driver)
        .arg(answer)
        .args([env!("CARGO_BIN_EXE_assent"), "exec", "--workspace"])
        .arg(&project)
        .args(options)
        .arg("Show me.")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &home)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Ran {
        shown: String::from_utf8_lossy(&done.stdout).into_owned(),
        note: std::fs::read_to_string(project.join("assent-tour.md")).ok(),
    }
}

/// R30 R31 R62: what is no yes is a no, and nothing was written.
#[test]
fn everything_but_yes_denies() {
    for answer in ["", "n", "no", "Y es", "yy", "allow", "\u{1b}[A", "ｙ"] {
        let ran = tour(answer);
        assert!(ran.shown.contains("exit 0, answered 1"), "{answer:?}: {}", ran.shown);
        assert!(ran.shown.contains("deny (terminal)"), "{answer:?}: {}", ran.shown);
        assert_eq!(ran.note, None, "{answer:?}");
    }
}

/// R32: a yes writes the one file that was shown; the forbidden command and the write outside are never asked about.
#[test]
fn yes_allows_exactly_what_was_asked() {
    for answer in ["y", "yes"] {
        let ran = tour(answer);
        assert!(ran.shown.contains("exit 0, answered 1"), "{}", ran.shown);
        assert!(ran.shown.contains("allow (terminal)"), "{}", ran.shown);
        assert!(ran.note.is_some_and(|note| note.starts_with("# A note from the tour")));
    }
}

/// R31: standard input that is no terminal denies at once.
#[test]
fn no_terminal_denies_at_once() {
    let world = tempfile::tempdir().unwrap();
    let done: Output = Command::new(env!("CARGO_BIN_EXE_assent"))
        .args(["exec", "--json", "--workspace"])
        .arg(world.path())
        .arg("Show me.")
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", world.path().join("home"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(done.status.success());
    let lines: Vec<serde_json::Value> = String::from_utf8(done.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    assert_eq!(events.first(), Some(&"run_started"));
    assert_eq!(events.last(), Some(&"run_finished"));
    assert!(lines.iter().any(|line| line["event"] == "approval" && line["answer"] == "unavailable"));
    assert!(!world.path().join("assent-tour.md").exists());
}

/// R23: the reviewer of the settings is asked here too: one that doesn't answer denies, and where there is none of that
/// name nothing runs.
#[test]
fn the_reviewer_of_the_settings_is_asked() {
    const PROFILE: &str = "[[profiles]]\nid = \"strict\"\nname = \"Strict\"\nkind = \"anthropic\"\n\
        base_url = \"http://127.0.0.1:9\"\nmodel = \"judge\"\n";
    for (reviewer, code, decided, written) in [
        ("", Some(0), Some("allow"), true),
        ("reviewer = \"strict\"", Some(0), Some("deny"), false),
        ("reviewer = \"other\"", Some(2), None, false),
    ] {
        let world = tempfile::tempdir().unwrap();
        let (config, project) = (world.path().join("home/.config/assent"), world.path().join("project"));
        std::fs::create_dir_all(&config).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(config.join("settings.toml"), format!("{reviewer}\n{PROFILE}")).unwrap();
        let done = Command::new(env!("CARGO_BIN_EXE_assent"))
            .args(["exec", "--json", "--mode", "sandboxed", "--workspace"])
            .arg(&project)
            .arg("Show me.")
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", world.path().join("home"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(done.status.code(), code, "{reviewer}: {}", String::from_utf8_lossy(&done.stderr));
        let lines = String::from_utf8(done.stdout).unwrap();
        let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let lines: Vec<_> = lines.collect();
        let write = lines.iter().find(|line| line["event"] == "tool_call" && line["name"] == "write_file");
        let decision = write.and_then(|call| {
            lines.iter().find(|line| line["event"] == "decision" && line["call_id"] == call["call_id"])
        });
        assert_eq!(decision.and_then(|line| line["behavior"].as_str()), decided, "{reviewer}: {decision:?}");
        assert_eq!(project.join("assent-tour.md").exists(), written, "{reviewer}");
        if decided == Some("deny") {
            assert_eq!(decision.map(|line| &line["source"]), Some(&"reviewer".into()));
        }
    }
}

/// R4: who only talks is offered no tool: nothing is asked and nothing is done.
#[test]
fn without_tools_nothing_is_asked() {
    let ran = tour_with("y", &["--without-tools"]);
    assert!(ran.shown.contains("exit 0, answered 0"), "{}", ran.shown);
    assert!(!ran.shown.contains('▸'), "no call: {}", ran.shown);
    assert_eq!(ran.note, None);
}
