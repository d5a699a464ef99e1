//! Follows a script: in which folders each command may run, and what a loop's variable stands for.

use super::command::{Part, Redirect, SimpleCommand, Unsupported, Word};
use super::location;
use super::script::{Connector, For, Simple, Statement};
use super::variables::Variables;
use crate::path;
use crate::{Context, Facts, FileKind, PathFact};
use std::collections::BTreeSet;

/// Commands after loops were written out.
const MAX_COMMANDS: usize = 400;
/// Folders in which one command may run.
const MAX_FOLDERS: usize = 8;

const UNKNOWN_FOLDER: Unsupported = Unsupported::new("changes to a folder that is known only at run time");

type Folders = BTreeSet<String>;

/// The folders after a statement: where it succeeded, where it failed.
struct After {
    success: Folders,
    failure: Folders,
}

impl After {
    fn same(folders: &Folders) -> Self {
        Self { success: folders.clone(), failure: folders.clone() }
    }

    fn any(&self) -> Folders {
        self.success.union(&self.failure).cloned().collect()
    }
}

/// Every simple command of `script`, in order, loops written out; it starts in one of `folders`, or in a folder that
/// isn't known where there are none.
///
/// # Errors
/// When a folder or a loop can't be followed.
pub fn run(
    script: &Statement,
    folders: &[String],
    facts: &Facts,
    context: &Context,
) -> Result<Vec<SimpleCommand>, Unsupported> {
    let mut walk = Walk {
        facts,
        context,
        commands: Vec::new(),
        variables: Vec::new(),
        known: Variables::of(script),
        branches: 0,
        here: None,
        background: false,
    };
    walk.statement(script, &folders.iter().cloned().collect())?;
    Ok(walk.commands)
}

/// Every simple command as written, once.
pub fn flatten<'s>(statement: &'s Statement, commands: &mut Vec<&'s Simple>) {
    match statement {
        Statement::Simple(simple) => {
            commands.push(simple);
            simple.inner.iter().for_each(|inner| flatten(inner, commands));
        }
        Statement::Pipeline(stages) | Statement::Sequence(stages) => {
            stages.iter().for_each(|stage| flatten(stage, commands));
        }
        Statement::AndOr(first, rest) => {
            flatten(first, commands);
            rest.iter().for_each(|(_, next)| flatten(next, commands));
        }
        Statement::Negated(body)
        | Statement::Background(body)
        | Statement::Subshell(body, _)
        | Statement::Group(body, _) => {
            flatten(body, commands);
        }
        Statement::If(branches, otherwise, _) => {
            for (condition, body) in branches {
                flatten(condition, commands);
                flatten(body, commands);
            }
            if let Some(otherwise) = otherwise {
                flatten(otherwise, commands);
            }
        }
        Statement::For(For { body, .. }) => flatten(body, commands),
        Statement::While(condition, body, _) => {
            flatten(condition, commands);
            flatten(body, commands);
        }
    }
}

/// The redirects of groups, loops and conditions.
pub fn group_redirects<'s>(statement: &'s Statement, found: &mut Vec<&'s Redirect>) {
    match statement {
        Statement::Simple(simple) => simple.inner.iter().for_each(|inner| group_redirects(inner, found)),
        Statement::Pipeline(stages) | Statement::Sequence(stages) => {
            stages.iter().for_each(|stage| group_redirects(stage, found));
        }
        Statement::AndOr(first, rest) => {
            group_redirects(first, found);
            rest.iter().for_each(|(_, next)| group_redirects(next, found));
        }
        Statement::Negated(body) | Statement::Background(body) => group_redirects(body, found),
        Statement::Subshell(body, redirects) | Statement::Group(body, redirects) => {
            found.extend(redirects);
            group_redirects(body, found);
        }
        Statement::If(branches, otherwise, redirects) => {
            found.extend(redirects);
            for (condition, body) in branches {
                group_redirects(condition, found);
                group_redirects(body, found);
            }
            if let Some(otherwise) = otherwise {
                group_redirects(otherwise, found);
            }
        }
        Statement::For(For { body, redirects, .. }) => {
            found.extend(redirects);
            group_redirects(body, found);
        }
        Statement::While(condition, body, redirects) => {
            found.extend(redirects);
            group_redirects(condition, found);
            group_redirects(body, found);
        }
    }
}

struct Walk<'c> {
    facts: &'c Facts,
    context: &'c Context,
    commands: Vec<SimpleCommand>,
    variables: Vec<(String, Word)>,
    /// What can be told of the script's variables.
    known: Variables,
    /// How many statements around this one may run it not at all, again, or in a shell of its own.
    branches: usize,
    /// What `PWD` holds, where it can be told.
    here: Option<Word>,
    background: bool,
}

impl Walk<'_> {
    fn statement(&mut self, statement: &Statement, folders: &Folders) -> Result<After, Unsupported> {
        match statement {
            Statement::Simple(simple) => self.simple(simple, folders),
            Statement::Negated(body) => {
                let after = self.statement(body, folders)?;
                Ok(After { success: after.failure, failure: after.success })
            }
            Statement::AndOr(first, rest) => self.and_or(first, rest, folders),
            Statement::Sequence(statements) => {
                let mut after = After::same(folders);
                for statement in statements {
                    after = self.reached(statement, &limited(after.any())?, folders)?;
                }
                Ok(after)
            }
            Statement::Pipeline(_)
            | Statement::Background(_)
            | Statement::Subshell(..)
            | Statement::Group(..)
            | Statement::If(..)
            | Statement::For(_)
            | Statement::While(..) => {
                self.branches += 1;
                let after = self.compound(statement, folders);
                self.branches -= 1;
                after
            }
        }
    }

    fn and_or(
        &mut self,
        first: &Statement,
        rest: &[(Connector, Statement)],
        folders: &Folders,
    ) -> Result<After, Unsupported> {
        let mut after = self.statement(first, folders)?;
        for (connector, next) in rest {
            let (from, otherwise) = match connector {
                Connector::And => (&after.success, &after.failure),
                Connector::Or => (&after.failure, &after.success),
            };
            // What is always reached is no branch.
            let may_be_passed_over = usize::from(!otherwise.is_empty());
            self.branches += may_be_passed_over;
            let then = self.reached(next, from, folders);
            self.branches -= may_be_passed_over;
            let then = then?;
            after = match connector {
                Connector::And => After { success: then.success, failure: &after.failure | &then.failure },
                Connector::Or => After { success: &after.success | &then.success, failure: then.failure },
            };
        }
        Ok(after)
    }

    fn compound(&mut self, statement: &Statement, folders: &Folders) -> Result<After, Unsupported> {
        match statement {
            Statement::Simple(_) | Statement::Negated(_) | Statement::AndOr(..) | Statement::Sequence(_) => {
                self.statement(statement, folders)
            }
            Statement::Pipeline(stages) => {
                let mut before = None;
                for stage in stages {
                    self.statement(stage, folders)?;
                    let place = self.commands.len().checked_sub(1);
                    let own = place.filter(|_| matches!(stage, Statement::Simple(_)));
                    if let Some(command) = own.and_then(|own| self.commands.get_mut(own)) {
                        command.fed_by = before;
                    }
                    before = own;
                }
                Ok(After::same(folders))
            }
            Statement::Background(body) => {
                let outer = std::mem::replace(&mut self.background, true);
                self.statement(body, folders)?;
                self.background = outer;
                Ok(After::same(folders))
            }
            Statement::Subshell(body, redirects) => {
                self.redirects(redirects, folders);
                self.statement(body, folders)?;
                Ok(After::same(folders))
            }
            Statement::Group(body, redirects) => {
                self.redirects(redirects, folders);
                self.statement(body, folders)
            }
            Statement::If(branches, otherwise, redirects) => {
                self.redirects(redirects, folders);
                self.branches(branches, otherwise.as_deref(), folders)
            }
            Statement::For(repeat) => self.repeat(repeat, folders),
            Statement::While(condition, body, redirects) => {
                self.redirects(redirects, folders);
                let checked = self.statement(condition, folders)?;
                let after = self.statement(body, &checked.any())?;
                if checked.any() != *folders || after.any() != *folders {
                    return Err(Unsupported::new("changes its folder inside a loop"));
                }
                Ok(After::same(folders))
            }
        }
    }

    /// Follows `statement` from the folders `from`. Where there are none it is never reached: it is still looked at, as if
    /// it ran where everything began, but leads nowhere.
    fn reached(
        &mut self,
        statement: &Statement,
        from: &Folders,
        start: &Folders,
    ) -> Result<After, Unsupported> {
        if !from.is_empty() {
            return self.statement(statement, from);
        }
        self.statement(statement, start)?;
        Ok(After::same(&Folders::new()))
    }

    fn branches(
        &mut self,
        branches: &[(Statement, Statement)],
        otherwise: Option<&Statement>,
        folders: &Folders,
    ) -> Result<After, Unsupported> {
        let mut left = folders.clone();
        let mut ends = Folders::new();
        for (condition, body) in branches {
            let checked = self.reached(condition, &left, folders)?;
            ends.extend(self.reached(body, &checked.success, folders)?.any());
            left = checked.failure;
        }
        match otherwise {
            Some(otherwise) => ends.extend(self.reached(otherwise, &left, folders)?.any()),
            None => ends.extend(left),
        }
        limited(ends).map(|ends| After::same(&ends))
    }

    fn repeat(&mut self, repeat: &For, folders: &Folders) -> Result<After, Unsupported> {
        self.redirects(&repeat.redirects, folders);
        self.stand_in(folders);
        let values: Vec<Word> = repeat.values.iter().map(|value| self.resolved(value)).collect();
        for value in values {
            let known = value.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Glob(_)));
            if !known {
                return Err(Unsupported::new("has a loop over values that are known only at run time"));
            }
            self.variables.push((repeat.variable.clone(), value));
            let after = self.statement(&repeat.body, folders)?;
            self.variables.pop();
            if after.any() != *folders {
                return Err(Unsupported::new("changes its folder inside a loop"));
            }
        }
        Ok(After::same(folders))
    }

    fn redirects(&mut self, redirects: &[Redirect], folders: &Folders) {
        if !redirects.is_empty() {
            self.stand_in(folders);
            self.commands.push(SimpleCommand {
                redirects: redirects.iter().map(|redirect| self.resolved_redirect(redirect)).collect(),
                folders: folders.iter().cloned().collect(),
                ..SimpleCommand::default()
            });
        }
    }

    /// The shell stands in one of `folders`, and says so in `PWD`.
    fn stand_in(&mut self, folders: &Folders) {
        self.here = match folders.first() {
            Some(only) if folders.len() == 1 && self.known.is_left_alone("PWD") => {
                Some(Word::text(only.as_str()))
            }
            Some(_) | None => None,
        };
    }

    fn simple(&mut self, simple: &Simple, folders: &Folders) -> Result<After, Unsupported> {
        if self.commands.len() >= MAX_COMMANDS {
            return Err(Unsupported::new("holds too many commands"));
        }
        // What runs inside words runs in a shell of its own: wherever it goes, this one stays.
        self.branches += 1;
        for inner in &simple.inner {
            self.statement(inner, folders)?;
        }
        self.branches -= 1;
        self.stand_in(folders);
        let words: Vec<Word> = simple.words.iter().map(|word| self.resolved(word)).collect();
        // Where a redirect fails nothing is set.
        let sets = simple.words.is_empty() && simple.redirects.is_empty() && self.branches == 0;
        for assignment in simple.assignments.iter().filter(|_| sets) {
            let value = self.resolved(&assignment.value);
            let known =
                value.parts.iter().all(|part| matches!(part, Part::Text(_) | Part::Number | Part::Output));
            if known && self.known.is_set_once(&assignment.name) {
                self.variables.push((assignment.name.clone(), value));
            }
        }
        let after = self.folder_change(&words, folders);
        self.commands.push(SimpleCommand {
            words,
            assignments: simple.assignments.clone(),
            redirects: simple.redirects.iter().map(|redirect| self.resolved_redirect(redirect)).collect(),
            folders: folders.iter().cloned().collect(),
            background: self.background,
            ..SimpleCommand::default()
        });
        after
    }

    /// Where the shell is after `words`: only `cd` moves it; what else could isn't on any list of read-only programs.
    fn folder_change(&self, words: &[Word], folders: &Folders) -> Result<After, Unsupported> {
        let mut rest = words;
        // `command cd`, `builtin cd` and `time cd` move the shell too.
        while let [first, more @ ..] = rest {
            match first.literal().as_deref() {
                Some("command" | "builtin" | "time") => {
                    let options =
                        more.iter().take_while(|word| word.literal_prefix().starts_with('-')).count();
                    rest = more.get(options..).unwrap_or_default();
                }
                Some("exit") => return Ok(After::same(&Folders::new())),
                Some("popd") => return Err(UNKNOWN_FOLDER),
                Some("cd" | "pushd") => {
                    let mut operands = more
                        .iter()
                        .filter(|word| !matches!(word.literal().as_deref(), Some("--" | "-P" | "-L" | "-e")));
                    return match (operands.next(), operands.next()) {
                        (Some(target), None) => self.moved(target, folders),
                        (None, _) => self.moved(&Word { parts: vec![Part::Home], span: 0..0 }, folders),
                        (Some(_), Some(_)) => Err(UNKNOWN_FOLDER),
                    };
                }
                Some(_) | None => break,
            }
        }
        Ok(After::same(folders))
    }

    fn moved(&self, target: &Word, folders: &Folders) -> Result<After, Unsupported> {
        let text = location::text_of(target, &self.context.home).ok_or(UNKNOWN_FOLDER)?;
        if text.is_empty() || text.starts_with('-') {
            return Err(UNKNOWN_FOLDER);
        }
        let targets: Vec<String> = folders.iter().map(|folder| location::join(folder, &text)).collect();
        let success = targets.iter().map(|target| location::normal(target)).collect();
        // A folder that is known to be there is where the shell will be.
        let is_there = |target: &String| {
            path::join(target, "/", self.context.os).is_ok_and(|key| {
                matches!(self.facts.paths.get(&key), Some(PathFact::Resolved(found)) if found.file == FileKind::Directory)
            })
        };
        let failure = if targets.iter().all(is_there) { Folders::new() } else { folders.clone() };
        Ok(After { success, failure })
    }

    fn resolved_redirect(&self, redirect: &Redirect) -> Redirect {
        Redirect { kind: redirect.kind, target: redirect.target.as_ref().map(|target| self.resolved(target)) }
    }

    /// The word with the variables of the loops around it written out.
    fn resolved(&self, word: &Word) -> Word {
        let mut parts = Vec::with_capacity(word.parts.len());
        for part in &word.parts {
            match part {
                Part::Variable { name, quoted } => {
                    let value = match self.variables.iter().rev().find(|(known, _)| known == name) {
                        Some((_, value)) => Some(value),
                        None => self.here.as_ref().filter(|_| name == "PWD"),
                    };
                    match value {
                        Some(value) if *quoted || stays_one_word(value) => {
                            parts.extend(value.parts.iter().cloned())
                        }
                        None if self.known.is_number(name) => parts.push(Part::Number),
                        None if self.known.is_text(name) && *quoted => parts.push(Part::Output),
                        Some(_) | None => parts.push(part.clone()),
                    }
                }
                Part::Text(_)
                | Part::Glob(_)
                | Part::Home
                | Part::Number
                | Part::Output
                | Part::Pipe
                | Part::Opaque => parts.push(part.clone()),
            }
        }
        Word { parts, span: word.span.clone() }
    }
}

/// Whether `value` can stand unquoted without being split or matched against files.
fn stays_one_word(value: &Word) -> bool {
    value
        .literal()
        .is_some_and(|text| !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '[', '\\']))
}

fn limited(folders: Folders) -> Result<Folders, Unsupported> {
    if folders.len() > MAX_FOLDERS {
        Err(Unsupported::new("changes its folder too often"))
    } else {
        Ok(folders)
    }
}
