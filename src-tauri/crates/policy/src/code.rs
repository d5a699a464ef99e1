//! The stable error codes of the gate and the tools (README: The command line), as the model, the audit and scripts see them.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident => $text:literal,)*) => {
        /// Why a call did not succeed. The text form never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum ErrorCode { $($(#[$doc])* #[serde(rename = $text)] $variant,)* }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable text.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

codes! {
    /// No tool of that name was offered.
    UnknownTool => "unknown_tool",
    /// The arguments are no JSON object.
    InvalidJson => "invalid_json",
    /// The arguments don't fit the tool's schema.
    InvalidArguments => "invalid_arguments",
    /// A rule, the boundary or a hard denial refused; nobody was asked.
    PermissionDenied => "permission_denied",
    /// A read outside the workspace.
    PathEscape => "path_escape",
    /// A person said no.
    ApprovalDenied => "approval_denied",
    /// Nobody answered in time.
    ApprovalExpired => "approval_expired",
    /// The call was withdrawn while it waited (Stop, exit).
    ApprovalWithdrawn => "approval_withdrawn",
    /// There was nobody to ask: no display, no terminal, a dialog that failed.
    ApprovalUnavailable => "approval_unavailable",
    /// Something the approval was bound to changed before the start (R33).
    StaleOrRevoked => "stale_or_revoked",
    /// The decision or its record failed; nothing ran (R41).
    PermissionEvaluationError => "permission_evaluation_error",
    /// The sandbox refused what the command tried.
    SandboxDenied => "sandbox_denied",
    /// The sandbox could not be set up; nothing ran.
    SandboxFailed => "sandbox_failed",
    /// The command ran out of time; its process tree was ended.
    ShellTimeout => "shell_timeout",
    /// The command ended with a code other than 0.
    ShellFailed => "shell_failed",
    /// The command could not be started.
    ShellStartFailed => "shell_start_failed",
    /// The file isn't there.
    FileNotFound => "file_not_found",
    /// The path can't be used: its form, its kind, or what it names.
    InvalidPath => "invalid_path",
    /// The text to replace isn't there exactly once, or the file changed meanwhile.
    EditConflict => "edit_conflict",
    /// The tool failed in a way of its own.
    ToolExecutionError => "tool_execution_error",
    /// The tool gave a malformed result.
    InvalidToolResult => "invalid_tool_result",
    /// The run was stopped.
    Cancelled => "cancelled",
    /// It may have had an effect; it is not repeated by itself (R53).
    OutcomeUnknown => "outcome_unknown",
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
