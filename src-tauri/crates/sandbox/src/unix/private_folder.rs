//! The command's own folder for temporary files, where it has no file system of its own.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// A folder of our own for temporary files, removed at the end.
#[derive(Debug)]
pub struct PrivateFolder {
    /// Where it is.
    pub path: PathBuf,
}

impl PrivateFolder {
    /// A new, empty folder that nobody else may enter.
    pub fn new() -> io::Result<Self> {
        let own = std::process::id();
        let path = std::env::temp_dir().join(format!(
            "assent-{own}-{:x}",
            std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos())
        ));
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What can't be removed is the system's to clean.
        let _left = std::fs::remove_dir_all(&self.path);
    }
}
