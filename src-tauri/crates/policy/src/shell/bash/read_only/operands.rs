//! Paths in a command's arguments: inside, not sensitive, by what they say and by what they lead to.

use super::super::command::{Part, SimpleCommand, Word};
use super::super::location;
use super::options::Arguments;
use super::{Doubt, Prover};
use crate::path::{self, Place};
use crate::{FileKind, Inquiry, PathFact, TreeFact};

/// How much of what is behind a path is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Names and metadata.
    Name,
    /// The content of the file itself.
    Content,
}

impl Prover<'_> {
    /// A file whose content is read.
    pub(super) fn file(&mut self, word: &Word, command: &SimpleCommand) -> Result<(), Doubt> {
        self.path(word, command, Depth::Content)
    }

    /// A path that is looked at.
    pub(super) fn name(&mut self, word: &Word, command: &SimpleCommand) -> Result<(), Doubt> {
        self.path(word, command, Depth::Name)
    }

    /// A file or folder that is read all the way down, except what `excluded` says of paths seen from it.
    pub(super) fn tree(
        &mut self,
        word: &Word,
        command: &SimpleCommand,
        follows_links: bool,
        excluded: &dyn Fn(&str, &TreeFact) -> bool,
    ) -> Result<(), Doubt> {
        self.path(word, command, Depth::Content)?;
        if is_no_file(word) {
            return Ok(());
        }
        for key in self.base_keys(word, command)? {
            let Some(fact) = self.tree_fact(&key) else { continue };
            if fact.incomplete {
                return Err(Doubt::new(format!("{key} holds too many files to be looked through.")));
            }
            if let Some(secret) = fact.sensitive.iter().find(|path| !excluded(path, fact)) {
                return Err(Doubt::new(format!("It would read {secret}, which may hold secrets.")));
            }
            if follows_links && let Some(link) = fact.outside_links.first() {
                return Err(Doubt::new(format!("It would follow the link {link} out of the workspace.")));
            }
        }
        Ok(())
    }

    pub(super) fn each_file(&mut self, sorted: &Arguments<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        sorted.operands.iter().try_for_each(|word| self.file(word, command))
    }

    pub(super) fn each_name(&mut self, sorted: &Arguments<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        sorted.operands.iter().try_for_each(|word| self.name(word, command))
    }

    pub(super) fn each_tree(&mut self, sorted: &Arguments<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        sorted.operands.iter().try_for_each(|word| self.tree(word, command, true, &|_, _| false))
    }

    /// The folder that `cd` goes to: no link on the way, so that `..` means the same to bash and to the system.
    pub(super) fn folder(&mut self, sorted: &Arguments<'_>, command: &SimpleCommand) -> Result<(), Doubt> {
        let [target] = sorted.operands.as_slice() else {
            return Err(Doubt::new("It goes to a folder outside the workspace."));
        };
        self.name(target, command)?;
        let text = location::text_of(target, &self.context.home)
            .ok_or_else(|| Doubt::new("It goes to a folder that is known only at run time."))?;
        for folder in &command.folders {
            let key = self.join(folder, &text)?;
            if let Some(PathFact::Resolved(resolved)) = self.facts.paths.get(&key)
                && resolved.real != path::lexical(&key)
            {
                return Err(Doubt::new(format!("{key} is a link to another folder.")));
            }
        }
        Ok(())
    }

    /// A pattern that starts with `*` could match a file called `-x`, which would be an option.
    pub(super) fn no_hidden_options(
        &mut self,
        sorted: &Arguments<'_>,
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        let exposed = sorted.operands.get(..sorted.before_dashes).unwrap_or_default();
        if !sorted.globbed && !exposed.iter().any(|word| matches!(word.parts.first(), Some(Part::Glob(_)))) {
            return Ok(());
        }
        for folder in &command.folders {
            let key = self.join(folder, ".")?;
            if self.tree_fact(&key).is_some_and(|fact| fact.option_like) {
                return Err(Doubt::new("A file there is named like an option."));
            }
        }
        Ok(())
    }

    fn path(&mut self, word: &Word, command: &SimpleCommand, depth: Depth) -> Result<(), Doubt> {
        if depth == Depth::Content && is_no_file(word) {
            return Ok(());
        }
        if word.has_glob() {
            return self.pattern(word, command, depth);
        }
        let text = location::text_of(word, &self.context.home)
            .ok_or_else(|| Doubt::new(format!("{} is known only at run time.", word.shown())))?;
        for folder in &command.folders {
            let key = self.join(folder, &text)?;
            self.place(&key, depth)?;
        }
        Ok(())
    }

    /// Where `key` lies, by its text and by what is there.
    pub(super) fn place(&mut self, key: &str, depth: Depth) -> Result<(), Doubt> {
        if depth == Depth::Content {
            self.reads.insert(key.to_owned());
        }
        let lexical = path::lexical(key);
        self.classified(&lexical, depth)?;
        match self.facts.paths.get(key) {
            None => {
                self.inquiries.insert(Inquiry::Path(key.to_owned()));
                Ok(())
            }
            Some(PathFact::Unresolvable { why }) => {
                Err(Doubt::new(format!("{key} can't be followed: {why}.")))
            }
            Some(PathFact::Resolved(resolved)) => {
                if resolved.file == FileKind::Special && depth == Depth::Content {
                    return Err(Doubt::new(format!("{key} is a device, pipe or socket.")));
                }
                if resolved.real == lexical { Ok(()) } else { self.classified(&resolved.real, depth) }
            }
        }
    }

    fn classified(&self, path: &str, depth: Depth) -> Result<(), Doubt> {
        let class = path::classify(path, self.context);
        match class.place {
            Place::Workspace | Place::ReadFolder => {}
            Place::Own | Place::System | Place::Outside => {
                return Err(Doubt::new(format!("{path} is outside the workspace.")));
            }
        }
        if class.sensitive && depth == Depth::Content {
            return Err(Doubt::new(format!("{path} may hold secrets.")));
        }
        Ok(())
    }

    fn pattern(&mut self, word: &Word, command: &SimpleCommand, depth: Depth) -> Result<(), Doubt> {
        let pattern = Pattern::of(word, &self.context.home)
            .ok_or_else(|| Doubt::new(format!("{} is known only at run time.", word.shown())))?;
        for folder in &command.folders {
            let base = self.join(folder, &pattern.base)?;
            self.place(&base, Depth::Name)?;
            // Which of its files are read is known only when it runs: for rules on paths it is the folder.
            if depth == Depth::Content {
                self.reads.insert(base.clone());
            }
            // A pattern that matches nothing stays as it is.
            self.classified(&format!("{}/{}", path::lexical(&base), pattern.shown), depth)?;
            let Some(fact) = self.tree_fact(&base) else { continue };
            if fact.incomplete {
                return Err(Doubt::new(format!("{base} holds too many files to be looked through.")));
            }
            let secret = fact.sensitive.iter().find(|path| depth == Depth::Content && pattern.names(path));
            if let Some(secret) = secret {
                return Err(Doubt::new(format!("It would read {secret}, which may hold secrets.")));
            }
            if let Some(link) = fact.outside_links.iter().find(|path| pattern.leads_through(path)) {
                return Err(Doubt::new(format!("The pattern matches {link}, a link out of the workspace.")));
            }
        }
        Ok(())
    }

    /// The folders that a word with or without a pattern starts in.
    fn base_keys(&self, word: &Word, command: &SimpleCommand) -> Result<Vec<String>, Doubt> {
        let unknown = || Doubt::new(format!("{} is known only at run time.", word.shown()));
        let text = if word.has_glob() {
            Pattern::of(word, &self.context.home).ok_or_else(unknown)?.base
        } else {
            location::text_of(word, &self.context.home).ok_or_else(unknown)?
        };
        command.folders.iter().map(|folder| self.join(folder, &text)).collect()
    }

    pub(super) fn join(&self, folder: &str, text: &str) -> Result<String, Doubt> {
        path::join(text, folder, self.context.os).map_err(|fault| Doubt::new(format!("{fault}.")))
    }

    pub(super) fn tree_fact(&mut self, key: &str) -> Option<&TreeFact> {
        let fact = self.facts.trees.get(key);
        if fact.is_none() {
            self.inquiries.insert(Inquiry::Tree(key.to_owned()));
        }
        fact
    }
}

/// The input, the null device, or what commands print that are judged themselves.
fn is_no_file(word: &Word) -> bool {
    word.parts == [Part::Pipe]
        || word.literal().is_some_and(|text| matches!(text.as_ref(), "-" | "/dev/null"))
}

/// A word with unquoted pattern characters.
struct Pattern {
    /// The folder before the first pattern character.
    base: String,
    /// What follows, component by component; `*` for anything that isn't literal.
    components: Vec<String>,
    shown: String,
}

impl Pattern {
    fn of(word: &Word, home: &str) -> Option<Self> {
        // Brackets become `*`: it matches more, never less.
        let mut marked: Vec<(char, bool)> = Vec::new();
        let mut in_brackets = false;
        for part in &word.parts {
            match part {
                Part::Text(text) => {
                    for character in text.chars() {
                        match character {
                            ']' if in_brackets => in_brackets = false,
                            '/' => {
                                in_brackets = false;
                                marked.push(('/', false));
                            }
                            _ if in_brackets => {}
                            other => marked.push((other, false)),
                        }
                    }
                }
                Part::Glob(text) => {
                    for character in text.chars() {
                        in_brackets |= character == '[';
                        marked.push((if character == '?' { '?' } else { '*' }, true));
                    }
                }
                Part::Home => marked.extend(home.chars().map(|character| (character, false))),
                Part::Number | Part::Variable { .. } | Part::Output | Part::Pipe | Part::Opaque => {
                    return None;
                }
            }
        }
        let first = marked.iter().position(|(_, pattern)| *pattern)?;
        let slash = marked.get(..first)?.iter().rposition(|(character, _)| *character == '/');
        let text = |range: &[(char, bool)]| range.iter().map(|(character, _)| *character).collect::<String>();
        let (base, rest) = match slash {
            None => (".".to_owned(), text(&marked)),
            Some(0) => ("/".to_owned(), text(marked.get(1..)?)),
            Some(place) => (text(marked.get(..place)?), text(marked.get(place + 1..)?)),
        };
        // Only characters that were quoted could be `*` or `?` here without being patterns; matching more is harmless.
        let components: Vec<String> =
            rest.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        if components.iter().any(|component| component == "..") {
            return None;
        }
        Some(Self { base, components, shown: rest })
    }

    /// Whether the file at `path`, seen from the base, may be among the matches.
    fn names(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        parts.len() == self.components.len() && self.agrees(&parts)
    }

    /// Whether the link at `path`, seen from the base, may be a match or on the way to one.
    fn leads_through(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        parts.len() <= self.components.len() && self.agrees(&parts)
    }

    fn agrees(&self, parts: &[&str]) -> bool {
        parts.iter().zip(&self.components).all(|(part, pattern)| {
            // A leading dot has to be matched by a dot.
            (!part.starts_with('.') || pattern.starts_with('.')) && wildcard(pattern, part)
        })
    }
}

/// Whether `text` matches `pattern`, in which `*` stands for any characters and `?` for one.
#[must_use]
pub fn wildcard(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    // The place after the last star, and how far the text had come there.
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, seen));
                at += 1;
            }
            Some(character) if *character == '?' || text.get(seen) == Some(character) => {
                at += 1;
                seen += 1;
            }
            Some(_) | None => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    at = after;
                    seen = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|character| *character == '*')
}
