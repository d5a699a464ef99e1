//! How a command ended and what the sandbox refused it, as the supervisor saw it: never guessed from output.

use crate::report::Strength;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The end of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub outcome: Outcome,
    /// What the sandbox refused, each thing once, in order, at most [`Ended::MOST_REFUSALS`].
    pub refusals: Vec<Refusal>,
    /// How much of the confinement was in force; `None` where the program never ran.
    pub strength: Option<Strength>,
    /// Wall time from start to end, ms.
    pub duration_ms: u64,
}

impl Ended {
    /// How many refusals are kept.
    pub const MOST_REFUSALS: usize = 32;
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The command's own exit code.
    Exited(i32),
    /// A signal ended it that the supervisor did not send.
    Signalled(i32),
    /// The supervisor ended the whole tree.
    Stopped(EndReason),
    /// The sandbox stood, but the program could not be started; nothing ran.
    NotStarted(String),
    /// The sandbox could not be set up; nothing ran.
    SetupFailed(String),
    /// The supervisor itself died. The tree is ended where the platform can do so; what the command did is unknown.
    Lost,
}

impl Outcome {
    /// The exit code a command line tool reports: the command's own, 128 + signal, 124 for the time limit,
    /// 126 where the sandbox refused to start it, 127 where the program is missing, 125 for the rest.
    #[must_use]
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::Exited(code) => *code,
            Self::Signalled(signal) => 128_i32.saturating_add(*signal),
            Self::Stopped(EndReason::Time) => 124,
            Self::SetupFailed(_) => 126,
            Self::NotStarted(_) => 127,
            Self::Stopped(EndReason::Asked | EndReason::Memory | EndReason::Processes | EndReason::Disk)
            | Self::Lost => 125,
        }
    }
}

/// Why the supervisor ended a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The caller asked, or is gone.
    Asked,
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
    /// The process limit.
    Processes,
    /// The disk limit.
    Disk,
}

/// One thing the command tried and the sandbox refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind of thing.
    pub kind: RefusalKind,
    /// The path, address or call.
    pub what: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            RefusalKind::Write => write!(f, "writing {}", self.what),
            RefusalKind::Read => write!(f, "reading {}", self.what),
            RefusalKind::Connect => write!(f, "connecting to {}", self.what),
            RefusalKind::Socket => write!(f, "opening a {} socket", self.what),
            RefusalKind::Call => write!(f, "the system call {}", self.what),
        }
    }
}

/// What kind of thing was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// Changing a file or folder.
    Write,
    /// Reading a hidden file: it read as empty.
    Read,
    /// A network address.
    Connect,
    /// A kind of socket.
    Socket,
    /// A system call no tool needs.
    Call,
}
