//! What the searching tools say beside what they found.

use crate::workspace::Workspace;
use crate::workspace::walk::Walked;
use assent_policy::path::is_sensitive;
use assent_policy::rule::Withheld;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Files that are named; the rest is counted.
const NAMED: usize = 10;

/// Files that were left out: those that may hold secrets, and those that a rule keeps from being read.
pub(super) struct LeftOut<'w> {
    withheld: &'w Withheld,
    secrets: Noted,
    ruled: Noted,
}

impl<'w> LeftOut<'w> {
    pub(super) fn new(withheld: &'w Withheld) -> Self {
        Self { withheld, secrets: Noted::default(), ruled: Noted::default() }
    }

    /// Whether the file at `real`, called `shown`, is left out; notes it then.
    pub(super) fn takes(&self, shown: &str, real: &Path) -> bool {
        if is_sensitive(shown) {
            self.secrets.add(shown);
            return true;
        }
        let ruled = self.withheld.covers(&slashed(real));
        if ruled {
            self.ruled.add(shown);
        }
        ruled
    }

    /// A line about each kind, where there are any.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let secrets = self.secrets.note("that may hold secrets");
        secrets.into_iter().chain(self.ruled.note("that a rule keeps from being read"))
    }
}

/// Files of one kind: the first names, and how many.
#[derive(Debug, Default)]
struct Noted(Mutex<(BTreeSet<String>, u64)>);

impl Noted {
    fn add(&self, shown: &str) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.1 += 1;
        noted.0.insert(shown.to_owned());
        if noted.0.len() > NAMED {
            noted.0.pop_last();
        }
    }

    fn note(&self, kind: &str) -> Option<String> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (names, count) = &*noted;
        let more = if *count > names.len() as u64 { ", …" } else { "" };
        let listed = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        match count {
            0 => None,
            1 => Some(format!("[1 file {kind} was left out: {listed}]")),
            _ => Some(format!("[{count} files {kind} were left out: {listed}{more}]")),
        }
    }
}

/// How a file is called in an answer: from the workspace where it lies inside, else by its real path; `/` on
/// every system.
pub(super) fn shown(workspace: &Workspace, real: &Path) -> String {
    slashed(real.strip_prefix(workspace.root()).unwrap_or(real))
}

fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

/// Lines about what a walk couldn't see.
pub(super) fn gaps(walked: Walked) -> impl Iterator<Item = String> {
    let unreadable = match walked.unreadable {
        0 => None,
        1 => Some("[1 folder could not be read.]".to_owned()),
        count => Some(format!("[{count} folders could not be read.]")),
    };
    let incomplete = walked
        .incomplete
        .then(|| "[The folder is too large to search whole; name a smaller one with path.]".to_owned());
    unreadable.into_iter().chain(incomplete)
}
