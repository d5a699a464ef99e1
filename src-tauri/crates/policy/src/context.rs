//! The circumstances of a decision that don't come from the call (R18).

use serde::{Deserialize, Serialize};

/// Where and for whom a call is judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Context {
    /// Whose rules for paths and programs hold.
    pub os: Os,
    /// The shell that would run a `shell` call.
    pub shell: ShellKind,
    /// The mode in the title bar.
    pub mode: Mode,
    /// The workspace's real path, no trailing slash.
    pub workspace: String,
    /// Other spellings under which the workspace was opened (a link to it); judged like the real path.
    pub workspace_aliases: Vec<String>,
    /// The home folder.
    pub home: String,
    /// Folders and files of our own (policy, audit, approvals, keys, heads): hard denied to every tool.
    pub own_paths: Vec<String>,
    /// Folders that the user's or the managed file opened for reading.
    pub read_folders: Vec<String>,
    /// Whether the profiles are in force on this machine, as the start-up self-test saw it.
    pub sandbox: SandboxState,
    /// Whether the shell may be used in this folder.
    pub shell_trust: ShellTrust,
    /// The entries of `PATH`, in order, as the shell would see them.
    pub search_path: Vec<String>,
    /// How bare program names are looked up.
    pub programs: ProgramLookup,
    /// Variables of the app's own environment that the tool environment keeps; names only.
    pub environment: Vec<String>,
    /// The OS user.
    pub user: String,
    /// The session.
    pub session: String,
    /// Digest of every layer that decides; changes whenever one of them does.
    pub policy_version: String,
}

/// An operating system whose path and program rules can be judged anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Os {
    /// Linux.
    Linux,
    /// macOS: case-insensitive, HFS+ ignorable characters.
    Macos,
    /// Windows: drives, streams, device names.
    Windows,
}

/// The grammar a command is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellKind {
    /// bash and POSIX sh.
    Bash,
    /// PowerShell.
    PowerShell,
    /// cmd.exe: never without asking.
    Cmd,
}

/// How much is asked (README: How much is asked).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every shell call asks.
    Strict,
    /// Proven read-only commands run.
    #[default]
    Balanced,
    /// Commands run in the sandbox; writes inside run, with undo.
    Sandboxed,
}

impl Mode {
    /// The word in the title bar's setting, the audit and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Balanced => "balanced",
            Self::Sandboxed => "sandboxed",
        }
    }
}

/// What the start-up self-test saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxState {
    /// Both profiles hold.
    InForce,
    /// They don't: the shell asks as in `strict`.
    NotInForce,
}

/// How a bare program name becomes a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramLookup {
    /// Along `PATH`, on this machine.
    #[default]
    Search,
    /// Judging for another system: a bare name counts as found in a system folder.
    Assumed,
}

/// Whether the shell may be used in this folder (R17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShellTrust {
    /// The user trusts this folder.
    Trusted,
    /// Not yet: the shell isn't offered, and denied when called all the same.
    Untrusted,
    /// Switched off for this folder.
    SwitchedOff,
}

/// A Linux context for tests: workspace `/ws`, home `/home/u`, the sandbox in force.
#[cfg(test)]
pub(crate) fn sample() -> Context {
    Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: "/ws".to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/u".to_owned(),
        own_paths: vec!["/home/u/.config/assent".to_owned(), "/home/u/.local/share/assent".to_owned()],
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
        programs: ProgramLookup::Search,
        environment: Vec::new(),
        user: "u".to_owned(),
        session: "s".to_owned(),
        policy_version: String::new(),
    }
}
