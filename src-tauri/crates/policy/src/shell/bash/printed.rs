//! Literal text that one stage of a pipeline prints and a shell behind it runs: `echo 'rm -rf /' | sh`.

use super::command::{Redirect, RedirectKind, SimpleCommand, Word};
use super::script::{Simple, Statement};
use super::tree::Sight;
use super::walk;
use std::collections::BTreeMap;

/// Longer texts are not followed from stage to stage (bytes).
const MAX_PRINTED: usize = 4 * 1024;

/// What each command gets on its input, by where its program stands in the text.
pub fn into_shells(sight: &Sight) -> Vec<(usize, String)> {
    let at: BTreeMap<usize, &Simple> = sight
        .commands
        .iter()
        .rev()
        .filter_map(|simple| simple.words.first().map(|word| (word.span.start, simple)))
        .collect();
    sight.pipes.iter().filter_map(|(from, into)| Some((*into, printed(at.get(from)?)?))).collect()
}

/// What reaches the first command of each stage of a pipeline in `script`, also through `cat` and `tee`.
pub fn through_pipes(script: &Statement) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    look(script, &mut found);
    found
}

fn look(statement: &Statement, found: &mut Vec<(usize, String)>) {
    match statement {
        Statement::Simple(simple) => simple.inner.iter().for_each(|inner| look(inner, found)),
        Statement::Pipeline(stages) => {
            let mut input: Option<String> = None;
            for stage in stages {
                let mut commands = Vec::new();
                walk::flatten(stage, &mut commands);
                let place =
                    commands.first().and_then(|simple| simple.words.first()).map(|word| word.span.start);
                found.extend(place.zip(input.clone()));
                let outputs: Vec<String> = commands
                    .iter()
                    .filter_map(|simple| printed(simple).or(passed_on(simple, &input)))
                    .collect();
                input = (!outputs.is_empty())
                    .then(|| outputs.join("\n"))
                    .filter(|text| text.len() <= MAX_PRINTED);
                look(stage, found);
            }
        }
        Statement::Sequence(parts) => parts.iter().for_each(|part| look(part, found)),
        Statement::AndOr(first, rest) => {
            look(first, found);
            rest.iter().for_each(|(_, next)| look(next, found));
        }
        Statement::Negated(body)
        | Statement::Background(body)
        | Statement::Subshell(body, _)
        | Statement::Group(body, _) => look(body, found),
        Statement::If(branches, otherwise, _) => {
            for (condition, body) in branches {
                look(condition, found);
                look(body, found);
            }
            if let Some(otherwise) = otherwise {
                look(otherwise, found);
            }
        }
        Statement::For(repeat) => look(&repeat.body, found),
        Statement::While(condition, body, _) => {
            look(condition, found);
            look(body, found);
        }
    }
}

/// What `simple` prints of its input, where it prints all of it.
fn passed_on(simple: &Simple, input: &Option<String>) -> Option<String> {
    let program = simple.words.first()?.literal()?;
    let all = match super::command::base_name(&program) {
        "cat" => simple.words.len() == 1,
        "tee" => true,
        _ => false,
    };
    if all { input.clone() } else { None }
}

/// Gives the commands their input.
pub fn add(commands: &mut [SimpleCommand], inputs: Vec<(usize, String)>) {
    let inputs: BTreeMap<usize, String> = inputs.into_iter().collect();
    for command in commands.iter_mut() {
        let place = command.words.first().filter(|word| word.span.end > 0).map(|word| word.span.start);
        if let Some(text) = place.and_then(|place| inputs.get(&place)) {
            let target = Some(Word::text(text.as_str()));
            command.redirects.push(Redirect { kind: RedirectKind::Text, target });
        }
    }
}

/// The text that `simple` prints, where it can be told.
fn printed(simple: &Simple) -> Option<String> {
    let (program, arguments) = simple.words.split_first()?;
    let program = program.literal()?;
    match super::command::base_name(&program) {
        "echo" => {
            let options = arguments
                .iter()
                .take_while(|word| {
                    word.literal().is_some_and(|text| {
                        text.strip_prefix('-').is_some_and(|letters| {
                            !letters.is_empty() && letters.chars().all(|letter| "neE".contains(letter))
                        })
                    })
                })
                .count();
            let words: Vec<String> = arguments.iter().skip(options).map(Word::shown).collect();
            let escapes = arguments.iter().take(options).any(|word| word.literal_prefix().contains('e'));
            let text = words.join(" ");
            Some(if escapes { unescaped(&text) } else { text })
        }
        "printf" => {
            let (format, values) = arguments.split_first()?;
            let format = format.literal()?;
            let filled = if values.is_empty() {
                format.into_owned()
            } else {
                // Good enough to see what is in it: the values one by one, each on its line.
                values.iter().map(Word::shown).collect::<Vec<_>>().join("\n")
            };
            Some(unescaped(&filled))
        }
        "cat" if arguments.is_empty() => simple
            .redirects
            .iter()
            .filter(|redirect| redirect.kind == RedirectKind::Text)
            .find_map(|redirect| Some(redirect.target.as_ref()?.shown())),
        _ => None,
    }
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("%%", "%")
}
