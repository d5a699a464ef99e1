//! Paths whose change runs code later: they ask before any rule may allow them.

use super::Opinion;
use crate::path::contains;
use crate::reading::{Reading, Touch};
use crate::{Behavior, RepositoryFact, Source};

pub(super) fn judge(reading: &Reading<'_>) -> Vec<Opinion> {
    reading
        .touches
        .iter()
        .filter(|touch| touch.changes() && (touch.class.protected || is_in_git_folder(touch, reading)))
        .map(|touch| {
            let reason =
                format!("{} is protected: a change there can run code later.", touch.named(reading.context));
            Opinion::new(Source::PROTECTED_PATHS, Behavior::Ask, reason)
        })
        .collect()
}

/// A git folder that isn't called `.git`, as far as a repository was looked up.
fn is_in_git_folder(touch: &Touch<'_>, reading: &Reading<'_>) -> bool {
    let os = reading.context.os;
    reading.facts.repositories.values().any(|repository| match repository {
        RepositoryFact::None => false,
        RepositoryFact::Plain { gitdir, .. } | RepositoryFact::Dangerous { gitdir, .. } => {
            contains(gitdir, touch.shown(), os) || contains(gitdir, &touch.lexical, os)
        }
    })
}
