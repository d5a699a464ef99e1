//! `assent sandbox -- CMD…`: run a command as a tool would, in the workspace as its folder.

use anyhow::Context as _;
use assent_agent::process::environment;
use assent_agent::process::profile::of_workspace;
use assent_agent::process::survey::survey;
use assent_agent::process::toolchains::{self, Toolchains};
use assent_agent::workspace::Workspace;
use assent_sandbox::{Command, Level, Limits, Outcome, Refusal, Sandbox, Started, Streams};
use clap::Args;
use serde_json::json;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Which profile, where, and what to run.
#[derive(Debug, Args)]
pub struct SandboxArguments {
    /// Read the workspace, write only a private temporary folder
    #[arg(long, conflicts_with = "workspace_write")]
    read_only: bool,
    /// Write the workspace less its protected paths (the default)
    #[arg(long)]
    workspace_write: bool,
    /// The folder to work in
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Runs it with standard output and error passed on; the exit code is the command's own, 126 where the sandbox
/// refused to start it. With `json`, a line on standard error says how it ended and what was refused.
///
/// # Errors
/// When the workspace or the sandbox's program can't be used.
pub fn run(arguments: SandboxArguments, json: bool) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::open(&arguments.workspace)?;
    let sandbox = Sandbox::beside_executable().context("can't find the sandbox's program")?;
    let level = if arguments.read_only { Level::ReadOnly } else { Level::WorkspaceWrite };
    let variables = environment::of(std::env::vars_os(), level);
    let seen = survey(workspace.root()).context("can't look over the workspace")?;
    let found = match level {
        Level::WorkspaceWrite => toolchains::find(&variables, |path| path.symlink_metadata().is_ok()),
        Level::ReadOnly | Level::Unsandboxed => Toolchains::default(),
    };
    let mut confinement = of_workspace(workspace.root(), &seen, &found);
    confinement.level = level;
    let mut words = arguments.command.into_iter();
    let program = words.next().context("name a command after --")?;
    let command = Command {
        program,
        args: words.collect(),
        env: variables,
        cwd: workspace.root().to_owned(),
        limits: Limits::default(),
    };
    let started = match sandbox.start(command, confinement, Streams::Separate) {
        Ok(started) => started,
        Err(error) => {
            report(&Outcome::SetupFailed(error.to_string()), &[], json);
            return Ok(ExitCode::from(126));
        }
    };
    let Started { output, errors, running } = started;
    let outward = std::thread::spawn(move || pass_on(output, &mut std::io::stdout()));
    let errward = errors.map(|errors| std::thread::spawn(move || pass_on(errors, &mut std::io::stderr())));
    let ended = running.wait(|_| {});
    // Both pipes end with the tree; a reader of ours that went away is no failure of the command.
    let _ = outward.join();
    if let Some(errward) = errward {
        let _ = errward.join();
    }
    report(&ended.outcome, &ended.refusals, json);
    Ok(ExitCode::from(u8::try_from(ended.outcome.exit_code()).unwrap_or(1)))
}

fn pass_on(mut from: impl Read, to: &mut impl Write) {
    // Neither end can be told anything else than that it is over.
    let _ = std::io::copy(&mut from, to).and_then(|_| to.flush());
}

/// Says what the command can't say itself.
fn report(outcome: &Outcome, refusals: &[Refusal], json: bool) {
    let mut out = std::io::stderr().lock();
    if json {
        let refused: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let line = json!({"outcome": outcome, "exit": outcome.exit_code(), "refused": refused});
        let _ = writeln!(out, "{line}");
        return;
    }
    for refusal in refusals {
        let _ = writeln!(out, "assent: refused: {refusal}");
    }
    match outcome {
        Outcome::SetupFailed(why) => {
            drop(writeln!(out, "assent: the sandbox could not be set up, nothing ran: {why}"))
        }
        Outcome::NotStarted(why) => drop(writeln!(out, "assent: the command could not be started: {why}")),
        Outcome::Stopped(reason) => drop(writeln!(out, "assent: the command was ended: {reason:?}")),
        Outcome::Lost => {
            drop(writeln!(out, "assent: the sandbox's supervisor died; what the command did is not known"))
        }
        Outcome::Exited(_) | Outcome::Signalled(_) => {}
    }
}
