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
    (format!("{head}\n…\n{}", tail(text)), total)
}

fn tail(text: &str) -> &str {
    let first = text.len().saturating_sub(OUTPUT_END);
    let from = (first..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    text.get(from..).unwrap_or_default()
}

/// Head and tail of an output that comes in pieces; what lies between isn't held, however long it goes on.
#[derive(Debug, Default)]
pub struct Ends {
    /// Empty as long as the whole is short enough to be shown.
    head: String,
    rest: String,
    total: u64,
}

impl Ends {
    /// The next piece.
    pub fn push(&mut self, text: &str) {
        self.total = self.total.saturating_add(text.len() as u64);
        self.rest.push_str(text);
        if self.head.is_empty() && self.rest.len() > 2 * OUTPUT_END {
            self.head = view::cut(&self.rest, OUTPUT_END).0;
            self.rest.drain(..self.head.len());
        }
        if !self.head.is_empty() && self.rest.len() > 2 * OUTPUT_END {
            self.rest = tail(&self.rest).to_owned();
        }
    }

    /// As [`ends`] of the whole.
    pub fn text(&self) -> String {
        if self.head.is_empty() {
            return self.rest.clone();
        }
        format!("{}\n…\n{}", self.head, tail(&self.rest))
    }

    /// The length of the whole, bytes.
    pub const fn total(&self) -> u64 {
        self.total
    }
}

/// The exit code of a failed command, from the answer's own first words: what the command printed may name another.
pub fn exit_code(error: Option<ErrorCode>, content: &str) -> Option<i32> {
    let code = error.filter(|code| matches!(code, ErrorCode::ShellFailed | ErrorCode::SandboxDenied))?;
    let (number, _) = content.strip_prefix(&format!("Error [{code}]: Exit code "))?.split_once('.')?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Ends, OUTPUT_END, ends, exit_code};
    use assent_policy::ErrorCode;

    /// However it is cut into pieces, the card shows what it shows of the whole, and no more than that is held.
    #[test]
    fn pieces_show_what_the_whole_shows() {
        for piece in ["a", "é", "好的\n", &"0123456789".repeat(700), &"ü".repeat(3 * OUTPUT_END)] {
            let (mut pieces, mut whole) = (Ends::default(), String::new());
            for number in 0..(6 * OUTPUT_END / piece.len()).max(3) {
                let piece = format!("{piece}{number}");
                pieces.push(&piece);
                whole.push_str(&piece);
                assert!(pieces.head.len() + pieces.rest.len() <= 3 * OUTPUT_END);
                if number % 97 < 3 {
                    assert_eq!((pieces.text(), pieces.total()), ends(&whole));
                }
            }
        }
    }

    /// Only the answer's own first words count: a command may print another's code, and a file may hold such words.
    #[test]
    fn the_exit_code_is_the_commands_own() {
        let failed = Some(ErrorCode::ShellFailed);
        for (error, content, code) in [
            (failed, "Error [shell_failed]: Exit code 3.\nOutput:\nno\n", Some(3)),
            (failed, "Error [shell_failed]: Exit code 1.\nOutput:\nmake: exit code 2\n", Some(1)),
            (Some(ErrorCode::SandboxDenied), "Error [sandbox_denied]: Exit code 13.\nOutput:\n", Some(13)),
            (
                Some(ErrorCode::SandboxDenied),
                "Error [sandbox_denied]: The command ended with exit code 0, but made protected files.",
                None,
            ),
            (failed, "Error [shell_failed]: Ended by signal 9 (SIGKILL).\nOutput:\nExit code 4.", None),
            (Some(ErrorCode::FileNotFound), "Error [shell_failed]: Exit code 3.", None),
            (None, "Error [shell_failed]: Exit code 3.", None),
        ] {
            assert_eq!(exit_code(error, content), code, "{content}");
        }
    }
}
