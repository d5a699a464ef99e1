//! PowerShell: from the text to its commands, and what they would do.

mod cmdlets;
mod denial;
mod effects;
mod inner;
mod names;
mod pipelines;
mod plain;
mod programs;
mod proof;
mod reader;
mod tree;

pub(super) use denial::root_or_home;

use super::{Proof, ShellJudgement, SimpleCommand, Word, bash, cmd};
use crate::{Context, Facts};
use inner::Inner;
use pipelines::Pipelines;
use proof::{Prover, Stream};
use reader::{Command, Head, Script};

/// Shells inside shells.
pub(super) const MAX_DEPTH: usize = 6;

/// Judges `text` as PowerShell would read it, started in the workspace.
pub(super) fn judge(text: &str, facts: &Facts, context: &Context) -> ShellJudgement {
    judge_at(text, facts, context, 0)
}

/// The same, inside `depth` other shells.
pub(super) fn judge_at(text: &str, facts: &Facts, context: &Context, depth: usize) -> ShellJudgement {
    let script = reader::read(text);
    let trouble = script.trouble.or_else(|| tree::disagreement(text, &script));
    let mut judgement = ShellJudgement::unproven("This command needs your consent.");
    let mut prover = Prover {
        facts,
        context,
        folder: context.workspace.clone(),
        left: Vec::new(),
        stream: Stream::Objects,
        inquiries: std::collections::BTreeSet::new(),
        touches: Vec::new(),
        tracked: std::collections::BTreeSet::new(),
    };
    let mut doubt = trouble.map(str::to_owned);
    let mut pipelines = Pipelines::default();
    let mut standing = denial::Standing::default();
    for (place, command) in script.commands.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| script.commands.get(before));
        let folder = prover.folder.clone();
        let left = prover.left.clone();
        prover.stream = pipelines.reach(command);
        let proven = match (command.nested, command.head) {
            // A value in a script block; whether the block is plain, the command around it says.
            (true, Head::Value) => Ok(()),
            (true, Head::Name | Head::Call | Head::Source) => {
                Err("It runs a command inside another one.".to_owned())
            }
            (false, _) => prover.prove(command),
        };
        let moved = prover.folder != folder || prover.left != left;
        let proven = if moved && command.level > 0 {
            Err("It changes the folder on the way to a value.".to_owned())
        } else if moved && command.chained {
            Err("It changes the folder only where another command succeeds or fails.".to_owned())
        } else {
            proven
        };
        pipelines.leave(command, &prover.stream);
        let read_only = trouble.is_none() && !command.nested && proven.is_ok();
        if let Err(why) = proven {
            doubt.get_or_insert(why);
        }
        judgement.commands.extend(listed(command, &folder, read_only));
        judgement.hard_denials.extend(denial::find(command, context));
        judgement.hard_denials.extend(denial::find_standing(command, standing));
        standing = standing.after(command, context);
        judgement.touches.extend(effects::touches(command, &folder, context));
        judgement.destroys = judgement.destroys.take().or_else(|| effects::destroys(command));
        if let Some(target) = command.redirects.first() {
            judgement.beyond_rules.get_or_insert(format!("It writes to {}.", target.text));
        }
        for inner in inner::find(command, before) {
            merge(&mut judgement, inner, facts, context, depth);
        }
    }
    judgement.touches.extend(std::mem::take(&mut prover.touches));
    judgement.touches.sort();
    judgement.touches.dedup();
    judgement.inquiries.extend(prover.inquiries);
    judgement.tracked.extend(prover.tracked);
    if let Some(trouble) = trouble {
        judgement.beyond_rules.get_or_insert_with(|| trouble.to_owned());
    }
    if is_unreadable(&script, trouble) {
        judgement.unreadable = trouble.map(str::to_owned);
    }
    judgement.proof = match doubt {
        None if !script.commands.is_empty() => Proof::ReadOnly,
        None => Proof::Unproven("There is no command.".to_owned()),
        Some(why) => Proof::Unproven(why),
    };
    judgement
}

/// Trouble of the text itself, not of what it does.
fn is_unreadable(script: &Script, trouble: Option<&'static str>) -> bool {
    let only_the_tree_complains = script.trouble.is_none() && trouble.is_some();
    only_the_tree_complains
        || trouble
            .is_some_and(|trouble| trouble.contains("isn't closed") || trouble.contains("wasn't opened"))
}

/// The command for rules: as written, and under the cmdlet's own name where an alias was used.
fn listed(command: &Command, folder: &str, read_only: bool) -> Vec<SimpleCommand> {
    let Some((first, rest)) = command.words.split_first() else { return Vec::new() };
    if command.head == Head::Value {
        return Vec::new();
    }
    let canonical = names::canonical(&first.text);
    let word = |word: &reader::Word| {
        if word.literal && (word.quoted || !word.wildcard) {
            Word::Literal(word.text.clone())
        } else {
            Word::Unknown(word.text.clone())
        }
    };
    let with_name = |name: Word, transparent| SimpleCommand {
        words: std::iter::once(name).chain(rest.iter().map(word)).collect(),
        folder: Some(folder.to_owned()),
        transparent,
        read_only,
        built_in: names::is_cmdlet(&canonical),
    };
    let written = word(first);
    let is_alias = first.literal && canonical != first.text.to_lowercase();
    let mut listed = vec![with_name(written, is_alias)];
    if is_alias {
        listed.push(with_name(Word::Literal(canonical.clone()), false));
    }
    listed
}

/// Adds what a text handed to another shell would do. It never makes anything more allowed.
fn merge(judgement: &mut ShellJudgement, inner: Inner, facts: &Facts, context: &Context, depth: usize) {
    if depth >= MAX_DEPTH {
        judgement.unreadable.get_or_insert_with(|| "Shells are nested too deeply.".to_owned());
        return;
    }
    let found = match inner {
        Inner::PowerShell(text) => judge_at(&text, facts, context, depth + 1),
        Inner::Cmd(text) => cmd::judge_at(&text, facts, context, depth + 1),
        Inner::Bash(text) => bash::judge(&text, facts, context),
        Inner::Words(words) => {
            let command = Command { words, ..Command::default() };
            judgement.hard_denials.extend(denial::find(&command, context));
            judgement.commands.extend(listed(&command, &context.workspace, false));
            for inner in inner::find(&command, None) {
                merge(judgement, inner, facts, context, depth + 1);
            }
            return;
        }
    };
    judgement.hard_denials.extend(found.hard_denials);
    judgement
        .commands
        .extend(found.commands.into_iter().map(|command| SimpleCommand { read_only: false, ..command }));
    judgement.touches.extend(found.touches);
    judgement.tracked.extend(found.tracked);
    judgement.hosts.extend(found.hosts);
    judgement.inquiries.extend(found.inquiries);
    judgement.destroys = judgement.destroys.take().or(found.destroys);
    judgement.unreadable = judgement.unreadable.take().or(found.unreadable);
}
