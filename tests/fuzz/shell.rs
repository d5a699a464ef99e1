//! Shell texts: whatever stands in one, what isn't understood is never allowed, and a change is never read-only.

use crate::campaign;
use crate::world::{context, open_rules, settle, shell_call};
use assent_policy::shell::{self, Proof};
use assent_policy::{Behavior, Mode, Os, ShellKind};

/// R17
#[test]
fn bash() {
    campaign::run("bash", |input| judged(input, ShellKind::Bash, Os::Linux, "\n\ntouch pwned\n"));
}

/// R17
#[test]
fn powershell() {
    campaign::run("powershell", |input| {
        judged(input, ShellKind::PowerShell, Os::Windows, "\n\nRemove-Item pwned\n")
    });
}

/// R17: cmd.exe runs nothing without a question, in any mode.
#[test]
fn cmd() {
    campaign::run("cmd", |input| {
        let text = String::from_utf8_lossy(input);
        for mode in [Mode::Strict, Mode::Balanced, Mode::Sandboxed] {
            let context = assent_policy::Context { mode, ..context(ShellKind::Cmd, Os::Windows) };
            let (evaluation, _) = settle(&shell_call(&text), &context, &assent_policy::Rules::default());
            assert!(evaluation.behavior >= Behavior::Ask, "{mode:?} allows it");
        }
        judged(input, ShellKind::Cmd, Os::Windows, "\r\ndel pwned\r\n")
    });
}

/// Judges the text, alone and followed by a command that changes something; the kind of judgement.
fn judged(input: &[u8], kind: ShellKind, os: Os, change: &str) -> String {
    let text = String::from_utf8_lossy(input);
    let context = context(kind, os);
    let call = shell_call(&text);
    let (by_rule, facts) = settle(&call, &context, &open_rules());
    let judgement = shell::judge(&text, &facts, &context);

    let denied = !judgement.hard_denials.is_empty();
    assert!(!denied || by_rule.behavior == Behavior::Deny, "a rule allows what is hard denied");
    assert!(
        judgement.unreadable.is_none() || by_rule.behavior >= Behavior::Ask,
        "a rule allows what can't be read"
    );
    assert!(by_rule.inquiries.is_empty() || by_rule.behavior >= Behavior::Ask, "allowed with open questions");
    let read_only = judgement.proof == Proof::ReadOnly;
    if read_only {
        assert_eq!(judgement.unreadable, None);
        assert_eq!(judgement.destroys, None);
        assert_eq!(judgement.changes_git, None);
        assert!(!denied, "read-only and hard denied");
    }

    let changing = format!("{text}{change}");
    let (evaluation, facts) = settle(&shell_call(&changing), &context, &assent_policy::Rules::default());
    assert_ne!(shell::judge(&changing, &facts, &context).proof, Proof::ReadOnly, "with {change:?}");
    assert!(evaluation.behavior >= Behavior::Ask, "allowed with {change:?}");

    let proof = match &judgement.proof {
        Proof::ReadOnly => String::new(),
        Proof::Unproven(why) => letters(why),
    };
    format!(
        "{:?} {proof} {} {} {} {} {}",
        by_rule.behavior,
        judgement.commands.len().min(4),
        judgement.touches.len().min(4),
        judgement.hosts.len().min(2),
        judgement.unreadable.as_deref().map(letters).unwrap_or_default(),
        judgement.hard_denials.first().map(|why| letters(why)).unwrap_or_default(),
    )
}

/// A sentence without what it quotes.
fn letters(sentence: &str) -> String {
    sentence.split(['`', '"', '“', '”']).step_by(2).collect()
}
