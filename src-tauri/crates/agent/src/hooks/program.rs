//! Running a hook's program: in the sandbox, as a command that writes the workspace runs, with no network.

use super::file::Hook;
use crate::process::approved::Approved;
use crate::process::background::Background;
use crate::process::quarantine::QuarantineError;
use crate::process::unconfined::Unconfined;
use crate::process::watch::{Watch, Watches};
use crate::process::{environment, invocation, profile, toolchains};
use crate::seen_sandbox::SeenSandbox;
use crate::workspace::Workspace;
use assent_policy::SandboxState;
use assent_sandbox::{
    Command, Confinement, EndReason, Leash, Level, Limits, Outcome, Running, Sandbox, Streams,
};
use async_trait::async_trait;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, PipeReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Bytes of each output stream that are kept.
const OUTPUT_LIMIT: usize = 256 * 1024;

/// How long its output is awaited after its process tree is gone: only something outside the tree can still hold it.
const STRAGGLERS: Duration = Duration::from_secs(1);

/// How a hook's program ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code; 128 + signal where a signal ended it.
    pub code: i32,
    /// What it wrote to standard output, bounded.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, bounded.
    pub stderr: Vec<u8>,
}

/// Runs hooks' programs.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Runs the hook's command with `input` on its standard input, for no longer than it may.
    ///
    /// # Errors
    /// When it could not be started, or was ended before it was done.
    async fn run(&self, hook: &Hook, input: &[u8], cancel: &CancellationToken)
    -> Result<Ended, ProgramError>;
}

/// Runs them in the sandbox, or without it where the hook's file says so.
#[derive(Clone, Debug)]
pub struct InSandbox {
    /// What confines them.
    pub sandbox: Sandbox,
    /// What its self-test saw. Where no profile is in force, only hooks without the sandbox run.
    pub seen: SeenSandbox,
    /// The variables of the app, or of the user's login shell; an allow-list picks from them.
    pub variables: Vec<(OsString, OsString)>,
    /// Where it is known which programs run without the sandbox.
    pub background: Background,
    /// The folder they work in.
    pub workspace: Arc<Workspace>,
    /// This session's own folder.
    pub scratch: PathBuf,
    /// What looks after the workspaces that commands work in.
    pub watches: Watches,
}

#[async_trait]
impl Runner for InSandbox {
    async fn run(
        &self,
        hook: &Hook,
        input: &[u8],
        cancel: &CancellationToken,
    ) -> Result<Ended, ProgramError> {
        let input = Input::keep(&self.scratch, input)?;
        let (this, told, path) = (self.clone(), hook.clone(), input.0.clone());
        let (started, watch) = blocking(move || this.start(&told, &path)).await?;
        let Started { output, errors, running, leash, unconfined } = started;
        let stdout = tokio::task::spawn_blocking(move || bounded(output));
        let stderr = tokio::task::spawn_blocking(move || errors.map_or_else(|| Ok(Vec::new()), bounded));
        let mut waiting = std::pin::pin!(blocking(move || Ok(running.wait(|_| {}))));
        let ended = tokio::select! {
            ended = &mut waiting => ended?,
            () = cancel.cancelled() => {
                leash.0.end();
                waiting.await?;
                return Err(ProgramError::Cancelled);
            }
        };
        drop(unconfined);
        put_in_order(watch).await?;
        let code = match ended.outcome {
            Outcome::Exited(_) | Outcome::Signalled(_) => ended.outcome.exit_code(),
            Outcome::Stopped(EndReason::Time) => return Err(ProgramError::Timeout(hook.timeout.as_secs())),
            Outcome::NotStarted(why) | Outcome::SetupFailed(why) => {
                return Err(ProgramError::NotStarted(why));
            }
            Outcome::Stopped(
                EndReason::Asked | EndReason::Memory | EndReason::Processes | EndReason::Disk,
            )
            | Outcome::Lost => {
                return Err(ProgramError::Ended("it used too much, or its supervisor died".to_owned()));
            }
        };
        Ok(Ended { code, stdout: all_of(stdout, cancel).await?, stderr: all_of(stderr, cancel).await? })
    }
}

impl InSandbox {
    /// Starts the hook; with it, what looks after the workspace.
    fn start(&self, hook: &Hook, input: &Path) -> Result<(Started, Option<Watch>), ProgramError> {
        let level = if hook.sandboxed { Level::WorkspaceWrite } else { Level::Unsandboxed };
        let mut variables = environment::of(self.variables.iter().cloned(), level);
        let root = self.workspace.root();
        for name in ["ASSENT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"] {
            environment::set(&mut variables, name, root);
        }
        environment::set(&mut variables, "ASSENT_HOOK_INPUT", input);
        let left = |error: QuarantineError| ProgramError::NotStarted(error.to_string());
        let (confinement, watch) = if hook.sandboxed {
            if self.seen.state() == SandboxState::NotInForce {
                return Err(ProgramError::NotStarted(
                    "the sandbox is not in force here; \"sandbox\": false in hooks.json runs it without"
                        .to_owned(),
                ));
            }
            let watch =
                self.watches.begin(&self.workspace, Approved::default(), &self.scratch).map_err(left)?;
            let found = toolchains::find(&variables, |path| path.symlink_metadata().is_ok());
            let mut confinement = profile::of_workspace(root, &watch.found, &found);
            confinement.read = readable(hook, &variables);
            confinement.read.push(input.to_owned());
            (confinement, Some(watch))
        } else {
            self.watches.look(&self.workspace, &self.scratch).map_err(left)?;
            (Confinement::new(Level::Unsandboxed, root), None)
        };
        let invocation = invocation::of_this_system(&with_input(&hook.command, input));
        let milliseconds = u64::try_from(hook.timeout.as_millis()).unwrap_or(u64::MAX);
        let command = Command {
            program: invocation.program,
            args: invocation.args,
            env: variables,
            cwd: root.to_owned(),
            limits: Limits { time_ms: Some(milliseconds), ..Limits::default() },
        };
        let unconfined = (!hook.sandboxed).then(|| self.background.unconfined());
        let started = self
            .sandbox
            .start(command, confinement, Streams::Separate)
            .map_err(|error| ProgramError::NotStarted(error.to_string()))?;
        let leash = EndsWhenDropped(started.running.leash());
        Ok((
            Started {
                output: started.output,
                errors: started.errors,
                running: started.running,
                leash,
                unconfined,
            },
            watch,
        ))
    }
}

/// Moves protected files that the hook, or what it ran, left in the workspace out of it.
async fn put_in_order(watch: Option<Watch>) -> Result<(), ProgramError> {
    let Some(watch) = watch else { return Ok(()) };
    let moved = blocking(move || watch.end().map_err(|error| ProgramError::Ended(error.to_string()))).await?;
    match moved.first() {
        None => Ok(()),
        Some(first) => Err(ProgramError::Ended(format!(
            "it left the protected {}, which was moved out of the workspace to {}",
            first.from.display(),
            first.to.display()
        ))),
    }
}

/// A hook that was started.
struct Started {
    output: PipeReader,
    errors: Option<PipeReader>,
    running: Running,
    leash: EndsWhenDropped,
    /// Held while it runs without the sandbox.
    unconfined: Option<Unconfined>,
}

struct EndsWhenDropped(Leash);

impl Drop for EndsWhenDropped {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A hook's input, in a file that goes when it is done.
struct Input(PathBuf);

impl Input {
    fn keep(scratch: &Path, input: &[u8]) -> Result<Self, ProgramError> {
        let keep = || -> io::Result<Self> {
            let folder = scratch.join("hooks");
            std::fs::create_dir_all(&folder)?;
            let mut random = [0_u8; 8];
            getrandom::fill(&mut random).map_err(io::Error::other)?;
            let path = folder.canonicalize()?.join(format!("{:016x}.json", u64::from_le_bytes(random)));
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let kept = Self(path);
            options.open(&kept.0)?.write_all(input)?;
            Ok(kept)
        };
        keep().map_err(|error| ProgramError::NotStarted(format!("its input can't be kept: {error}")))
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        // What stays behind lies in the session's own folder.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The command, reading its input from the file. In PowerShell a hook reads `ASSENT_HOOK_INPUT` itself.
fn with_input(command: &str, input: &Path) -> String {
    if cfg!(windows) {
        return command.to_owned();
    }
    format!("exec <'{}'\n{command}", input.display().to_string().replace('\'', r"'\''"))
}

/// What a hook may read beside the workspace and the system: the folder `hooks` beside its file, and files that
/// its command names by a full path.
fn readable(hook: &Hook, variables: &[(OsString, OsString)]) -> Vec<PathBuf> {
    let home = variables.iter().find(|(name, _)| name == "HOME").map(|(_, value)| PathBuf::from(value));
    let named = hook.command.split_whitespace().filter_map(|word| {
        let word = word.trim_matches(['"', '\'', ';']);
        let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| word.strip_prefix(start));
        match (below, &home) {
            (Some(below), Some(home)) => Some(home.join(below)),
            _ => Some(PathBuf::from(word)).filter(|path| path.is_absolute()),
        }
    });
    std::iter::once(hook.home.join("hooks"))
        .chain(named.filter(|path| path.is_file()))
        .filter_map(|path| path.canonicalize().ok())
        .collect()
}

/// What a hook that has ended wrote. Without it nobody knows what it said: that is no consent.
async fn all_of(
    reader: JoinHandle<io::Result<Vec<u8>>>,
    cancel: &CancellationToken,
) -> Result<Vec<u8>, ProgramError> {
    let lost = || ProgramError::Ended("what it wrote could not be read to its end".to_owned());
    tokio::select! {
        read = tokio::time::timeout(STRAGGLERS, reader) => match read {
            Ok(Ok(Ok(written))) => Ok(written),
            Ok(Ok(Err(_)) | Err(_)) | Err(_) => Err(lost()),
        },
        () = cancel.cancelled() => Err(ProgramError::Cancelled),
    }
}

/// Everything a pipe gives, of which the first part is kept.
fn bounded(mut pipe: PipeReader) -> io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    let mut piece = vec![0_u8; 64 * 1024];
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(kept),
            Ok(length) => {
                let room = OUTPUT_LIMIT.saturating_sub(kept.len()).min(length);
                kept.extend_from_slice(piece.get(..room).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ProgramError> + Send + 'static,
) -> Result<T, ProgramError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(ProgramError::Ended("its supervision failed".to_owned())),
    }
}

/// Why a hook gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// It could not be started.
    #[error("it could not be started ({0})")]
    NotStarted(String),
    /// It took too long; its whole process tree was ended.
    #[error("it took longer than {0} s and was ended")]
    Timeout(u64),
    /// Stop.
    #[error("the run was stopped")]
    Cancelled,
    /// Something else ended it.
    #[error("it was ended ({0})")]
    Ended(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output that can't be read, or never ends, is no consent; Stop is heard meanwhile.
    #[tokio::test(start_paused = true)]
    async fn a_lost_output_is_a_failure() {
        let cancel = CancellationToken::new();
        let said = |read: JoinHandle<io::Result<Vec<u8>>>| all_of(read, &cancel);
        let lost = Err(ProgramError::Ended("what it wrote could not be read to its end".to_owned()));
        assert_eq!(said(tokio::spawn(async { Ok(vec![1]) })).await, Ok(vec![1]));
        assert_eq!(said(tokio::spawn(async { Err(io::ErrorKind::Other.into()) })).await, lost);
        assert_eq!(said(tokio::spawn(async { panic!("as asked") })).await, lost);
        assert_eq!(said(tokio::spawn(std::future::pending())).await, lost);
        cancel.cancel();
        assert_eq!(said(tokio::spawn(std::future::pending())).await, Err(ProgramError::Cancelled));
    }
}
