//! Sessions and their items: listed, added to, renamed, archived, deleted.

use super::schema::{self, Flush};
use super::{Item, SessionRecord, StoredItem};
use crate::clock::Clock;
use crate::erasure;
use crate::fulltext;
use crate::model::Message;
use crate::private;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file's name in the data folder.
pub const FILE_NAME: &str = "sessions.sqlite";
/// Characters of the first message that become the title.
const TITLE_LENGTH: usize = 60;

/// All sessions.
pub struct SessionStore {
    connection: Mutex<Connection>,
    clock: Arc<dyn Clock>,
    path: PathBuf,
}

/// Which sessions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this workspace.
    pub workspace: Option<String>,
    /// The archived ones instead of the others.
    pub archived: bool,
    /// Only those in which these words occur.
    pub words: String,
    /// At most so many, newest first.
    pub limit: usize,
}

/// Sessions can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file.
    #[error("use {}: {why}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What SQLite said.
        why: String,
    },
    /// A newer build wrote it.
    #[error("use {}: it was written by a newer Assent (schema {version}); update Assent, or move the file away", path.display())]
    Newer {
        /// Which.
        path: PathBuf,
        /// Its schema.
        version: i64,
    },
    /// There is no such session.
    #[error("find the session {0}")]
    Unknown(String),
    /// An item that can't be read.
    #[error("read item {seq} of the session {session}: {why}")]
    Item {
        /// The session.
        session: String,
        /// The item.
        seq: i64,
        /// What is wrong with it.
        why: String,
    },
}

impl StoreError {
    pub(super) fn file(path: &Path, error: &rusqlite::Error) -> Self {
        Self::File { path: path.to_owned(), why: error.to_string() }
    }
}

impl SessionStore {
    /// Opens the sessions of the data folder, creating it where it isn't there.
    ///
    /// # Errors
    /// When the file can't be opened or was written by a newer build.
    pub fn open(data: &Path, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let path = data.join(FILE_NAME);
        std::fs::create_dir_all(data)
            .map_err(|error| StoreError::File { path: data.to_owned(), why: error.to_string() })?;
        // Where the file system has no modes there is nothing to set.
        if let Err(error) = private::claim(&path) {
            tracing::warn!(%error, "the sessions' file keeps its mode");
        }
        let connection = schema::open(&path)?;
        Ok(Self { connection: Mutex::new(connection), clock, path })
    }

    /// Begins a session.
    ///
    /// # Errors
    /// When it can't be stored.
    pub fn create(&self, id: &str, workspace: &str) -> Result<(), StoreError> {
        let now = to_i64(self.clock.now_ms());
        self.connection()
            .execute(
                "INSERT INTO sessions (id, title, workspace, created_ms, updated_ms) VALUES (?1, '', ?2, ?3, ?3)",
                params![id, workspace, now],
            )
            .map_err(|error| self.fault(&error))?;
        Ok(())
    }

    /// One session.
    ///
    /// # Errors
    /// When it isn't there.
    pub fn session(&self, id: &str) -> Result<SessionRecord, StoreError> {
        self.connection()
            .query_row(&format!("SELECT {FIELDS} FROM sessions WHERE id = ?1"), [id], record)
            .optional()
            .map_err(|error| self.fault(&error))?
            .ok_or_else(|| StoreError::Unknown(id.to_owned()))
    }

    /// The sessions that fit, newest first.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn list(&self, filter: &Filter) -> Result<Vec<SessionRecord>, StoreError> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let found = match fulltext::query(&filter.words) {
            Some(query) => Some(query),
            None if filter.words.trim().is_empty() => None,
            None => return Ok(Vec::new()),
        };
        let sql = format!(
            "SELECT {FIELDS} FROM sessions WHERE archived = ?1 AND (?2 IS NULL OR workspace = ?2)
             AND (?3 IS NULL OR id IN (SELECT session FROM words WHERE words MATCH ?3)) ORDER BY updated_ms DESC LIMIT ?4"
        );
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&sql).map_err(|error| self.fault(&error))?;
        statement
            .query_map(params![filter.archived, filter.workspace, found, limit], record)
            .and_then(Iterator::collect)
            .map_err(|error| self.fault(&error))
    }

    /// Adds `item` at the end and clears the draft; it is on the disk when this returns. The first user message names the
    /// session, and once a cut has taken that out, the one after it.
    ///
    /// # Errors
    /// When it can't be stored, or there is no such session.
    pub fn append(&self, session: &str, item: &Item) -> Result<i64, StoreError> {
        let now = to_i64(self.clock.now_ms());
        let (kind, body) =
            encode(item).map_err(|why| StoreError::Item { session: session.to_owned(), seq: 0, why })?;
        let mut connection = self.connection();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.fault(&error))?;
        let seq =
            insert(&transaction, session, now, kind, &body, item).map_err(|error| self.fault(&error))?;
        let Some(seq) = seq else { return Err(StoreError::Unknown(session.to_owned())) };
        transaction.commit().map_err(|error| self.fault(&error))?;
        Ok(seq)
    }

    /// Begins a session with all that is in it: the whole of it, or nothing.
    ///
    /// # Errors
    /// When it can't be stored.
    pub(super) fn add_whole(
        &self,
        session: &str,
        workspace: &str,
        title: &str,
        items: &[Item],
    ) -> Result<(), StoreError> {
        let now = to_i64(self.clock.now_ms());
        let mut connection = self.connection();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.fault(&error))?;
        transaction
            .execute(
                "INSERT INTO sessions (id, title, named, workspace, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
                params![session, title.trim(), !title.trim().is_empty(), workspace, now],
            )
            .map_err(|error| self.fault(&error))?;
        for item in items {
            let (kind, body) =
                encode(item).map_err(|why| StoreError::Item { session: session.to_owned(), seq: 0, why })?;
            insert(&transaction, session, now, kind, &body, item).map_err(|error| self.fault(&error))?;
        }
        transaction.commit().map_err(|error| self.fault(&error))
    }

    /// The newest `limit` items before `before`, oldest first.
    ///
    /// # Errors
    /// When one can't be read.
    pub fn items(
        &self,
        session: &str,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<StoredItem>, StoreError> {
        let connection = self.connection();
        let mut statement = connection
            .prepare_cached("SELECT seq, time_ms, body FROM items WHERE session = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3")
            .map_err(|error| self.fault(&error))?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows: Vec<(i64, i64, String)> = statement
            .query_map(params![session, before.unwrap_or(i64::MAX), limit], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .and_then(Iterator::collect)
            .map_err(|error| self.fault(&error))?;
        rows.into_iter()
            .rev()
            .map(|(seq, time, body)| {
                let item = serde_json::from_str(&body).map_err(|error| StoreError::Item {
                    session: session.to_owned(),
                    seq,
                    why: error.to_string(),
                })?;
                Ok(StoredItem { seq, time_ms: to_u64(time), item })
            })
            .collect()
    }

    /// Keeps what has streamed so far; `append` clears it. At most one a session. It survives a crash of the app, not a
    /// power cut: a stream doesn't wait for the disk.
    ///
    /// # Errors
    /// When it can't be stored.
    pub fn save_draft(&self, session: &str, text: &str, reasoning: &str) -> Result<(), StoreError> {
        let connection = self.connection();
        schema::flush(&connection, Flush::Later).map_err(|error| self.fault(&error))?;
        let saved = connection.execute(
            "INSERT INTO drafts (session, text, reasoning) VALUES (?1, ?2, ?3)
             ON CONFLICT (session) DO UPDATE SET text = excluded.text, reasoning = excluded.reasoning",
            params![session, text, reasoning],
        );
        let flushed = schema::flush(&connection, Flush::EachCommit);
        saved.map(drop).and(flushed).map_err(|error| self.fault(&error))
    }

    /// What had streamed when the app ended: text and thinking.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn draft(&self, session: &str) -> Result<Option<(String, String)>, StoreError> {
        self.connection()
            .query_row("SELECT text, reasoning FROM drafts WHERE session = ?1", [session], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(|error| self.fault(&error))
    }

    /// Gives it a name that stays.
    ///
    /// # Errors
    /// When it can't be stored, or there is no such session.
    pub fn rename(&self, session: &str, title: &str) -> Result<(), StoreError> {
        self.change(session, "UPDATE sessions SET title = ?2, named = 1 WHERE id = ?1", title.trim())
    }

    /// Puts it away, or takes it back.
    ///
    /// # Errors
    /// When it can't be stored, or there is no such session.
    pub fn archive(&self, session: &str, archived: bool) -> Result<(), StoreError> {
        self.change(session, "UPDATE sessions SET archived = ?2 WHERE id = ?1", archived)
    }

    /// The session's folder was moved there.
    ///
    /// # Errors
    /// When it can't be stored, or there is no such session.
    pub fn relocate(&self, session: &str, workspace: &str) -> Result<(), StoreError> {
        self.change(session, "UPDATE sessions SET workspace = ?2 WHERE id = ?1", workspace)
    }

    /// Removes it with everything that was said; the audit stays. Its words may stand in the index and the log of writes
    /// until [`erase`](Self::erase).
    ///
    /// # Errors
    /// When it can't be removed, or there is no such session.
    pub fn delete(&self, session: &str) -> Result<(), StoreError> {
        let mut connection = self.connection();
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| self.fault(&error))?;
        transaction
            .execute("DELETE FROM words WHERE session = ?1", [session])
            .map_err(|error| self.fault(&error))?;
        let gone = transaction
            .execute("DELETE FROM sessions WHERE id = ?1", [session])
            .map_err(|error| self.fault(&error))?;
        transaction.commit().map_err(|error| self.fault(&error))?;
        if gone == 0 { Err(StoreError::Unknown(session.to_owned())) } else { Ok(()) }
    }

    /// Takes what was deleted out of the index, the log of writes and the copies of older files. It reads the whole index:
    /// not for a thread that somebody waits for.
    ///
    /// # Errors
    /// When the index can't be written, or a copy can't be removed.
    pub fn erase(&self) -> Result<(), StoreError> {
        let connection = self.connection();
        connection.execute_batch(MERGE).map_err(|error| self.fault(&error))?;
        erasure::empty_log(&connection);
        schema::remove_copies(&self.path)
    }

    /// Leaves nothing of what was removed in the file, its index and its log of writes, nor in copies of older files,
    /// whatever build removed it.
    ///
    /// # Errors
    /// When the file can't be written anew, or a copy can't be removed.
    pub fn purge(&self) -> Result<(), StoreError> {
        // The copies first: what is written anew needs room.
        let copies = schema::remove_copies(&self.path);
        let connection = self.connection();
        connection.execute_batch(MERGE).map_err(|error| self.fault(&error))?;
        connection.execute_batch("VACUUM").map_err(|error| self.fault(&error))?;
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_read = connection.query_row(checkpoint, [], |row| row.get::<_, bool>(0));
        if is_read.map_err(|error| self.fault(&error))? {
            let why = "another process reads it, so that what was deleted stays in its log".to_owned();
            return Err(StoreError::File { path: self.path.clone(), why });
        }
        copies
    }

    fn change(&self, session: &str, sql: &str, value: impl rusqlite::ToSql) -> Result<(), StoreError> {
        let changed =
            self.connection().execute(sql, params![session, value]).map_err(|error| self.fault(&error))?;
        if changed == 0 { Err(StoreError::Unknown(session.to_owned())) } else { Ok(()) }
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn fault(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::file(&self.path, error)
    }
}

/// One segment of the index instead of several: what was deleted from it is in none any more (FTS5, "optimize").
const MERGE: &str = "INSERT INTO words (words) VALUES ('optimize')";

const FIELDS: &str = "id, title, workspace, created_ms, updated_ms, archived";

fn record(row: &rusqlite::Row<'_>) -> rusqlite::Result<SessionRecord> {
    Ok(SessionRecord {
        id: row.get(0)?,
        title: row.get(1)?,
        workspace: row.get(2)?,
        created_ms: to_u64(row.get(3)?),
        updated_ms: to_u64(row.get(4)?),
        archived: row.get(5)?,
    })
}

fn encode(item: &Item) -> Result<(&'static str, String), String> {
    let kind = match item {
        Item::Message(_) => "message",
        Item::Call { .. } => "call",
        Item::Notice { .. } => "notice",
        Item::RunEnd { .. } => "run_end",
        Item::Compaction { .. } => "compaction",
        Item::Cut { .. } => "cut",
    };
    serde_json::to_string(item).map(|body| (kind, body)).map_err(|error| error.to_string())
}

/// `None` where there is no such session.
fn insert(
    transaction: &Transaction<'_>,
    session: &str,
    now: i64,
    kind: &str,
    body: &str,
    item: &Item,
) -> rusqlite::Result<Option<i64>> {
    if transaction.execute("UPDATE sessions SET updated_ms = ?2 WHERE id = ?1", params![session, now])? == 0 {
        return Ok(None);
    }
    let seq: i64 = transaction.query_row(
        "INSERT INTO items (session, seq, time_ms, kind, body)
         VALUES (?1, (SELECT coalesce(max(seq), 0) + 1 FROM items WHERE session = ?1), ?2, ?3, ?4) RETURNING seq",
        params![session, now, kind, body],
        |row| row.get(0),
    )?;
    if let Some(text) = words(item) {
        transaction.execute(
            "INSERT INTO words (session, seq, text) VALUES (?1, ?2, ?3)",
            params![session, seq, fulltext::indexed(text)],
        )?;
    }
    if let Item::Message(message) = item {
        transaction.execute("DELETE FROM drafts WHERE session = ?1", [session])?;
        if let Message::User { text, .. } = message {
            transaction.execute(
                "UPDATE sessions SET title = ?2 WHERE id = ?1 AND named = 0 AND title = ''",
                params![session, title(text)],
            )?;
        }
    }
    if let Item::Cut { from_seq } = item {
        transaction.execute(NAMELESS, params![session, from_seq])?;
    }
    Ok(Some(seq))
}

/// Takes the first message's words out of the title where a cut from `?2` on leaves no message: they were replaced.
const NAMELESS: &str = "UPDATE sessions SET title = '' WHERE id = ?1 AND named = 0 AND NOT EXISTS (
    SELECT 1 FROM items kept WHERE kept.session = ?1 AND kept.kind = 'message' AND kept.seq < ?2 AND NOT EXISTS (
        SELECT 1 FROM items cut WHERE cut.session = ?1 AND cut.kind = 'cut' AND cut.seq > kept.seq
        AND json_extract(cut.body, '$.body.from_seq') <= kept.seq))";

/// What a person would search for; tool results are in the audit.
fn words(item: &Item) -> Option<&str> {
    let text = match item {
        Item::Message(Message::User { text, .. }) => text.as_str(),
        Item::Message(Message::Assistant(reply)) => reply.text.as_str(),
        Item::Compaction { summary, .. } => summary.as_str(),
        Item::Message(Message::Tool(_))
        | Item::Call { .. }
        | Item::Notice { .. }
        | Item::RunEnd { .. }
        | Item::Cut { .. } => "",
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// The first line, cut at a word where there is one.
fn title(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if line.chars().count() <= TITLE_LENGTH {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE_LENGTH).collect();
    let head = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head);
    format!("{}…", head.trim_end())
}

fn to_i64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn to_u64(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
