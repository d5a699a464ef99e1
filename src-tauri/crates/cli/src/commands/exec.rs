//! `assent exec PROMPT`: one run in this terminal. Approvals are asked here; no terminal means deny.

mod lines;
mod model;

use anyhow::{Context as _, bail};
use assent_agent::audit::AuditPlaces;
use assent_agent::audit::otlp::Exporter;
use assent_agent::audit::otlp_settings::ExportSettings;
use assent_agent::clock::{Clock as _, SystemClock};
use assent_agent::engine::Opening;
use assent_agent::event::{Event, Observer, Outcome};
use assent_agent::id::new_id;
use assent_agent::instructions::instruction_files;
use assent_agent::places::Places;
use assent_agent::reviewer::{Configured, configured};
use assent_agent::session::{Autosave, Fate, SessionLock, StoredHistory, resume};
use assent_agent::turn::Limits;
use assent_agent::workspace::Workspace;
use assent_policy::escape::escape;
use assent_policy::{Mode, SandboxState, ShellTrust};
use clap::{Args, ValueEnum};
use lines::Heading;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

use super::setup;

/// How long commands in the background may keep a run that is done from ending.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long the export may keep a run that is done from ending.
const EXPORT: Duration = Duration::from_secs(3);

/// What to run, where, and against which model.
#[derive(Debug, Args)]
pub struct ExecArguments {
    /// What you want done
    prompt: String,
    /// The folder to work in; naming it, or standing in it, trusts it for shell commands in this run
    #[arg(long, value_name = "DIR", default_value = ".")]
    workspace: PathBuf,
    /// Go on with this session, which must belong to the folder
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    #[command(flatten)]
    model: model::ModelArguments,
    /// How much is asked
    #[arg(long, value_enum, default_value_t)]
    mode: ModeArgument,
    /// Requests to the model before the run ends
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_turns: u32,
}

/// `strict`, `balanced` or `sandboxed`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ModeArgument {
    /// Every shell command asks
    Strict,
    /// Commands that are proven read-only run
    #[default]
    Balanced,
    /// Commands run in the sandbox, writes inside with undo
    Sandboxed,
}

impl From<ModeArgument> for Mode {
    fn from(mode: ModeArgument) -> Self {
        match mode {
            ModeArgument::Strict => Self::Strict,
            ModeArgument::Balanced => Self::Balanced,
            ModeArgument::Sandboxed => Self::Sandboxed,
        }
    }
}

/// Runs it; the exit code says how it ended.
///
/// # Errors
/// Bad configuration: a folder, a model, a reviewer or a policy file that can't be used, an audit log that can't be written.
pub fn run(arguments: ExecArguments, places: &Places, json: bool) -> anyhow::Result<ExitCode> {
    let workspace = Arc::new(Workspace::open(&arguments.workspace)?);
    let model = arguments.model.connect()?;
    let (reviewer, secrets) = match configured(&places.config)? {
        Some(Configured { model, secrets }) => (Some(model), secrets),
        None => (None, Vec::new()),
    };
    let parts = setup::engine(places, workspace.root(), secrets)?;
    let mode = Mode::from(arguments.mode);
    let heading = Heading {
        workspace: workspace.root().to_string_lossy().into_owned(),
        mode: mode.as_str().to_owned(),
        sandbox: match parts.engine.sandbox.state() {
            SandboxState::InForce => "in_force",
            SandboxState::NotInForce => "not_in_force",
        }
        .to_owned(),
        instructions: instruction_files(places, workspace.root()),
    };
    let now = SystemClock.now_ms();
    let (id, _lock) = match arguments.session {
        Some(id) => {
            let lock = take_up(&parts, &id, &heading.workspace)?;
            (id, lock)
        }
        None => {
            let id = new_id(now)?;
            parts.sessions.create(&id, &heading.workspace)?;
            let lock = SessionLock::take(&parts.engine.scratch(&id))?;
            (id, lock)
        }
    };
    let printer: Arc<dyn Observer> =
        if json { Arc::new(printer_json(heading)) } else { Arc::new(printer_text(heading)) };
    let observer = Autosave::new(Arc::clone(&parts.sessions), &id, Arc::new(SystemClock), printer);
    let opening = Opening {
        history: Arc::new(StoredHistory::new(Arc::clone(&parts.sessions), &id)),
        id,
        workspace,
        layers: parts.layers,
        mode,
        trust: ShellTrust::Trusted,
        model,
        reviewer,
        observer: Arc::new(observer),
        limits: Limits { turns: arguments.max_turns, ..Limits::default() },
        date: assent_agent::clock::date(now),
    };
    let session = parts.engine.session(opening)?;
    let run_id = new_id(now)?;
    let cancel = CancellationToken::new();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("start the runtime")?;
    let finished = runtime.block_on(async {
        let stop = cancel.clone();
        let watcher = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                stop.cancel();
            }
        });
        let finished = session.run(&run_id, arguments.prompt, Vec::new(), cancel).await;
        watcher.abort();
        // What they left in the workspace is moved out before this process ends.
        if !parts.engine.finish(FAREWELL).await {
            let _ = writeln!(std::io::stderr(), "assent: a command in the background did not end in time");
        }
        export(places).await;
        finished
    });
    // A thread that still waits for the terminal must not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::from(match finished.outcome {
        Outcome::Completed => 0,
        Outcome::Incomplete | Outcome::ProviderError => 1,
        Outcome::TurnLimit => 3,
        Outcome::CircuitBreaker => 4,
        Outcome::Cancelled => 130,
    }))
}

/// Takes a session up where it ended, however it ended: every call is answered, and none waits any more.
fn take_up(parts: &setup::Parts, id: &str, folder: &str) -> anyhow::Result<SessionLock> {
    parts.sessions.session(id)?;
    let lock = SessionLock::take(&parts.engine.scratch(id))?;
    // Whoever deleted or moved it meanwhile held the lock.
    let record = parts.sessions.session(id)?;
    if record.workspace != folder {
        bail!(
            "go on with the session: it belongs to {}; stand in that folder, or name it with --workspace",
            record.workspace
        );
    }
    parts.broker.withdraw_all(id)?;
    let audit = &parts.engine.audit;
    let waited = |call: &str| parts.broker.untaken(id, call).ok().flatten();
    let fate = |call: &str| Fate::of(audit.standing(id, call), || waited(call));
    for answer in resume(&parts.sessions, id, fate)? {
        audit.close(id, &answer.call_id, answer.error_code.as_deref().unwrap_or_default())?;
    }
    Ok(lock)
}

/// Sends what was recorded to the collector that the settings name. What fails is sent by a later run, and changes
/// neither this one's end nor its code.
async fn export(places: &Places) {
    let sent = tokio::time::timeout(EXPORT, try_to_export(places)).await;
    let problem = match sent {
        Ok(Ok(())) => return,
        Ok(Err(error)) => format!("{error:#}"),
        Err(_) => "the collector takes too long".to_owned(),
    };
    // Standard error may be closed; the records stay in the log all the same.
    let _ = writeln!(std::io::stderr(), "assent: the audit log was not exported: {problem}");
}

async fn try_to_export(places: &Places) -> anyhow::Result<()> {
    let Some(settings) = ExportSettings::read(&places.config)? else { return Ok(()) };
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    Exporter::new(log, settings.collector(|name| std::env::var(name).ok())?)?.send().await?;
    Ok(())
}

fn printer_json(heading: Heading) -> impl Fn(Event) + Send + Sync {
    let out = Mutex::new(std::io::stdout());
    move |event| {
        if let Some(line) = lines::line(&event, &heading) {
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            // A reader that went away can't be told; the run's end is still recorded.
            let _ = writeln!(out, "{line}").and_then(|()| out.flush());
        }
    }
}

/// The run for people: the model's text as it comes, each call with its decision and result.
fn printer_text(heading: Heading) -> impl Fn(Event) + Send + Sync {
    let out = Mutex::new((std::io::stdout(), false));
    move |event| {
        let mut guard = out.lock().unwrap_or_else(PoisonError::into_inner);
        let (out, open) = &mut *guard;
        let fresh = if *open { "\n" } else { "" };
        let text = match event {
            Event::TextDelta(text) => {
                *open = !text.ends_with('\n');
                plain(&text)
            }
            Event::ToolCall { name, arguments, agent, .. } => {
                let about = arguments
                    .map(|map| escape(&serde_json::Value::Object(map).to_string()))
                    .unwrap_or_default();
                *open = false;
                let by = agent.map(|agent| format!("{}: ", escape(&agent))).unwrap_or_default();
                format!("{fresh}▸ {by}{} {}\n", escape(&name), shorten(&about))
            }
            Event::Decision { behavior, source, reason, .. } => {
                *open = false;
                format!("{fresh}  {behavior} ({source}) {}\n", escape(&reason))
            }
            Event::ToolResult { content, error, .. } => {
                *open = false;
                let mark = if error.is_some() { "✗" } else { "✓" };
                let first = content.lines().next().unwrap_or_default();
                format!("{fresh}  {mark} {}\n", shorten(&escape(first)))
            }
            Event::Compacted(done) => {
                *open = false;
                format!("{fresh}! The first {} messages are sent as a summary from here on.\n", done.messages)
            }
            Event::Warning { message, .. } => {
                *open = false;
                format!("{fresh}! {}\n", escape(&message))
            }
            Event::RunFinished { outcome, message, .. } => {
                *open = false;
                let why = message.map(|text| format!(": {}", escape(&text))).unwrap_or_default();
                if outcome == Outcome::Completed {
                    fresh.to_owned()
                } else {
                    format!("{fresh}{}{why}\n", outcome.as_str())
                }
            }
            Event::RunStarted { .. } => heading
                .instructions
                .iter()
                .map(|file| format!("{}\n", lines::instruction_line(file)))
                .collect(),
            Event::ReasoningDelta(_)
            | Event::Reply { .. }
            | Event::ApprovalAnswered { .. }
            | Event::Output { .. }
            | Event::Context { .. }
            | Event::Spent(_) => return,
        };
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// Model text for a terminal: lines stay lines, everything else that could steer the terminal is spelled out.
fn plain(text: &str) -> String {
    text.split('\n')
        .map(|line| line.split('\t').map(escape).collect::<Vec<_>>().join("\t"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn shorten(text: &str) -> String {
    const LIMIT: usize = 160;
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    text.chars().take(LIMIT).chain(['…']).collect()
}
