//! Running a hook's program.

use super::file::Hook;
use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

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
