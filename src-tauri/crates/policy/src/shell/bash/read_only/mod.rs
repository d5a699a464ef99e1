//! The proof that a command changes nothing and reads only what it may.
//!
//! Each program has a list of the options it *may* be given; each operand and option value is a file that is read, a path
//! that is looked at, or text. What isn't listed isn't proven.

mod archives;
mod awk;
mod find;
mod git;
mod git_commands;
mod git_contents;
mod jq;
mod operands;
mod options;
mod programs;
mod search;
mod sed;
mod tests;
mod xargs;

use super::command::{CommandOrigin, Part, Redirect, RedirectKind, SimpleCommand, Word, base_name};
use super::variables::{may_be_set, names_read};
use crate::{Context, Facts, FileKind, Inquiry, Os, PathFact, ProgramLookup, ProgramPlace};
pub use git::changes_repository;
use options::{Arguments, Value, ValueKind, ValueText};
use programs::{Operands, PROGRAMS, Program, RUSTUP, VERSIONS};
use std::collections::BTreeSet;

/// Why something isn't proven: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt(pub String);

impl Doubt {
    /// A doubt.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// What a proof looks things up in, and what it found missing.
pub struct Prover<'f> {
    /// What is known.
    pub facts: &'f Facts,
    /// Where and for whom.
    pub context: &'f Context,
    /// What is still to be looked up.
    pub inquiries: BTreeSet<Inquiry>,
    /// Files whose content is read.
    pub reads: BTreeSet<String>,
    /// Folders from which git prints any of what is tracked.
    pub tracked: BTreeSet<String>,
}

impl<'f> Prover<'f> {
    /// A prover that knows `facts`.
    pub fn new(facts: &'f Facts, context: &'f Context) -> Self {
        Self { facts, context, inquiries: BTreeSet::new(), reads: BTreeSet::new(), tracked: BTreeSet::new() }
    }

    /// Proves each of `commands`. Where a fact is missing it is asked for and taken for harmless: a proof counts only when
    /// nothing is missing any more.
    pub fn prove_all(&mut self, commands: &[SimpleCommand]) -> Vec<Result<(), Doubt>> {
        let starting: BTreeSet<usize> = commands
            .iter()
            .filter_map(|command| match command.origin {
                CommandOrigin::Unwrapped { outer, .. } => Some(outer),
                CommandOrigin::Written => None,
            })
            .collect();
        let mut proofs: Vec<Result<(), Doubt>> = Vec::with_capacity(commands.len());
        for (place, command) in commands.iter().enumerate() {
            let by_find = match command.origin {
                CommandOrigin::Unwrapped { outer, .. } if command.open_ended => commands
                    .get(outer)
                    .filter(|outer| {
                        let starter = outer.base_name();
                        starter.is_some_and(|name| {
                            matches!(name.as_str(), "find" | "gfind" | "xargs" | "gxargs")
                        })
                    })
                    .and_then(|_| proofs.get(outer).cloned()),
                CommandOrigin::Unwrapped { .. } | CommandOrigin::Written => None,
            };
            // What find or xargs starts was proven with it, for every name it may be handed.
            let proof = match by_find {
                Some(proof) => proof,
                None => self.prove(command, commands, starting.contains(&place)),
            };
            proofs.push(proof);
        }
        proofs
    }

    /// Proves one of `commands`; `starts` says whether another one in the list is what it starts.
    fn prove(
        &mut self,
        command: &SimpleCommand,
        commands: &[SimpleCommand],
        starts: bool,
    ) -> Result<(), Doubt> {
        if command.background {
            return Err(Doubt::new("It goes on in the background."));
        }
        if command.open_ended {
            return Err(Doubt::new("Some of its arguments are known only at run time."));
        }
        if command.folders.is_empty() {
            return Err(Doubt::new("The folder it runs in is known only at run time."));
        }
        for folder in &command.folders {
            if folder != &self.context.workspace {
                self.place(folder, operands::Depth::Name)?;
            }
        }
        for redirect in &command.redirects {
            self.redirect(redirect, command)?;
        }
        for assignment in &command.assignments {
            let harmless = if command.words.is_empty() {
                may_be_set(&assignment.name) && !self.context.environment.contains(&assignment.name)
            } else {
                let splits =
                    assignment.name == "IFS" && command.words.first().is_some_and(|word| is(word, "read"));
                splits && assignment.value.literal().is_some()
                    || is_harmless_variable(&assignment.name, &assignment.value)
            };
            if !harmless {
                return Err(Doubt::new(format!("It sets the variable {}.", assignment.name)));
            }
        }
        let Some((first, arguments)) = command.words.split_first() else { return Ok(()) };
        let written = first.literal().ok_or_else(|| Doubt::new("The program is known only at run time."))?;
        if written.is_empty() {
            return Err(Doubt::new("No program is named."));
        }
        let name = base_name(&written);
        if !is_builtin(&written) {
            self.program(&written, command)?;
        }
        if matches!(name, "xargs" | "gxargs") {
            return self.xargs(command, commands);
        }
        self.known(name, arguments, command, starts)
    }

    fn known(
        &mut self,
        name: &str,
        arguments: &[Word],
        command: &SimpleCommand,
        starts: bool,
    ) -> Result<(), Doubt> {
        let only_version = |words: &[&str]| matches!(arguments, [only] if only.literal().is_some_and(|text| words.contains(&text.as_ref())));
        if VERSIONS.iter().any(|(program, words)| *program == name && only_version(words)) {
            return if RUSTUP.contains(&name) { self.no_own_toolchain(command) } else { Ok(()) };
        }
        match name {
            "test" | "[" | "[[" => self.test(name, arguments, command),
            "find" | "gfind" => self.find(arguments, command),
            "sed" | "gsed" => self.sed(arguments, command),
            "awk" | "gawk" | "mawk" | "nawk" => self.awk(arguments, command),
            "jq" => self.jq(arguments, command),
            "less" | "more" if arguments.iter().any(|word| word.literal_prefix().starts_with('+')) => {
                Err(Doubt::new("It runs a command of the pager."))
            }
            "strings" if arguments.iter().any(may_name_options) => {
                Err(Doubt::new("It could read further arguments from a file."))
            }
            "xxd" if !arguments.iter().all(is_plain_xxd_option) => {
                Err(Doubt::new("An option of xxd isn't known to be harmless."))
            }
            "grep" | "egrep" | "fgrep" | "ggrep" => self.grep(name, arguments, command),
            "rg" => self.ripgrep(arguments, command),
            "fd" | "fdfind" => self.fd(arguments, command),
            "git" => self.git(arguments, command),
            "tar" | "gtar" | "bsdtar" => self.tar(arguments, command),
            "unzip" | "zipinfo" => self.zip_listing(name, arguments, command),
            "gzip" | "gunzip" | "zcat" | "gzcat" | "bzip2" | "bunzip2" | "bzcat" | "xz" | "unxz"
            | "xzcat" => self.compressor(name, arguments, command),
            "read" => match names_read(arguments) {
                Some(names) if !names.iter().any(|name| self.context.environment.contains(name)) => Ok(()),
                Some(_) | None => Err(Doubt::new("It may set any variable.")),
            },
            "command" if arguments.first().is_some_and(|word| is(word, "-v") || is(word, "-V")) => {
                self.all_literal(arguments)
            }
            other => match PROGRAMS.iter().find(|program| program.names.contains(&other)) {
                Some(program) => self.listed(program, arguments, command, starts),
                None => Err(Doubt::new(format!("{other} isn't on the list of programs that only read."))),
            },
        }
    }

    fn listed(
        &mut self,
        program: &Program,
        arguments: &[Word],
        command: &SimpleCommand,
        starts: bool,
    ) -> Result<(), Doubt> {
        match program.operands {
            Operands::Wrapper(before) => return self.wrapper(program, before, arguments, starts),
            Operands::Environment => return self.environment(arguments, starts),
            Operands::TextOrNames if program.builtin => return self.printed(program, arguments, command),
            Operands::None
            | Operands::Text
            | Operands::TextOrNames
            | Operands::Files
            | Operands::OneFile
            | Operands::Trees
            | Operands::Names
            | Operands::TextThenFiles
            | Operands::DateFormat => {}
        }
        let sorted = options::sort(program.options, program.abbreviations, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        if program.names.contains(&"cd") {
            return self.folder(&sorted, command);
        }
        if program.names.contains(&"set") {
            if sorted.options.is_empty() {
                return Err(Doubt::new("It prints every variable."));
            }
            let harmless = |value: String| matches!(value.as_str(), "pipefail" | "errexit" | "nounset");
            if !sorted.values(&["-o"]).all(harmless) {
                return Err(Doubt::new("It changes the shell itself."));
            }
        }
        self.option_values(&sorted, command)?;
        let operands = sorted.operands.as_slice();
        match program.operands {
            Operands::None if operands.is_empty() => Ok(()),
            Operands::None => Err(Doubt::new("It has more operands than are known to be harmless.")),
            Operands::Text => operands.iter().try_for_each(|word| self.text(word)),
            Operands::TextOrNames => operands.iter().try_for_each(|word| self.text_or_name(word, command)),
            Operands::OneFile if operands.len() > 1 => {
                Err(Doubt::new("Its second operand would be written."))
            }
            Operands::Files | Operands::OneFile => self.each_file(&sorted, command),
            Operands::Trees => self.each_tree(&sorted, command),
            Operands::Names => self.each_name(&sorted, command),
            Operands::TextThenFiles => {
                let Some((first, files)) = operands.split_first() else { return Ok(()) };
                self.text(first)?;
                files.iter().try_for_each(|word| self.file(word, command))
            }
            Operands::DateFormat => operands.iter().try_for_each(|word| match word.literal() {
                Some(text) if text.starts_with('+') => Ok(()),
                Some(_) | None => Err(Doubt::new("It may set the clock.")),
            }),
            Operands::Wrapper(_) | Operands::Environment => Ok(()),
        }
    }

    /// `echo` and its like: everything is text, options too.
    fn printed(
        &mut self,
        program: &Program,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        let sets_variable =
            |word: &Word| word.literal().is_none_or(|text| text.starts_with("-v") || stores_count(&text));
        let before_format = usize::from(arguments.first().is_some_and(|word| is(word, "--")));
        if program.names.contains(&"printf") && arguments.iter().take(before_format + 1).any(sets_variable) {
            return Err(Doubt::new("It may set a variable."));
        }
        arguments.iter().try_for_each(|word| self.text_or_name(word, command))
    }

    fn wrapper(
        &mut self,
        program: &Program,
        before: usize,
        arguments: &[Word],
        starts: bool,
    ) -> Result<(), Doubt> {
        let own = arguments
            .iter()
            .position(|word| !word.literal_prefix().starts_with('-'))
            .unwrap_or(arguments.len());
        // An option's value may stand alone: hold one word more against the list until it fits.
        let fits = (own..=(own + 4).min(arguments.len())).find_map(|end| {
            let sorted = options::sort(
                program.options,
                program.abbreviations,
                arguments.get(..end).unwrap_or_default(),
            )
            .ok()?;
            (sorted.operands.len() == before).then_some(end)
        });
        match fits {
            Some(_) if starts => Ok(()),
            Some(_) | None => Err(Doubt::new("What it starts isn't known.")),
        }
    }

    fn environment(&mut self, arguments: &[Word], starts: bool) -> Result<(), Doubt> {
        for word in arguments {
            let text = word.literal_prefix();
            if text.starts_with('-') {
                return Err(Doubt::new("It changes the environment in a way that isn't known."));
            }
            let Some((name, value)) = text.split_once('=') else { break };
            if word.parts.len() > 1 || !is_harmless_variable(name, &Word::text(value)) {
                return Err(Doubt::new(format!("It sets the variable {name}.")));
            }
        }
        if starts { Ok(()) } else { Err(Doubt::new("It prints the environment, secrets included.")) }
    }

    fn redirect(&mut self, redirect: &Redirect, command: &SimpleCommand) -> Result<(), Doubt> {
        let target = redirect.target.as_ref();
        let is_null = target.is_some_and(|word| is(word, "/dev/null"));
        match (redirect.kind, target) {
            (RedirectKind::Descriptor | RedirectKind::Text, _) => Ok(()),
            (_, Some(_)) if is_null => Ok(()),
            (RedirectKind::Read, Some(word)) => self.file(word, command),
            (RedirectKind::Truncate | RedirectKind::Append | RedirectKind::ReadWrite, Some(word)) => {
                Err(Doubt::new(format!("It writes to {}.", word.shown())))
            }
            (
                RedirectKind::Read
                | RedirectKind::Truncate
                | RedirectKind::Append
                | RedirectKind::ReadWrite
                | RedirectKind::Unknown,
                _,
            ) => Err(Doubt::new("It has a redirect that isn't understood.")),
        }
    }

    /// The program has to be the system's own.
    fn program(&mut self, written: &str, command: &SimpleCommand) -> Result<(), Doubt> {
        let key = if written.contains('/') {
            let folder = command.folders.first().map_or(self.context.workspace.as_str(), String::as_str);
            if command.folders.len() > 1 && !written.starts_with('/') {
                return Err(Doubt::new("The folder it runs in is known only at run time."));
            }
            crate::path::join(written, folder, self.context.os)
                .map_err(|fault| Doubt::new(fault.to_string()))?
        } else {
            if self.context.programs == ProgramLookup::Assumed {
                return Ok(());
            }
            self.search_path()?;
            written.to_owned()
        };
        match self.facts.programs.get(&key) {
            None => {
                self.inquiries.insert(Inquiry::Program(key));
                Ok(())
            }
            Some(fact) => match fact.place {
                ProgramPlace::System => Ok(()),
                ProgramPlace::User => Err(Doubt::new(format!("{written} isn't in a system folder."))),
                ProgramPlace::Untrusted => Err(Doubt::new(format!(
                    "{written} is a file that others, or the workspace, could change."
                ))),
                ProgramPlace::Missing => Err(Doubt::new(format!("{written} wasn't found."))),
            },
        }
    }

    /// Nothing in the workspace says which compiler rustup starts, which may be a file of the workspace's own
    /// (The rustup book, Overrides).
    fn no_own_toolchain(&mut self, command: &SimpleCommand) -> Result<(), Doubt> {
        for folder in &command.folders {
            let mut at = crate::path::lexical(folder);
            loop {
                for name in ["rust-toolchain.toml", "rust-toolchain"] {
                    let key = self.join(&at, name)?;
                    match self.facts.paths.get(&key) {
                        None => {
                            self.inquiries.insert(Inquiry::Path(key));
                        }
                        Some(PathFact::Resolved(found)) if found.file == FileKind::Missing => {}
                        Some(PathFact::Resolved(_) | PathFact::Unresolvable { .. }) => {
                            return Err(Doubt::new(format!("{key} may choose the program that runs.")));
                        }
                    }
                }
                let inside = crate::path::relative_to(&at, &self.context.workspace, self.context.os);
                match at.rsplit_once('/') {
                    Some((parent, _)) if inside.is_some_and(|inside| !inside.is_empty()) => {
                        at = parent.to_owned();
                    }
                    Some(_) | None => break,
                }
            }
        }
        Ok(())
    }

    /// An entry of `PATH` that the workspace controls could hold any name.
    fn search_path(&self) -> Result<(), Doubt> {
        let context = self.context;
        let unsafe_entry = context.search_path.iter().any(|entry| {
            !crate::path::is_absolute(entry, context.os)
                || std::iter::once(&context.workspace)
                    .chain(&context.workspace_aliases)
                    .any(|root| crate::path::contains(root, &crate::path::lexical(entry), context.os))
        });
        if unsafe_entry || context.search_path.is_empty() {
            return Err(Doubt::new("PATH leads into the workspace or to a relative folder."));
        }
        Ok(())
    }

    fn option_values(&mut self, sorted: &Arguments<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        sorted
            .options
            .iter()
            .filter_map(|given| given.value.as_ref())
            .try_for_each(|value| self.value(value, command))
    }

    fn value(&mut self, value: &Value<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        let owned;
        let word = match &value.text {
            ValueText::Word(word) => *word,
            ValueText::Attached(text) => {
                owned = Word::text(text.as_str());
                &owned
            }
        };
        match value.kind {
            // Some options that take a value on Linux take none on macOS, where the next word is an operand.
            ValueKind::Text | ValueKind::Number if self.context.os == Os::Macos => match &value.text {
                ValueText::Word(word) if word.literal().is_some_and(|text| text.len() > 1) => {
                    self.file(word, command)
                }
                ValueText::Word(_) | ValueText::Attached(_) => Ok(()),
            },
            ValueKind::Text | ValueKind::Number => Ok(()),
            ValueKind::File => self.file(word, command),
            ValueKind::Name => self.name(word, command),
        }
    }

    fn all_literal(&self, words: &[Word]) -> Result<(), Doubt> {
        words.iter().try_for_each(|word| self.text(word))
    }

    /// A word that names nothing but has to be known.
    fn text(&self, word: &Word) -> Result<(), Doubt> {
        match word.literal() {
            Some(_) => Ok(()),
            None => Err(Doubt::new(format!("{} is known only at run time.", word.shown()))),
        }
    }

    /// Text, a number that is computed, or a pattern that names files.
    fn text_or_name(&mut self, word: &Word, command: &SimpleCommand) -> Result<(), Doubt> {
        let known = word
            .parts
            .iter()
            .all(|part| matches!(part, Part::Text(_) | Part::Number | Part::Output | Part::Home));
        if known { Ok(()) } else { self.name(word, command) }
    }
}

/// Whether the program is one that reads when it is given listed options.
pub fn is_listed(name: &str) -> bool {
    const OTHERS: &[&str] = &["find", "sed", "awk", "jq", "grep", "egrep", "fgrep", "rg", "fd", "fdfind"];
    OTHERS.contains(&name) || PROGRAMS.iter().any(|program| program.names.contains(&name))
}

/// Whether bash runs `program` itself, whatever `PATH` says.
pub fn is_builtin(program: &str) -> bool {
    const OTHERS: &[&str] = &[
        "test",
        "[",
        "[[",
        ".",
        "source",
        "eval",
        "exec",
        "export",
        "unset",
        "alias",
        "unalias",
        "trap",
        "read",
        "readonly",
        "declare",
        "typeset",
        "local",
        "let",
        "shift",
        "return",
        "wait",
        "jobs",
        "fg",
        "bg",
        "kill",
        "ulimit",
        "getopts",
        "hash",
        "history",
        "shopt",
        "enable",
        "pushd",
        "popd",
        "dirs",
        "mapfile",
        "readarray",
        "coproc",
        "caller",
        "help",
    ];
    OTHERS.contains(&program)
        || PROGRAMS.iter().any(|listed| listed.builtin && listed.names.contains(&program))
}

/// The binutils replace `@FILE` by the words in that file; a pattern could match a file of such a name.
fn may_name_options(word: &Word) -> bool {
    word.literal_prefix().starts_with('@') || matches!(word.parts.first(), Some(Part::Glob(_)))
}

/// xxd takes long names behind one dash (`-ps`), so only single letters with a number are told apart for sure.
fn is_plain_xxd_option(word: &Word) -> bool {
    match word.literal_prefix().strip_prefix('-') {
        Some(option) => option.chars().skip(1).all(|digit| digit.is_ascii_digit() || digit == 'x'),
        None => true,
    }
}

/// Whether a printf format has a `%n`, which sets a variable.
pub fn stores_count(format: &str) -> bool {
    format.split('%').skip(1).any(|directive| {
        let flags = |flag: char| flag.is_ascii_digit() || "-+ #.*'hlLjzt".contains(flag);
        directive.trim_start_matches(flags).starts_with('n')
    })
}

/// Whether `word` is exactly `text`.
fn is(word: &Word, text: &str) -> bool {
    word.literal().is_some_and(|literal| literal == text)
}

/// Variables that change only how output looks, with a value that can't name a file or program.
pub fn is_harmless_variable(name: &str, value: &Word) -> bool {
    let Some(value) = value.literal() else { return false };
    let plain =
        value.chars().all(|character| character.is_ascii_alphanumeric() || "_-.,:@+ ".contains(character));
    match name {
        "LANG"
        | "LANGUAGE"
        | "NO_COLOR"
        | "FORCE_COLOR"
        | "CLICOLOR"
        | "CLICOLOR_FORCE"
        | "COLUMNS"
        | "LINES"
        | "CI"
        | "TERM"
        | "COLORTERM"
        | "TZ"
        | "RUST_BACKTRACE"
        | "RUST_LOG"
        | "CARGO_TERM_COLOR"
        | "PYTHONUNBUFFERED"
        | "PYTHONIOENCODING"
        | "GIT_OPTIONAL_LOCKS"
        | "GIT_TERMINAL_PROMPT" => plain,
        "PAGER" | "GIT_PAGER" | "MANPAGER" => matches!(value.as_ref(), "cat" | ""),
        other => other.starts_with("LC_") && plain,
    }
}
