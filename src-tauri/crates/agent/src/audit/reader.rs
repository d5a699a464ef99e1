//! The log opened for reading only.

use crate::audit::fault::{file_error, store_error};
use crate::audit::head::{Head, read_head};
use crate::audit::key::KeyPlace;
use crate::audit::store::BUSY;
use crate::audit::{AuditError, AuditPlaces};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use std::path::PathBuf;

/// A log opened for reading only: for the panel, `verify` and export. Creates and changes nothing.
pub struct AuditReader {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
}

impl AuditReader {
    /// Opens the log at `places`; `None` where there is none yet.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn open(places: &AuditPlaces) -> Result<Option<Self>, AuditError> {
        let path = places.log();
        if !path.exists() {
            return Ok(None);
        }
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(
                &path,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )
            .or_else(|_| Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY))?;
            connection.busy_timeout(BUSY)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "mmap_size", 1_i64 << 30)?;
            connection.pragma_update(None, "cache_size", -65_536)?;
            Ok(connection)
        };
        let connection = open().map_err(|error| store_error(&path, &error))?;
        Ok(Some(Self { connection, path }))
    }

    pub(super) fn error(&self, error: &rusqlite::Error) -> AuditError {
        store_error(&self.path, error)
    }

    /// Where the chain's key is and its name there, as recorded when the log was created.
    ///
    /// # Errors
    /// When the first record can't be read.
    pub fn key_location(&self) -> Result<Option<(KeyPlace, String)>, AuditError> {
        key_location(&self.connection).map_err(|error| self.error(&error))
    }
}

/// The newest record's place, as the head at `places` gives it.
pub(super) fn stored_head(places: &AuditPlaces) -> Result<Option<Head>, AuditError> {
    let path = places.head().map_err(|error| file_error(&places.data, &error))?;
    read_head(&path).map_err(|error| file_error(&path, &error))
}

/// Where the key of the log behind `connection` is, and its name there.
pub(super) fn key_location(connection: &Connection) -> rusqlite::Result<Option<(KeyPlace, String)>> {
    let found: Option<(String, String)> = connection
        .query_row("SELECT place, name FROM chain_key", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(found.and_then(|(place, name)| Some((KeyPlace::from_word(&place)?, name))))
}
