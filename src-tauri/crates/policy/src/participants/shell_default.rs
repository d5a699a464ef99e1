//! The shell's default (R17): by mode, and only where the sandbox holds.

use super::Opinion;
use crate::reading::Reading;
use crate::shell::{Proof, ShellJudgement};
use crate::{Behavior, Mode, Needs, SandboxState, ShellTrust, Source, Subject};

pub(super) fn judge(reading: &Reading<'_>, covered: bool) -> Vec<Opinion> {
    let (Subject::Shell(request), Some(shell)) = (&reading.call.subject, &reading.shell) else {
        return Vec::new();
    };
    let context = reading.context;
    let mut opinions = Vec::new();
    match context.shell_trust {
        ShellTrust::Trusted => {}
        ShellTrust::Untrusted => {
            opinions.push(opinion(Behavior::Deny, "This folder is not trusted for commands yet."));
        }
        ShellTrust::SwitchedOff => {
            opinions.push(opinion(Behavior::Deny, "Commands are switched off for this folder."));
        }
    }
    if !request.needs.is_empty() {
        opinions.push(opinion(Behavior::Ask, needs_sentence(&request.needs)));
    }
    let by_mode = match (context.mode, context.sandbox) {
        (Mode::Strict, _) => Some((Behavior::Ask, "In strict mode every command asks.".to_owned())),
        (Mode::Balanced | Mode::Sandboxed, SandboxState::NotInForce) => {
            Some((Behavior::Ask, "No sandbox is in force here, so every command asks.".to_owned()))
        }
        (Mode::Balanced | Mode::Sandboxed, SandboxState::InForce) if covered => None,
        (Mode::Balanced, SandboxState::InForce) => Some(balanced(shell)),
        (Mode::Sandboxed, SandboxState::InForce) => Some(sandboxed(shell)),
    };
    opinions.extend(by_mode.map(|(behavior, reason)| opinion(behavior, reason)));
    opinions
}

fn balanced(shell: &ShellJudgement) -> (Behavior, String) {
    match (&shell.unreadable, &shell.proof) {
        (Some(why), _) => (Behavior::Ask, why.clone()),
        (None, Proof::ReadOnly) => (Behavior::Allow, "It only reads, inside the sandbox.".to_owned()),
        (None, Proof::Unproven(why)) => (Behavior::Ask, why.clone()),
    }
}

fn sandboxed(shell: &ShellJudgement) -> (Behavior, String) {
    match (&shell.unreadable, shell.destroys.as_ref().or(shell.changes_git.as_ref())) {
        (Some(why), _) | (None, Some(why)) => (Behavior::Ask, why.clone()),
        (None, None) => {
            (Behavior::Allow, "It runs in the sandbox, which writes the workspace only.".to_owned())
        }
    }
}

fn needs_sentence(needs: &Needs) -> String {
    let mut parts = Vec::new();
    if needs.unsandboxed {
        parts.push("to run without the sandbox".to_owned());
    }
    if !needs.hosts.is_empty() {
        parts.push(format!("to connect to {}", needs.hosts.join(", ")));
    }
    if !needs.listen.is_empty() {
        let ports: Vec<String> = needs.listen.iter().map(u16::to_string).collect();
        parts.push(format!("to listen on port {}", ports.join(", ")));
    }
    if !needs.read.is_empty() {
        parts.push(format!("to read {}", needs.read.join(", ")));
    }
    if !needs.write.is_empty() {
        parts.push(format!("to write {}", needs.write.join(", ")));
    }
    format!("It asks {}.", parts.join(", and "))
}

fn opinion(behavior: Behavior, reason: impl Into<String>) -> Opinion {
    Opinion::new(Source::SHELL_DEFAULT, behavior, reason)
}
