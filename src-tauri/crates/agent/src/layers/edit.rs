//! Changes to the user's policy file that the app makes: a rule more, a rule less; comments stay.

use super::reading::{self, FileText};
use crate::{amend, own_file};
use assent_policy::rule::{Layer, RuleFile, RuleFileError};
use assent_policy::{Behavior, Os, ShellKind};
use std::io;
use std::path::Path;

/// Why the user's policy file was left as it is.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It is broken, or the change would break it.
    #[error("change the policy file: {0}")]
    Broken(#[from] RuleFileError),
    /// It is no text.
    #[error("change the policy file: {0}")]
    Unusable(String),
    /// It has no rule of that name.
    #[error("change the policy file: it has no rule called {0:?}")]
    NoSuchRule(String),
    /// That rule asks or forbids: only a person takes it out, by hand.
    #[error("change the policy file: its rule {0:?} allows nothing")]
    AllowsNothing(String),
    /// It can't be written.
    #[error("change the policy file: {0}")]
    Write(#[from] io::Error),
}

pub(super) fn allowing(path: &Path, shell: ShellKind, os: Os) -> Result<Vec<String>, EditError> {
    let file = RuleFile::parse(&current(path)?, Layer::User, shell, os)?;
    let rules = file.rules.into_iter();
    Ok(rules.filter(|rule| rule.behavior == Behavior::Allow).map(|rule| rule.name).collect())
}

pub(super) fn add(path: &Path, table: &str, shell: ShellKind, os: Os) -> Result<(), EditError> {
    let _alone = own_file::alone(path)?;
    let text = current(path)?;
    let gap = if text.lines().next_back().is_none_or(str::is_empty) { "" } else { "\n" };
    let text = amend::appended(&text, &format!("{gap}{}\n", table.trim_end()));
    RuleFile::parse(&text, Layer::User, shell, os)?;
    Ok(own_file::replace(path, text.as_bytes())?)
}

pub(super) fn remove(path: &Path, name: &str, shell: ShellKind, os: Os) -> Result<(), EditError> {
    let _alone = own_file::alone(path)?;
    let text = current(path)?;
    let file = RuleFile::parse(&text, Layer::User, shell, os)?;
    let place = file.rules.iter().position(|rule| rule.name == name);
    let Some(place) = place else { return Err(EditError::NoSuchRule(name.to_owned())) };
    if file.rules.get(place).is_some_and(|rule| rule.behavior != Behavior::Allow) {
        return Err(EditError::AllowsNothing(name.to_owned()));
    }
    let unusual = || EditError::Unusable("its layout is too unusual to be edited here".to_owned());
    let kept = amend::without_entry(&text, "rules", place).map_err(|_| unusual())?;
    let left = RuleFile::parse(&kept, Layer::User, shell, os)?;
    let expected = file.rules.iter().map(|rule| &rule.name).filter(|one| *one != name);
    if !left.rules.iter().map(|rule| &rule.name).eq(expected) {
        return Err(unusual());
    }
    Ok(own_file::replace(path, kept.as_bytes())?)
}

fn current(path: &Path) -> Result<String, EditError> {
    match reading::file(path) {
        FileText::Absent => Ok("version = 1\n".to_owned()),
        FileText::Text(text) => Ok(text),
        FileText::Unusable(why) => Err(EditError::Unusable(why)),
    }
}
