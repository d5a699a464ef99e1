//! What is judged: a call after its arguments were validated, with what it would do as data.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A validated call that has had no effect yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreparedCall {
    /// The tool's name, as the model sees it.
    pub tool: String,
    /// Goes up when a tool's schema changes its meaning; part of the digest.
    pub schema_version: u32,
    /// The validated arguments.
    pub arguments: Map<String, Value>,
    /// What kind of effect the tool has, from our own definition, never from the model.
    pub effect: ToolEffect,
    /// What the call would do.
    pub subject: Subject,
    /// Who proposed it (R18).
    pub origin: Origin,
}

/// A tool's kind of effect (R4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolEffect {
    /// Looks.
    Read,
    /// Changes files.
    Write,
    /// Starts programs.
    Execute,
    /// Talks to another machine.
    Network,
}

/// Where a call comes from (R18).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Origin {
    /// The user's own task.
    Task,
    /// A sub-agent, with its name.
    SubAgent {
        /// The name shown in every dialog.
        name: String,
    },
    /// A server that offers tools (later).
    Mcp {
        /// The server's name.
        server: String,
    },
}

/// What a call would do, before anything was looked up.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Subject {
    /// A file tool: each path as the model wrote it.
    Files {
        /// Every file it would touch.
        accesses: Vec<FileAccess>,
    },
    /// A search over a folder.
    Search(SearchRequest),
    /// A shell command.
    Shell(ShellRequest),
    /// A request to another machine.
    Network(NetworkRequest),
    /// Nothing outside the engine (a sub-agent's start; its own calls are judged one by one).
    Internal,
}

/// One file that a file tool would touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileAccess {
    /// The path as the model wrote it.
    pub path: String,
    /// What would be done to it.
    pub access: Access,
}

/// What is done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Its content or its entries are read.
    Read,
    /// It is created or changed.
    Write,
    /// It is removed.
    Delete,
    /// It is started as a program.
    Execute,
}

/// A `glob` or `grep` call. The tools themselves leave sensitive files out and follow no links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SearchRequest {
    /// The folder or file to search, as written; the workspace when the model named none.
    pub path: String,
    /// Every glob pattern of the call (a `glob`'s pattern, a `grep`'s file filter).
    pub globs: Vec<String>,
    /// Whether file contents are read (`grep`) or only names (`glob`, `list_dir`).
    pub contents: bool,
}

/// A `shell` call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShellRequest {
    /// The text handed to the shell.
    pub command: String,
    /// Whether it goes on in the background.
    pub background: bool,
    /// Time limit in ms.
    pub timeout_ms: u64,
    /// What it asks for beyond its profile.
    pub needs: Needs,
}

/// What a shell call asks for beyond its profile; anything here asks, whatever a rule allows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(deny_unknown_fields, default)]
pub struct Needs {
    /// Host names it may connect to, `name` or `name:port`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Ports it may listen on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listen: Vec<u16>,
    /// Further paths it may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Further paths it may write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// Run with no sandbox at all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unsandboxed: bool,
}

impl Needs {
    /// Whether the call stays within its profile.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A `fetch_url` call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NetworkRequest {
    /// The address as the model wrote it.
    pub url: String,
}

/// The sandbox profile a call runs in (README: What the sandbox holds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Reads the workspace less its sensitive files; writes a private temp folder only; no network.
    ReadOnly,
    /// Writes the workspace less its protected paths; no network.
    WorkspaceWrite,
    /// No sandbox: only by a person's explicit approval of exactly that.
    Unsandboxed,
    /// Not a process: a file tool, confined by the workspace handle.
    InProcess,
}

impl Profile {
    /// The word in the audit and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Unsandboxed => "unsandboxed",
            Self::InProcess => "in-process",
        }
    }
}
