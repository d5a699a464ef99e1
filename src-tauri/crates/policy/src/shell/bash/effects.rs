//! What commands do beside reading: which paths and hosts they name, what they delete or overwrite, and what keeps a rule
//! from covering them.

use super::command::{Analysis, Part, Redirect, RedirectKind, SimpleCommand, Word, base_name};
use super::location;
use super::read_only;
use crate::path;
use crate::shell::ShellTouch;
use crate::shell::interpreters::{self, File, Told};
use crate::{Access, Context};
use std::collections::BTreeSet;

/// Programs whose arguments are text.
const TEXT_ONLY: &[&str] =
    &["echo", "printf", "true", "false", ":", "test", "[", "exit", "set", "type", "which", "kill"];
/// Programs that remove their operands.
pub(super) const REMOVERS: &[&str] = &["rm", "grm", "srm", "unlink", "rmdir", "shred", "trash", "rimraf"];
/// Programs that change or create their operands.
const WRITERS: &[&str] = &[
    "touch", "mkdir", "truncate", "tee", "chmod", "chown", "chgrp", "chattr", "setfacl", "mkfifo", "mknod",
    "vi", "vim", "nvim", "nano", "emacs", "ed", "code", "patch",
];
/// Programs that read all operands but the last, which they change or create.
const COPIERS: &[&str] = &["cp", "gcp", "mv", "gmv", "ln", "gln", "install", "rsync", "scp"];
/// Programs that talk to the host their operands name.
const NETWORK: &[&str] = &[
    "curl",
    "wget",
    "http",
    "https",
    "xh",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "ping",
    "ping6",
    "nslookup",
    "dig",
    "host",
    "nc",
    "ncat",
    "netcat",
    "telnet",
    "ftp",
    "traceroute",
    "mtr",
    "whois",
    "openssl",
    "git",
    "gh",
    "aria2c",
    "lynx",
    "w3m",
];

/// Every literal path that the text touches; `reads` are those of its proven commands.
pub fn touches(
    analysis: &Analysis,
    proven: &[bool],
    reads: impl IntoIterator<Item = String>,
    context: &Context,
) -> Vec<ShellTouch> {
    let mut found = BTreeSet::new();
    let mut runs_input = false;
    for (place, command) in analysis.commands.iter().enumerate() {
        let mut list = Touches { command, context, found: &mut found };
        let program = command.program();
        let arguments = command.words.get(1..).unwrap_or_default();
        let told = program.as_deref().and_then(|program| {
            interpreters::told(base_name(program), arguments.iter().map(Word::literal_prefix))
        });
        let runs = told.as_ref().is_some_and(|told| told.from_input);
        let input = if runs { Access::Execute } else { Access::Read };
        command.redirects.iter().for_each(|redirect| list.redirect(redirect, input));
        let Some(program) = program else { continue };
        if program.contains('/') {
            list.add(&Word::text(program.as_ref()), Access::Execute);
        }
        // The operands of a proven command were collected by the proof.
        if !proven.get(place).copied().unwrap_or_default() {
            runs_input |=
                runs && !command.redirects.iter().any(|redirect| redirect.kind == RedirectKind::Read);
            match told.filter(|_| !edits_in_place_by(base_name(&program), arguments)) {
                Some(told) => list.told(&told, arguments),
                None => list.operands(base_name(&program), arguments),
            }
        }
    }
    found.extend(reads.into_iter().map(|path| ShellTouch { path, access: Access::Read }));
    if !runs_input {
        return found.into_iter().collect();
    }
    // What another command of the text reads may be what the interpreter gets to run: `cat script | sh`.
    let run = |touch: ShellTouch| match touch.access {
        Access::Read => ShellTouch { access: Access::Execute, ..touch },
        Access::Write | Access::Delete | Access::Execute => touch,
    };
    found.into_iter().map(run).collect::<BTreeSet<_>>().into_iter().collect()
}

struct Touches<'c> {
    command: &'c SimpleCommand,
    context: &'c Context,
    found: &'c mut BTreeSet<ShellTouch>,
}

impl Touches<'_> {
    /// `input` is what is done to a file that is read from.
    fn redirect(&mut self, redirect: &Redirect, input: Access) {
        let Some(target) = &redirect.target else { return };
        match redirect.kind {
            RedirectKind::Read => self.add(target, input),
            RedirectKind::Truncate
            | RedirectKind::Append
            | RedirectKind::ReadWrite
            | RedirectKind::Unknown => {
                self.add(target, Access::Write);
            }
            RedirectKind::Descriptor | RedirectKind::Text => {}
        }
    }

    fn operands(&mut self, name: &str, arguments: &[Word]) {
        if TEXT_ONLY.contains(&name) {
            return;
        }
        let operands = plain_operands(name, arguments);
        match name {
            remover if REMOVERS.contains(&remover) => {
                operands.iter().for_each(|word| self.add(word, Access::Delete))
            }
            writer if WRITERS.contains(&writer) => {
                // The first operand of these is a mode or an owner.
                let skipped = usize::from(matches!(writer, "chmod" | "chown" | "chgrp" | "chattr"));
                operands.iter().skip(skipped).for_each(|word| self.add(word, Access::Write));
            }
            copier if COPIERS.contains(&copier) => {
                if let Some((last, sources)) = operands.split_last() {
                    let gone = matches!(copier, "mv" | "gmv");
                    sources
                        .iter()
                        .for_each(|word| self.add(word, if gone { Access::Delete } else { Access::Read }));
                    self.add(last, Access::Write);
                }
            }
            "dd" => {
                for word in arguments {
                    let Some(text) = word.literal() else { continue };
                    if let Some(file) = text.strip_prefix("of=") {
                        self.add(&Word::text(file), Access::Write);
                    } else if let Some(file) = text.strip_prefix("if=") {
                        self.add(&Word::text(file), Access::Read);
                    }
                }
            }
            editor if edits_in_place_by(editor, arguments) => {
                operands.iter().skip(1).for_each(|word| self.add(word, Access::Write));
            }
            "find" | "gfind" => {
                let deletes = arguments.iter().any(|word| is(word, "-delete"));
                let starts =
                    arguments.iter().take_while(|word| !word.literal_prefix().starts_with(['-', '(', '!']));
                starts.for_each(|word| self.add(word, if deletes { Access::Delete } else { Access::Read }));
            }
            _ => {
                for word in operands {
                    // git's `REVISION:PATH`
                    let path = word.literal().and_then(|text| Some(text.split_once(':')?.1.to_owned()));
                    match path.filter(|path| name == "git" && !path.starts_with("//")) {
                        Some(path) => self.path_like(&Word::text(path), Access::Read),
                        None => self.path_like(word, Access::Read),
                    }
                }
                self.option_values(arguments);
            }
        }
    }

    /// What an interpreter runs counts however it is named.
    fn told(&mut self, told: &Told, arguments: &[Word]) {
        for file in &told.files {
            match file {
                File::Argument(place) => {
                    arguments.get(*place).into_iter().for_each(|word| self.add(word, Access::Execute))
                }
                File::Part(part) => self.add(&Word::text(part), Access::Execute),
            }
        }
        let operands = told.operands.iter().filter_map(|place| arguments.get(*place));
        operands.for_each(|word| self.path_like(word, Access::Read));
        if told.is_tool {
            self.option_values(arguments);
        }
    }

    /// `-o FILE` and `--output=FILE` write, other `--option=PATH` read.
    fn option_values(&mut self, arguments: &[Word]) {
        for pair in arguments.windows(2) {
            if let [option, value] = pair
                && (is(option, "-o") || is(option, "--output"))
            {
                self.path_like(value, Access::Write);
            }
        }
        for word in arguments {
            let Some(text) = word.literal() else { continue };
            if let Some((option, value)) = text.split_once('=').filter(|(option, _)| option.starts_with('-'))
            {
                let access = if option.starts_with("--output") { Access::Write } else { Access::Read };
                self.path_like(&Word::text(value), access);
            }
        }
    }

    /// An operand that may or may not be a path: taken for one where it looks like one.
    fn path_like(&mut self, word: &Word, access: Access) {
        let Some(text) = location::text_of(word, &self.context.home) else { return };
        let is_address = text.contains("://") || text.contains(['\n', '\0']);
        let is_prose = text.contains(' ') && !text.starts_with(['/', '.', '~']);
        let named = path::is_sensitive(&text) || path::is_protected(&text);
        let looks = text.contains(['/', '.'])
            || matches!(word.parts.first(), Some(Part::Home))
            || access == Access::Write;
        if !is_address && !is_prose && (looks || named) {
            self.add(word, access);
            // Of a program that isn't known, a path whose change runs code is assumed to be changed.
            let unknown = self.command.base_name().is_none_or(|name| !read_only::is_listed(&name));
            if access == Access::Read && unknown && path::is_protected(&text) {
                self.add(word, Access::Write);
            }
        }
    }

    fn add(&mut self, word: &Word, access: Access) {
        let base;
        let word = if word.has_glob() {
            // What a pattern names lies in the folder before it.
            let literal = word.literal_prefix();
            let folder = literal
                .rsplit_once('/')
                .map_or(".", |(folder, _)| if folder.is_empty() { "/" } else { folder });
            if word.parts.first().is_some_and(|part| matches!(part, Part::Home)) {
                return;
            }
            base = Word::text(folder);
            &base
        } else {
            word
        };
        let Some(text) = location::text_of(word, &self.context.home) else { return };
        if text.is_empty() || text == "-" || text == "{}" || is_standard_device(&text) {
            return;
        }
        for folder in &self.command.folders {
            if let Ok(path) = path::join(&text, folder, self.context.os) {
                self.found.insert(ShellTouch { path, access });
            }
        }
        if self.command.folders.is_empty()
            && path::is_absolute(&text, self.context.os)
            && let Ok(path) = path::join(&text, "/", self.context.os)
        {
            self.found.insert(ShellTouch { path, access });
        } else if self.command.folders.is_empty()
            && let Ok(path) = path::join(&text, &self.context.workspace, self.context.os)
        {
            self.found.insert(ShellTouch { path, access });
        }
    }
}

/// Targets that are no files: the null device and the standard streams.
pub(super) fn is_standard_device(text: &str) -> bool {
    matches!(text, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || text.starts_with("/dev/fd/")
}

pub(super) fn is(word: &Word, text: &str) -> bool {
    word.literal().is_some_and(|literal| literal == text)
}

/// The words that are neither options nor the values of options that take text.
pub(super) fn plain_operands<'w>(name: &str, arguments: &'w [Word]) -> Vec<&'w Word> {
    const MESSAGES: &[&str] =
        &["-m", "--message", "--grep", "--author", "--title", "--body", "-b", "-t", "--jq", "-e", "-c"];
    let mut found = Vec::new();
    let mut rest = arguments;
    let mut only_operands = false;
    while let [word, more @ ..] = rest {
        rest = more;
        if only_operands {
            found.push(word);
        } else if is(word, "--") {
            only_operands = true;
        } else if word.literal_prefix().starts_with('-') {
            let takes_text = !REMOVERS.contains(&name)
                && !COPIERS.contains(&name)
                && !WRITERS.contains(&name)
                && MESSAGES.iter().any(|option| is(word, option));
            if takes_text {
                rest = more.get(1..).unwrap_or_default();
            }
        } else {
            found.push(word);
        }
    }
    found
}

fn edits_in_place_by(name: &str, arguments: &[Word]) -> bool {
    matches!(name, "sed" | "gsed" | "perl" | "ruby") && edits_in_place(arguments)
}

pub(super) fn edits_in_place(arguments: &[Word]) -> bool {
    arguments.iter().map(Word::literal_prefix).any(|text| match text.strip_prefix("--") {
        Some(long) => long.starts_with("in-place") || long.starts_with("in-p"),
        None => text.strip_prefix('-').is_some_and(|letters| {
            letters.chars().take_while(char::is_ascii_alphabetic).any(|letter| letter == 'i')
        }),
    })
}

/// Hosts that the text names, in ASCII, each once.
pub fn hosts(analysis: &Analysis) -> Vec<String> {
    let mut found = BTreeSet::new();
    for command in &analysis.commands {
        let Some(name) = command.base_name() else { continue };
        if TEXT_ONLY.contains(&name.as_str()) {
            continue;
        }
        for word in command.words.iter().skip(1) {
            // What precedes an unknown part still names the host, if the name ends before it.
            let text = word.shown();
            let address =
                text.find("http://").or_else(|| text.find("https://")).and_then(|start| text.get(start..));
            if let Some(host) = address.and_then(crate::host::host_of) {
                found.insert(host);
            } else if NETWORK.contains(&name.as_str()) && !text.starts_with('-') {
                found.extend(bare_host(&name, &text));
            }
        }
    }
    found.into_iter().collect()
}

/// The host of `user@host:path`, `host:path`, `scheme://host` or, for programs that take nothing else, `host`.
fn bare_host(program: &str, text: &str) -> Option<String> {
    let only_hosts = matches!(
        program,
        "ssh"
            | "ping"
            | "ping6"
            | "nslookup"
            | "dig"
            | "host"
            | "nc"
            | "ncat"
            | "netcat"
            | "telnet"
            | "traceroute"
            | "mtr"
            | "whois"
            | "curl"
            | "wget"
            | "ftp"
            | "sftp"
    );
    let name = match text.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next()?,
        None => text.split('/').next()?,
    };
    let has_user = name.contains('@');
    let name = name.rsplit_once('@').map_or(name, |(_, host)| host);
    let (name, has_path) = name.split_once(':').map_or((name, false), |(name, _)| (name, true));
    let plausible = name.contains('.')
        && !name.starts_with('.')
        && name.chars().all(|character| character.is_alphanumeric() || matches!(character, '-' | '.'));
    let names_host = text.contains("://") || has_user && has_path || only_hosts && (has_user || plausible);
    if names_host && !name.is_empty() { crate::host::to_ascii(name) } else { None }
}

/// What the text changes in a repository, as a sentence.
pub fn changes_git(analysis: &Analysis) -> Option<String> {
    let mut commands =
        analysis.commands.iter().filter(|command| command.base_name().is_some_and(|name| name == "git"));
    let verb = commands
        .find_map(|command| read_only::changes_repository(command.words.get(1..).unwrap_or_default()))?;
    Some(format!("git {verb} changes the repository or discards work."))
}

/// Why rules for every command would still not cover the text, as a sentence.
pub fn beyond_rules(analysis: &Analysis) -> Option<String> {
    if let Err(why) = &analysis.understood {
        return Some(super::sentence(why));
    }
    analysis.commands.iter().find_map(|command| {
        let writes = command.redirects.iter().find(|redirect| match redirect.kind {
            RedirectKind::Truncate
            | RedirectKind::Append
            | RedirectKind::ReadWrite
            | RedirectKind::Unknown => {
                redirect.target.as_ref().and_then(Word::literal).is_none_or(|text| !is_standard_device(&text))
            }
            RedirectKind::Read | RedirectKind::Descriptor | RedirectKind::Text => false,
        });
        if let Some(redirect) = writes {
            let target = redirect.target.as_ref().map_or_else(String::new, Word::shown);
            return Some(format!("It writes to {target}, which no rule for a command covers."));
        }
        let set = command.assignments.iter().find(|assignment| {
            command.words.is_empty() || !read_only::is_harmless_variable(&assignment.name, &assignment.value)
        });
        set.map(|assignment| format!("It sets the variable {}.", assignment.name))
    })
}
