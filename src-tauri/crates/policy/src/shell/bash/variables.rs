//! Which variables of a script have a value that can be read off its text (bash(1), PARAMETERS).

use super::command::{Word, base_name};
use super::read_only;
use super::script::{Simple, Statement};
use super::walk;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a script's variables before it is followed.
#[derive(Debug, Default)]
pub struct Variables {
    /// Set in one place of the text, by an assignment that stands alone.
    once: BTreeSet<String>,
    /// Set by `read` only: text that is known only at run time.
    read: BTreeSet<String>,
    /// Set anywhere, in whatever way.
    set: BTreeSet<String>,
    /// Whether something may set variables that the text doesn't name.
    unclear: bool,
}

/// Builtins that set variables, or run text that does.
const SETTERS: &[&str] = &[
    "eval",
    ".",
    "source",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "let",
    "unset",
    "mapfile",
    "readarray",
    "getopts",
    "trap",
    "alias",
    "enable",
    "exec",
    "wait",
    "coproc",
    "shopt",
    "compgen",
];
/// Variables that bash itself sets to a number.
const NUMBERS: &[&str] =
    &["RANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "EPOCHSECONDS", "OPTIND"];
/// Variables whose value names the system and the person, and holds no secret.
const HARMLESS: &[&str] = &[
    "USER",
    "LOGNAME",
    "SHELL",
    "HOSTNAME",
    "OSTYPE",
    "HOSTTYPE",
    "MACHTYPE",
    "BASH_VERSION",
    "LANG",
    "TERM",
];
/// Names in capitals that neither bash nor a program of the lists reads.
const FREE: &[&str] = &[
    "FILE", "FILES", "DIR", "DIRS", "NAME", "SRC", "DST", "BASE", "BRANCH", "COMMIT", "REV", "PATTERN",
    "COUNT", "LIST", "RESULT", "OUTPUT", "TARGET", "VERSION", "TODAY", "LINE", "ROOT",
];

impl Variables {
    /// Those of `script`.
    #[must_use]
    pub fn of(script: &Statement) -> Self {
        let mut simples = Vec::new();
        walk::flatten(script, &mut simples);
        let mut assigned: BTreeMap<&str, usize> = BTreeMap::new();
        let mut found = Self::default();
        for simple in simples {
            for assignment in simple.assignments.iter().filter(|_| simple.words.is_empty()) {
                *assigned.entry(&assignment.name).or_default() += 1;
            }
            found.look_at(simple);
        }
        let mut loops = BTreeSet::new();
        loop_variables(script, &mut loops);
        let in_loop = |name: &str| loops.contains(name);
        // How values are split is then another question.
        found.unclear |= assigned.contains_key("IFS");
        found.set = assigned.keys().map(|name| (*name).to_owned()).collect();
        found.set.extend(loops.iter().cloned());
        found.set.extend(found.read.iter().cloned());
        found.once = assigned
            .iter()
            .filter(|&(name, count)| *count == 1 && !in_loop(name) && !found.read.contains(*name))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        found.read.retain(|name| !assigned.contains_key(name.as_str()) && !loops.contains(name));
        found
    }

    /// Whether one assignment gives the variable its value for all that follows.
    #[must_use]
    pub fn is_set_once(&self, name: &str) -> bool {
        !self.unclear && may_be_set(name) && self.once.contains(name)
    }

    /// Whether the variable holds text that is known only at run time, and no secret of the environment.
    #[must_use]
    pub fn is_text(&self, name: &str) -> bool {
        !self.unclear && (self.read.contains(name) || HARMLESS.contains(&name) && !self.set.contains(name))
    }

    /// Whether bash sets the variable to a number.
    #[must_use]
    pub fn is_number(&self, name: &str) -> bool {
        self.is_left_alone(name) && NUMBERS.contains(&name)
    }

    /// Whether nothing in the script sets the variable.
    #[must_use]
    pub fn is_left_alone(&self, name: &str) -> bool {
        !self.unclear && !self.set.contains(name)
    }

    fn look_at(&mut self, simple: &Simple) {
        let mut words = simple.words.as_slice();
        while let [first, rest @ ..] = words
            && first.literal().is_some_and(|word| matches!(word.as_ref(), "command" | "builtin" | "time"))
        {
            words = rest;
            while let [option, rest @ ..] = words
                && option.literal_prefix().starts_with('-')
            {
                words = rest;
            }
        }
        let Some((first, arguments)) = words.split_first() else { return };
        let Some(program) = first.literal() else {
            self.unclear = true;
            return;
        };
        match base_name(&program) {
            "read" => match names_read(arguments) {
                Some(names) => self.read.extend(names),
                None => self.unclear = true,
            },
            // `-v` and `%n` store.
            "printf" => {
                let stores = |word: &Word| {
                    word.literal().is_none_or(|text| text.starts_with("-v") || read_only::stores_count(&text))
                };
                let dashes = usize::from(arguments.first().is_some_and(|word| word.literal_prefix() == "--"));
                self.unclear |= arguments.iter().take(dashes + 1).any(stores);
            }
            name => self.unclear |= SETTERS.contains(&name),
        }
    }
}

/// Whether a script may set `name` without a program noticing.
#[must_use]
pub fn may_be_set(name: &str) -> bool {
    let small =
        name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    let is_read_by_programs = name.ends_with("_proxy") || name.starts_with("npm_") || name == "_";
    small && !is_read_by_programs || FREE.contains(&name) || name.len() == 1 && name != "_"
}

/// The variables that `read` sets, where its arguments are plain.
pub fn names_read(arguments: &[Word]) -> Option<Vec<String>> {
    let mut rest = arguments;
    while let [word, more @ ..] = rest {
        let text = word.literal()?;
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else { break };
        rest = match letters {
            "r" | "s" | "rs" | "sr" => more,
            "d" | "n" | "N" | "t" | "p" | "rd" | "rn" | "rp" | "rt" => {
                more.first().and_then(Word::literal)?;
                more.get(1..).unwrap_or_default()
            }
            _ => return None,
        };
    }
    rest.iter().map(|word| word.literal().filter(|name| may_be_set(name)).map(String::from)).collect()
}

fn loop_variables(statement: &Statement, found: &mut BTreeSet<String>) {
    match statement {
        Statement::Simple(simple) => simple.inner.iter().for_each(|inner| loop_variables(inner, found)),
        Statement::Pipeline(parts) | Statement::Sequence(parts) => {
            parts.iter().for_each(|part| loop_variables(part, found));
        }
        Statement::AndOr(first, rest) => {
            loop_variables(first, found);
            rest.iter().for_each(|(_, next)| loop_variables(next, found));
        }
        Statement::Negated(body)
        | Statement::Background(body)
        | Statement::Subshell(body, _)
        | Statement::Group(body, _) => loop_variables(body, found),
        Statement::If(branches, otherwise, _) => {
            for (condition, body) in branches {
                loop_variables(condition, found);
                loop_variables(body, found);
            }
            if let Some(otherwise) = otherwise {
                loop_variables(otherwise, found);
            }
        }
        Statement::For(repeat) => {
            found.insert(repeat.variable.clone());
            loop_variables(&repeat.body, found);
        }
        Statement::While(condition, body, _) => {
            loop_variables(condition, found);
            loop_variables(body, found);
        }
    }
}
