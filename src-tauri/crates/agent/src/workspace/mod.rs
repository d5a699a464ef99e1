//! The folder the agent works in: opened once, and the only door to its files.

use std::path::{Path, PathBuf};

/// An opened workspace.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    spelled: PathBuf,
}

impl Workspace {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    /// When it isn't there, isn't a folder, or can't be read.
    pub fn open(path: &Path) -> Result<Self, OpenWorkspaceError> {
        let root = path
            .canonicalize()
            .map_err(|source| OpenWorkspaceError::Unreachable { path: path.to_owned(), source })?;
        if !root.is_dir() {
            return Err(OpenWorkspaceError::NotAFolder { path: path.to_owned() });
        }
        Ok(Self { root, spelled: path.to_owned() })
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
    /// It is something else.
    #[error("open {}: not a folder", path.display())]
    NotAFolder {
        /// As given.
        path: PathBuf,
    },
}
