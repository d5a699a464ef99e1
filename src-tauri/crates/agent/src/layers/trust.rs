//! Trust in a project's policy file: bound to its exact content, kept in the user's own folder.

use crate::own_file;
use assent_policy::Behavior;
use assent_policy::rule::{Rule, RuleFile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// How the workspace's policy file stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectTrust {
    /// There is none.
    Absent,
    /// The user trusts exactly this content: its allow rules count.
    Trusted,
    /// Only its ask and deny rules count.
    Untrusted {
        /// SHA-256 (hex) of the content that would be trusted.
        digest: String,
        /// That content itself: what a person is shown is what they trust.
        content: String,
        /// The rules that would begin to count, by name, with what they allow.
        loosens: Vec<String>,
    },
}

/// Why trust could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The content is another one than was shown.
    #[error("trust the project's policy file: it changed since it was shown")]
    Changed,
    /// The record can't be written.
    #[error("trust the project's policy file: {0}")]
    Write(#[from] io::Error),
    /// The record of it can't be written: the trust stands.
    #[error("take back the trust in the project's policy file: {0}")]
    TakeBack(io::Error),
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// SHA-256 (hex) of the trusted content, by the file's path.
    projects: BTreeMap<String, String>,
}

/// The digest that the user trusts for `project`. A record that can't be read trusts nothing.
pub(super) fn trusted_digest(record: &Path, project: &Path) -> Option<String> {
    load(record).projects.get(project.to_str()?).cloned()
}

/// Writes `digest` down for `project`, or takes it back; whether that changed anything.
pub(super) fn remember(record: &Path, project: &Path, digest: Option<&str>) -> io::Result<bool> {
    let key = project.to_str().ok_or_else(|| io::Error::other("the path is not UTF-8"))?.to_owned();
    let _alone = own_file::alone(record)?;
    let mut known = load(record);
    let before = match digest {
        Some(digest) => known.projects.insert(key, digest.to_owned()),
        None => known.projects.remove(&key),
    };
    if before.as_deref() == digest {
        return Ok(false);
    }
    let text = serde_json::to_string_pretty(&known).map_err(io::Error::other)?;
    own_file::replace(record, text.as_bytes())?;
    Ok(true)
}

/// Takes back what is written down for every project.
pub(super) fn forget(record: &Path) -> io::Result<()> {
    let _alone = own_file::alone(record)?;
    match std::fs::remove_file(record) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn load(record: &Path) -> Record {
    std::fs::read(record).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// The rules that trust would bring to count.
pub(super) fn loosening(file: Option<&RuleFile>) -> Vec<Rule> {
    file.iter()
        .flat_map(|file| &file.rules)
        .filter(|rule| rule.behavior == Behavior::Allow)
        .cloned()
        .collect()
}
