//! What a command's job object bounds, as data.

use crate::command::Limits;
use crate::confinement::Level;

/// The bounds of one job. It always ends with its last handle, and nothing in it may leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobPlan {
    /// Processes at a time (`JOB_OBJECT_LIMIT_ACTIVE_PROCESS`).
    pub processes: Option<u32>,
    /// Memory that all of them committed, bytes (`JOB_OBJECT_LIMIT_JOB_MEMORY`).
    pub memory_bytes: Option<u64>,
    /// What of the desktop is out of reach.
    pub closed: &'static [Reach],
}

/// A reach into other programs' windows and the session (`JOBOBJECT_BASIC_UI_RESTRICTIONS`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Windows, menus and hooks of programs outside the job, and so their buttons.
    Handles,
    /// Reading the clipboard.
    ReadClipboard,
    /// Writing the clipboard.
    WriteClipboard,
    /// `SystemParametersInfo`.
    SystemParameters,
    /// `ChangeDisplaySettings`.
    DisplaySettings,
    /// The session's atoms; the job has its own.
    GlobalAtoms,
    /// Making and switching desktops.
    Desktops,
    /// Ending the session.
    ExitWindows,
}

const ALL: &[Reach] = &[
    Reach::Handles,
    Reach::ReadClipboard,
    Reach::WriteClipboard,
    Reach::SystemParameters,
    Reach::DisplaySettings,
    Reach::GlobalAtoms,
    Reach::Desktops,
    Reach::ExitWindows,
];

/// The plan for a command. Without a sandbox only the tree's end and its size are bound.
#[must_use]
pub fn plan(level: Level, limits: &Limits) -> JobPlan {
    let closed = match level {
        Level::ReadOnly | Level::WorkspaceWrite => ALL,
        Level::Unsandboxed => &[],
    };
    JobPlan { processes: limits.processes, memory_bytes: limits.memory_bytes, closed }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R52: every command is bound in number, memory and end; a limited one can't press a button either.
    #[test]
    fn plans() {
        let limits = Limits::default();
        insta::assert_debug_snapshot!(plan(Level::WorkspaceWrite, &limits));
        assert_eq!(plan(Level::ReadOnly, &limits), plan(Level::WorkspaceWrite, &limits));
        let open = plan(Level::Unsandboxed, &limits);
        assert!(open.closed.is_empty() && open.processes.is_some() && open.memory_bytes.is_some());
    }
}
