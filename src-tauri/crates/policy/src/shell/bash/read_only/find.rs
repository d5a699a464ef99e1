//! `find` without its actions that write or run something, and `fd`. Source: find(1) (GNU 4.9 and BSD), fd(1).

use super::super::command::{SimpleCommand, Word};
use super::options::{Abbreviations, sort};
use super::{Doubt, Prover};

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

impl Prover<'_> {
    pub(super) fn find(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let mut rest = arguments;
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
                rest = more;
                continue;
            }
            let Some((value, after)) = more.split_first() else {
                return Err(Doubt::new(format!("find's {text} isn't known to be harmless.")));
            };
            if WITH_TEXT.contains(&text) {
                self.text(value)?;
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

    pub(super) fn fd(&mut self, arguments: &[Word], command: &SimpleCommand) -> Result<(), Doubt> {
        let sorted = sort(FD, Abbreviations::None, arguments)?;
        self.no_hidden_options(&sorted, command)?;
        let Some((pattern, paths)) = sorted.operands.split_first() else { return Ok(()) };
        self.text(pattern)?;
        paths.iter().try_for_each(|path| self.name(path, command))
    }
}
