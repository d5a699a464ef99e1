//! Why a sandbox could not be set up.

use crate::outcome::Outcome;
use std::io;
use std::path::{Path, PathBuf};

/// Why a sandbox could not be set up. Nothing of the command ran.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A step the kernel refused.
    #[error("{what}: {error}")]
    Step {
        /// What was done.
        what: &'static str,
        /// The kernel's answer.
        error: io::Error,
    },
    /// A path that could not be brought in.
    #[error("bring in {}: {error}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The kernel's answer.
        error: io::Error,
    },
    /// The rules that the kernel was to hold.
    #[error("apply the sandbox's rules: {0}")]
    Rules(String),
    /// The sandbox stands, but the program itself did not start.
    #[error("start {0}")]
    Program(String),
    /// The order itself makes no sense, or a later step failed with these words.
    #[error("{0}")]
    Refused(String),
}

impl SetupError {
    pub(crate) fn because(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Step { what, error }
    }

    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Path { path, error }
    }
}

impl From<SetupError> for Outcome {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Program(why) => Self::NotStarted(why),
            SetupError::Step { .. }
            | SetupError::Path { .. }
            | SetupError::Rules(_)
            | SetupError::Refused(_) => Self::SetupFailed(error.to_string()),
        }
    }
}
