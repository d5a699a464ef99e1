//! `git`: only in a repository whose configuration is plain, only sub-commands and options that read.

use super::super::command::{SimpleCommand, Word};
use super::super::location;
use super::git_commands::{CONFIG, GIT, GitCommand, GitOperands, LISTING};
use super::git_contents::exclusion;
use super::operands::wildcard;
use super::options::{Abbreviations, Arguments, sort};
use super::{Doubt, Prover, is};
use crate::path::{self, Place};
use crate::{Inquiry, Os, RepositoryFact, TreeFact};

/// `-C` options that are followed.
const MAX_CHANGES: usize = 8;
/// Colons in a word behind each of which a path may stand.
const MAX_COLONS: usize = 8;

impl Prover<'_> {
    pub(super) fn git(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let (folders, rest) = self.global_options(arguments, command)?;
        let Some((first, rest)) = rest.split_first() else {
            return Err(Doubt::new("No git command is named."));
        };
        if is(first, "--version") && rest.is_empty() {
            return Ok(());
        }
        let name = first.literal().ok_or_else(|| Doubt::new("The git command is known only at run time."))?;
        let command = SimpleCommand { folders, ..command.clone() };
        let Some((listed, rest)) = lookup(&name, rest) else {
            self.git_exports(&name, &command);
            return Err(Doubt::new(format!("git {name} isn't on the list of git commands that only read.")));
        };
        if listed.name == "diff" && rest.iter().any(|word| is(word, "--no-index")) {
            return self.git_no_index(listed, rest, &command);
        }
        let options = listed.options.join(" ");
        let sorted = sort(&options, Abbreviations::None, rest);
        let contents = match &sorted {
            Ok(sorted) => self.git_contents(listed, sorted, &command),
            Err(_) => {
                self.git_exports(listed.name, &command);
                Ok(())
            }
        };
        let repository = self.repository(&command)?;
        if listed.name == "config" {
            return config(rest, &repository);
        }
        if listed.name == "remote" && repository.secret {
            return Err(Doubt::new("The repository's configuration holds a password or token."));
        }
        let sorted = sorted?;
        self.no_hidden_options(&sorted, &command)?;
        let formats = sorted.values(&["--format", "--pretty", "--sort"]);
        // `%G?` and `%(signature)` start the program that checks signatures.
        if formats.into_iter().any(|format| format.contains("%G") || format.contains("signature")) {
            return Err(Doubt::new("The format would check signatures with another program."));
        }
        self.option_values(&sorted, &command)?;
        for range in sorted.values(&["-L"]) {
            self.place_of_text(range.rsplit_once(':').map_or("", |(_, file)| file), &command)?;
        }
        self.git_operands(listed, &sorted, &command, &repository)?;
        contents
    }

    /// Two files or folders, whether or not there is a repository.
    fn git_no_index(
        &mut self,
        listed: &GitCommand,
        arguments: &[Word],
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        self.repository(command)?;
        let options = format!("{} --no-index", listed.options.join(" "));
        let sorted = sort(&options, Abbreviations::None, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        self.option_values(&sorted, command)?;
        self.each_tree(&sorted, command)
    }

    fn git_operands(
        &mut self,
        listed: &GitCommand,
        sorted: &Arguments<'_>,
        command: &SimpleCommand,
        repository: &Repository,
    ) -> Result<(), Doubt> {
        let operands = sorted.operands.as_slice();
        match listed.operands {
            GitOperands::None if operands.is_empty() => Ok(()),
            GitOperands::None => Err(Doubt::new(format!("git {} would do more than list.", listed.name))),
            GitOperands::AtMost(most) if operands.len() > most => {
                Err(Doubt::new(format!("git {} would change something.", listed.name)))
            }
            GitOperands::Patterns if !operands.is_empty() && !sorted.has_any(LISTING) => {
                Err(Doubt::new(format!("git {} would create something.", listed.name)))
            }
            GitOperands::Contents if !repository.exists => Err(Doubt::new("There is no repository.")),
            GitOperands::Search => self.git_search(sorted, command, repository),
            GitOperands::Contents
            | GitOperands::Revisions
            | GitOperands::AtMost(_)
            | GitOperands::Patterns => {
                operands.iter().try_for_each(|word| self.revision_or_path(word, command))
            }
        }
    }

    /// `-C`, `--no-pager` and what else may stand before the sub-command; the folders git would start in.
    fn global_options<'w>(
        &mut self,
        arguments: &'w [Word],
        command: &SimpleCommand,
    ) -> Result<(Vec<String>, &'w [Word]), Doubt> {
        let mut folders = command.folders.clone();
        let mut changes = 0;
        let mut rest = arguments;
        while let [word, more @ ..] = rest {
            let Some(text) = word.literal() else { break };
            match text.as_ref() {
                "-C" => {
                    changes += 1;
                    if changes > MAX_CHANGES {
                        return Err(Doubt::new("It names more places than are looked at."));
                    }
                    let (target, after) =
                        more.split_first().ok_or_else(|| Doubt::new("-C names no folder."))?;
                    self.name(target, &SimpleCommand { folders: folders.clone(), ..command.clone() })?;
                    let target = location::text_of(target, &self.context.home)
                        .ok_or_else(|| Doubt::new("The folder is known only at run time."))?;
                    folders =
                        folders.iter().map(|folder| self.join(folder, &target)).collect::<Result<_, _>>()?;
                    rest = after;
                }
                "-c" => {
                    let (setting, after) =
                        more.split_first().ok_or_else(|| Doubt::new("-c sets nothing."))?;
                    if !setting.literal().is_some_and(|setting| is_harmless_setting(&setting)) {
                        return Err(Doubt::new("A setting on the command line may name a program."));
                    }
                    rest = after;
                }
                "--no-pager"
                | "-P"
                | "--no-optional-locks"
                | "--literal-pathspecs"
                | "--no-replace-objects"
                | "--no-advice" => rest = more,
                "--version" => break,
                option if option.starts_with('-') => {
                    return Err(Doubt::new(format!("git's option {option} isn't known to be harmless.")));
                }
                _ => break,
            }
        }
        Ok((folders, rest))
    }

    /// The repositories git would find have a plain configuration, inside the workspace.
    fn repository(&mut self, command: &SimpleCommand) -> Result<Repository, Doubt> {
        let mut found = Repository { exists: true, secret: false };
        for folder in &command.folders {
            match self.facts.repositories.get(folder) {
                None => {
                    self.inquiries.insert(Inquiry::Repository(folder.clone()));
                }
                Some(RepositoryFact::None) => found.exists = false,
                Some(RepositoryFact::Plain { gitdir, secret }) => {
                    found.secret |= secret;
                    match path::classify(gitdir, self.context).place {
                        Place::Workspace | Place::ReadFolder => {}
                        Place::Own | Place::System | Place::Outside => {
                            return Err(Doubt::new(format!(
                                "The repository at {gitdir} is outside the workspace."
                            )));
                        }
                    }
                }
                Some(RepositoryFact::Dangerous { why, .. }) => {
                    return Err(Doubt::new(format!(
                        "The repository's configuration could run something: {why}."
                    )));
                }
            }
        }
        Ok(found)
    }

    /// A revision, a path, `REVISION:PATH`, or a pathspec: wherever it may name a path, that path is inside and no secret.
    fn revision_or_path(&mut self, word: &Word, command: &SimpleCommand) -> Result<(), Doubt> {
        let Some(text) = word.literal() else {
            // git sees the names a pattern matches; what it shows of them is the repository's content.
            return if word.has_glob() { self.file(word, command) } else { self.text(word) };
        };
        // Outside a repository, or where it would lead out of one, git takes it for the path of a file.
        if exclusion(&text).is_some() && !text.split('/').any(|part| part == "..") {
            return Ok(());
        }
        let bare = match text.strip_prefix(":(") {
            Some(magic) => magic.split_once(')').map_or("", |(_, path)| path),
            None => text.trim_start_matches([':', '!', '^', '/']),
        };
        let absolute = text.starts_with('/');
        if absolute {
            return self.place_of_text(&text, command);
        }
        // To git `HEAD:src/a.rs` is no stream of a file `HEAD`, whatever Windows would make of it.
        let before = bare.split(':').next().unwrap_or_default();
        let is_drive = before.len() == 1;
        self.place_of_text(if is_drive { bare } else { before }, command)?;
        self.pathspec(&text, bare, command)?;
        // `REVISION:PATH`, `:STAGE:PATH`: whatever stands behind a colon may be the path.
        if text.matches(':').count() > MAX_COLONS {
            return Err(Doubt::new("It names more places than are looked at."));
        }
        text.match_indices(':')
            .filter_map(|(at, _)| text.get(at + 1..))
            .try_for_each(|path| self.place_of_text(path, command))
    }

    /// A pathspec with wildcards, which git itself matches: none of the secrets there may be among the matches.
    fn pathspec(&mut self, text: &str, bare: &str, command: &SimpleCommand) -> Result<(), Doubt> {
        let escapes = |one: char| one == '\\' && self.context.os != Os::Windows;
        if !bare.contains(|one| matches!(one, '*' | '?' | '[') || escapes(one)) {
            return Ok(());
        }
        // Magic may count from the top of the repository, what follows a bracket or a backslash may stand for anything,
        // `*` crosses slashes, and `**/` may be nothing.
        let anywhere = if text.starts_with(':') { "*" } else { "" };
        let pattern = match bare.split_once(|one| one == '[' || escapes(one)) {
            Some((before, _)) => format!("{anywhere}{before}*"),
            None => format!("{anywhere}{bare}"),
        }
        .replace("**/", "*");
        let pattern = pattern.trim_start_matches("./").to_lowercase();
        for folder in &command.folders {
            let key = self.join(folder, ".")?;
            let Some(fact) = self.tree_fact(&key) else { continue };
            let names = |path: &String| {
                let path = path.to_lowercase();
                wildcard(&pattern, &path) || wildcard(&format!("{pattern}/*"), &path)
            };
            if let Some(secret) = fact.sensitive.iter().find(|path| names(path)) {
                return Err(Doubt::new(format!("It would read {secret}, which may hold secrets.")));
            }
        }
        Ok(())
    }

    fn place_of_text(&mut self, text: &str, command: &SimpleCommand) -> Result<(), Doubt> {
        if text.is_empty() {
            return Ok(());
        }
        // A pathspec's wildcards are no characters of a Windows name.
        let text = text.replace(['*', '?'], "x");
        for folder in &command.folders {
            let key = self.join(folder, &text)?;
            let class = path::classify(&path::lexical(&key), self.context);
            match class.place {
                Place::Workspace | Place::ReadFolder => {}
                Place::Own | Place::System | Place::Outside => {
                    return Err(Doubt::new(format!("{key} is outside the workspace.")));
                }
            }
            if class.sensitive {
                return Err(Doubt::new(format!("{key} may hold secrets.")));
            }
        }
        Ok(())
    }

    /// `git grep`: with some options it searches more than what is tracked.
    fn git_search(
        &mut self,
        sorted: &Arguments<'_>,
        command: &SimpleCommand,
        repository: &Repository,
    ) -> Result<(), Doubt> {
        if !repository.exists {
            return Err(Doubt::new("There is no repository."));
        }
        let mut operands = sorted.operands.as_slice();
        if !sorted.has("-e")
            && let Some((pattern, rest)) = operands.split_first()
        {
            self.text(pattern)?;
            operands = rest;
        }
        for word in operands {
            self.revision_or_path(word, command)?;
        }
        if !sorted.has_any(&["--untracked", "--no-exclude-standard", "--recurse-submodules"]) {
            return Ok(());
        }
        let everything: &dyn Fn(&str, &TreeFact) -> bool = &|path, _| path.starts_with(".git/");
        self.tree(&Word::text("."), command, false, everything)
    }
}

/// The sub-command, unless it is one that only reads.
pub fn changes_repository(arguments: &[Word]) -> Option<String> {
    let mut rest = arguments;
    while let [word, more @ ..] = rest {
        let text = word.literal()?;
        match text.as_ref() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                rest = more.get(1..).unwrap_or_default()
            }
            option if option.starts_with('-') => rest = more,
            name => {
                let Some((listed, after)) = lookup(name, more) else {
                    return if LOOKS.contains(&name) { None } else { Some(name.to_owned()) };
                };
                let reads = match listed.operands {
                    GitOperands::Patterns | GitOperands::AtMost(_) | GitOperands::None => {
                        let options = listed.options.join(" ");
                        listed.name == "config"
                            && config(after, &Repository { exists: true, secret: false }).is_ok()
                            || sort(&options, Abbreviations::None, after).is_ok_and(|sorted| {
                                match listed.operands {
                                    GitOperands::Patterns => {
                                        sorted.operands.is_empty() || sorted.has_any(LISTING)
                                    }
                                    GitOperands::AtMost(most) => sorted.operands.len() <= most,
                                    GitOperands::None => sorted.operands.is_empty(),
                                    GitOperands::Contents | GitOperands::Revisions | GitOperands::Search => {
                                        true
                                    }
                                }
                            })
                    }
                    GitOperands::Contents | GitOperands::Revisions | GitOperands::Search => true,
                };
                return if reads { None } else { Some(name.to_owned()) };
            }
        }
    }
    None
}

/// Sub-commands that change nothing here, though they aren't proven to be harmless.
const LOOKS: &[&str] = &["help", "ls-remote", "fsck", "verify-commit", "verify-tag", "var", "archive"];

struct Repository {
    exists: bool,
    /// Its configuration holds a password or token.
    secret: bool,
}

fn lookup<'w>(name: &str, rest: &'w [Word]) -> Option<(&'static GitCommand, &'w [Word])> {
    if let Some((word, more)) = rest.split_first()
        && let Some(listed) =
            GIT.iter().find(|listed| listed.name == name && !listed.verb.is_empty() && is(word, listed.verb))
    {
        return Some((listed, more));
    }
    GIT.iter().find(|listed| listed.name == name && listed.verb.is_empty()).map(|listed| (listed, rest))
}

/// Settings that change only how output looks.
fn is_harmless_setting(setting: &str) -> bool {
    let Some((key, value)) = setting.split_once('=') else { return false };
    let key = key.to_ascii_lowercase();
    let plain = value
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ' '));
    match key.as_str() {
        "core.pager" => matches!(value, "cat" | ""),
        "core.quotepath" | "log.date" | "log.decorate" | "diff.renames" | "core.abbrev"
        | "diff.algorithm" => plain,
        other => other.starts_with("color.") && plain,
    }
}

/// `git config` reads where it lists or gets; a second operand would set.
fn config(arguments: &[Word], repository: &Repository) -> Result<(), Doubt> {
    const SETS: &str = "git config would change the configuration.";
    if repository.secret {
        return Err(Doubt::new("The repository's configuration holds a password or token."));
    }
    let (verb, rest) = match arguments.split_first() {
        Some((word, rest)) if is(word, "get") || is(word, "list") => (true, rest),
        _ => (false, arguments),
    };
    let sorted = sort(CONFIG, Abbreviations::None, rest)?;
    let words: Option<Vec<_>> = sorted.operands.iter().map(|word| word.literal()).collect();
    let words = words.ok_or_else(|| Doubt::new("A setting is known only at run time."))?;
    let gets =
        verb || sorted.has_any(&["--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list"]);
    // A lone word without a dot is no setting but a verb (`edit`).
    let names_setting = matches!(words.as_slice(), [only] if only.contains('.'));
    if gets && words.len() <= 2 || names_setting { Ok(()) } else { Err(Doubt::new(SETS)) }
}
