//! A path as it was decided about: its real place and the file that was there.

use super::Workspace;
use assent_policy::{ErrorCode, Facts, FileKind, Identity, PathFact, Resolved};
use cap_fs_ext::MetadataExt as _;
use std::io;
use std::path::{Component, Path, PathBuf};

/// One path of a permitted call, bound to what was found when it was judged.
#[derive(Clone, Debug)]
pub struct ApprovedPath {
    /// As the model wrote it; what texts for the model name.
    pub written: String,
    /// The real absolute path.
    pub real: PathBuf,
    /// Below the workspace: the way there from its root, empty for the root. Outside: absent.
    pub inside: Option<PathBuf>,
    found: Resolved,
}

impl Workspace {
    /// What was decided about the path the model wrote as `written`.
    ///
    /// # Errors
    /// When nobody looked it up, or it couldn't be resolved: no decision covers it.
    pub fn approved(&self, facts: &Facts, written: &str) -> Result<ApprovedPath, AccessError> {
        let wanted = self.root().join(written);
        let fact = facts.paths.get(wanted.to_string_lossy().as_ref()).or_else(|| {
            facts.paths.iter().find(|(key, _)| same_spelling(Path::new(key), &wanted)).map(|(_, f)| f)
        });
        let found = match fact {
            Some(PathFact::Resolved(found)) => found.clone(),
            Some(PathFact::Unresolvable { why }) => return Err(AccessError::Unusable(why.clone())),
            None => return Err(AccessError::Undecided),
        };
        let real = PathBuf::from(&found.real);
        if real.components().any(|part| matches!(part, Component::ParentDir)) {
            return Err(AccessError::Unusable("climbs out of a folder that does not exist".to_owned()));
        }
        let inside = real.strip_prefix(self.root()).ok().map(Path::to_owned);
        Ok(ApprovedPath { written: written.to_owned(), real, inside, found })
    }
}

impl ApprovedPath {
    /// What was there when the call was judged.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.found.file
    }

    /// SHA-256 (hex) of the content that was approved to be replaced, where it was looked at.
    #[must_use]
    pub fn content(&self) -> Option<&str> {
        self.found.content.as_deref()
    }

    /// Whether `metadata` belongs to the very file that was there; its content may differ.
    pub(super) fn is_same_file(&self, metadata: &cap_std::fs::Metadata) -> bool {
        self.found
            .identity
            .as_ref()
            .is_some_and(|found| found.device == metadata.dev() && found.inode == metadata.ino())
    }

    /// Size in bytes and change time of the file that was there.
    pub(super) fn identity(&self) -> Option<&Identity> {
        self.found.identity.as_ref()
    }
}

/// Whether two paths are spelled the same but for `.` and doubled separators; `..` counts.
fn same_spelling(left: &Path, right: &Path) -> bool {
    left.components().eq(right.components())
}

/// Why a file can't be reached.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Nothing is there.
    #[error("no such file or folder")]
    NotFound,
    /// It isn't what was judged: another file, a link, or something where nothing was.
    #[error("no longer what was checked: something replaced it in between")]
    Swapped,
    /// It was never looked up, so nothing was decided about it.
    #[error("not part of the decision")]
    Undecided,
    /// Its form or place can't be used.
    #[error("{0}")]
    Unusable(String),
    /// A write would leave the workspace.
    #[error("outside the workspace")]
    Outside,
    /// A folder where a file is needed.
    #[error("a folder, not a file")]
    IsFolder,
    /// A file where a folder is needed.
    #[error("a file, not a folder")]
    NotAFolder,
    /// A FIFO, socket or device.
    #[error("a device, socket or pipe")]
    Special,
    /// The OS refused.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
}

impl AccessError {
    /// The stable code the model gets.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound => ErrorCode::FileNotFound,
            Self::Swapped => ErrorCode::StaleOrRevoked,
            Self::Undecided => ErrorCode::PermissionEvaluationError,
            Self::Outside => ErrorCode::PathEscape,
            Self::Unusable(_) | Self::IsFolder | Self::NotAFolder | Self::Special => ErrorCode::InvalidPath,
            Self::Io(_) => ErrorCode::ToolExecutionError,
        }
    }
}

/// An OS error in words, without its number.
#[must_use]
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    let words = text.get(..end).unwrap_or(&text);
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}
