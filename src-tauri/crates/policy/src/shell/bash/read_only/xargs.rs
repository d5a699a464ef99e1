//! `xargs`: programs that take any text, and readers of names that a stage before is known to print. Sources: xargs(1) and
//! find(1) (GNU 4.9), git-ls-files(1).

use super::super::command::{SimpleCommand, Word};
use super::find::{BRANCHING, Found};
use super::{Doubt, Prover, is};

/// Programs to which every argument is text.
const TEXT_ONLY: &[&str] = &["echo", "basename", "dirname"];
/// Stages that hand lines on as they are that are looked behind.
const MAX_STAGES: usize = 8;

/// What `xargs` itself was told.
#[derive(Debug, Default, PartialEq, Eq)]
struct Call<'w> {
    program: &'w [Word],
    /// Names end in a NUL, and nothing else divides or quotes them.
    null: bool,
    /// What stands for a name among the program's words; else names follow them.
    place: Option<String>,
}

/// The names that a command prints.
struct Names<'w> {
    starts: Vec<&'w Word>,
    patterns: Vec<String>,
    links: bool,
    null: bool,
    /// They are those of an index, whether or not the files are there.
    tracked: bool,
}

impl Prover<'_> {
    /// `command` is an `xargs` among `commands`.
    pub(super) fn xargs(&mut self, command: &SimpleCommand, commands: &[SimpleCommand]) -> Result<(), Doubt> {
        let arguments = command.words.get(1..).unwrap_or_default();
        let call = Call::of(arguments).ok_or_else(|| Doubt::new("What it starts isn't known."))?;
        let Some((program, rest)) = call.program.split_first() else { return Ok(()) };
        let name = program.literal().ok_or_else(|| Doubt::new("The program is known only at run time."))?;
        // What it starts has to be the system's own too.
        self.program(&name, command)?;
        if TEXT_ONLY.contains(&name.as_ref()) {
            return self.all_literal(rest);
        }
        let names = producer(command, commands)
            .and_then(names_of)
            .filter(|names| names.null == call.null)
            .ok_or_else(|| Doubt::new("Some of its arguments are known only at run time."))?;
        let here = Word::text(".");
        let starts = if names.starts.is_empty() { vec![&here] } else { names.starts.clone() };
        for start in &starts {
            self.plain_names(start, &names, command)?;
        }
        let mut group: Vec<Word> = call.program.to_vec();
        match &call.place {
            Some(place) => {
                for word in &mut group {
                    if is(word, place) {
                        *word = Word::text("{}");
                    } else if word.literal().is_none_or(|text| text.contains(place.as_str())) {
                        return Err(Doubt::new("What it hands on isn't known."));
                    }
                }
            }
            None => group.push(Word::text("{}")),
        }
        let found = Found { starts: &starts, names: &names.patterns, links: names.links };
        self.each_found(&group, &found, command)
    }

    /// None of the names may be taken for an option, or for several names.
    fn plain_names(&mut self, start: &Word, names: &Names<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        let Some(text) = start.literal() else {
            return Err(Doubt::new("Some of its arguments are known only at run time."));
        };
        for folder in &command.folders {
            let key = self.join(folder, &text)?;
            let odd = self
                .tree_fact(&key)
                .is_some_and(|fact| fact.incomplete || fact.option_like || !names.null && fact.odd_names);
            let divided = !names.null && text.contains(|one: char| !is_plain(one));
            let in_index = names.tracked
                && match self.facts.tracked.get(folder) {
                    Some(fact) => {
                        let is_odd = |file: &String| {
                            file.starts_with('-') || !names.null && file.contains(|one| !is_plain(one))
                        };
                        fact.incomplete || fact.files.iter().any(is_odd)
                    }
                    None => {
                        self.inquiries.insert(crate::Inquiry::Tracked(folder.clone()));
                        false
                    }
                };
            if odd || divided || in_index {
                return Err(Doubt::new("A name there could be taken for something else."));
            }
        }
        Ok(())
    }
}

/// A character that xargs neither divides at nor takes for a quote, and that git prints as it is.
fn is_plain(one: char) -> bool {
    one.is_ascii_graphic() && !matches!(one, '"' | '\'' | '\\')
}

impl<'w> Call<'w> {
    fn of(arguments: &'w [Word]) -> Option<Self> {
        let mut call = Self::default();
        let mut rest = arguments;
        while let [word, more @ ..] = rest {
            let text = word.literal()?;
            let Some(option) = text.strip_prefix('-') else { break };
            let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
            rest = more;
            match option {
                "0" | "-null" => call.null = true,
                "0r" | "r0" => call.null = true,
                "r" | "t" | "-no-run-if-empty" => {}
                "n" | "L" | "P" => {
                    more.first().and_then(Word::literal).filter(|value| is_number(value))?;
                    rest = more.get(1..)?;
                }
                "I" => {
                    call.place = Some(more.first()?.literal()?.into_owned());
                    rest = more.get(1..)?;
                }
                attached if attached.starts_with(['n', 'L', 'P']) => {
                    attached.get(1..).filter(|value| is_number(value))?;
                }
                attached if attached.starts_with('I') => call.place = attached.get(1..).map(str::to_owned),
                _ => return None,
            }
        }
        call.program = rest;
        (call.place.as_deref() != Some("")).then_some(call)
    }
}

/// The command whose lines reach `command`, through stages that only leave lines out or reorder them.
fn producer<'c>(command: &SimpleCommand, commands: &'c [SimpleCommand]) -> Option<&'c SimpleCommand> {
    let mut at = command;
    if redirects_streams(command) {
        return None;
    }
    for _ in 0..MAX_STAGES {
        let before = commands.get(at.fed_by?)?;
        // What it complains about may be among its lines.
        if redirects_streams(before) || before.folders != command.folders {
            return None;
        }
        if !passes_lines(before)? {
            return Some(before);
        }
        at = before;
    }
    None
}

/// Whether a redirect changes what the command gets, or what the next one does.
fn redirects_streams(command: &SimpleCommand) -> bool {
    let to_null = |word: &Word| is(word, "/dev/null");
    command.redirects.iter().any(|redirect| !redirect.target.as_ref().is_some_and(to_null))
}

/// Whether the command prints lines of its input, whole.
fn passes_lines(command: &SimpleCommand) -> Option<bool> {
    let arguments: Vec<String> =
        command.words.iter().skip(1).map(|word| word.literal().map(String::from)).collect::<Option<_>>()?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_count = |text: &str| {
        text.strip_prefix('-').is_some_and(|count| count.parse::<u32>().is_ok())
            || text.strip_prefix("-n").is_some_and(|count| count.parse::<u32>().is_ok())
    };
    Some(match (command.base_name()?.as_str(), words.as_slice()) {
        ("head" | "tail" | "sort" | "uniq", []) | ("sort", ["-u" | "-r" | "-n"]) => true,
        ("head" | "tail", [count]) => is_count(count),
        ("head" | "tail", ["-n", count]) => count.parse::<u32>().is_ok(),
        ("grep", [pattern]) => !pattern.starts_with('-'),
        ("grep", ["-v" | "-E" | "-F" | "-i" | "-vE" | "-Ev" | "-iv" | "-vi", pattern]) => {
            !pattern.starts_with('-')
        }
        _ => false,
    })
}

fn names_of(command: &SimpleCommand) -> Option<Names<'_>> {
    let arguments = command.words.get(1..)?;
    match (command.base_name()?.as_str(), arguments.first()?.literal()?.as_ref()) {
        ("find", _) => names_of_find(arguments),
        ("git", "ls-files") => names_of_index(arguments.get(1..)?),
        _ => None,
    }
}

fn names_of_find(arguments: &[Word]) -> Option<Names<'_>> {
    let starts: Vec<&Word> = arguments
        .iter()
        .take_while(|word| !word.literal_prefix().starts_with(['-', '(', '!', ',', ')']))
        .collect();
    let tests = arguments.get(starts.len()..)?;
    let texts: Vec<String> =
        tests.iter().map(|word| word.literal().map(String::from)).collect::<Option<_>>()?;
    let has = |wanted: &[&str]| texts.iter().any(|text| wanted.contains(&text.as_str()));
    if has(&["-printf", "-ls", "-exec", "-print", "-P", "-help", "--help", "-version", "--version"]) {
        return None;
    }
    let branches = has(BRANCHING);
    let pairs = || texts.windows(2).filter_map(|pair| <&[String; 2]>::try_from(pair).ok());
    let only_files = !branches && pairs().any(|[test, value]| test == "-type" && value == "f");
    let patterns = pairs()
        .filter(|[test, pattern]| !branches && test == "-name" && !pattern.contains(['[', '\\']))
        .map(|[_, pattern]| pattern.clone())
        .collect();
    Some(Names { starts, patterns, links: !only_files, null: has(&["-print0"]), tracked: false })
}

fn names_of_index(arguments: &[Word]) -> Option<Names<'_>> {
    const PLAIN: &[&str] =
        &["-c", "-m", "-o", "--cached", "--modified", "--others", "--exclude-standard", "--"];
    let texts: Vec<String> =
        arguments.iter().map(|word| word.literal().map(String::from)).collect::<Option<_>>()?;
    let null = texts.iter().any(|text| text == "-z");
    let operands: Vec<&String> = texts.iter().filter(|text| !text.starts_with('-')).collect();
    let known = |text: &String| !text.starts_with('-') || text == "-z" || PLAIN.contains(&text.as_str());
    let patterns = match operands.as_slice() {
        [only] if only.strip_prefix("*.").is_some_and(|end| end.chars().all(char::is_alphanumeric)) => {
            vec![(*only).clone()]
        }
        _ => Vec::new(),
    };
    let names = Names { starts: Vec::new(), patterns, links: true, null, tracked: true };
    texts.iter().all(known).then_some(names)
}
