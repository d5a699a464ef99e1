//! bash and POSIX sh: from the text to its simple commands, and what they would do.

mod command;
mod denial;
mod effects;
mod location;
mod read_only;
mod reader;
mod script;
mod tree;
mod walk;
mod word;
mod wrappers;

use super::{MAX_TEXT, Proof, ShellJudgement, ShellTouch};
use crate::{Access, Context, Facts};
use command::{Analysis, CommandOrigin, RedirectKind, SimpleCommand, Unsupported};
use read_only::{Doubt, Prover};
use script::Simple;

/// Simple commands with all their layers.
const MAX_COMMANDS: usize = 2_000;

/// Judges `text` as bash would read it.
pub(super) fn judge(text: &str, facts: &Facts, context: &Context) -> ShellJudgement {
    let analysis = analyse(text, context);
    let mut prover = Prover::new(facts, context);
    let proofs: Vec<Result<(), Doubt>> =
        (0..analysis.commands.len()).map(|place| prover.prove(place, &analysis.commands)).collect();
    let mut judgement = ShellJudgement::unproven("");
    judgement.proof = proof(&analysis, &proofs, &prover);
    judgement.inquiries = prover.inquiries;
    judgement.unreadable = analysis.unreadable.as_ref().map(sentence);
    judgement.beyond_rules = effects::beyond_rules(&analysis).or_else(|| judgement.unreadable.clone());
    let proven: Vec<bool> = proofs.iter().map(Result::is_ok).collect();
    judgement.touches = effects::touches(&analysis, &proven, context);
    judgement.touches.extend(prover.reads.into_iter().map(|path| ShellTouch { path, access: Access::Read }));
    judgement.touches.sort();
    judgement.touches.dedup();
    judgement.hosts = effects::hosts(&analysis);
    judgement.destroys = effects::destroys(&analysis, facts, context);
    judgement.changes_git = effects::changes_git(&analysis);
    judgement.hard_denials.extend(denial::find(&analysis, context));
    judgement.commands = listed(&analysis.commands, &proofs);
    judgement
}

/// The whole text is proven only where all of it is, and nothing is still to be looked up.
fn proof(analysis: &Analysis, proofs: &[Result<(), Doubt>], prover: &Prover<'_>) -> Proof {
    if let Err(why) = &analysis.proof {
        return Proof::Unproven(sentence(why));
    }
    if let Some(Err(doubt)) = proofs.iter().find(|proof| proof.is_err()) {
        return Proof::Unproven(doubt.0.clone());
    }
    if analysis.commands.is_empty() {
        return Proof::Unproven("There is no command.".to_owned());
    }
    if !prover.inquiries.is_empty() {
        return Proof::Unproven("Something it depends on could not be looked up.".to_owned());
    }
    Proof::ReadOnly
}

fn sentence(why: &Unsupported) -> String {
    let text = why.to_string();
    let mut characters = text.chars();
    characters
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), characters.as_str()))
}

/// The commands for rules: each followed by what it starts.
fn listed(commands: &[SimpleCommand], proofs: &[Result<(), Doubt>]) -> Vec<super::SimpleCommand> {
    let mut found = Vec::new();
    for (place, command) in commands.iter().enumerate() {
        if command.origin == CommandOrigin::Written {
            list_from(place, commands, proofs, &mut found);
        }
    }
    found
}

fn list_from(
    place: usize,
    commands: &[SimpleCommand],
    proofs: &[Result<(), Doubt>],
    found: &mut Vec<super::SimpleCommand>,
) {
    let Some(command) = commands.get(place) else { return };
    let inner: Vec<usize> = commands
        .iter()
        .enumerate()
        .filter(|(_, inner)| matches!(inner.origin, CommandOrigin::Unwrapped { outer, .. } if outer == place))
        .map(|(inner, _)| inner)
        .collect();
    let transparent = inner.iter().any(|&inner| {
        commands
            .get(inner)
            .is_some_and(|inner| matches!(inner.origin, CommandOrigin::Unwrapped { transparent: true, .. }))
    });
    if !command.words.is_empty() {
        let mut words: Vec<super::Word> = command
            .words
            .iter()
            .map(|word| {
                word.literal().map_or_else(
                    || super::Word::Unknown(word.shown()),
                    |text| super::Word::Literal(text.into_owned()),
                )
            })
            .collect();
        if command.open_ended {
            words.push(super::Word::Unknown("…".to_owned()));
        }
        found.push(super::SimpleCommand {
            words,
            folder: match command.folders.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
            transparent,
            read_only: proofs.get(place).is_some_and(Result::is_ok),
            built_in: command.program().is_some_and(|program| read_only::is_builtin(&program)),
        });
    }
    for inner in inner {
        list_from(inner, commands, proofs, found);
    }
}

/// Reads `text` as bash would, starting in the workspace.
fn analyse(text: &str, context: &Context) -> Analysis {
    let sight = tree::see(text);
    let fork_bomb = is_fork_bomb(&sight);
    let mut unreadable = sight.unreadable.clone();
    let understood = unreadable.clone().or(sight.strange.clone()).map_or(Ok(()), Err);
    let proof = understood.clone().and_then(|()| reader::read(text)).and_then(|script| {
        if agree(&script, &sight.commands) {
            Ok(script)
        } else {
            Err(Unsupported::new("can be read in two ways"))
        }
    });
    let (mut commands, proof) = match proof.and_then(|script| walk::run(&script, context)) {
        Ok(mut commands) => {
            add_documents(&mut commands, &sight.commands);
            (commands, Ok(()))
        }
        Err(why) => (sight.commands.into_iter().map(written).collect(), Err(why)),
    };
    let fork_bomb = wrappers::unwrap_all(&mut commands, context, MAX_COMMANDS) || fork_bomb;
    if commands.len() >= MAX_COMMANDS {
        unreadable = Some(Unsupported::new("holds too many commands"));
    }
    let understood = unreadable.clone().map_or(understood, Err);
    Analysis { commands, proof: understood.clone().and(proof), understood, unreadable, fork_bomb }
}

/// The simple commands of a script inside another command, and whether it starts itself without end.
fn commands_of(text: &str, context: &Context) -> (Vec<SimpleCommand>, bool) {
    if text.len() > MAX_TEXT {
        return (Vec::new(), false);
    }
    let sight = tree::see(text);
    let fork_bomb = is_fork_bomb(&sight);
    let followed = match sight.unreadable.as_ref().or(sight.strange.as_ref()) {
        None => reader::read(text)
            .ok()
            .filter(|script| agree(script, &sight.commands))
            .and_then(|script| walk::run(&script, context).ok()),
        Some(_) => None,
    };
    let commands = match followed {
        Some(mut commands) => {
            add_documents(&mut commands, &sight.commands);
            commands
        }
        None => sight.commands.into_iter().map(written).collect(),
    };
    (commands, fork_bomb)
}

/// Gives the commands that read a here-document its text, as the tree saw it.
fn add_documents(commands: &mut [SimpleCommand], seen: &[Simple]) {
    for command in commands {
        let Some(start) = command.words.first().map(|word| word.span.start) else { continue };
        let mut texts = seen
            .iter()
            .filter(|simple| simple.words.first().is_some_and(|word| word.span.start == start))
            .flat_map(|simple| &simple.redirects)
            .filter(|redirect| redirect.kind == RedirectKind::Text);
        for redirect in command.redirects.iter_mut().filter(|redirect| redirect.kind == RedirectKind::Text) {
            if let Some(text) = texts.next()
                && redirect.target.is_none()
            {
                redirect.target.clone_from(&text.target);
            }
        }
    }
}

fn written(simple: Simple) -> SimpleCommand {
    SimpleCommand {
        words: simple.words,
        assignments: simple.assignments,
        redirects: simple.redirects,
        ..SimpleCommand::default()
    }
}

/// Whether both readers see the same words in the same places, and the same redirects.
fn agree(script: &script::Statement, seen: &[Simple]) -> bool {
    let mut read = Vec::new();
    walk::flatten(script, &mut read);
    outline(read.iter().copied()) == outline(seen.iter())
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Program(usize),
    Word(usize, usize),
    Redirect(usize, usize),
    Assignment(String),
}

fn outline<'s>(commands: impl Iterator<Item = &'s Simple>) -> Vec<Mark> {
    let mut marks = Vec::new();
    for command in commands {
        marks.extend(command.words.first().map(|word| Mark::Program(word.span.start)));
        marks.extend(command.words.iter().map(|word| Mark::Word(word.span.start, word.span.end)));
        marks.extend(
            command
                .redirects
                .iter()
                .filter_map(|redirect| redirect.target.as_ref())
                .filter(|target| target.span.end > 0)
                .map(|target| Mark::Redirect(target.span.start, target.span.end)),
        );
        marks.extend(command.assignments.iter().map(|assignment| Mark::Assignment(assignment.name.clone())));
    }
    marks.sort_unstable();
    marks
}

/// A function that starts itself beside itself: `b() { b | b & }; b`.
fn is_fork_bomb(sight: &tree::Sight) -> bool {
    sight.functions.iter().any(|(name, body)| {
        sight.commands.iter().filter_map(|command| command.words.first()).any(|program| {
            let inside = body.start <= program.span.start && program.span.end <= body.end;
            inside
                && program.literal().is_some_and(|text| text == name.as_str())
                && sight.parallel.iter().any(|range| {
                    body.start <= range.start
                        && range.end <= body.end
                        && range.start <= program.span.start
                        && program.span.end <= range.end
                })
        })
    })
}
