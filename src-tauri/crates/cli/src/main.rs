//! `assent`: the headless twin of the desktop app. The same engine, for the terminal, for scripts and for tests.

mod commands;

use assent_agent::places::Places;
use clap::{Parser, Subcommand};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// An agent that acts only with your consent, on the command line
#[derive(Debug, Parser)]
#[command(name = "assent", version, about, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Write JSON, one object a line
    #[arg(long, global = true)]
    json: bool,
    /// Folder of sessions, audit and approvals; else $ASSENT_DATA_DIR, else the usual one
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The audit log: what was proposed, decided and done
    #[command(subcommand)]
    Audit(commands::audit::AuditCommand),
    /// Run a command as a tool would; the exit code is its own, 126 where the sandbox refused to start it
    Sandbox(commands::sandbox::SandboxArguments),
    /// What this machine has, what it lacks, and what to do about it
    Doctor,
    /// One run in this terminal; approvals are asked here, and no terminal means deny
    Exec(commands::exec::ExecArguments),
    /// What would be decided about a call, and why
    #[command(subcommand)]
    Policy(commands::policy::PolicyCommand),
}

fn main() -> ExitCode {
    let Arguments { command, json, data_dir } = Arguments::parse();
    match run(command, json, data_dir) {
        Ok(code) => code,
        Err(error) => commands::failed(&error, json),
    }
}

fn run(command: Command, json: bool, data_dir: Option<PathBuf>) -> anyhow::Result<ExitCode> {
    let places = Places::of_this_process(data_dir)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let code = match command {
        Command::Audit(command) => commands::audit::run(command, &places, json, &mut out),
        Command::Doctor => commands::doctor::run(&places, json, &mut out),
        Command::Sandbox(arguments) => {
            // The command writes to standard output itself.
            drop(out);
            return commands::sandbox::run(arguments, &places, json);
        }
        Command::Exec(arguments) => {
            // A run prints as it goes and may last long: it takes standard output for itself.
            drop(out);
            return commands::exec::run(arguments, &places, json);
        }
        Command::Policy(command) => commands::policy::run(command, &places, json, &mut out),
    }?;
    out.flush()?;
    Ok(code)
}
