//! `assent sandbox -- CMD…`: run a command as a tool would, in the workspace as its folder.

use anyhow::Context as _;
use assent_agent::clock::{Clock as _, SystemClock};
use assent_agent::id::new_id;
use assent_agent::places::Places;
use assent_agent::process::approved::Approved;
use assent_agent::process::environment;
use assent_agent::process::profile::of_workspace;
use assent_agent::process::quarantine::Moved;
use assent_agent::process::survey::survey;
use assent_agent::process::toolchains::{self, Toolchains};
use assent_agent::process::watch::Watches;
use assent_agent::workspace::Workspace;
use assent_policy::escape::escape;
use assent_sandbox::{Command, Level, Limits, Outcome, Refusal, Sandbox, Started, Streams};
use clap::Args;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

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
/// refused to start it. Protected files that it made are moved out of the workspace afterwards, into a folder of its own
/// among those of the sessions, and told of. With `json`, a line on standard error says how it ended, what was refused and
/// what was moved.
///
/// # Errors
/// When the workspace or the sandbox's program can't be used.
pub fn run(arguments: SandboxArguments, places: &Places, json: bool) -> anyhow::Result<ExitCode> {
    let workspace = Arc::new(Workspace::open(&arguments.workspace)?);
    let sandbox = Sandbox::beside_executable().context("can't find the sandbox's program")?;
    let level = if arguments.read_only { Level::ReadOnly } else { Level::WorkspaceWrite };
    let variables = environment::of(std::env::vars_os(), level);
    let unseen = "can't look over the workspace";
    let (seen, found, watch) = match level {
        Level::WorkspaceWrite => {
            let scratch = places.data.join("sessions").join(new_id(SystemClock.now_ms())?);
            let watches = Watches::default();
            let mut watch = watches.begin(&workspace, Approved::default(), &scratch).context(unseen)?;
            let toolchains = toolchains::find(&variables, |path| path.symlink_metadata().is_ok());
            (std::mem::take(&mut watch.found), toolchains, Some(watch))
        }
        Level::ReadOnly | Level::Unsandboxed => {
            (survey(workspace.root()).context(unseen)?, Toolchains::default(), None)
        }
    };
    let mut confinement = of_workspace(workspace.root(), &seen, &found);
    confinement.level = level;
    let mut words = arguments.command.into_iter();
    let program = words.next().context("tell which command: name it after --")?;
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
            report(&Outcome::SetupFailed(error.to_string()), &[], &Ok(Vec::new()), json);
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
    let moved = watch.map_or_else(|| Ok(Vec::new()), |watch| watch.end().map_err(|error| error.to_string()));
    report(&ended.outcome, &ended.refusals, &moved, json);
    Ok(ExitCode::from(u8::try_from(ended.outcome.exit_code()).unwrap_or(1)))
}

fn pass_on(mut from: impl Read, to: &mut impl Write) {
    // Neither end can be told anything else than that it is over.
    let _ = std::io::copy(&mut from, to).and_then(|_| to.flush());
}

/// Says what the command can't say itself.
fn report(outcome: &Outcome, refusals: &[Refusal], moved: &Result<Vec<Moved>, String>, json: bool) {
    let mut out = std::io::stderr().lock();
    if json {
        let refused: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let (moved, left) = match moved {
            Ok(moved) => (moved.as_slice(), None),
            Err(why) => (&[][..], Some(why)),
        };
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let moved: Vec<Value> =
            moved.iter().map(|it| json!({"from": text(&it.from), "to": text(&it.to)})).collect();
        let (refused, exit) = (json!(refused), outcome.exit_code());
        let line =
            json!({"outcome": outcome, "exit": exit, "refused": refused, "moved": moved, "left": left});
        let _ = writeln!(out, "{line}");
        return;
    }
    for refusal in refusals {
        let _ = writeln!(out, "assent: refused: {refusal}");
    }
    match moved {
        Ok(moved) => {
            for Moved { from, to } in moved {
                let (from, to) = (escape(&from.to_string_lossy()), escape(&to.to_string_lossy()));
                let _ = writeln!(out, "assent: moved out of the workspace: {from} -> {to}");
            }
        }
        Err(why) => {
            let _ = writeln!(out, "assent: protected files may have appeared and stay: failed to {why}");
        }
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
