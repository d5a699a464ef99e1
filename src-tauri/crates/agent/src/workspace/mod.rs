//! The folder the agent works in: opened once, and the only door to its files.
//!
//! The file tools never resolve a path by themselves. The decision was made about a real path and a file
//! identity ([`assent_policy::Resolved`]); [`Workspace::approved`] takes exactly that, and what it opens is
//! reached from the held folder handle, one component at a time, following no link: whatever was swapped
//! since the decision is noticed, not followed.

mod approved;
mod attributes;
mod exchange;
mod ignored;
mod open;
mod replace;
mod snapshot;
mod temporary;
pub mod text;
pub mod undo;
pub mod walk;

#[cfg(test)]
#[cfg(unix)]
mod undo_tests;

pub use approved::{AccessError, ApprovedPath};
pub use replace::{Held, ReplaceError, Written};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::{Path, PathBuf};

/// An opened workspace.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    spelled: PathBuf,
    handle: Dir,
}

impl Workspace {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    /// When it isn't there, isn't a folder, can't be read, or has a path that is no text.
    pub fn open(path: &Path) -> Result<Self, OpenWorkspaceError> {
        let unreachable =
            |source: std::io::Error| OpenWorkspaceError::Unreachable { path: path.to_owned(), source };
        let root = without_verbatim_prefix(path.canonicalize().map_err(unreachable)?);
        if !root.is_dir() {
            return Err(OpenWorkspaceError::NotAFolder { path: path.to_owned() });
        }
        can_be_named(&root)?;
        let handle = Dir::open_ambient_dir(&root, ambient_authority()).map_err(unreachable)?;
        Ok(Self { root, spelled: path.to_owned(), handle })
    }

    /// Its real path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path it was opened by.
    #[must_use]
    pub fn spelled(&self) -> &Path {
        &self.spelled
    }

    /// The folder as it was when it was opened, whatever its path leads to since.
    #[must_use]
    pub fn handle(&self) -> &Dir {
        &self.handle
    }
}

/// `\\?\C:\x` as `C:\x`, the form in which decisions name real paths.
fn without_verbatim_prefix(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if cfg!(windows) && rest.get(1..2) == Some(":") => PathBuf::from(rest),
        Some(_) | None => path,
    }
}

/// Whether calls, rules and records can name what is in the folder with the real path `root`.
///
/// # Errors
/// When its path is no text.
pub fn can_be_named(root: &Path) -> Result<(), OpenWorkspaceError> {
    match root.to_str() {
        Some(_) => Ok(()),
        None => Err(OpenWorkspaceError::NoText { path: root.to_owned() }),
    }
}

/// Why a folder can't be the workspace.
#[derive(Debug, thiserror::Error)]
pub enum OpenWorkspaceError {
    /// It can't be reached.
    #[error("open the folder {}: {source}", path.display())]
    Unreachable {
        /// As given.
        path: PathBuf,
        /// What the OS said.
        source: std::io::Error,
    },
    /// Nothing in it could be named.
    #[error("open the folder {}: its path is not UTF-8, so nothing in it could be named; rename the folder", path.display())]
    NoText {
        /// The real one.
        path: PathBuf,
    },
    /// It is something else.
    #[error("open {}: not a folder", path.display())]
    NotAFolder {
        /// As given.
        path: PathBuf,
    },
}
