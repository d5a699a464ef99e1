//! What a file or SQLite said about the log, in words that tell what to do.

use crate::audit::AuditError;
use std::path::Path;

/// A file or folder that can't be used.
pub(super) fn file_error(path: &Path, error: &std::io::Error) -> AuditError {
    AuditError::Store(format!("{}: {error}", path.display()))
}

/// What SQLite said.
pub(super) fn store_error(path: &Path, error: &rusqlite::Error) -> AuditError {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull, NotADatabase, PermissionDenied,
        ReadOnly, SystemIoFailure,
    };
    let shown = path.display();
    let said = match error.sqlite_error_code() {
        Some(DiskFull) => format!("the disk of {shown} is full; free some space"),
        Some(DatabaseBusy | DatabaseLocked) => {
            format!("{shown} is locked by another process; end it or wait")
        }
        Some(ReadOnly | PermissionDenied) => format!("{shown} is read-only; make it and its folder writable"),
        Some(DatabaseCorrupt | NotADatabase) => {
            return AuditError::Damaged(format!(
                "{shown} is damaged; move it away (with its head file) to begin a new log"
            ));
        }
        Some(CannotOpen) => format!("{shown} can't be opened; check that its folder exists and is writable"),
        Some(SystemIoFailure) => format!("{shown}: the disk reports an error ({error})"),
        _ => format!("{shown}: {error}"),
    };
    AuditError::Store(said)
}
