//! The name that a file got by a rename, on the disk.

use std::path::Path;

/// Waits until the names in `folder` are on the disk, so that a power cut doesn't take a new one back. What was renamed
/// counts already: where the disk can't say, that is no failure of the change.
pub fn flush(folder: &Path) {
    #[cfg(unix)]
    if let Err(error) = std::fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        tracing::warn!(%error, folder = %folder.display(), "a power cut could take the last change back");
    }
    #[cfg(not(unix))]
    let _ = folder;
}
