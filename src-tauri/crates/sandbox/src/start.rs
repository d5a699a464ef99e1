//! Starting a command, following it, ending it.

use crate::backend::{Backend, HandedOver, Link, Native};
use crate::command::Command;
use crate::confinement::Confinement;
use crate::outcome::{Ended, Outcome, Refusal};
use crate::report::SandboxReport;
use crate::wire::{Message, Order};
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The way to confined commands: the helper program that this installation brought along.
#[derive(Clone, Debug)]
pub struct Sandbox {
    helper: PathBuf,
}

impl Sandbox {
    /// The helper beside the running executable; nowhere else is looked.
    ///
    /// # Errors
    /// It isn't there: a broken installation.
    pub fn beside_executable() -> Result<Self, StartError> {
        let executable = std::env::current_exe().map_err(StartError::OwnPath)?;
        let helper = executable.with_file_name(format!("assent-sandbox{}", std::env::consts::EXE_SUFFIX));
        if helper.is_file() { Ok(Self { helper }) } else { Err(StartError::NoHelper(helper)) }
    }

    /// A helper at a known place, for tests of this workspace.
    #[must_use]
    pub fn with_helper(helper: impl Into<PathBuf>) -> Self {
        Self { helper: helper.into() }
    }

    /// Where the helper is.
    #[must_use]
    pub fn helper(&self) -> &Path {
        &self.helper
    }

    /// Tries what holds on this machine. Takes some ten milliseconds; do it off the threads that draw.
    #[must_use]
    pub fn self_test(&self) -> SandboxReport {
        Native::self_test(self)
    }

    /// Starts a command. That the sandbox could not be set up, or the program not started, is an [`Outcome`].
    ///
    /// # Errors
    /// The helper itself could not be started.
    pub fn start(
        &self,
        command: Command,
        confinement: Confinement,
        streams: Streams,
    ) -> Result<Started, StartError> {
        let (output, out) = io::pipe().map_err(StartError::Helper)?;
        let (errors, err) = match streams {
            Streams::Merged => (None, out.try_clone().map_err(StartError::Helper)?),
            Streams::Separate => {
                let (errors, err) = io::pipe().map_err(StartError::Helper)?;
                (Some(errors), err)
            }
        };
        let started = Instant::now();
        let handed = Native::hand_over(&self.helper, Order { command, confinement }, out, err)?;
        Ok(Started { output, errors, running: Running { handed, started } })
    }
}

/// Where the command's two output streams go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Both into one pipe, in the order in which they were written.
    Merged,
    /// Each into its own pipe.
    Separate,
}

/// A command that was handed to the helper.
#[derive(Debug)]
pub struct Started {
    /// Standard output, or both streams; it ends when the whole tree is gone.
    pub output: PipeReader,
    /// Standard error, where it is separate.
    pub errors: Option<PipeReader>,
    /// The command itself.
    pub running: Running,
}

/// A command in the hands of its supervisor. Dropping it ends the whole tree.
#[derive(Debug)]
pub struct Running {
    handed: HandedOver<<Native as Backend>::Link>,
    started: Instant,
}

impl Running {
    /// The supervisor's process id.
    #[must_use]
    pub fn supervisor_id(&self) -> u32 {
        self.handed.helper.id()
    }

    /// What ends the tree from another thread.
    #[must_use]
    pub fn leash(&self) -> Leash {
        Leash { link: self.handed.link.clone() }
    }

    /// Waits, on this thread, until the whole tree is gone; `refused` is told of refusals as they happen.
    pub fn wait(mut self, mut refused: impl FnMut(&Refusal)) -> Ended {
        let mut outcome = None;
        let mut strength = None;
        let mut refusals: Vec<Refusal> = Vec::new();
        loop {
            let message = match self.handed.heard.take() {
                Some(heard) => Ok(Some(heard)),
                None => self.handed.link.receive(),
            };
            match message {
                Ok(Some(Message::Network)) => {}
                Ok(Some(Message::Running(held))) => strength = Some(held),
                Ok(Some(Message::Refused(refusal))) => {
                    if refusals.len() < Ended::MOST_REFUSALS && !refusals.contains(&refusal) {
                        refused(&refusal);
                        refusals.push(refusal);
                    }
                }
                Ok(Some(Message::Ended(end))) => outcome = Some(end),
                // Closed, or nothing that can be understood any more: the supervisor is done either way.
                Ok(None) | Err(_) => break,
            }
        }
        self.reap();
        let by_proxy = self.handed.forwarder.take().map(|forwarder| forwarder.refusals()).unwrap_or_default();
        refusals.extend(by_proxy.into_iter().inspect(&mut refused));
        Ended {
            outcome: outcome.unwrap_or(Outcome::Lost),
            refusals,
            strength,
            duration_ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Ends the supervisor if it still lives, and collects it.
    fn reap(&mut self) {
        self.handed.link.end();
        // Fails only where the process is already collected.
        let _gone = self.handed.helper.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.reap();
    }
}

/// Ends a command's whole process tree. Clones are equal; holding one keeps nothing alive.
#[derive(Clone, Debug)]
pub struct Leash {
    link: <Native as Backend>::Link,
}

impl Leash {
    /// Asks the supervisor to end the tree; returns at once. Asking again, or after the end, does nothing.
    pub fn end(&self) {
        self.link.end();
    }
}

/// Why no command could be handed over.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The path of the running executable is unknown.
    #[error("find the running program's own path: {0}")]
    OwnPath(#[source] io::Error),
    /// The helper isn't where it belongs.
    #[error("find the sandbox helper at {}: the installation is incomplete", .0.display())]
    NoHelper(PathBuf),
    /// A port that the command was to listen on isn't to be had.
    #[error("listen on port {port}: {error}")]
    Port {
        /// The port.
        port: u16,
        /// What the OS said.
        error: io::Error,
    },
    /// The helper could not be started.
    #[error("start the sandbox helper: {0}")]
    Helper(#[source] io::Error),
}
