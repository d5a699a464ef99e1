//! What the searching tools say beside what they found.

use crate::workspace::Workspace;
use crate::workspace::walk::Walked;
use assent_policy::path::is_sensitive;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Sensitive files that are named; the rest is counted.
const NAMED: usize = 10;

/// Files that may hold secrets and were left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut(Mutex<(BTreeSet<String>, u64)>);

impl LeftOut {
    /// Whether the file called `shown` is left out; notes it then.
    pub(super) fn takes(&self, shown: &str) -> bool {
        let sensitive = is_sensitive(shown);
        if sensitive {
            let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            noted.1 += 1;
            noted.0.insert(shown.to_owned());
            if noted.0.len() > NAMED {
                noted.0.pop_last();
            }
        }
        sensitive
    }

    /// A line about them, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (names, count) = &*noted;
        let more = if *count > names.len() as u64 { ", …" } else { "" };
        let listed = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        match count {
            0 => None,
            1 => Some(format!("[1 file that may hold secrets was left out: {listed}]")),
            _ => Some(format!("[{count} files that may hold secrets were left out: {listed}{more}]")),
        }
    }
}

/// How a file is called in an answer: from the workspace where it lies inside, else by its real path; `/` on
/// every system.
pub(super) fn shown(workspace: &Workspace, real: &Path) -> String {
    let path = real.strip_prefix(workspace.root()).unwrap_or(real);
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
