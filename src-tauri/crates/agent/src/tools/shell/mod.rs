//! `shell`: a command in the system's shell, confined as it was judged.

mod answer;
mod arguments;
mod stop;

pub use arguments::{ShellArguments, schema};

use super::command_output;
use super::{Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::process::approved::Approved;
use crate::process::background::{Background, Listed};
use crate::process::output::Output;
use crate::process::profile::{self, Inputs};
use crate::process::quarantine::{Moved, QuarantineError};
use crate::process::survey::{Survey, survey};
use crate::process::toolchains::{self, Toolchains};
use crate::process::unconfined::Unconfined;
use crate::process::watch::Watch;
use crate::process::{environment, git_identity, invocation, run};
use crate::workspace::Workspace;
use answer::Story;
use assent_policy::{ErrorCode, SandboxState, ShellRequest, Subject, ToolEffect};
use assent_sandbox::{Command, Confinement, Level, Limits, Sandbox};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// Runs commands.
#[derive(Debug)]
pub struct Shell {
    definition: ToolDefinition,
    parts: Parts,
}

/// What the shell tool is made of.
#[derive(Clone, Debug)]
pub struct Parts {
    /// What confines commands.
    pub sandbox: Sandbox,
    /// Where commands that go on are kept.
    pub background: Background,
    /// The variables of the app, or of the user's login shell; an allow-list picks from them.
    pub variables: Vec<(OsString, OsString)>,
}

impl Shell {
    /// A shell tool.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let definition = ToolDefinition {
            name: "shell",
            description: if cfg!(windows) { DESCRIPTION_POWERSHELL } else { DESCRIPTION_BASH },
            schema: schema(),
            effect: ToolEffect::Execute,
            schema_version: 1,
        };
        Self { definition, parts }
    }
}

const DESCRIPTION_BASH: &str = "Runs a command with bash in the workspace folder and returns its output. \
     It runs in a sandbox: it can read the workspace and the system's programs, write in the workspace, and has no network. \
     Files that hold secrets read as empty; .git and settings of editors, CI and tools can't be changed. \
     There is no input and no terminal. If the command needs more, say what in `needs`; the user is asked. \
     Every process the command starts ends with it.";

const DESCRIPTION_POWERSHELL: &str = "Runs a command with PowerShell in the workspace folder and returns its output. \
     There is no input and no terminal. If the command needs more than the workspace, say what in `needs`; the user is asked. \
     Every process the command starts ends with it.";

#[async_trait]
impl Tool for Shell {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        ShellArguments::subject(arguments)
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let Subject::Shell(request) = permit.call().subject.clone() else {
            return Err(not_set_up("the call is no shell call"));
        };
        if let Some(command) = stop::wanted(&self.parts.background, &run.session, &request.command) {
            return stop::stop(command, &run.cancel).await;
        }
        let in_force = permit.sandbox() == SandboxState::InForce;
        let (workspace, scratch) = (Arc::clone(&run.workspace), run.scratch.clone());
        let parts = self.parts.clone();
        let text = request.command.clone();
        let prepared =
            tokio::task::spawn_blocking(move || prepare_run(&permit, &parts, &workspace, &scratch, &text));
        let mut prepared = prepared
            .await
            .map_err(|_| not_set_up("its preparation failed"))?
            .map_err(|why| not_set_up(&why))?;
        prepared.command.limits.time_ms = (!request.background).then_some(request.timeout_ms);
        let kept_at = command_output::path(&run.scratch, &run.call_id);
        let output = Output::kept_at(&kept_at).map_err(|error| {
            not_set_up(&format!("its output can't be kept at {}: {error}", kept_at.display()))
        })?;
        let job = Job {
            sandbox: self.parts.sandbox.clone(),
            name: command_output::name(&run.call_id),
            request,
            // Where no profile is in force, nothing keeps it from the screen either.
            unconfined: (prepared.confinement.level == Level::Unsandboxed || !in_force)
                .then(|| self.parts.background.unconfined()),
            prepared,
        };
        if job.request.background {
            Ok(job.in_background(output, run, &self.parts.background))
        } else {
            job.run(output, Arc::clone(&run.output), &run.cancel).await
        }
    }
}

/// Everything that was looked up for one run.
struct Prepared {
    command: Command,
    confinement: Confinement,
    /// What looks after the workspace, where it can be written in the sandbox.
    watch: Option<Watch>,
    /// What commands in the background had left.
    moved_before: Vec<Moved>,
}

/// Looks at the workspace and the toolchains; the reason why nothing can run is for the model.
fn prepare_run(
    permit: &Permit,
    parts: &Parts,
    workspace: &Arc<Workspace>,
    scratch: &Path,
    text: &str,
) -> Result<Prepared, String> {
    let Subject::Shell(request) = &permit.call().subject else {
        return Err("the call is no shell call".to_owned());
    };
    let profile = permit.evaluation().profile;
    let level = profile::level(profile).map_err(|error| error.to_string())?;
    let mut variables = environment::of(parts.variables.iter().cloned(), level);
    let written = Approved::to_be_written(permit.evaluation());
    let watches = parts.background.watches();
    let look = || watches.look(workspace, scratch).map_err(|error| error.to_string());
    let mut watch = None;
    let (survey, toolchains, moved_before) = match level {
        Level::Unsandboxed => (Survey::default(), Toolchains::default(), look()?),
        Level::ReadOnly => {
            let moved = look()?;
            let found = survey(workspace.root()).map_err(|error| error.to_string())?;
            (found, Toolchains::default(), moved)
        }
        Level::WorkspaceWrite => {
            let mut begun =
                watches.begin(workspace, written.clone(), scratch).map_err(|error| error.to_string())?;
            let (found, moved) = (std::mem::take(&mut begun.found), std::mem::take(&mut begun.moved));
            watch = Some(begun);
            (found, toolchains::find(&variables, |path| path.symlink_metadata().is_ok()), moved)
        }
    };
    let confinement = profile::confinement(&Inputs {
        workspace: workspace.root(),
        profile,
        needs: &request.needs,
        evaluation: permit.evaluation(),
        facts: permit.facts(),
        survey: &survey,
        toolchains: &toolchains,
        // Judged where it wasn't in force, it was asked with that said, and runs with what there is.
        best_effort: permit.sandbox() == SandboxState::NotInForce,
    })
    .map_err(|error| error.to_string())?;
    if level == Level::WorkspaceWrite
        && survey.protected.iter().any(|path| path.ends_with(".git") && written.opens_repository(path))
    {
        git_identity::pass_on(&mut variables, workspace.root());
    }
    let invocation = invocation::of_this_system(text);
    let command = Command {
        program: invocation.program,
        args: invocation.args,
        env: variables,
        cwd: workspace.root().to_owned(),
        limits: Limits::default(),
    };
    Ok(Prepared { command, confinement, watch, moved_before })
}

/// One command from its start to its answer.
struct Job {
    sandbox: Sandbox,
    /// By what the model reads the whole output.
    name: String,
    request: ShellRequest,
    /// Held until nothing of it runs, where it runs without the sandbox.
    unconfined: Option<Unconfined>,
    prepared: Prepared,
}

impl Job {
    async fn run(
        self,
        output: Output,
        show: run::Show,
        cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<ToolOutput, ToolFailure> {
        let (story, last) = self.tell(output, Arc::clone(&show), cancel).await?;
        if !last.is_empty() {
            show(last);
        }
        answer::answer(&story)
    }

    /// Runs it and puts the workspace in order; what is left to show comes with the story.
    async fn tell(
        self,
        output: Output,
        show: run::Show,
        cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<(Story, String), ToolFailure> {
        let Prepared { command, confinement, watch, moved_before } = self.prepared;
        let level = confinement.level;
        let finished = run::run(&self.sandbox, command, confinement, output, show, cancel)
            .await
            .map_err(|error| not_set_up(&format!("failed to {error}")))?;
        drop(self.unconfined);
        let moved = match watch {
            None => Ok(Vec::new()),
            Some(watch) => tokio::task::spawn_blocking(move || watch.end()).await.unwrap_or_else(|_| {
                Err(QuarantineError::Move { path: PathBuf::new(), error: std::io::Error::other("it failed") })
            }),
        };
        let flood = finished.output.is_flood();
        let kept = finished.output.finish(&self.name);
        let story = Story {
            ended: finished.ended,
            level,
            cancelled: finished.cancelled,
            flood,
            timeout_ms: self.request.timeout_ms,
            text: kept.text,
            moved: moved.map_err(|error| error.to_string()),
            moved_before,
        };
        Ok((story, kept.last))
    }

    fn in_background(self, output: Output, run: &Execution, background: &Background) -> ToolOutput {
        let name = self.name.clone();
        let cancel = background.add(Listed {
            call_id: run.call_id.clone(),
            session: run.session.clone(),
            command: self.request.command.clone(),
            started: SystemTime::now(),
            unsandboxed: self.unconfined.is_some(),
            ended: None,
        });
        let reporter = background.reporter(&run.session, &run.call_id);
        let show = Arc::clone(&run.output);
        tokio::spawn(async move {
            let outcome = match self.tell(output, Arc::clone(&show), &cancel).await {
                Ok((story, last)) => {
                    show(last);
                    for note in answer::notes(&story) {
                        show(format!("\n{note}\n"));
                    }
                    story.ended.outcome
                }
                Err(failure) => assent_sandbox::Outcome::SetupFailed(failure.reason),
            };
            reporter.ended(outcome);
        });
        ToolOutput {
            content: format!(
                "It runs in the background. Its output so far: read_file with path \"{name}\". To stop it: shell with the command `kill {name}`. It ends with the app, or when the user stops it."
            ),
            changes: Vec::new(),
        }
    }
}

fn not_set_up(why: &str) -> ToolFailure {
    ToolFailure {
        code: ErrorCode::SandboxFailed,
        reason: format!("The command could not be confined: {why}. Nothing ran."),
    }
}

/// What appeared during a run and was moved away.
type Swept = Result<Vec<Moved>, String>;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
