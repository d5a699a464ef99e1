//! `assent policy check|explain`: what would be decided about a call. Nothing runs, nobody is asked.

mod answer;
mod explain;
mod proposal;
mod stage;

use anyhow::Context as _;
use assent_agent::facts::judge;
use assent_agent::places::Places;
use assent_policy::Origin;
use clap::{Args, Subcommand};
use proposal::Proposal;
use stage::{Stage, StageArguments};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Longest line of a file of calls, in bytes.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// What to find out.
#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Judge calls, one JSON object a line: {"id","tool","arguments"}
    Check {
        #[command(flatten)]
        stage: StageArguments,
        /// A file of calls; `-` for standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
    /// Say in words how one call would be decided, and why
    Explain {
        #[command(flatten)]
        stage: StageArguments,
        #[command(flatten)]
        call: CallArguments,
    },
}

/// One call on the command line.
#[derive(Debug, Args)]
pub struct CallArguments {
    /// The tool: shell, read_file, write_file, …
    tool: String,
    /// Its arguments as JSON; for shell also the command, for file tools the path
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    arguments: Vec<String>,
}

/// Runs the command. Exit code 2 where a policy file that counts is broken.
///
/// # Errors
/// When the workspace, a policy file or the file of calls can't be read.
pub fn run(
    command: PolicyCommand,
    places: &Places,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    match command {
        PolicyCommand::Check { stage, file } => check(&Stage::set(&stage, places)?, &file, out),
        PolicyCommand::Explain { stage, call } => {
            let stage = Stage::set(&stage, places)?;
            let proposal = Proposal::from_words(&call.tool, &call.arguments);
            if json {
                writeln!(out, "{}", judged(&stage, &proposal))?;
            } else {
                out.write_all(explain::text(&stage, &proposal).as_bytes())?;
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn check(stage: &Stage, file: &PathBuf, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let input: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(file).with_context(|| format!("open {}", file.display()))?)
    };
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut number = 0_usize;
    loop {
        line.clear();
        number += 1;
        if (&mut input).take(MAX_LINE).read_until(b'\n', &mut line).context("read the calls")? == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        let proposal =
            Proposal::from_line(&text).with_context(|| format!("read the call in line {number}"))?;
        writeln!(out, "{}", judged(stage, &proposal))?;
        out.flush()?;
    }
}

/// One line of the answer.
fn judged(stage: &Stage, proposal: &Proposal) -> serde_json::Value {
    match proposal.prepare(&Origin::Task) {
        Err(failure) => answer::refused(&proposal.id, &failure),
        Ok(call) => {
            let (evaluation, _facts) = judge(&call, &stage.context, &stage.rules, &[]);
            answer::decided(&proposal.id, &call, &evaluation, &stage.context)
        }
    }
}
