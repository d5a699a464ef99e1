//! `find` without its actions that write or run something, and `fd`. Source: find(1) (GNU 4.9 and BSD), fd(1).

use super::super::command::{SimpleCommand, Word};
use super::operands::wildcard;
use super::options::{Abbreviations, sort};
use super::{Doubt, Prover};
use std::borrow::Cow;

/// Programs that may be given any number of files and read them, whatever their names.
const READERS: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "wc",
    "head",
    "tail",
    "cat",
    "stat",
    "ls",
    "file",
    "du",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "nl",
    "tac",
    "strings",
    "echo",
    "printf",
];

/// Tests, actions and operators without an argument.
const ALONE: &[&str] = &[
    "!",
    "(",
    ")",
    ",",
    "-not",
    "-a",
    "-and",
    "-o",
    "-or",
    "-true",
    "-false",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-nouser",
    "-nogroup",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-depth",
    "-d",
    "-mount",
    "-xdev",
    "-daystart",
    "-noleaf",
    "-nowarn",
    "-warn",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
    "-help",
    "--help",
    "-version",
    "--version",
];
/// Those with an argument that names nothing.
const WITH_TEXT: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-lname",
    "-ilname",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-used",
    "-newermt",
    "-newerct",
    "-newerat",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-fstype",
    "-maxdepth",
    "-mindepth",
    "-printf",
    "-context",
    "-flags",
];
/// Those with an argument that is looked at.
const WITH_NAME: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile", "-newermm"];

const FD: &str = "-HIuaipgFs1q0 -t:text -e:text -E:text -d:num -S:text -o:text -c:text -j:num --hidden --no-ignore --no-ignore-vcs --no-ignore-parent --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --full-path --prune --type:text --extension:text --exclude:text --max-depth:num --min-depth:num --exact-depth:num --size:text --changed-within:text --changed-before:text --newer:text --older:text --color:text --max-results:num --threads:num --print0 --quiet --show-errors --one-file-system --strip-cwd-prefix --and:text --help --version -h -V";

/// Actions, each counted once for every place where the search starts.
const MAX_FOUND: usize = 64;

/// What an action runs for.
pub(super) struct Found<'w> {
    /// Where the search starts; nothing means here.
    pub(super) starts: &'w [&'w Word],
    /// Patterns that a name meets, all of them.
    pub(super) names: &'w [String],
    /// Whether links may be among them.
    pub(super) links: bool,
}

/// Operators after which an action may run for files that a `-name` before it does not match.
pub(super) const BRANCHING: &[&str] = &["!", "(", ")", ",", "-not", "-o", "-or"];

impl Prover<'_> {
    pub(super) fn find(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let mut rest = arguments;
        let mut starts: Vec<&Word> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let (mut branches, mut only_files) = (false, false);
        let mut looked_at = 0;
        while let [word, more @ ..] = rest {
            match word.literal().as_deref() {
                Some("-P") => rest = more,
                Some(level) if level.strip_prefix("-O").is_some_and(|level| level.parse::<u8>().is_ok()) => {
                    rest = more
                }
                Some(text) if text.starts_with(['-', '(', '!', ',', ')']) => break,
                Some(_) | None => {
                    self.name(word, command)?;
                    if matches!(word.parts.first(), Some(super::Part::Glob(_))) {
                        return Err(Doubt::new("A file there could be named like an expression of find."));
                    }
                    starts.push(word);
                    rest = more;
                }
            }
        }
        while let [word, more @ ..] = rest {
            let text = word
                .literal()
                .ok_or_else(|| Doubt::new("An expression of find is known only at run time."))?;
            let text = text.as_ref();
            if ALONE.contains(&text) {
                branches |= BRANCHING.contains(&text);
                rest = more;
                continue;
            }
            if text == "-exec" {
                let ends = |word: &Word| super::is(word, ";") || super::is(word, "+");
                let length = more.iter().position(ends).unwrap_or(more.len());
                let narrowed = Found {
                    starts: &starts,
                    names: if branches { &[] } else { names.as_slice() },
                    links: branches || !only_files,
                };
                looked_at += starts.len().max(1);
                if looked_at > MAX_FOUND {
                    return Err(Doubt::new("It names more places than are looked at."));
                }
                self.each_found(more.get(..length).unwrap_or_default(), &narrowed, command)?;
                rest = more.get(length + 1..).unwrap_or_default();
                continue;
            }
            let Some((value, after)) = more.split_first() else {
                return Err(Doubt::new(format!("find's {text} isn't known to be harmless.")));
            };
            if WITH_TEXT.contains(&text) {
                self.text(value)?;
                let written = value.literal();
                only_files |= text == "-type" && written.as_deref() == Some("f");
                // A bracket or a backslash may stand for anything: such a pattern rules nothing out.
                let plain = written.filter(|pattern| text == "-name" && !pattern.contains(['[', '\\']));
                names.extend(plain.map(Cow::into_owned));
            } else if WITH_NAME.contains(&text) {
                if value.has_glob() {
                    return Err(Doubt::new("An expression of find is known only at run time."));
                }
                self.name(value, command)?;
            } else {
                return Err(Doubt::new(format!("find's {text} isn't known to be harmless.")));
            }
            rest = after;
        }
        Ok(())
    }

    /// `-exec PROGRAM … {} …`: a program that reads whatever is found, where nothing that may be found is a secret.
    /// Every name starts with where the search started, so none can be taken for an option.
    pub(super) fn each_found(
        &mut self,
        group: &[Word],
        found: &Found<'_>,
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        let program = group.first().and_then(Word::literal).unwrap_or_default();
        if !READERS.contains(&program.as_ref()) {
            return Err(Doubt::new(format!("What find starts, {program}, isn't known to be harmless.")));
        }
        let here = Word::text(".");
        let starts = if found.starts.is_empty() { vec![&here] } else { found.starts.to_vec() };
        for start in starts {
            self.tree(start, command, found.links, &|path, _| {
                let name = path.rsplit('/').next().unwrap_or(path);
                !found.names.iter().all(|pattern| wildcard(pattern, name))
            })?;
            let words = group
                .iter()
                .map(|word| if super::is(word, "{}") { start.clone() } else { word.clone() })
                .collect();
            let each = SimpleCommand { words, folders: command.folders.clone(), ..SimpleCommand::default() };
            if each.words.iter().any(|word| word.literal().is_some_and(|text| text.contains("{}"))) {
                return Err(Doubt::new("What find hands on isn't known."));
            }
            self.prove(&each, &[], false)?;
        }
        Ok(())
    }

    pub(super) fn fd(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let sorted = sort(FD, Abbreviations::None, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        let Some((pattern, paths)) = sorted.operands.split_first() else { return Ok(()) };
        self.text(pattern)?;
        paths.iter().try_for_each(|path| self.name(path, command))
    }
}
