//! What a call's card shows: its subject, how it ended, and head and tail of what it returned.

use crate::view::{self, CallState, shown};
use assent_policy::ErrorCode;
use serde_json::{Map, Value};

/// Head and tail of an output that a card shows, bytes each.
const OUTPUT_END: usize = 4 * 1024;
/// Longest subject of a card, characters.
const SUBJECT: usize = 400;

/// What a card is about: the path, the host, or the command; its first line, escaped.
pub fn subject(arguments: &Map<String, Value>) -> String {
    let text = ["command", "path", "file_path", "url", "pattern"]
        .iter()
        .find_map(|name| arguments.get(*name).and_then(Value::as_str))
        .or_else(|| arguments.values().find_map(Value::as_str))
        .unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    shown(&first.chars().take(SUBJECT).collect::<String>())
}

/// How a call ended, by its code.
pub fn state_after(error: Option<ErrorCode>) -> CallState {
    let Some(code) = error else { return CallState::Succeeded };
    match code {
        ErrorCode::PermissionDenied
        | ErrorCode::PathEscape
        | ErrorCode::ApprovalDenied
        | ErrorCode::ApprovalExpired
        | ErrorCode::ApprovalWithdrawn
        | ErrorCode::ApprovalUnavailable
        | ErrorCode::StaleOrRevoked
        | ErrorCode::PermissionEvaluationError => CallState::Denied,
        ErrorCode::Cancelled => CallState::Cancelled,
        ErrorCode::OutcomeUnknown => CallState::Unknown,
        ErrorCode::UnknownTool
        | ErrorCode::InvalidJson
        | ErrorCode::InvalidArguments
        | ErrorCode::SandboxDenied
        | ErrorCode::SandboxFailed
        | ErrorCode::ShellTimeout
        | ErrorCode::ShellFailed
        | ErrorCode::ShellStartFailed
        | ErrorCode::FileNotFound
        | ErrorCode::InvalidPath
        | ErrorCode::EditConflict
        | ErrorCode::ToolExecutionError
        | ErrorCode::InvalidToolResult => CallState::Failed,
    }
}

/// Head and tail of `text`, and its whole length in bytes.
pub fn ends(text: &str) -> (String, u64) {
    let total = text.len() as u64;
    if text.len() <= 2 * OUTPUT_END {
        return (text.to_owned(), total);
    }
    let (head, _) = view::cut(text, OUTPUT_END);
    let from =
        (text.len() - OUTPUT_END..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let tail = text.get(from..).unwrap_or_default();
    (format!("{head}\n…\n{tail}"), total)
}

/// The exit code that a failed command's result names.
pub fn exit_code(content: &str) -> Option<i32> {
    let (_, rest) = content.split_once("exit code ")?;
    rest.chars().take_while(|digit| digit.is_ascii_digit() || *digit == '-').collect::<String>().parse().ok()
}
