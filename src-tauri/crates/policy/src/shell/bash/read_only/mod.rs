//! The proof that a command changes nothing and reads only what it may.
//!
//! Each program has a list of the options it *may* be given; each operand and option value is a file that is read, a path
//! that is looked at, or text. What isn't listed isn't proven.

mod archives;
mod awk;
mod builtins;
mod environment;
mod executable;
mod find;
mod git;
mod git_commands;
mod git_contents;
mod jq;
mod listed;
mod operands;
mod options;
mod programs;
mod search;
mod sed;
mod tests;
mod xargs;

use super::command::{CommandOrigin, Part, Redirect, RedirectKind, SimpleCommand, Word, base_name};
use super::variables::{may_be_set, names_read};
use crate::{Context, Facts, Inquiry};
pub use builtins::is_builtin;
pub use environment::is_harmless_variable;
pub use git::changes_repository;
pub use listed::is_listed;
use programs::{PROGRAMS, RUSTUP, VERSIONS};
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
