//! `grep` and `glob` through the whole gate over 10,000 files, beside ripgrep on the same tree:
//! `cargo run --release -p assent-agent --example bench_search`.

mod plain;

use assent_agent::advice::NoAdvisor;
use assent_agent::audit::{AuditError, AuditLog, Entry, Standing};
use assent_agent::event::Event;
use assent_agent::gate::{Gate, Parts, Run};
use assent_agent::model::{Arguments, ProposedCall};
use assent_agent::tools::{Glob, Grep, Registry, Tool};
use assent_agent::workspace::Workspace;
use assent_figure::{Report, median};
use assent_policy::Origin;
use plain::{Nobody, Plain};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

const FILES: usize = 10_000;
const ROUNDS: usize = 15;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("tree");
    plant(&root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let gate = gate(&root, folder.path())?;
    let figures = [
        (
            "grep_10k_files",
            "grep",
            json!({"pattern": "needle_[0-9]+"}),
            vec!["--hidden", "-n", "needle_[0-9]+"],
        ),
        (
            "glob_10k_files",
            "glob",
            json!({"pattern": "**/*.rs"}),
            vec!["--hidden", "--files", "-g", "**/*.rs"],
        ),
    ];
    let mut report = Report::from_arguments();
    for (name, tool, arguments, options) in figures {
        // In turns, so that both meet the same machine.
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let started = Instant::now();
            let answered = runtime.block_on(gate.run(&call(tool, &arguments, round), &run()));
            ours.push(milliseconds(started));
            if answered.message.is_error {
                return Err(answered.message.content.into());
            }
            theirs.push(ripgrep(&root, &options));
        }
        let (ours, theirs) = (median(ours), theirs.into_iter().collect::<Option<Vec<f64>>>().map(median));
        report.plain(name, ours, "ms");
        let promise = format!("{name}_per_ripgrep");
        if let Some(theirs) = theirs {
            report.plain(&format!("{name}_ripgrep"), theirs, "ms");
            report.promised(&promise, ours / theirs);
        } else {
            report.not_measured(&promise, "`rg` isn't here, or failed");
        }
    }
    Ok(report.end())
}

/// 10,000 text files of 20 to 400 lines in 700 folders; every fiftieth holds one line that is looked for.
fn plant(root: &Path) -> std::io::Result<()> {
    let mut number = 12_345_u32;
    let mut next = |below: u32| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (number >> 8) % below
    };
    for file in 0..FILES {
        let folder = root.join(format!("d{:02}/s{}", file % 100, file % 7));
        std::fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for _ in 0..20 + next(380) {
            for _ in 0..8 {
                let _ = write!(text, "w{:04} ", next(3_000));
            }
            text.push('\n');
        }
        if file % 50 == 0 {
            let _ = writeln!(text, "let needle_{file} = 1;");
        }
        let kind = ["rs", "ts", "py", "txt"].get(file % 4).copied().unwrap_or("txt");
        std::fs::write(folder.join(format!("f{file:05}.{kind}")), text)?;
    }
    std::fs::write(root.join(".gitignore"), "target/\n*.log\n")
}

fn gate(root: &Path, beside: &Path) -> Result<Gate, Failure> {
    let workspace = Arc::new(Workspace::open(root)?);
    let tools: [Arc<dyn Tool>; 2] = [Arc::new(Grep::default()), Arc::new(Glob::default())];
    Ok(Gate::new(Parts {
        registry: Arc::new(Registry::new(tools)?),
        audit: Arc::new(Unstored),
        approver: Arc::new(Nobody),
        advisor: Arc::new(NoAdvisor),
        circumstances: Arc::new(Plain(workspace.root().to_string_lossy().into_owned())),
        workspace,
        scratch: beside.join("scratch"),
        observer: Arc::new(|_: Event| {}),
    }))
}

fn call(tool: &str, arguments: &Value, round: usize) -> ProposedCall {
    ProposedCall {
        id: format!("call_{round}"),
        id_given: true,
        name: tool.to_owned(),
        arguments: Arguments::Object(arguments.as_object().cloned().unwrap_or_default()),
        extra: None,
    }
}

fn run() -> Run {
    Run::new("session", "run", Origin::Task, CancellationToken::new())
}

/// How long ripgrep takes, ms; `None` where there is none.
fn ripgrep(root: &Path, options: &[&str]) -> Option<f64> {
    let started = Instant::now();
    let status = Command::new("rg").args(options).arg(root).stdout(Stdio::null()).status().ok()?;
    status.success().then(|| milliseconds(started))
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}

/// Keeps nothing: what a record costs is measured elsewhere.
struct Unstored;

impl AuditLog for Unstored {
    fn append(&self, _: &[Entry]) -> Result<(), AuditError> {
        Ok(())
    }

    fn standing(&self, _: &str, _: &str) -> Result<Option<Standing>, AuditError> {
        Ok(None)
    }
}
