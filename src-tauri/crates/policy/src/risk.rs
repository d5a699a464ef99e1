//! How much could go wrong, from the effect and not from the name (R19).

use serde::Serialize;

/// A level and the one thing to know about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Risk {
    /// For sorting, filters and policies.
    pub level: RiskLevel,
    /// What the sentence for people is made from.
    pub kind: RiskKind,
}

/// The four levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Looks at the workspace.
    Low,
    /// Changes what Assent can undo.
    Medium,
    /// Changes what Assent can't undo, reads a secret, or talks to the network.
    High,
    /// Catastrophic, or without any confinement.
    Critical,
}

impl RiskLevel {
    /// The word in the audit and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What a call would do at worst, in the kinds people tell apart; each has one sentence per language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum RiskKind {
    /// Reads files of the workspace.
    Reads,
    /// Reads a file that may hold secrets.
    ReadsSecret,
    /// Reads outside the workspace.
    ReadsOutside,
    /// Creates or changes a file; can be undone.
    Writes,
    /// Changes something that runs code later (hooks, CI, start-up files).
    WritesProtected,
    /// Writes outside the workspace.
    WritesOutside,
    /// Deletes; can't be undone.
    Deletes,
    /// Runs a program that may change the workspace; can't be undone.
    Runs,
    /// Discards or rewrites version history or uncommitted work.
    ChangesGit,
    /// Connects to a host.
    Connects {
        /// Host names, as ASCII.
        hosts: Vec<String>,
    },
    /// Runs with no sandbox.
    Unsandboxed,
    /// Destroys a system or needs administrator rights.
    Catastrophic,
    /// Couldn't be worked out.
    Unknown,
}

impl Risk {
    /// A risk of `level` and `kind`.
    #[must_use]
    pub const fn new(level: RiskLevel, kind: RiskKind) -> Self {
        Self { level, kind }
    }
}
