//! `cargo xtask test`: everything that CI runs.

use crate::tally::{Ran, Tally, counts, failures};
use crate::{run, system, ui};
use anyhow::{Context as _, Result};
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

/// The Rust test kinds: name, and which packages and binaries belong to it.
const KINDS: &[(&str, &str, &[&str])] = &[
    ("unit", "not package(e2e)", &["--workspace", "--exclude", "e2e"]),
    ("tidy", "package(e2e) and binary(tidy)", &["-p", "e2e", "--test", "tidy"]),
    ("fuzz", "package(e2e) and binary(fuzz)", &["-p", "e2e", "--test", "fuzz"]),
    ("headless", "package(e2e) and binary(headless)", &["-p", "e2e", "--test", "headless"]),
    ("window", "package(e2e) and binary(window)", &["-p", "e2e", "--test", "window"]),
];

/// Runs it all, in the order of what fails fastest.
pub fn test() -> Result<bool> {
    system::ensure(system::Purpose::Test)?;
    let mut tally = Tally::default();
    for what in system::passed_over() {
        tally.left_out(&what);
    }

    tally.check("format", run::succeeds(&mut run::command("cargo", &["fmt", "--all", "--check"]))?);

    ui::build()?;
    for (kind, script) in [("ui", "test"), ("browser", "e2e")] {
        tally.add(kind, watched(&mut ui::npm(&["run", script]))?);
    }

    let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    tally.check("clippy", run::succeeds(&mut run::command("cargo", &clippy))?);

    // The window tests and the command line's start these.
    run::must(
        &mut run::command("cargo", &["build", "--workspace", "--bins", "--example", "drag_source"]),
        "What the compiler said is above",
    )?;
    let nextest = has_nextest();
    for (kind, filter, selection) in KINDS {
        let mut command = if nextest {
            run::command("cargo", &["nextest", "run", "--workspace", "--no-tests=pass", "-E", filter])
        } else {
            let mut command = run::command("cargo", &["test", "--no-fail-fast", "--tests"]);
            command.args(*selection);
            if *kind == "window" {
                command.args(["--", "--test-threads=1"]);
            }
            command
        };
        tally.add(kind, watched(&mut command)?);
    }
    tally.add("doc", watched(&mut run::command("cargo", &["test", "--doc", "--workspace"]))?);
    tally.finish()
}

/// Whether tests can run side by side, each in a process of its own; a bare machine has only `cargo test`.
pub fn has_nextest() -> bool {
    run::output("cargo", &["nextest", "--version"]).is_some()
}

/// Runs it, passing its output on, and reads the counts out of it. A run that fails without one counts as one failure.
pub fn watched(command: &mut Command) -> Result<Ran> {
    let shown = format!("{command:?}");
    println!("$ {shown}");
    let (reader, writer) = std::io::pipe().context("make a pipe")?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().context("copy the pipe")?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("start {shown}"))?;
    // The command keeps copies of the pipe's end; without this the reader would wait for them for ever.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut text = String::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.context("read the runner's output")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        text.push_str(&line);
        text.push('\n');
    }
    let ended = child.wait().with_context(|| format!("wait for {shown}"))?;
    let (passed, failed) = counts(&text);
    let failed = if ended.success() { failed } else { failed.max(1) };
    Ok(Ran { passed, failed, said: if failed > 0 { failures(&text) } else { String::new() } })
}
