//! What is deleted from a database is gone from its files, not from its tables only.

use rusqlite::Connection;
use std::time::Duration;

/// How long a statement waits for another process.
pub(crate) const BUSY: Duration = Duration::from_secs(5);
/// How long a deletion that is done waits for others that read, so that nothing of it stays in the write-ahead log.
const HURRY: Duration = Duration::from_millis(200);

/// Takes what was deleted out of the write-ahead log too. Where another process reads just now, it stays until the next
/// deletion, or until the last process closes the file.
pub(crate) fn empty_log(connection: &Connection) {
    let emptied = connection.busy_timeout(HURRY).and_then(|()| {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
    });
    match emptied {
        Ok(false) => {}
        Ok(true) => tracing::warn!("what was deleted stays in the write-ahead log: another process reads"),
        Err(error) => tracing::warn!(%error, "what was deleted stays in the write-ahead log"),
    }
    if let Err(error) = connection.busy_timeout(BUSY) {
        tracing::warn!(%error, "the database waits for nobody");
    }
}

/// In which files of `folder` the bytes of `text` stand.
#[cfg(test)]
pub(crate) fn files_with(folder: &std::path::Path, text: &str) -> Vec<std::ffi::OsString> {
    let holds = |path: &std::path::Path| {
        std::fs::read(path).unwrap().windows(text.len()).any(|window| window == text.as_bytes())
    };
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .filter(|entry| entry.file_type().unwrap().is_file() && holds(&entry.path()))
        .map(|entry| entry.file_name())
        .collect()
}
