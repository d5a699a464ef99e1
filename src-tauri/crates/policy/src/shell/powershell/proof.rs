//! The proof that plain pipelines of commands only read.

use super::cmdlets::{self, Cmdlet, Takes};
use super::names;
use super::reader::{Command, Head, Word};
use crate::path::{self, Place, classify};
use crate::shell::{Proof, ShellTouch};
use crate::{Access, Context, Facts, FileKind, Inquiry, PathFact};
use std::collections::BTreeSet;

/// What a proof looks things up in, and what it found.
pub(super) struct Prover<'call> {
    pub(super) facts: &'call Facts,
    pub(super) context: &'call Context,
    /// The folder the next command runs in.
    pub(super) folder: String,
    pub(super) inquiries: BTreeSet<Inquiry>,
    pub(super) touches: Vec<ShellTouch>,
}

type Doubt = String;

impl Prover<'_> {
    /// Proves one command; what it reads is in `touches` afterwards.
    pub(super) fn prove(&mut self, command: &Command) -> Result<(), Doubt> {
        if let Some(target) = command.redirects.first() {
            return Err(format!("It writes to {}.", target.text));
        }
        match command.head {
            Head::Value => Ok(()),
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
        match cmdlets::find(&name) {
            Some(cmdlet) => self.cmdlet(cmdlet, arguments),
            None if names::is_cmdlet(&name) => {
                Err(format!("{} is not on the list of cmdlets that only read.", first.text))
            }
            None => self.program(&name, arguments),
        }
    }

    /// Binds words to parameters as PowerShell does, and checks each value by what its parameter takes.
    fn cmdlet(&mut self, cmdlet: &Cmdlet, arguments: &[Word]) -> Result<(), Doubt> {
        let mut bound: Vec<&str> = Vec::new();
        let mut free: Vec<&Word> = Vec::new();
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            let Some(parameter) = parameter_name(word) else {
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
        if cmdlet.name == "set-location" {
            self.change_folder(arguments)?;
        }
        Ok(())
    }

    fn value(&mut self, cmdlet: &Cmdlet, takes: Takes, word: &Word) -> Result<(), Doubt> {
        if let Some(block) = &word.block {
            let accepts = match takes {
                Takes::Block | Takes::Value => true,
                Takes::Nothing | Takes::Names | Takes::Content => false,
            };
            return if accepts && is_plain_block(block) {
                Ok(())
            } else {
                Err("It runs a script block.".to_owned())
            };
        }
        let constant = ["$true", "$false", "$null"].iter().any(|one| word.text.eq_ignore_ascii_case(one));
        if !word.literal && !constant {
            return Err("A value is known only at run time.".to_owned());
        }
        match takes {
            Takes::Nothing | Takes::Value => Ok(()),
            // A word instead of a block names a method or a property: only `Where-Object Name …` is harmless.
            Takes::Block if cmdlet.name == "where-object" => Ok(()),
            Takes::Block => Err("It calls a member of each object.".to_owned()),
            Takes::Names => self.path(word, false),
            Takes::Content => self.path(word, true),
        }
    }

    /// A path of the file system inside the workspace; its content only where that isn't sensitive.
    fn path(&mut self, word: &Word, content: bool) -> Result<(), Doubt> {
        if word.wildcard {
            return self.pattern(&word.text, content);
        }
        let key = self.key_of(&word.text)?;
        self.touches.push(ShellTouch { path: key.clone(), access: Access::Read });
        self.inside(&key, content)
    }

    fn key_of(&self, written: &str) -> Result<String, Doubt> {
        file_path(written, &self.folder, self.context)
            .ok_or_else(|| format!("{written} is no path of the file system inside the workspace."))
    }

    fn inside(&mut self, key: &str, content: bool) -> Result<(), Doubt> {
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
                if content && (spelled.sensitive || real.sensitive) {
                    return Err(format!("{} may hold secrets.", resolved.real));
                }
                Ok(())
            }
        }
    }

    /// A wildcard: it starts inside, and where content is read it meets nothing sensitive.
    fn pattern(&mut self, written: &str, content: bool) -> Result<(), Doubt> {
        let written = written.replace('\\', "/");
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
        if only.wildcard {
            return Err("It changes the folder in a way that can't be told.".to_owned());
        }
        let key = self.key_of(&only.text)?;
        self.folder = match self.facts.paths.get(&key) {
            Some(PathFact::Resolved(resolved)) => resolved.real.clone(),
            Some(PathFact::Unresolvable { .. }) | None => key,
        };
        Ok(())
    }

    /// A native program: judged as bash would judge the same argv.
    fn program(&mut self, name: &str, arguments: &[Word]) -> Result<(), Doubt> {
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if !matches!(name, "git" | "rg") {
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
            if !plain || word.wildcard && !word.quoted {
                return Err("An argument may reach the program as another one.".to_owned());
            }
            text.push(' ');
            text.push_str(&quoted(&word.text.replace('\\', "/")));
        }
        let judged = crate::shell::bash::judge(&text, self.facts, self.context);
        self.inquiries.extend(judged.inquiries);
        self.touches.extend(judged.touches);
        match judged.proof {
            Proof::ReadOnly => Ok(()),
            Proof::Unproven(why) => Err(why),
        }
    }
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
    let drive = written.split('/').next().unwrap_or_default();
    let provider = drive.find(':').is_some_and(|place| place != 1 || drive.len() > 2);
    if written.starts_with('~') || written.contains("::") || provider {
        return None;
    }
    path::join(&written, folder, context.os).ok()
}

/// PowerShell's wildcards (about_Wildcards) without character ranges: those match everything here.
fn wildcard_matches(pattern: &str, name: &str) -> bool {
    fn matches(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('[', _)) => true,
            Some(('*', rest)) => {
                matches(rest, name) || name.split_first().is_some_and(|(_, name)| matches(pattern, name))
            }
            Some((one, rest)) => name
                .split_first()
                .is_some_and(|(first, name)| (*one == '?' || one == first) && matches(rest, name)),
        }
    }
    if pattern.chars().filter(|one| *one == '*').count() > 4 {
        return true;
    }
    matches(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
}

/// A condition on `$_` and its properties: no call, no command, no other variable.
pub(super) fn is_plain_block(text: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "-eq",
        "-ne",
        "-gt",
        "-ge",
        "-lt",
        "-le",
        "-like",
        "-notlike",
        "-match",
        "-notmatch",
        "-ceq",
        "-cne",
        "-clike",
        "-cmatch",
        "-ieq",
        "-ilike",
        "-imatch",
        "-contains",
        "-notcontains",
        "-in",
        "-notin",
        "-and",
        "-or",
        "-xor",
        "-not",
        "-replace",
        "-split",
        "-join",
        "-f",
    ];
    let mut rest = text.trim();
    if !text.is_ascii() || rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let Some(after) = plain_token(rest, OPERATORS) else { return false };
        rest = after.trim_start_matches([' ', '\t']);
    }
    true
}

/// What is left after one harmless token.
fn plain_token<'text>(text: &'text str, operators: &[&str]) -> Option<&'text str> {
    let first = text.chars().next()?;
    match first {
        '\'' => text.get(1..)?.split_once('\'').map(|(_, rest)| rest),
        '"' => {
            let (inner, rest) = text.get(1..)?.split_once('"')?;
            (!inner.contains(['$', '`'])).then_some(rest)
        }
        '$' => {
            let end = text
                .get(1..)?
                .find(|one: char| !(one.is_ascii_alphanumeric() || one == '_' || one == '.'))
                .map_or(text.len(), |end| end + 1);
            let (variable, rest) = text.split_at_checked(end)?;
            let name = variable.split('.').next()?.to_ascii_lowercase();
            let known = matches!(name.as_str(), "$_" | "$psitem" | "$true" | "$false" | "$null");
            (known && !rest.starts_with(['(', '[', ':', '=', '{', '+', '-'])).then_some(rest)
        }
        '-' => {
            let end =
                text.get(1..)?.find(|one: char| !one.is_ascii_alphabetic()).map_or(text.len(), |end| end + 1);
            let (word, rest) = text.split_at_checked(end)?;
            operators.contains(&word.to_ascii_lowercase().as_str()).then_some(rest)
        }
        '0'..='9' => {
            let end =
                text.find(|one: char| !(one.is_ascii_alphanumeric() || one == '.')).unwrap_or(text.len());
            text.get(end..)
        }
        ',' | '!' => text.get(1..),
        _ => None,
    }
}

/// A word in single quotes for bash.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{is_plain_block, wildcard_matches};

    #[test]
    fn plain_blocks() {
        for plain in [
            "$_.Length -gt 1kb",
            " $_.Name -like '*.rs' -and -not $_.PSIsContainer ",
            "$_",
            "$_.Extension -eq \".md\"",
        ] {
            assert!(is_plain_block(plain), "{plain}");
        }
        for other in [
            "",
            "$_.Delete()",
            "ri $_",
            "$_.Name = 'x'",
            "$x",
            "& $_",
            "$(ri x)",
            "$_; ri x",
            "$_.Name[0]",
            "\"$(ri)\"",
            "$_++",
            "[a]::b",
        ] {
            assert!(!is_plain_block(other), "{other}");
        }
    }

    #[test]
    fn wildcards() {
        assert!(wildcard_matches("*.rs", "a.rs"));
        assert!(wildcard_matches("*", ".env"));
        assert!(!wildcard_matches("*.rs", ".env"));
        assert!(wildcard_matches(".e[n]v", ".env"));
        assert!(wildcard_matches(".en?", ".env"));
    }
}
