//! One process runs a session: whoever holds its lock. Others show it, read-only.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const FILE_NAME: &str = "lock";

/// Who looks takes the lock for a moment; nobody of this process takes that for a holder.
static LOOK: Mutex<()> = Mutex::new(());

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
        let _nobody_looks = LOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let path = scratch.join(FILE_NAME);
        let fault = |source| SessionLockError::File { path: path.clone(), source };
        std::fs::create_dir_all(scratch).map_err(fault)?;
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(SessionLockError::Taken),
            Err(TryLockError::Error(source)) => Err(fault(source)),
        }
    }

    /// Whether a process runs the session whose own folder is `scratch`. Looking makes nothing.
    #[must_use]
    pub fn is_taken(scratch: &Path) -> bool {
        let _nobody_takes = LOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(file) = File::open(scratch.join(FILE_NAME)) else { return false };
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }
}
