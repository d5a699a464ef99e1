//! The proof that plain pipelines of commands only read.

mod binding;
mod paths;

use super::cmdlets::{self, Cmdlet, Takes};
use super::names;
use super::reader::{Command, Head, Word};
use crate::shell::{Proof, ShellTouch};
use crate::{Context, Facts, Inquiry, Os, ProgramLookup};
pub(super) use paths::file_path;
use std::collections::BTreeSet;

/// What a proof looks things up in, and what it found.
pub(super) struct Prover<'call> {
    pub(super) facts: &'call Facts,
    pub(super) context: &'call Context,
    /// The folder the next command runs in.
    pub(super) folder: String,
    /// Folders to come back to, the last first.
    pub(super) left: Vec<String>,
    /// What the command before hands on.
    pub(super) stream: Stream,
    pub(super) inquiries: BTreeSet<Inquiry>,
    pub(super) touches: Vec<ShellTouch>,
    pub(super) tracked: std::collections::BTreeSet<String>,
}

pub(super) type Doubt = String;

/// What runs through a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Lines of text: cmdlets don't take them for paths.
    Text,
    /// Files of a folder: a cmdlet that reads content reads theirs.
    Files {
        /// The folder, as a key of the facts.
        folder: String,
        /// Which of its files, by wildcard; all where absent.
        filter: Option<String>,
    },
    /// Processes: their `StartInfo` holds this process's environment (Windows PowerShell 5.1).
    Processes,
    /// Anything else.
    Objects,
}

impl Prover<'_> {
    /// Proves one command; what it reads is in `touches` afterwards.
    pub(super) fn prove(&mut self, command: &Command) -> Result<(), Doubt> {
        if let Some(target) = command.redirects.first() {
            return Err(format!("It writes to {}.", target.text));
        }
        if !command.piped {
            self.stream = Stream::Objects;
        }
        match command.head {
            Head::Value => {
                let text = command.words.iter().all(|word| word.literal && word.quoted);
                self.stream = if text { Stream::Text } else { Stream::Objects };
                Ok(())
            }
            Head::Source => Err("It runs a script in the shell's own scope.".to_owned()),
            Head::Name | Head::Call => self.prove_named(command),
        }
    }

    fn prove_named(&mut self, command: &Command) -> Result<(), Doubt> {
        let Some((first, arguments)) = command.words.split_first() else { return Ok(()) };
        if !first.literal || first.wildcard && first.text != "?" {
            return Err("The program is known only at run time.".to_owned());
        }
        let name = names::canonical(&first.text);
        if self.context.os != Os::Windows && names::is_program_elsewhere(&first.text) {
            return Err(format!("{} is a program here, not a cmdlet.", first.text));
        }
        match cmdlets::find(&name) {
            Some(cmdlet) => {
                let before = std::mem::replace(&mut self.stream, Stream::Objects);
                let touched = self.touches.len();
                self.cmdlet(cmdlet, arguments)?;
                if command.piped {
                    self.takes(cmdlet, &before)?;
                }
                self.stream = self.hands_on(cmdlet, arguments, before, touched);
                Ok(())
            }
            None if names::is_cmdlet(&name) => {
                Err(format!("{} is not on the list of cmdlets that only read.", first.text))
            }
            None => {
                self.program(&name, arguments)?;
                self.stream = Stream::Text;
                Ok(())
            }
        }
    }

    /// Whether a cmdlet may be given what the command before hands on: one that works on files takes
    /// objects for files, and only text is surely none.
    fn takes(&mut self, cmdlet: &Cmdlet, before: &Stream) -> Result<(), Doubt> {
        let works_on_files =
            cmdlet.parameters.iter().any(|(_, takes)| matches!(takes, Takes::Names | Takes::Content));
        match before {
            Stream::Processes if cmdlet.name == "convertto-json" => {
                Err("It prints the environment, secrets included.".to_owned())
            }
            _ if !works_on_files => Ok(()),
            Stream::Text if cmdlet.name == "select-string" => Ok(()),
            Stream::Files { folder, filter } => self.tree(folder, filter.as_deref()),
            Stream::Text | Stream::Objects | Stream::Processes => {
                Err(format!("What {} gets may name any file.", cmdlet.name))
            }
        }
    }

    /// What a cmdlet hands on.
    fn hands_on(&self, cmdlet: &Cmdlet, arguments: &[Word], before: Stream, touched: usize) -> Stream {
        match cmdlet.name {
            "get-content" | "out-string" | "convertto-json" | "convertto-csv" => Stream::Text,
            "where-object" | "sort-object" | "get-unique" => before,
            "get-process" => Stream::Processes,
            // What comes of processes may still be processes.
            _ if before == Stream::Processes => before,
            "get-childitem" => {
                // It lists the folders that it gets, wherever they are below.
                if let Stream::Files { folder, .. } = before {
                    return Stream::Files { folder, filter: filter_of(arguments) };
                }
                let mut listed = self.touches.get(touched..).unwrap_or_default().iter();
                let folder = match (listed.next(), listed.next()) {
                    (None, _) => self.folder.clone(),
                    (Some(only), None) => only.path.clone(),
                    (Some(_), Some(_)) => return Stream::Objects,
                };
                Stream::Files { folder, filter: filter_of(arguments) }
            }
            _ => Stream::Objects,
        }
    }

    /// A native program: judged as bash would judge the same argv.
    fn program(&mut self, name: &str, arguments: &[Word]) -> Result<(), Doubt> {
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if matches!(name, "findstr" | "where" | "tree" | "tasklist" | "systeminfo" | "whoami") {
            // Windows' own, which no fact about this machine's PATH covers.
            if self.context.programs != ProgramLookup::Assumed {
                return Err(format!("{name} isn't known to be the system's own program."));
            }
            return self.windows_program(name, arguments);
        }
        let only_version = matches!(arguments, [only] if only.text == "--version");
        if !(matches!(name, "git" | "rg") || name == "hostname" && arguments.is_empty() || only_version) {
            return Err(format!("{name} is not on the list of programs that only read."));
        }
        let mut text = format!("cd {} && {name}", quoted(&self.folder));
        for word in arguments {
            // Quotes, empty words and a final backslash reach a program in ways that differ by version.
            let plain = word.literal
                && !word.listed
                && !word.text.is_empty()
                && !word.text.contains('"')
                && !word.text.ends_with('\\');
            // Windows hands wildcards on as they are.
            let expands = word.wildcard && !word.quoted && self.context.os != Os::Windows;
            if !plain || expands {
                return Err("An argument may reach the program as another one.".to_owned());
            }
            text.push(' ');
            text.push_str(&quoted(&word.text.replace('\\', "/")));
        }
        let judged = crate::shell::bash::judge(&text, self.facts, self.context);
        self.inquiries.extend(judged.inquiries);
        self.touches.extend(judged.touches);
        self.tracked.extend(judged.tracked);
        match judged.proof {
            Proof::ReadOnly => Ok(()),
            Proof::Unproven(why) => Err(why),
        }
    }
}

/// The wildcard that a listing's `-Filter` or `-Include` lets through, where there is just one.
fn filter_of(arguments: &[Word]) -> Option<String> {
    let mut filters = arguments.windows(2).filter_map(|pair| match pair {
        [parameter, value] => {
            let name = parameter_name(parameter)?.to_lowercase();
            (name == "filter" || name == "include").then(|| value.text.clone())
        }
        _ => None,
    });
    let listed = arguments.iter().any(|word| word.listed);
    filters.next().filter(|_| !listed)
}

/// The name of a parameter, without its dash, if the word is one.
pub(super) fn parameter_name(word: &Word) -> Option<&str> {
    let name = word.text.strip_prefix('-').filter(|_| !word.quoted)?;
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '?').then_some(name)
}

/// A word in single quotes for bash.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
