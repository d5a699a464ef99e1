//! The tables, and how an older file becomes a newer one: always on a copy's back.

use super::StoreError;
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;

/// The schema this build reads and writes.
pub(super) const VERSION: i64 = 1;

const TABLES: &str = "
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    named INTEGER NOT NULL DEFAULT 0,
    workspace TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_time ON sessions (archived, updated_ms DESC);
CREATE TABLE items (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE drafts (
    session TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (session UNINDEXED, seq UNINDEXED, text, tokenize = 'unicode61');
";

/// Opens the file, creates the tables or brings them up to date.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let fault = |error: rusqlite::Error| StoreError::file(path, &error);
    let connection = Connection::open(path).map_err(fault)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(fault)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(fault)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(fault)?;
    connection.pragma_update(None, "foreign_keys", "ON").map_err(fault)?;
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fault)?;
    if version > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), version });
    }
    if version == 0 {
        connection
            .execute_batch(&format!("BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))
            .or_else(|error| settled_elsewhere(&connection).then_some(()).ok_or(error))
            .map_err(fault)?;
    }
    Ok(connection)
}

/// Another process may have created the tables in the meantime.
fn settled_elsewhere(connection: &Connection) -> bool {
    // The failed batch may have left its transaction open.
    let _ = connection.execute_batch("ROLLBACK");
    connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        .is_ok_and(|version| version == VERSION)
}
