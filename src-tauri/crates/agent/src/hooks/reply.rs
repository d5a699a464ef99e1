//! What a hook answered.
//!
//! Exit code 0: its standard output may hold one JSON object, see [`Answer`]. Exit code 2: block, with standard
//! error as the reason. Anything else is a failure.

use super::{Ended, HookEvent};
use serde::Deserialize;

/// A hook's answer, whatever form it had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Why not: deny the call, tell the model, don't send, don't stop.
    pub block: Option<String>,
    /// Why a person should be asked.
    pub ask: Option<String>,
    /// What the model should know.
    pub context: Vec<String>,
}

/// The JSON form.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer {
    decision: Option<String>,
    reason: Option<String>,
    #[serde(rename = "continue")]
    go_on: Option<bool>,
    stop_reason: Option<String>,
    hook_specific_output: Option<Specific>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Specific {
    permission_decision: Option<String>,
    permission_decision_reason: Option<String>,
    additional_context: Option<String>,
}

/// Reads how a hook ended; what can't be understood is a failure, in words.
pub(super) fn read(event: HookEvent, ended: &Ended) -> Result<Reply, String> {
    let stdout = String::from_utf8_lossy(&ended.stdout);
    let stderr = String::from_utf8_lossy(&ended.stderr);
    match ended.code {
        0 => answer(event, stdout.trim()),
        2 => Ok(Reply { block: Some(or_unsaid(&stderr)), ..Reply::default() }),
        code => {
            let said = stderr.trim();
            let said = if said.is_empty() { stdout.trim() } else { said };
            let words = if said.is_empty() { String::new() } else { format!(": {}", head(said)) };
            Err(format!("exit code {code}{words}"))
        }
    }
}

fn answer(event: HookEvent, stdout: &str) -> Result<Reply, String> {
    if !stdout.starts_with('{') {
        // Plain words: for a message they go along, elsewhere they are only the hook's log.
        let context = match event {
            HookEvent::UserPromptSubmit if !stdout.is_empty() => vec![stdout.to_owned()],
            HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::Stop => Vec::new(),
        };
        return Ok(Reply { context, ..Reply::default() });
    }
    let answer: Answer =
        serde_json::from_str(stdout).map_err(|error| format!("its answer is no valid JSON ({error})"))?;
    let specific = answer.hook_specific_output.unwrap_or_default();
    let mut reply = Reply { context: specific.additional_context.into_iter().collect(), ..Reply::default() };
    let reason = answer.reason.unwrap_or_default();
    match answer.decision.as_deref() {
        None | Some("approve" | "allow") => {}
        Some("block" | "deny") => reply.block = Some(or_unsaid(&reason)),
        Some("ask") => reply.ask = Some(or_unsaid(&reason)),
        Some(other) => return Err(format!("its decision `{}` is unknown", head(other))),
    }
    let reason = specific.permission_decision_reason.unwrap_or(reason);
    match specific.permission_decision.as_deref() {
        None | Some("allow") => {}
        Some("deny") => reply.block = Some(or_unsaid(&reason)),
        Some("ask") => reply.ask = Some(or_unsaid(&reason)),
        Some(other) => return Err(format!("its decision `{}` is unknown", head(other))),
    }
    if answer.go_on == Some(false) && event != HookEvent::Stop {
        reply.block.get_or_insert_with(|| or_unsaid(&answer.stop_reason.unwrap_or_default()));
    }
    Ok(reply)
}

fn or_unsaid(reason: &str) -> String {
    let reason = reason.trim();
    if reason.is_empty() { "it gave no reason".to_owned() } else { reason.to_owned() }
}

fn head(text: &str) -> String {
    text.chars().take(500).collect()
}
