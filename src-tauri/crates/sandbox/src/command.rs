//! What is started, and how much of the machine it may use.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;

/// A program with everything it is given. Nothing is inherited: no variable, no descriptor, no input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// The program; a bare name is looked up in `PATH` of `env`, inside the sandbox.
    pub program: OsString,
    /// Its arguments, without the program itself.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working folder.
    pub cwd: PathBuf,
    /// How much it may use.
    pub limits: Limits,
}

impl Command {
    /// A program with the default limits, no arguments and an empty environment.
    #[must_use]
    pub fn new(program: impl Into<OsString>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: cwd.into(),
            limits: Limits::default(),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds one variable.
    #[must_use]
    pub fn var(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }
}

/// Limits of the whole process tree. `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall time, ms.
    pub time_ms: Option<u64>,
    /// Resident private memory of all processes together, bytes.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u32>,
    /// Size of one file, bytes.
    pub file_bytes: Option<u64>,
    /// How much the free space of the workspace's file system may shrink during the run, bytes.
    pub disk_bytes: Option<u64>,
    /// Size of the private temp folder and all private copies together, bytes. They live in memory.
    pub scratch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        Self {
            time_ms: Some(120_000),
            memory_bytes: Some(8 * GIB),
            processes: Some(2048),
            file_bytes: Some(16 * GIB),
            disk_bytes: Some(32 * GIB),
            scratch_bytes: 2 * GIB,
        }
    }
}
