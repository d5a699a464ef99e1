//! One process runs a session: whoever holds its lock. Others show it, read-only.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Held while a process runs a session; the system lets it go when the process ends, however it ends.
#[derive(Debug)]
pub struct SessionLock {
    _file: File,
}

/// The session can't be taken.
#[derive(Debug, thiserror::Error)]
pub enum SessionLockError {
    /// Another process has it.
    #[error("take the session: another window or process runs it")]
    Taken,
    /// The lock's file.
    #[error("take the session: {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the OS said.
        source: std::io::Error,
    },
}

impl SessionLock {
    /// Takes the session whose own folder is `scratch`.
    ///
    /// # Errors
    /// When another process has it, or the folder can't be written.
    pub fn take(scratch: &Path) -> Result<Self, SessionLockError> {
        let path = scratch.join("lock");
        let fault = |source| SessionLockError::File { path: path.clone(), source };
        std::fs::create_dir_all(scratch).map_err(fault)?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(SessionLockError::Taken),
            Err(TryLockError::Error(source)) => Err(fault(source)),
        }
    }
}
