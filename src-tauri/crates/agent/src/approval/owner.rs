//! Which process owns a waiting call: each holds a lock on a file of its own for as long as it lives.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// This process's claim. Held until dropped, or until the process ends in any way.
#[derive(Debug)]
pub struct Owner {
    id: String,
    path: PathBuf,
    // Closing it gives the lock back.
    _file: File,
}

impl Owner {
    /// Claims the name `id` in `folder`.
    ///
    /// # Errors
    /// When the file can't be made or locked.
    pub fn claim(folder: &Path, id: String) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = lock_path(folder, &id);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => io::Error::from(io::ErrorKind::WouldBlock),
        })?;
        Ok(Self { id, path, _file: file })
    }

    /// The name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // A file that stays is only a name whose lock is free.
        drop(fs::remove_file(&self.path));
    }
}

/// Whether the process that claimed `id` in `folder` still lives. Where that can't be told, it does.
#[must_use]
pub fn is_alive(folder: &Path, id: &str) -> bool {
    match OpenOptions::new().write(true).open(lock_path(folder, id)) {
        Err(error) => error.kind() != io::ErrorKind::NotFound,
        Ok(file) => match file.try_lock() {
            Ok(()) => file.unlock().is_err(),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
        },
    }
}

fn lock_path(folder: &Path, id: &str) -> PathBuf {
    // Ids are hexadecimal; anything else can't leave the folder.
    let name: String =
        id.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '-').collect();
    folder.join(format!("{name}.lock"))
}

#[cfg(test)]
mod tests {
    use super::{Owner, is_alive};

    /// R35
    #[test]
    fn an_owner_lives_until_its_lock_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let owner = Owner::claim(folder.path(), "a1".to_owned()).unwrap();
        assert!(is_alive(folder.path(), owner.id()));
        assert!(!is_alive(folder.path(), "b2"));
        assert!(Owner::claim(folder.path(), "a1".to_owned()).is_err());
        drop(owner);
        assert!(!is_alive(folder.path(), "a1"));
        // What a killed process leaves behind: the file, unlocked.
        std::fs::write(folder.path().join("c3.lock"), "").unwrap();
        assert!(!is_alive(folder.path(), "c3"));
    }
}
