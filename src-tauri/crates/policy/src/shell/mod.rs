//! What a shell text would do: one judgement, whatever the grammar.
//!
//! Two polarities. *Allow* needs a closed grammar: every construct understood, every command proven
//! read-only. *Deny* looks at every literal command at any depth.

mod bash;
mod cmd;
mod interpreters;
mod judgement;
mod powershell;

pub use judgement::{Proof, ShellJudgement, ShellTouch, SimpleCommand, Word};

use crate::{Context, Facts, ShellKind};

/// Texts longer than this are not read: they ask (bytes).
pub const MAX_TEXT: usize = 64 * 1024;

/// Judges `text` as the context's shell would read it, started in the workspace.
#[must_use]
pub fn judge(text: &str, facts: &Facts, context: &Context) -> ShellJudgement {
    if text.len() > MAX_TEXT {
        return ShellJudgement::unreadable("The command is too long to be read.");
    }
    match context.shell {
        ShellKind::Bash => bash::judge(text, facts, context),
        ShellKind::PowerShell => powershell::judge(text, facts, context),
        ShellKind::Cmd => cmd::judge(text, facts, context),
    }
}
