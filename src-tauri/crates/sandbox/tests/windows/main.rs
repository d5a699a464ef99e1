//! Limits on Windows: what a command is given, how it ends, and what is left of it.

#![cfg(windows)]

use assent_sandbox::{
    Command, Confinement, EndReason, Level, Limits, Outcome, Sandbox, Started, Streams, Strength,
};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

/// Says what a process of the tests is to do.
const ROLE: &str = "ASSENT_TEST_ROLE";

/// What a process that outlived its command writes.
const LATE: &str = "still here";

fn sandbox() -> Sandbox {
    Sandbox::with_helper(env!("CARGO_BIN_EXE_assent-sandbox"))
}

fn system_root() -> PathBuf {
    std::env::var_os("SystemRoot").unwrap().into()
}

/// `cmd.exe` with a line, in a fresh folder.
fn cmd(line: &str) -> Command {
    let program = system_root().join("System32").join("cmd.exe");
    Command::new(program, std::env::temp_dir()).arg("/d").arg("/c").arg(line).var("SystemRoot", system_root())
}

/// This very program in a role.
fn role(role: &str) -> Command {
    Command::new(std::env::current_exe().unwrap(), std::env::temp_dir())
        .arg("--exact")
        .arg("in_its_role")
        .arg("--nocapture")
        .var("SystemRoot", system_root())
        .var(ROLE, role)
}

fn start(command: Command, level: Level) -> Started {
    let mut confinement = Confinement::new(level, std::env::temp_dir());
    confinement.best_effort = true;
    sandbox().start(command, confinement, Streams::Merged).unwrap()
}

fn finish(mut started: Started) -> (String, assent_sandbox::Ended) {
    let mut text = Vec::new();
    started.output.read_to_end(&mut text).unwrap();
    (String::from_utf8_lossy(&text).into_owned(), started.running.wait(|_| {}))
}

/// Reads until `word` came.
fn hear(started: &mut Started, word: &str) {
    let mut heard = String::new();
    let mut piece = [0; 64];
    while !heard.contains(word) {
        let length = started.output.read(&mut piece).unwrap();
        assert!(length > 0, "it ended before it said `{word}`: {heard}");
        heard.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
}

/// Not a test of its own: what the others start. A parent starts a child of its own and waits; both say something late.
#[test]
fn in_its_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let mut out = std::io::stdout();
    if role == "parent" {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "in_its_role", "--nocapture"])
            .env(ROLE, "child")
            .spawn();
        drop(child.unwrap());
    } else {
        writeln!(out, "the child runs").unwrap();
    }
    std::thread::sleep(Duration::from_secs(30));
    writeln!(out, "{LATE}").unwrap();
}

/// R52: both streams and the command's own exit code come through, at every level.
#[test]
fn output_and_exit_code_come_through() {
    for level in [Level::Unsandboxed, Level::ReadOnly, Level::WorkspaceWrite] {
        let (text, ended) = finish(start(cmd("echo one& echo two>&2& exit 7"), level));
        assert_eq!(ended.outcome, Outcome::Exited(7), "{text}");
        assert!(text.contains("one") && text.contains("two"), "{text}");
        assert_eq!(ended.strength, Some(Strength::None));
    }
}

/// R52: a command sees the variables it was given, and no other.
#[test]
fn the_environment_is_what_was_given() {
    let (text, _) =
        finish(start(cmd("set").var("GIVEN", "é 你").var("PATH", r"C:\tools"), Level::Unsandboxed));
    assert!(text.contains("GIVEN=") && text.contains(r"PATH=C:\tools"), "{text}");
    assert!(!text.contains("CARGO_MANIFEST_DIR"), "{text}");
}

/// R52: asking for the end ends everything that the command started.
#[test]
fn a_cut_leash_ends_the_tree() {
    let mut started = start(role("parent"), Level::WorkspaceWrite);
    hear(&mut started, "the child runs");
    started.running.leash().end();
    let (text, ended) = finish(started);
    assert_eq!(ended.outcome, Outcome::Stopped(EndReason::Asked));
    assert!(!text.contains(LATE), "{text}");
}

/// R52: the time limit ends everything that the command started.
#[test]
fn the_time_limit_ends_the_tree() {
    let mut command = role("parent");
    command.limits = Limits { time_ms: Some(1_000), ..Limits::default() };
    let (text, ended) = finish(start(command, Level::Unsandboxed));
    assert_eq!(ended.outcome, Outcome::Stopped(EndReason::Time));
    assert!(!text.contains(LATE), "{text}");
}

/// R52: a supervisor that dies takes the tree with it.
#[test]
fn a_dropped_command_ends() {
    let mut started = start(role("parent"), Level::WorkspaceWrite);
    hear(&mut started, "the child runs");
    drop(started.running);
    let mut rest = String::new();
    started.output.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains(LATE), "{rest}");
}

/// R50: no profile is held here, and none is pretended: without being told so, nothing runs.
#[test]
fn a_profile_is_refused() {
    let marker = tempfile::tempdir().unwrap();
    let file = marker.path().join("ran");
    let confinement = Confinement::new(Level::ReadOnly, std::env::temp_dir());
    let command = cmd(&format!("echo x> {}", file.display()));
    let (_, ended) = finish(sandbox().start(command, confinement, Streams::Merged).unwrap());
    assert!(matches!(&ended.outcome, Outcome::SetupFailed(why) if why.contains("read-only")), "{ended:?}");
    assert_eq!(ended.strength, None);
    assert!(!file.exists());
}

/// R52: a program that isn't there is told apart from a sandbox that failed, and a batch file is never started.
#[test]
fn what_cant_be_started() {
    for program in ["no-such-program", r"C:\no\such.exe", "x.cmd"] {
        let (_, ended) = finish(start(Command::new(program, std::env::temp_dir()), Level::Unsandboxed));
        assert!(matches!(ended.outcome, Outcome::NotStarted(_)), "{program}: {ended:?}");
    }
}

/// R50: the self-test says that these are limits, and that the limits hold.
#[test]
fn the_self_test_says_what_these_are() {
    let report = sandbox().self_test();
    assert_eq!(report.strength, Strength::None);
    assert!(!report.in_force() && report.summary().contains("limits a command"), "{}", report.summary());
    assert!(!report.attempts.is_empty(), "{report:#?}");
    let left = report.attempts.iter().filter(|attempt| attempt.tried.contains("job"));
    assert!(left.clone().count() == 2 && left.into_iter().all(|attempt| attempt.held), "{report:#?}");
}
