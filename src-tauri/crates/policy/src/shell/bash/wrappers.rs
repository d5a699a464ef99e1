//! Programs that start what their arguments say, taken off layer by layer. Source: each program's manual page.

mod git;
mod tables;

use super as bash;
use super::command::{CommandOrigin, Part, RedirectKind, SimpleCommand, Word};
use super::location;
use crate::Context;
use crate::shell::MAX_TEXT;
use std::cell::Cell;
use tables::{RUN_BY_NAME, RUNNERS, SCRIPTS, SHELLS, WRAPPERS, Wrapper};

/// Layers that are taken off one command.
const MAX_LAYERS: usize = 12;
/// Scripts inside commands that are read, all together (bytes): each layer may hold the text of the next one twice.
const MAX_SCRIPTS: usize = MAX_TEXT;
/// Words of the commands inside others, all together.
const MAX_WORDS: usize = 20_000;

/// What was found on the way.
pub struct Unwrapped {
    /// One of the scripts starts itself without end.
    pub fork_bomb: bool,
    /// Everything that is started was looked at.
    pub complete: bool,
}

/// Appends what each command starts, and what that starts, until nothing is left or `limit` commands are there.
pub fn unwrap_all(commands: &mut Vec<SimpleCommand>, context: &Context, limit: usize) -> Unwrapped {
    let peeling = Peeling { context, fork_bomb: Cell::new(false), left: Cell::new(Some(MAX_SCRIPTS)) };
    let peeling = &peeling;
    let mut depths = vec![0_usize; commands.len()];
    let mut place = 0;
    let mut words = 0;
    while let (Some(command), Some(&depth)) = (commands.get(place), depths.get(place)) {
        if depth < MAX_LAYERS {
            for inner in inner_commands(command, place, peeling) {
                words += inner.words.len();
                if commands.len() >= limit || words > MAX_WORDS {
                    return Unwrapped { fork_bomb: peeling.fork_bomb.get(), complete: false };
                }
                commands.push(inner);
                depths.push(depth + 1);
            }
        }
        place += 1;
    }
    Unwrapped { fork_bomb: peeling.fork_bomb.get(), complete: peeling.left.get().is_some() }
}

struct Peeling<'c> {
    context: &'c Context,
    fork_bomb: Cell<bool>,
    /// Bytes of scripts that may still be read; nothing once one had to be passed over.
    left: Cell<Option<usize>>,
}

fn inner_commands(command: &SimpleCommand, place: usize, peeling: &Peeling<'_>) -> Vec<SimpleCommand> {
    let Some(name) = command.base_name() else { return Vec::new() };
    let arguments = command.words.get(1..).unwrap_or_default();
    let script =
        |text: Option<String>| text.map_or_else(Vec::new, |text| scripted(&text, command, place, peeling));
    let named = command
        .assignments
        .iter()
        .filter(|assignment| RUN_BY_NAME.contains(&assignment.name.as_str()))
        .filter_map(|assignment| spelled(&assignment.value, peeling));
    let starts = name != "npm" || is(arguments.first(), "exec") || is(arguments.first(), "x");
    let optional = SCRIPTS
        .iter()
        .filter(|(programs, _, _)| starts && programs.contains(&name.as_str()))
        .filter_map(|&(_, short, long)| option_value(arguments, short, long, peeling));
    let texts: Vec<String> = named.chain(optional).collect();
    let texts = texts.into_iter().flat_map(|text| scripted(&text, command, place, peeling));
    let started = match name.as_str() {
        shell if SHELLS.contains(&shell) => script(shell_script(command, arguments, peeling)),
        "eval" => script(joined(after_dashes(arguments), peeling)),
        "trap" => script(after_dashes(arguments).first().and_then(|word| spelled(word, peeling))),
        "alias" => {
            let values = arguments.iter().filter_map(|word| spelled(word, peeling));
            let values: Vec<String> =
                values.filter_map(|text| text.split_once('=').map(|(_, value)| value.to_owned())).collect();
            values.iter().flat_map(|text| scripted(text, command, place, peeling)).collect()
        }
        "." | "source" if is(arguments.first(), "/dev/stdin") => script(document(command, peeling)),
        "find" | "gfind" => {
            let actions = ["-exec", "-execdir", "-ok", "-okdir"];
            groups(arguments, |word| actions.contains(&word))
                .into_iter()
                .map(|words| started(words, command, place, false, true))
                .collect()
        }
        "fd" | "fdfind" => fd_actions(arguments)
            .into_iter()
            .map(|words| started(words, command, place, false, true))
            .collect(),
        "git" => git::actions(arguments, peeling)
            .into_iter()
            .flat_map(|text| scripted(&text, command, place, peeling))
            .collect(),
        other => {
            let runner =
                RUNNERS.iter().find(|(program, verb, _)| *program == other && is(arguments.first(), verb));
            match runner {
                Some(&(_, _, operands)) => {
                    let rest = arguments.get(1..).unwrap_or_default();
                    let skipped = match rest.iter().position(|word| is(Some(word), "--")) {
                        Some(dashes) => dashes + 1,
                        None => options_before(rest) + operands,
                    };
                    vec![started(
                        rest.get(skipped..).unwrap_or_default().to_vec(),
                        command,
                        place,
                        false,
                        false,
                    )]
                }
                None => WRAPPERS
                    .iter()
                    .find(|wrapper| wrapper.names.contains(&other))
                    .map_or_else(Vec::new, |wrapper| take_off(wrapper, command, place, arguments, peeling)),
            }
        }
    };
    texts
        .chain(started)
        .filter(|inner| {
            !inner.words.is_empty() || !inner.redirects.is_empty() || !inner.assignments.is_empty()
        })
        .collect()
}

/// Words that are options, or the values of the options that runners take one for.
fn options_before(words: &[Word]) -> usize {
    const VALUED: &[&str] = &[
        "-n",
        "-p",
        "-w",
        "-C",
        "--name",
        "--prefix",
        "--with",
        "--python",
        "--project",
        "--directory",
        "--package",
    ];
    let mut count = 0;
    while let Some(word) = words.get(count).filter(|word| word.literal_prefix().starts_with('-')) {
        count += if VALUED.iter().any(|option| is(Some(word), option)) { 2 } else { 1 };
    }
    count
}

/// What follows a leading `--`.
fn after_dashes(arguments: &[Word]) -> &[Word] {
    match arguments.split_first() {
        Some((first, rest)) if is(Some(first), "--") => rest,
        Some(_) | None => arguments,
    }
}

fn is(word: Option<&Word>, text: &str) -> bool {
    word.and_then(Word::literal).is_some_and(|literal| literal == text)
}

fn take_off(
    wrapper: &Wrapper,
    command: &SimpleCommand,
    place: usize,
    arguments: &[Word],
    peeling: &Peeling<'_>,
) -> Vec<SimpleCommand> {
    let is_env = wrapper.names.contains(&"env");
    let mut moved = command.clone();
    let mut rest = arguments;
    let mut changed = false;
    while let [word, more @ ..] = rest {
        let Some(text) = word.literal() else { break };
        if text == "--" {
            rest = more;
            break;
        }
        if is_env && text == "-" {
            changed = true;
            rest = more;
            continue;
        }
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        // `command -v` and `-V` look a name up and start nothing.
        if wrapper.names.contains(&"command") && !text.starts_with("--") && text.contains(['v', 'V']) {
            return Vec::new();
        }
        changed = true;
        let (value_follows, attached) = option_shape(&text, wrapper);
        let first_valued = text.chars().find(|letter| wrapper.valued.contains(*letter));
        let is_long = text.starts_with("--");
        let goes_elsewhere = if is_long { text.starts_with("--c") } else { first_valued == Some('C') };
        if is_env && goes_elsewhere {
            let target = attached.clone().map(Word::text).or_else(|| more.first().cloned());
            moved.folders = target.map_or_else(Vec::new, |target| elsewhere(&target, &moved, peeling));
        }
        if is_env
            && (!text.starts_with("--") && first_valued == Some('S') || text.starts_with("--split-string"))
        {
            let split = attached.or_else(|| more.first().and_then(|word| spelled(word, peeling)));
            return split.map_or_else(Vec::new, |text| scripted(&text, &moved, place, peeling));
        }
        if wrapper.names.contains(&"flock") && matches!(text.as_ref(), "-c" | "--command") {
            return more
                .first()
                .and_then(|word| spelled(word, peeling))
                .map_or_else(Vec::new, |text| scripted(&text, &moved, place, peeling));
        }
        rest = if value_follows { more.get(1..).unwrap_or_default() } else { more };
    }
    if wrapper.assignments {
        while let [word, more @ ..] = rest
            && word
                .literal_prefix()
                .split_once('=')
                .is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'))
        {
            changed = true;
            rest = more;
        }
    }
    rest = rest.get(wrapper.operands..).unwrap_or_default();
    if wrapper.names.contains(&"flock")
        && rest.first().and_then(Word::literal).is_some_and(|word| word == "-c")
    {
        return rest
            .get(1)
            .and_then(|word| spelled(word, peeling))
            .map_or_else(Vec::new, |text| scripted(&text, &moved, place, peeling));
    }
    if wrapper.names.iter().any(|name| matches!(*name, "watch" | "hyperfine")) {
        let mut found =
            joined(rest, peeling).map_or_else(Vec::new, |text| scripted(&text, &moved, place, peeling));
        found.push(started(rest.to_vec(), &moved, place, false, false));
        return found;
    }
    let end = if wrapper.names.contains(&"parallel") {
        rest.iter().position(|word| word.literal_prefix().starts_with(":::")).unwrap_or(rest.len())
    } else {
        rest.len()
    };
    let open_ended = wrapper.names.iter().any(|name| matches!(*name, "xargs" | "parallel"));
    let transparent = wrapper.transparent || is_env && !changed;
    let mut found =
        vec![started(rest.get(..end).unwrap_or_default().to_vec(), &moved, place, transparent, open_ended)];
    if wrapper.names.contains(&"parallel") {
        // What follows `:::` is handed on, and a single word is a text for the shell.
        let given = rest.get(end + 1..).unwrap_or_default();
        let handed = rest.get(..end).unwrap_or_default().iter().chain(given).cloned().collect();
        found.push(started(handed, &moved, place, false, true));
        found.extend(
            joined(rest.get(..end).unwrap_or_default(), peeling)
                .map_or_else(Vec::new, |text| scripted(&text, &moved, place, peeling)),
        );
    }
    found
}

/// The folders that `target` names for a command that runs where `command` does.
fn elsewhere(target: &Word, command: &SimpleCommand, peeling: &Peeling<'_>) -> Vec<String> {
    let Some(text) = location::text_of(target, &peeling.context.home) else { return Vec::new() };
    command.folders.iter().map(|folder| location::normal(&location::join(folder, &text))).collect()
}

/// Whether the option's value is the next word, and the value where it is attached.
fn option_shape(text: &str, wrapper: &Wrapper) -> (bool, Option<String>) {
    if text.starts_with("--") {
        return match text.split_once('=') {
            Some((_, value)) => (false, Some(value.to_owned())),
            // GNU takes shortened names too.
            None => (text.len() > 2 && wrapper.valued_long.iter().any(|long| long.starts_with(text)), None),
        };
    }
    let mut letters = text.trim_start_matches('-').chars();
    while let Some(letter) = letters.next() {
        if wrapper.valued.contains(letter) {
            let attached = letters.as_str();
            return (attached.is_empty(), (!attached.is_empty()).then(|| attached.to_owned()));
        }
    }
    (false, None)
}

fn started(
    words: Vec<Word>,
    outer: &SimpleCommand,
    place: usize,
    transparent: bool,
    open_ended: bool,
) -> SimpleCommand {
    SimpleCommand {
        words,
        // The document or file that the outer command reads is what the inner one reads.
        redirects: outer
            .redirects
            .iter()
            .filter(|redirect| redirect.kind == RedirectKind::Text)
            .cloned()
            .collect(),
        folders: outer.folders.clone(),
        origin: CommandOrigin::Unwrapped { outer: place, transparent },
        open_ended: open_ended || outer.open_ended,
        background: outer.background,
        ..SimpleCommand::default()
    }
}

/// The commands of a script that `outer` runs.
fn scripted(text: &str, outer: &SimpleCommand, place: usize, peeling: &Peeling<'_>) -> Vec<SimpleCommand> {
    let left = peeling.left.get().and_then(|left| left.checked_sub(text.len()));
    peeling.left.set(left);
    if left.is_none() {
        return Vec::new();
    }
    let (mut found, fork_bomb) = bash::commands_of(text, &outer.folders, peeling.context);
    if fork_bomb {
        peeling.fork_bomb.set(true);
    }
    for command in &mut found {
        command.origin = CommandOrigin::Unwrapped { outer: place, transparent: false };
        command.fed_by = None;
    }
    found
}

/// The word as text a shell would read, unknown values as a variable nobody sets.
fn spelled(word: &Word, peeling: &Peeling<'_>) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Text(plain) | Part::Glob(plain) => text.push_str(plain),
            Part::Home => text.push_str(&peeling.context.home),
            Part::Number => text.push('1'),
            Part::Variable { .. } | Part::Output | Part::Pipe | Part::Opaque => text.push_str("$unknown"),
        }
    }
    (!text.is_empty()).then_some(text)
}

fn joined(words: &[Word], peeling: &Peeling<'_>) -> Option<String> {
    let pieces: Vec<String> = words.iter().filter_map(|word| spelled(word, peeling)).collect();
    (!pieces.is_empty()).then(|| pieces.join(" "))
}

/// The script of `sh -c SCRIPT`, or the document that a shell reads.
fn shell_script(command: &SimpleCommand, arguments: &[Word], peeling: &Peeling<'_>) -> Option<String> {
    let mut takes_script = false;
    let mut rest = arguments;
    while let [word, more @ ..] = rest {
        let Some(text) = word.literal() else { break };
        if text == "--" || text == "-" {
            rest = more;
            break;
        }
        if text.len() < 2 || !text.starts_with(['-', '+']) {
            break;
        }
        let mut value_follows = matches!(text.as_ref(), "--rcfile" | "--init-file");
        if !text.starts_with("--") {
            takes_script |= text.starts_with('-') && text.contains('c');
            value_follows = text.ends_with(['o', 'O']);
        }
        rest = if value_follows { more.get(1..).unwrap_or_default() } else { more };
    }
    if takes_script {
        return rest.first().and_then(|word| spelled(word, peeling));
    }
    let reads_input = rest.is_empty()
        || is(rest.first(), "/dev/stdin")
        || arguments.iter().any(|word| is(Some(word), "-s"));
    if reads_input { document(command, peeling) } else { None }
}

/// The text that a here-document, a here-string or the stage before hands to `command`.
fn document(command: &SimpleCommand, peeling: &Peeling<'_>) -> Option<String> {
    command
        .redirects
        .iter()
        .filter(|redirect| redirect.kind == RedirectKind::Text)
        .find_map(|redirect| spelled(redirect.target.as_ref()?, peeling))
}

/// The value of a short or long option, attached, after `=` or in the next word.
fn option_value(
    arguments: &[Word],
    short: Option<char>,
    long: &str,
    peeling: &Peeling<'_>,
) -> Option<String> {
    arguments.iter().enumerate().find_map(|(place, word)| {
        let text = spelled(word, peeling)?;
        let next = || arguments.get(place + 1).and_then(|word| spelled(word, peeling));
        if let Some(value) = text.strip_prefix(long) {
            return value.strip_prefix('=').map(str::to_owned).or_else(next);
        }
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let (_, value) = letters.split_once(short?)?;
        if value.is_empty() { next() } else { Some(value.to_owned()) }
    })
}

/// The words after each `start`, up to `;` or `+`.
fn groups(arguments: &[Word], start: impl Fn(&str) -> bool) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    let mut rest = arguments;
    while let [word, more @ ..] = rest {
        rest = more;
        if word.literal().is_some_and(|text| start(&text)) {
            let ends = |word: &Word| word.literal().is_some_and(|text| text == ";" || text == "+");
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            found.push(rest.get(..length).unwrap_or_default().to_vec());
            rest = rest.get(length..).unwrap_or_default();
        }
    }
    found
}

fn fd_actions(arguments: &[Word]) -> Vec<Vec<Word>> {
    let mut found = groups(arguments, |word| matches!(word, "-x" | "-X" | "--exec" | "--exec-batch"));
    for (place, word) in arguments.iter().enumerate() {
        let text = word.literal_prefix();
        let attached = ["--exec=", "--exec-batch=", "-x", "-X"]
            .iter()
            .find_map(|option| text.strip_prefix(option))
            .filter(|program| !program.is_empty());
        if let Some(program) = attached {
            let mut words =
                vec![Word { parts: vec![Part::Text(program.to_owned())], span: word.span.clone() }];
            words.extend(arguments.iter().skip(place + 1).cloned());
            found.push(words);
        }
    }
    found
}
