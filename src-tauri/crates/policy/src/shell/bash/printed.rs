//! Literal text that one stage of a pipeline prints and a shell behind it runs: `echo 'rm -rf /' | sh`.

use super::command::{Redirect, RedirectKind, SimpleCommand, Word};
use super::script::Simple;
use super::tree::Sight;

/// What each command gets on its input, by where its program stands in the text.
pub fn into_shells(sight: &Sight) -> Vec<(usize, String)> {
    let at = |place: usize| {
        sight.commands.iter().find(|simple| simple.words.first().is_some_and(|word| word.span.start == place))
    };
    sight.pipes.iter().filter_map(|&(from, into)| Some((into, printed(at(from)?)?))).collect()
}

/// Gives the commands their input.
pub fn add(commands: &mut [SimpleCommand], inputs: Vec<(usize, String)>) {
    for (place, text) in inputs {
        for command in commands.iter_mut() {
            if command.words.first().is_some_and(|word| word.span.start == place && word.span.end > 0) {
                command
                    .redirects
                    .push(Redirect { kind: RedirectKind::Text, target: Some(Word::text(text.as_str())) });
            }
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
            Some(unescaped(&words.join(" ")))
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
