//! Hooks: the user's and the administrator's own programs, asked around a call and a run (R21, R23).
//!
//! They are told what happens as JSON on standard input and answer by exit code and JSON on standard output
//! ([`reply`]), in the form that hooks of coding agents have settled on. They can only tighten: what they
//! allow counts for nothing, a failing `PreToolUse` hook denies, and any other failing hook is shown. They
//! come from the user's and the managed `hooks.json` only ([`file`]), never from a workspace.

pub mod file;
mod message;
mod program;
pub mod reply;

pub use file::{Hook, HookEvent, HookFiles, HookLayer, HookSet, HooksFileError};
pub use program::{Ended, InSandbox, ProgramError, Runner};

use crate::advice::Advisor;
use crate::model::ToolMessage;
use assent_policy::{Behavior, PreparedCall, Source, Verdict};
use async_trait::async_trait;
use message::Message;
use reply::{Reply, read};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Bytes of a hook's words that reach the model.
const WORDS_LIMIT: usize = 8 * 1024;

/// The hooks of one session.
pub struct Hooks {
    files: HookFiles,
    runner: Arc<dyn Runner>,
    session: String,
    workspace: PathBuf,
}

/// What hooks make of a user's message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompted {
    /// Why the message must not be sent, if so.
    pub blocked: Option<String>,
    /// Text to send along, each with its hook's name.
    pub context: Vec<String>,
    /// Hooks that failed, for the person.
    pub failures: Vec<String>,
}

/// What hooks make of the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stopping {
    /// What is still to be done, if the run must go on.
    pub go_on: Option<String>,
    /// Hooks that failed, for the person.
    pub failures: Vec<String>,
}

impl Hooks {
    /// The hooks of `files`, as they are whenever somebody is asked. A file that can't be read stands for a hook that
    /// fails: every call is denied.
    #[must_use]
    pub fn new(files: HookFiles, runner: Arc<dyn Runner>, session: &str, workspace: PathBuf) -> Self {
        Self { files, runner, session: session.to_owned(), workspace }
    }

    /// Asks the `UserPromptSubmit` hooks about a message before it is sent.
    pub async fn prompted(&self, prompt: &str, cancel: &CancellationToken) -> Prompted {
        let mut prompted = Prompted::default();
        let set = self.files.load().unwrap_or_else(|error| {
            prompted.failures.push(unread(&error));
            HookSet::default()
        });
        let details = json!({"prompt": prompt});
        for (hook, reply) in self.ask_all(&set, HookEvent::UserPromptSubmit, details, cancel).await {
            match reply {
                Ok(reply) => {
                    prompted.blocked = prompted.blocked.or(reply.block);
                    prompted.context.extend(reply.context.iter().map(|text| said(hook, text)));
                }
                Err(why) => prompted.failures.push(failed(hook, &why)),
            }
        }
        prompted
    }

    /// Asks the `Stop` hooks whether the run may end; `again` says that such a hook kept it going before.
    pub async fn stopping(&self, again: bool, cancel: &CancellationToken) -> Stopping {
        let mut stopping = Stopping::default();
        let set = self.files.load().unwrap_or_else(|error| {
            stopping.failures.push(unread(&error));
            HookSet::default()
        });
        let details = json!({"stop_hook_active": again});
        for (hook, reply) in self.ask_all(&set, HookEvent::Stop, details, cancel).await {
            match reply {
                Ok(reply) => stopping.go_on = stopping.go_on.or(reply.block.map(|why| said(hook, &why))),
                Err(why) => stopping.failures.push(failed(hook, &why)),
            }
        }
        stopping
    }

    async fn ask_all<'a>(
        &self,
        set: &'a HookSet,
        event: HookEvent,
        details: Value,
        cancel: &CancellationToken,
    ) -> Vec<(&'a Hook, Result<Reply, String>)> {
        let mut replies = Vec::new();
        for hook in set.of(event) {
            let message = self.message(event).with(details.clone());
            replies.push((hook, self.ask(hook, &message, cancel).await));
        }
        replies
    }

    async fn ask(&self, hook: &Hook, message: &Message, cancel: &CancellationToken) -> Result<Reply, String> {
        let ended =
            self.runner.run(hook, &message.to_bytes(), cancel).await.map_err(|error| error.to_string())?;
        read(message.event, &ended)
    }

    fn message(&self, event: HookEvent) -> Message {
        Message::new(event, &self.session, &self.workspace)
    }
}

#[async_trait]
impl Advisor for Hooks {
    async fn prompted(&self, prompt: &str, cancel: &CancellationToken) -> Prompted {
        Self::prompted(self, prompt, cancel).await
    }

    async fn stopping(&self, again: bool, cancel: &CancellationToken) -> Stopping {
        Self::stopping(self, again, cancel).await
    }

    fn concerns(&self, call: &PreparedCall) -> bool {
        match self.files.load() {
            Ok(set) => [HookEvent::PreToolUse, HookEvent::PostToolUse]
                .iter()
                .any(|event| set.matching(*event, &call.tool).next().is_some()),
            Err(_) => true,
        }
    }

    async fn before(&self, call: &PreparedCall, call_id: &str, cancel: &CancellationToken) -> Vec<Verdict> {
        let verdict = |behavior, reason: String| Verdict::new(Source::HOOKS, behavior, reason);
        let set = match self.files.load() {
            Ok(set) => set,
            Err(error) => return vec![verdict(Behavior::Deny, unread(&error))],
        };
        let mut verdicts = Vec::new();
        for (hook, dialect) in set.matching(HookEvent::PreToolUse, &call.tool) {
            let message = self
                .message(HookEvent::PreToolUse)
                .with(dialect.call(call))
                .with(json!({"tool_use_id": call_id}));
            match self.ask(hook, &message, cancel).await {
                Ok(Reply { block: Some(why), .. }) => {
                    verdicts.push(verdict(Behavior::Deny, said(hook, &why)))
                }
                Ok(Reply { ask: Some(why), .. }) => verdicts.push(verdict(Behavior::Ask, said(hook, &why))),
                Ok(Reply { block: None, ask: None, .. }) => {}
                Err(why) => verdicts.push(verdict(Behavior::Deny, failed(hook, &why))),
            }
        }
        verdicts
    }

    async fn after(
        &self,
        call: &PreparedCall,
        result: &ToolMessage,
        cancel: &CancellationToken,
    ) -> Vec<String> {
        let set = match self.files.load() {
            Ok(set) => set,
            Err(error) => return vec![unread(&error)],
        };
        let mut findings = Vec::new();
        for (hook, dialect) in set.matching(HookEvent::PostToolUse, &call.tool) {
            let message = self.message(HookEvent::PostToolUse).with(dialect.call(call)).with(
                json!({"tool_use_id": result.call_id, "tool_response": {
                    "content": result.content, "is_error": result.is_error, "error_code": result.error_code,
                }}),
            );
            match self.ask(hook, &message, cancel).await {
                Ok(reply) => {
                    findings.extend(reply.block.iter().chain(&reply.context).map(|text| said(hook, text)));
                }
                Err(why) => findings.push(failed(hook, &why)),
            }
        }
        findings
    }
}

/// A hook's words, marked as its own and bounded.
fn said(hook: &Hook, text: &str) -> String {
    let text = text.trim();
    let end = (0..=WORDS_LIMIT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let cut = if end < text.len() { " […]" } else { "" };
    format!("Hook `{}`: {}{cut}", hook.short(), text.get(..end).unwrap_or(text))
}

fn unread(error: &HooksFileError) -> String {
    format!("The hooks can't be read: {error}.")
}

fn failed(hook: &Hook, why: &str) -> String {
    format!("Hook `{}` failed: {why}", hook.short())
}

#[cfg(test)]
mod tests;
