//! Ending a background command. `kill output:CALL_ID` is judged like any other `kill`; it is carried out here, for in its
//! own process namespace a command sees nobody else's processes.

use super::super::command_output;
use crate::process::background::{Background, Handle};
use crate::tools::{ToolFailure, ToolOutput};
use assent_sandbox::Outcome;
use tokio_util::sync::CancellationToken;

/// The background command of this session that `command` ends, where that is all it does.
pub fn wanted(background: &Background, session: &str, command: &str) -> Option<Handle> {
    let name = command.trim().strip_prefix("kill")?;
    let name = name.strip_prefix([' ', '\t'])?.trim_start();
    let unquoted = ['\'', '"'].into_iter().find_map(|quote| name.strip_prefix(quote)?.strip_suffix(quote));
    background.find(session, command_output::call_of(unquoted.unwrap_or(name))?)
}

/// Ends it and waits until nothing of it is left.
pub async fn stop(command: Handle, cancel: &CancellationToken) -> Result<ToolOutput, ToolFailure> {
    let name = command_output::name(&command.listed().call_id);
    let said = if let Some(outcome) = command.listed().ended.clone() {
        format!("It had ended before: {}.", words(&outcome))
    } else {
        tokio::select! {
            () = command.stop() => {}
            () = cancel.cancelled() => return Err(ToolFailure::cancelled()),
        }
        "It was stopped, with every process it started.".to_owned()
    };
    Ok(ToolOutput {
        content: format!("{said} Its output: read_file with path \"{name}\"."),
        changes: Vec::new(),
    })
}

fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exited(code) => format!("exit code {code}"),
        Outcome::Signalled(signal) => format!("by signal {signal}"),
        Outcome::Stopped(_) => "it was stopped".to_owned(),
        Outcome::NotStarted(why) | Outcome::SetupFailed(why) => format!("it never ran ({why})"),
        Outcome::Lost => "its supervisor died".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::background::Listed;
    use std::time::SystemTime;

    /// R52: only a command that does nothing else, and names a background command of its own session.
    #[test]
    fn what_ends_a_background_command() {
        let background = Background::default();
        for (session, call_id) in [("s", "call_1"), ("s", "odd; id"), ("other", "call_2")] {
            background.add(Listed {
                call_id: call_id.to_owned(),
                session: session.to_owned(),
                command: "serve".to_owned(),
                started: SystemTime::UNIX_EPOCH,
                unsandboxed: false,
                ended: None,
            });
        }
        for (command, expected) in [
            ("kill output:call_1", Some("call_1")),
            ("  kill \t 'output:call_1' \n", Some("call_1")),
            ("kill \"output:odd; id\"", Some("odd; id")),
            ("kill output:call_1; rm -rf x", None),
            ("kill output:call_1 output:call_2", None),
            ("kill -9 output:call_1", None),
            ("killoutput:call_1", None),
            ("kill output:call_2", None),
            ("kill call_1", None),
            ("kill 1", None),
            ("kill", None),
        ] {
            let found = wanted(&background, "s", command).map(|handle| handle.listed().call_id.clone());
            assert_eq!(found.as_deref(), expected, "{command}");
        }
    }
}
