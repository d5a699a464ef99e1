//! The words of the log, in a file of their own that can be thrown away: appends never wait for it. It is brought
//! up to date in small steps, in the background and before each search.

use crate::audit::AuditReader;
use crate::audit::row::{AuditRow, records_of};
use crate::fulltext;
use crate::private;
use rusqlite::{Connection, TransactionBehavior, params};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The index's file name in the data folder.
const FILE_NAME: &str = "audit-words.sqlite";
/// Records per transaction while catching up: its lock is held for some ten milliseconds.
const BATCH: i64 = 1_024;

/// How much of the log can be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexed {
    /// Records that are indexed, from the oldest.
    pub records: i64,
    /// Records there are.
    pub of: i64,
}

impl Indexed {
    /// Whether nothing is missing.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.records >= self.of
    }
}

/// The index of one log.
pub(super) struct WordIndex {
    pub(super) path: PathBuf,
    connection: Connection,
}

impl WordIndex {
    /// Opens the index beside the log of `reader`, creating it; one that belongs to another log, or is damaged, starts over.
    pub(super) fn open(reader: &AuditReader) -> rusqlite::Result<Self> {
        let path = reader.path.with_file_name(FILE_NAME);
        let log = reader.key_location().ok().flatten().map(|(_, name)| name).unwrap_or_default();
        match Self::try_open(path.clone(), &log) {
            Ok(index) => Ok(index),
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => Err(error),
            Err(_) => {
                for end in ["", "-wal", "-shm"] {
                    let mut name = path.clone().into_os_string();
                    name.push(end);
                    // What isn't there needs no removal; what can't be removed fails in the next line.
                    drop(std::fs::remove_file(name));
                }
                Self::try_open(path, &log)
            }
        }
    }

    fn try_open(path: PathBuf, log: &str) -> rusqlite::Result<Self> {
        // Where it can't be made private it can't be written either, or the file system has no modes.
        if let Err(error) = private::claim(&path) {
            tracing::warn!(%error, "the index of the log keeps its mode");
        }
        let connection = Connection::open(&path)?;
        connection.busy_timeout(Duration::from_secs(2))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS progress (log TEXT NOT NULL, seq INTEGER NOT NULL);
             CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
                 body, content = '', contentless_delete = 1, detail = full, tokenize = 'unicode61');",
        )?;
        let known: i64 =
            connection
                .query_row("SELECT COUNT(*) FROM progress WHERE log = ?1", params![log], |row| row.get(0))?;
        if known != 1 {
            connection
                .execute_batch("DELETE FROM progress; INSERT INTO words(words) VALUES ('delete-all');")?;
            connection.execute("INSERT INTO progress VALUES (?1, 0)", params![log])?;
        }
        Ok(Self { path, connection })
    }

    /// Indexes what was appended since, until `until` at the latest; says how far it came.
    pub(super) fn catch_up(
        &mut self,
        reader: &AuditReader,
        until: Option<Instant>,
    ) -> rusqlite::Result<Indexed> {
        let log = &reader.connection;
        let last: i64 = log.query_row("SELECT COALESCE(MAX(seq), 0) FROM records", [], |row| row.get(0))?;
        loop {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done: i64 = transaction.query_row("SELECT seq FROM progress", [], |row| row.get(0))?;
            if done >= last || until.is_some_and(|until| Instant::now() >= until) {
                return Ok(Indexed { records: done, of: last });
            }
            let next = last.min(done + BATCH);
            let mut calls: Vec<i64> = log
                .prepare_cached("SELECT call_seq FROM records WHERE seq > ?1 AND seq <= ?2")?
                .query_map(params![done, next], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            calls.sort_unstable();
            calls.dedup();
            {
                let mut replace = transaction
                    .prepare_cached("INSERT OR REPLACE INTO words(rowid, body) VALUES (?1, ?2)")?;
                for call in calls {
                    if let Some(row) = AuditRow::fold(&records_of(log, call)?) {
                        replace.execute(params![call, fulltext::indexed(&body(&row))])?;
                    }
                }
            }
            transaction.execute("UPDATE progress SET seq = ?1", params![next])?;
            transaction.commit()?;
        }
    }
}

fn body(row: &AuditRow) -> String {
    let parts = [
        row.tool.as_str(),
        &row.subject,
        &row.reason,
        &row.source,
        &row.behavior,
        &row.surface,
        &row.risk,
        &row.outcome,
    ];
    parts.join(" \n")
}
