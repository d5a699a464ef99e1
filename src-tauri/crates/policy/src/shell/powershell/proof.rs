//! The proof that plain pipelines of commands only read.

use super::cmdlets::{self, Cmdlet, Takes};
use super::names;
use super::plain::{
    file_system_may_match, is_plain_block, is_plain_property, may_name_environment, wildcard_matches,
};
use super::reader::{Command, Head, Word, is_plain_value};
use crate::path::{self, Place, classify};
use crate::shell::{Proof, ShellTouch};
use crate::{Access, Context, Facts, FileKind, Inquiry, Os, PathFact, ProgramLookup};
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

    /// Nothing in `folder` that `filter` lets through is sensitive or leads outside.
    pub(super) fn tree(&mut self, folder: &str, filter: Option<&str>) -> Result<(), Doubt> {
        let Some(tree) = self.facts.trees.get(folder) else {
            self.inquiries.insert(Inquiry::Tree(folder.to_owned()));
            return Ok(());
        };
        let meets = |file: &String| {
            let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
            filter.is_none_or(|filter| file_system_may_match(&filter.to_lowercase(), &name))
        };
        if tree.incomplete || tree.sensitive.iter().any(meets) || tree.outside_links.iter().any(meets) {
            return Err("A file among those it reads may hold secrets.".to_owned());
        }
        Ok(())
    }

    /// Binds words to parameters as PowerShell does, and checks each value by what its parameter takes.
    fn cmdlet(&mut self, cmdlet: &Cmdlet, arguments: &[Word]) -> Result<(), Doubt> {
        let mut bound: Vec<&str> = Vec::new();
        let mut free: Vec<&Word> = Vec::new();
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            let Some(parameter) = parameter_name(word) else {
                if !word.quoted && word.text.starts_with('-') && word.text.parse::<f64>().is_err() {
                    return Err(format!("{} is not on the list of parameters that only read.", word.text));
                }
                free.push(word);
                continue;
            };
            let (written, attached) =
                parameter.split_once(':').map_or((parameter, None), |(name, value)| (name, Some(value)));
            let (name, takes) = cmdlet.parameter(written).ok_or_else(|| {
                format!("The parameter -{written} is not on the list of those that only read.")
            })?;
            bound.push(name);
            match (takes, attached) {
                (Takes::Nothing, None) => {}
                (Takes::Nothing, Some(_)) => return Err(format!("The switch -{written} has a value.")),
                (_, Some("") | None) => {
                    let value =
                        words.next().ok_or_else(|| format!("The parameter -{written} has no value."))?;
                    self.value(cmdlet, takes, value)?;
                }
                (_, Some(value)) => {
                    let value = Word { text: value.to_owned(), ..word.clone() };
                    self.value(cmdlet, takes, &value)?;
                }
            }
            while let Some(more) = words.next_if(|next| next.listed) {
                self.value(cmdlet, takes, more)?;
            }
        }
        let mut open: Vec<&str> =
            cmdlet.positions.iter().copied().filter(|name| !bound.contains(name)).collect();
        open.reverse();
        let mut current: Option<&str> = None;
        for word in free {
            let position = match current {
                Some(same) if word.listed => same,
                Some(_) | None => match open.pop() {
                    Some(next) => next,
                    None if cmdlet.takes_rest => current.unwrap_or_default(),
                    None => return Err("It has more words than are known to be harmless.".to_owned()),
                },
            };
            current = Some(position);
            let takes = cmdlet
                .parameters
                .iter()
                .find(|(name, _)| *name == position)
                .map_or(Takes::Value, |(_, takes)| *takes);
            self.value(cmdlet, takes, word)?;
        }
        match cmdlet.name {
            "set-location" => self.change_folder(arguments),
            "push-location" => {
                self.left.push(self.folder.clone());
                self.change_folder(arguments)
            }
            "pop-location" => {
                self.folder = self.left.pop().ok_or("It goes back to a folder that isn't known.")?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn value(&mut self, cmdlet: &Cmdlet, takes: Takes, word: &Word) -> Result<(), Doubt> {
        if cmdlet.name == "select-object" && may_name_environment(&word.text) {
            return Err("It prints the environment, secrets included.".to_owned());
        }
        if let Some(block) = &word.block {
            let accepts = match takes {
                Takes::Block | Takes::Value => true,
                Takes::Nothing | Takes::Name | Takes::Names | Takes::Content => false,
            };
            return if accepts && is_plain_block(block) {
                Ok(())
            } else {
                Err("It runs a script block.".to_owned())
            };
        }
        if word.group && takes == Takes::Value && TAKES_RESULTS.contains(&cmdlet.name) {
            return if is_result(&word.text) {
                Ok(())
            } else {
                Err("It uses an expression in brackets.".to_owned())
            };
        }
        let constant = ["$true", "$false", "$null"].iter().any(|one| word.text.eq_ignore_ascii_case(one));
        let shown = takes == Takes::Value && !word.group && is_plain_value(word);
        if !word.literal && !constant && !shown {
            return Err("A value is known only at run time.".to_owned());
        }
        match takes {
            Takes::Nothing | Takes::Value => Ok(()),
            Takes::Name if word.text.contains(['/', '\\', ':']) || word.text.contains("..") => {
                Err(format!("{} is more than a name.", word.text))
            }
            Takes::Name => Ok(()),
            // A word instead of a block names a method or a property: only `Where-Object Name …` is harmless.
            Takes::Block if cmdlet.name == "where-object" => Ok(()),
            // `ForEach-Object Name`: a property of listed files; of anything else it may be a method.
            Takes::Block
                if word.text.bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && is_file_property(&word.text) =>
            {
                Ok(())
            }
            Takes::Block => Err("It calls a member of each object.".to_owned()),
            Takes::Names => self.path(word, false),
            Takes::Content => self.path(word, true),
        }
    }

    /// A path of the file system inside the workspace; its content only where that isn't sensitive.
    pub(super) fn path(&mut self, word: &Word, content: bool) -> Result<(), Doubt> {
        // Quotes don't keep a cmdlet from reading a wildcard as one.
        if word.text.contains(['*', '?', '[']) {
            return self.pattern(&word.text, content);
        }
        let key = self.key_of(&word.text)?;
        self.touches.push(ShellTouch { path: key.clone(), access: Access::Read });
        self.inside(&key, content)
    }

    pub(super) fn key_of(&self, written: &str) -> Result<String, Doubt> {
        file_path(written, &self.folder, self.context)
            .ok_or_else(|| format!("{written} is no path of the file system inside the workspace."))
    }

    pub(super) fn inside(&mut self, key: &str, content: bool) -> Result<(), Doubt> {
        let spelled = classify(&path::lexical(key), self.context);
        match self.facts.paths.get(key) {
            None => {
                self.inquiries.insert(Inquiry::Path(key.to_owned()));
                Ok(())
            }
            Some(PathFact::Unresolvable { why }) => Err(format!("{key} can't be resolved: {why}.")),
            Some(PathFact::Resolved(resolved)) => {
                let real = classify(&resolved.real, self.context);
                match real.place {
                    Place::Workspace | Place::ReadFolder => {}
                    Place::Own | Place::System | Place::Outside => {
                        return Err(format!("{} lies outside the workspace.", resolved.real));
                    }
                }
                if resolved.file == FileKind::Special {
                    return Err(format!("{} is no ordinary file.", resolved.real));
                }
                let short = resolved.file == FileKind::Missing
                    && path::is_short_name(&resolved.real, self.context.os);
                if content && (spelled.sensitive || real.sensitive || short) {
                    return Err(format!("{} may hold secrets.", resolved.real));
                }
                Ok(())
            }
        }
    }

    /// A wildcard: it starts inside, and where content is read it meets nothing sensitive.
    fn pattern(&mut self, written: &str, content: bool) -> Result<(), Doubt> {
        let written = written.replace('\\', "/");
        if leaves_file_system(&written) {
            return Err(format!("{written} is no path of the file system inside the workspace."));
        }
        if written.split('/').any(|part| part == "..") {
            return Err("A pattern climbs out of its folder.".to_owned());
        }
        let (folder, name) =
            written.rsplit_once('/').map_or((".", written.as_str()), |(folder, name)| (folder, name));
        if folder.contains(['*', '?', '[']) {
            return Err("A pattern spans folders.".to_owned());
        }
        let key = self.key_of(if folder.is_empty() { "/" } else { folder })?;
        self.touches.push(ShellTouch { path: key.clone(), access: Access::Read });
        self.inside(&key, false)?;
        if !content {
            return Ok(());
        }
        let Some(tree) = self.facts.trees.get(&key) else {
            self.inquiries.insert(Inquiry::Tree(key));
            return Ok(());
        };
        let meets = |file: &String| {
            !file.contains('/') && wildcard_matches(&name.to_lowercase(), &file.to_lowercase())
        };
        if tree.incomplete || tree.sensitive.iter().any(meets) || tree.outside_links.iter().any(meets) {
            return Err("A pattern may match a file that holds secrets.".to_owned());
        }
        Ok(())
    }

    fn change_folder(&mut self, arguments: &[Word]) -> Result<(), Doubt> {
        let mut paths = arguments.iter().filter(|word| parameter_name(word).is_none());
        let (Some(only), None) = (paths.next(), paths.next()) else {
            return Err("It changes the folder in a way that can't be told.".to_owned());
        };
        // Quotes don't keep a wildcard from being one, and `-` and `+` go to where it was before or after.
        if only.text.contains(['*', '?', '[']) || matches!(only.text.as_str(), "-" | "+") {
            return Err("It changes the folder in a way that can't be told.".to_owned());
        }
        let key = self.key_of(&only.text)?;
        self.folder = match self.facts.paths.get(&key) {
            Some(PathFact::Resolved(resolved)) if resolved.file == FileKind::Directory => {
                resolved.real.clone()
            }
            // Where it fails, what follows runs where it was before.
            Some(PathFact::Resolved(_) | PathFact::Unresolvable { .. }) => {
                return Err("It changes to a folder that isn't there.".to_owned());
            }
            None => key,
        };
        Ok(())
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

/// Cmdlets whose values may come from a pipeline in brackets that is itself proven: nothing they do depends on it.
const TAKES_RESULTS: &[&str] = &["write-output", "write-host", "compare-object"];

/// A pipeline in brackets with at most properties behind it.
fn is_result(text: &str) -> bool {
    text.rsplit_once(')').is_some_and(|(_, rest)| {
        rest.is_empty() || rest.strip_prefix('.').is_some_and(|names| names.split('.').all(is_plain_property))
    })
}

/// Properties of files and folders that no type has as a method.
fn is_file_property(name: &str) -> bool {
    const PROPERTIES: &[&str] = &[
        "name",
        "fullname",
        "length",
        "extension",
        "basename",
        "directory",
        "directoryname",
        "lastwritetime",
        "creationtime",
        "mode",
        "exists",
        "attributes",
        "count",
        "line",
        "linenumber",
        "path",
        "filename",
        "parent",
    ];
    PROPERTIES.iter().any(|property| property.eq_ignore_ascii_case(name))
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

/// A path of the file system as a key of the facts; nothing for drives of other providers, the home folder
/// and shares. `\` and `/` both separate, on every system.
pub(super) fn file_path(written: &str, folder: &str, context: &Context) -> Option<String> {
    let written = written.replace('\\', "/");
    if leaves_file_system(&written) { None } else { path::join(&written, folder, context.os).ok() }
}

/// Whether `written`, with `/` between its parts, names a drive of another provider, a provider itself, the home
/// folder, or a place relative to a drive's current one.
fn leaves_file_system(written: &str) -> bool {
    let drive = written.split('/').next().unwrap_or_default();
    let provider = drive.find(':').is_some_and(|place| place != 1 || drive.len() > 2);
    written.starts_with('~') || written.contains("::") || provider
}

/// A word in single quotes for bash.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
