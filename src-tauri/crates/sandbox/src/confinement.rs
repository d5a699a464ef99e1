//! What a command is confined to, as data.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How much a command may do; everything else is in [`Confinement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Reads the workspace and the system folders programs need, writes a private temp folder only, no network.
    ReadOnly,
    /// Also writes the workspace, less its protected paths, and sees toolchains and private copies of caches.
    WorkspaceWrite,
    /// No confinement; still its own session, limits, and an end for the whole tree.
    Unsandboxed,
}

impl Level {
    /// The word used in reports, records and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Unsandboxed => "unsandboxed",
        }
    }
}

/// A profile with everything it depends on. Every path is absolute and resolved (no symlink in it).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// How much may be done.
    pub level: Level,
    /// Whether the command may run with less than the level promises where the system can't hold it; only for calls
    /// that a person allowed who was told so.
    pub best_effort: bool,
    /// The folder the command works on.
    pub workspace: PathBuf,
    /// Paths in the workspace that stay read-only. Those that don't exist, but whose folder does, can't be created
    /// while the command runs. Those without a folder have no effect: look for them after the run.
    pub protected: Vec<PathBuf>,
    /// Files that read as empty, and folders that look empty. Those that don't exist have no effect.
    pub hidden: Vec<PathBuf>,
    /// Files whose content is replaced by a read-only copy.
    pub replaced: Vec<Replacement>,
    /// Further files and folders to read.
    pub read: Vec<PathBuf>,
    /// Folders of programs and libraries outside the system's own, read-only from [`Level::WorkspaceWrite`] on. Links in
    /// these paths are followed, so nothing a command may change belongs here.
    pub toolchains: Vec<PathBuf>,
    /// Further files and folders to write; each exists. Wins over `protected`.
    pub write: Vec<PathBuf>,
    /// Folders with a private copy-on-write view: writes vanish with the command. Those that don't exist are
    /// empty private folders.
    pub overlays: Vec<PathBuf>,
    /// Hosts that may be reached, through the forwarder that the caller holds.
    pub hosts: Vec<String>,
    /// TCP ports on which the command may listen, reached through the forwarder that the caller holds.
    pub listen: Vec<u16>,
}

impl Confinement {
    /// A level on a workspace, with nothing protected, hidden or added.
    #[must_use]
    pub fn new(level: Level, workspace: impl Into<PathBuf>) -> Self {
        Self {
            level,
            best_effort: false,
            workspace: workspace.into(),
            protected: Vec::new(),
            hidden: Vec::new(),
            replaced: Vec::new(),
            read: Vec::new(),
            toolchains: Vec::new(),
            write: Vec::new(),
            overlays: Vec::new(),
            hosts: Vec::new(),
            listen: Vec::new(),
        }
    }

    /// Whether the command gets a network of its own to talk in.
    #[must_use]
    pub fn has_network(&self) -> bool {
        !self.hosts.is_empty() || !self.listen.is_empty()
    }
}

/// A file shown with other content, read-only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// The existing file.
    pub path: PathBuf,
    /// What is read instead.
    pub content: Vec<u8>,
}
