//! bash and POSIX sh: from the text to its simple commands, and what they would do.

mod command;
mod cursor;
mod denial;
mod destruction;
mod effects;
mod location;
mod loose;
mod printed;
mod read_only;
mod reader;
mod script;
mod tree;
mod variables;
mod walk;
mod word;
mod wrappers;

use super::{Proof, ShellJudgement};
use crate::{Context, Facts};
use command::{Analysis, CommandOrigin, SimpleCommand, Unsupported};
use read_only::{Doubt, Prover};
use script::Simple;

/// Simple commands with all their layers.
const MAX_COMMANDS: usize = 2_000;

/// Judges `text` as bash would read it.
pub(super) fn judge(text: &str, facts: &Facts, context: &Context) -> ShellJudgement {
    let analysis = analyse(text, facts, context);
    let mut prover = Prover::new(facts, context);
    let proofs = prover.prove_all(&analysis.commands);
    let mut judgement = ShellJudgement::unproven("");
    judgement.proof = proof(&analysis, &proofs, &prover);
    judgement.inquiries = prover.inquiries;
    judgement.tracked = prover.tracked;
    judgement.unreadable = analysis.unreadable.as_ref().map(sentence);
    judgement.beyond_rules = effects::beyond_rules(&analysis).or_else(|| judgement.unreadable.clone());
    let proven: Vec<bool> = proofs.iter().map(Result::is_ok).collect();
    judgement.touches = effects::touches(&analysis, &proven, prover.reads, context);
    judgement.hosts = effects::hosts(&analysis);
    judgement.destroys = destruction::destroys(&analysis, facts, context);
    judgement.changes_git = effects::changes_git(&analysis);
    judgement.hard_denials.extend(denial::find(&analysis, context));
    judgement.commands = listed(&analysis.commands, &proven);
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
fn listed(commands: &[SimpleCommand], proven: &[bool]) -> Vec<super::SimpleCommand> {
    let mut inner: Vec<Vec<usize>> = vec![Vec::new(); commands.len()];
    let mut waiting = Vec::new();
    for (place, command) in commands.iter().enumerate() {
        match command.origin {
            CommandOrigin::Written => waiting.push(place),
            CommandOrigin::Unwrapped { outer, .. } => {
                if let Some(list) = inner.get_mut(outer) {
                    list.push(place);
                }
            }
        }
    }
    waiting.reverse();
    let mut found = Vec::with_capacity(commands.len());
    while let Some(place) = waiting.pop() {
        let (Some(command), Some(starts)) = (commands.get(place), inner.get(place)) else { continue };
        let transparent = starts
            .iter()
            .filter_map(|&inner| commands.get(inner))
            .any(|inner| matches!(inner.origin, CommandOrigin::Unwrapped { transparent: true, .. }));
        let read_only = proven.get(place).copied().unwrap_or_default();
        found.extend(as_listed(command, transparent, read_only));
        waiting.extend(starts.iter().rev());
    }
    found
}

fn as_listed(command: &SimpleCommand, transparent: bool, read_only: bool) -> Option<super::SimpleCommand> {
    if command.words.is_empty() {
        return None;
    }
    let mut words: Vec<super::Word> = command
        .words
        .iter()
        .map(|word| match word.literal() {
            Some(text) => super::Word::Literal(text.into_owned()),
            None => super::Word::Unknown(word.shown()),
        })
        .collect();
    if command.open_ended {
        words.push(super::Word::Unknown("…".to_owned()));
    }
    Some(super::SimpleCommand {
        words,
        folder: match command.folders.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        },
        transparent,
        read_only,
        built_in: command.program().is_some_and(|program| read_only::is_builtin(&program)),
    })
}

/// Reads `text` as bash would, starting in the workspace.
fn analyse(text: &str, facts: &Facts, context: &Context) -> Analysis {
    let sight = tree::see(text);
    let fork_bomb = is_fork_bomb(&sight);
    let mut unreadable = sight.unreadable.clone();
    let understood = unreadable.clone().or(sight.strange.clone()).map_or(Ok(()), Err);
    let read = reader::read(text);
    let agreed = read.as_ref().is_ok_and(|script| agree(script, &sight.commands));
    let followed = match (&understood, &read) {
        (Err(why), _) | (Ok(()), Err(why)) => Err(why.clone()),
        (Ok(()), Ok(_)) if !agreed => Err(Unsupported::new("can be read in two ways")),
        (Ok(()), Ok(script)) => walk::run(script, std::slice::from_ref(&context.workspace), facts, context),
    };
    let proof = followed.as_ref().map(|_| ()).map_err(Unsupported::clone);
    let mut commands = seen(text, sight, read.ok(), followed.ok());
    let unwrapped = wrappers::unwrap_all(&mut commands, context, MAX_COMMANDS);
    let fork_bomb = unwrapped.fork_bomb || fork_bomb;
    if !unwrapped.complete || commands.len() >= MAX_COMMANDS {
        unreadable = Some(Unsupported::new("holds too many commands"));
    }
    let understood = unreadable.clone().map_or(understood, Err);
    Analysis { commands, proof: understood.clone().and(proof), understood, unreadable, fork_bomb }
}

/// The simple commands of a script inside another command that runs in `folders` (none: unknown), and whether it starts
/// itself without end.
fn commands_of(text: &str, folders: &[String], context: &Context) -> (Vec<SimpleCommand>, bool) {
    let sight = tree::see(text);
    let fork_bomb = is_fork_bomb(&sight);
    let read = reader::read(text);
    let agreed = read.as_ref().is_ok_and(|script| agree(script, &sight.commands));
    let followed = match (&sight.unreadable, &sight.strange, &read) {
        (None, None, Ok(script)) if agreed => walk::run(script, folders, &Facts::default(), context).ok(),
        _ => None,
    };
    let commands = seen(text, sight, read.ok(), followed);
    (commands, fork_bomb)
}

/// All commands that some reading of `text` finds: those that were followed, else what the tree saw together with
/// what another reading saw.
fn seen(
    text: &str,
    sight: tree::Sight,
    other: Option<script::Statement>,
    followed: Option<Vec<SimpleCommand>>,
) -> Vec<SimpleCommand> {
    let printed = other.as_ref().map_or_else(|| printed::into_shells(&sight), printed::through_pipes);
    let mut commands = match followed {
        Some(commands) => commands,
        None => {
            let mut found = sight.commands;
            match other {
                Some(script) => {
                    let mut more = Vec::new();
                    walk::flatten(&script, &mut more);
                    found.extend(more.into_iter().cloned());
                }
                None => {
                    found.extend(loose::commands(text));
                    // bash joins a word that goes on in the next line; the grammar sees two.
                    if text.contains("\\\n") {
                        found.extend(tree::see(&word::without_line_breaks(text)).commands);
                    }
                }
            }
            found.into_iter().map(written).collect()
        }
    };
    printed::add(&mut commands, printed);
    commands
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
    let mut redirects = Vec::new();
    walk::group_redirects(script, &mut redirects);
    let groups = Simple { redirects: redirects.into_iter().cloned().collect(), ..Simple::default() };
    outline(read.iter().copied().chain([&groups])) == outline(seen.iter())
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
