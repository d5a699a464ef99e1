//! Waiting calls on disk: every change is one compare-and-set, so the first answer wins across processes too.

use super::{Answer, Approval, Surface};
use crate::erasure;
use crate::private;
use assent_policy::CallDigest;
use assent_policy::request::PermissionRequest;
use rusqlite::{Connection, Row, params};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The store's file name in the data folder.
pub const FILE_NAME: &str = "approvals.sqlite";
const VERSION: i64 = 2;
/// Settled approvals are kept this long, ms: the audit log has them for good.
const KEPT_MS: u64 = 24 * 60 * 60 * 1000;

const SCHEMA: &str = "
CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    nonce TEXT NOT NULL,
    digest TEXT NOT NULL,
    owner TEXT NOT NULL,
    session TEXT NOT NULL,
    run TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    workspace TEXT NOT NULL,
    request TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    state TEXT NOT NULL,
    surface TEXT NOT NULL DEFAULT '',
    words TEXT,
    delivered INTEGER NOT NULL DEFAULT 0,
    consumed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX approvals_waiting ON approvals (created_ms) WHERE state = 'waiting';
CREATE INDEX approvals_unfinished ON approvals (owner, created_ms) WHERE consumed = 0;
CREATE INDEX approvals_call ON approvals (session, call_id);
PRAGMA user_version = 2;
";
/// From the first version, which knew no `consumed`.
const FROM_1: &str = "
ALTER TABLE approvals ADD COLUMN consumed INTEGER NOT NULL DEFAULT 0;
UPDATE approvals SET consumed = 1 WHERE delivered = 1;
CREATE INDEX approvals_unfinished ON approvals (owner, created_ms) WHERE consumed = 0;
PRAGMA user_version = 2;
";
const COLUMNS: &str = "id, nonce, digest, owner, session, run, call_id, tool, workspace, request, created_ms, \
    expires_ms, state, surface, words";

/// The stored state can't be read or changed; whoever waits is denied.
#[derive(Debug, thiserror::Error)]
#[error("store the approval: {0}")]
pub struct ApprovalStoreError(String);

impl From<rusqlite::Error> for ApprovalStoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// The table of waiting and settled calls.
#[derive(Debug)]
pub struct ApprovalStore(Mutex<Connection>);

/// A stored approval and how it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// What was asked.
    pub approval: Approval,
    /// `None` while it waits.
    pub answer: Option<Answer>,
}

impl ApprovalStore {
    /// Opens the store in the data folder `data`, creating it.
    ///
    /// # Errors
    /// When it can't be used.
    pub fn open(data: &Path, now_ms: u64) -> Result<Self, ApprovalStoreError> {
        std::fs::create_dir_all(data).map_err(|error| ApprovalStoreError(error.to_string()))?;
        // It holds arguments as they were shown; the folder may be open to others.
        let path = data.join(FILE_NAME);
        private::claim(&path).map_err(|error| ApprovalStoreError(error.to_string()))?;
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(erasure::BUSY)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        match transaction.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))? {
            0 => transaction.execute_batch(SCHEMA)?,
            1 => transaction.execute_batch(FROM_1)?,
            VERSION => {}
            _ => return Err(ApprovalStoreError("it was made by a newer version of Assent".to_owned())),
        }
        transaction.execute(
            "DELETE FROM approvals WHERE state <> 'waiting' AND expires_ms < ?1",
            params![to_i64(now_ms.saturating_sub(KEPT_MS))],
        )?;
        transaction.commit()?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Stores a waiting approval.
    ///
    /// # Errors
    /// When it can't be stored for certain; then it must not be shown.
    pub fn insert(&self, approval: &Approval) -> Result<(), ApprovalStoreError> {
        let request = serde_json::to_string(&approval.request)
            .map_err(|error| ApprovalStoreError(error.to_string()))?;
        self.lock().execute(
            "INSERT INTO approvals (id, nonce, digest, owner, session, run, call_id, tool, workspace, request, \
             created_ms, expires_ms, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'waiting')",
            params![
                approval.id,
                approval.nonce,
                approval.digest.to_hex(),
                approval.owner,
                approval.session,
                approval.run,
                approval.call_id,
                approval.tool,
                approval.workspace,
                request,
                to_i64(approval.created_ms),
                to_i64(approval.expires_ms),
            ],
        )?;
        Ok(())
    }

    /// Settles `approval` if it still waits under this very nonce, digest and owner; an allow only before its
    /// expiry. Says whether it did.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn settle(
        &self,
        approval: &Approval,
        answer: &Answer,
        now_ms: u64,
    ) -> Result<bool, ApprovalStoreError> {
        let (state, surface, words) = to_columns(answer);
        let changed = self.lock().execute(
            "UPDATE approvals SET state = ?1, surface = ?2, words = ?3 WHERE id = ?4 AND nonce = ?5 AND digest = ?6 \
             AND owner = ?7 AND state = 'waiting' AND (?1 <> 'allowed' OR expires_ms > ?8)",
            params![
                state,
                surface,
                words,
                approval.id,
                approval.nonce,
                approval.digest.to_hex(),
                approval.owner,
                to_i64(now_ms)
            ],
        )?;
        Ok(changed == 1)
    }

    /// Has every waiting approval of `owner` wait `patience_ms` from when it was asked. Those that now end at another
    /// time, oldest first.
    ///
    /// # Errors
    /// When the store can't be written; none of them changed.
    pub fn reschedule(&self, owner: &str, patience_ms: u64) -> Result<Vec<Approval>, ApprovalStoreError> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        let mut changed: Vec<Approval> = {
            let mut statement = transaction.prepare_cached(&format!(
                "UPDATE approvals SET expires_ms = created_ms + ?1 WHERE owner = ?2 AND state = 'waiting' \
                 AND expires_ms <> created_ms + ?1 RETURNING {COLUMNS}"
            ))?;
            let rows = statement.query_map(params![to_i64(patience_ms), owner], read)?;
            rows.filter_map(|row| row.map(|stored| stored.map(|it| it.approval)).transpose())
                .collect::<rusqlite::Result<_>>()?
        };
        transaction.commit()?;
        changed.sort_by(|one, other| (one.created_ms, &one.id).cmp(&(other.created_ms, &other.id)));
        Ok(changed)
    }

    /// Hands the answer of `approval` to whoever asked: once, ever. Says whether this was the time.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn deliver(&self, approval: &Approval) -> Result<bool, ApprovalStoreError> {
        let changed = self.lock().execute(
            "UPDATE approvals SET delivered = 1 WHERE id = ?1 AND nonce = ?2 AND owner = ?3 AND delivered = 0 \
             AND state <> 'waiting'",
            params![approval.id, approval.nonce, approval.owner],
        )?;
        Ok(changed == 1)
    }

    /// Makes a dead owner's call wait for `owner` under a new nonce. An allow whose call never began counts no
    /// more: it waits again. Says whether it did.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn take_over(&self, stored: &Approval, owner: &str, nonce: &str) -> Result<bool, ApprovalStoreError> {
        let changed = self.lock().execute(
            "UPDATE approvals SET owner = ?1, nonce = ?2, state = 'waiting', surface = '', words = NULL, delivered = 0 \
             WHERE id = ?3 AND owner = ?4 AND nonce = ?5 AND consumed = 0 AND state IN ('waiting', 'allowed')",
            params![owner, nonce, stored.id, stored.owner, stored.nonce],
        )?;
        Ok(changed == 1)
    }

    /// Gives a dead owner's answer that denies to `owner`, so that the call gets it when its turn goes on.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn inherit(&self, stored: &Approval, owner: &str) -> Result<bool, ApprovalStoreError> {
        let changed = self.lock().execute(
            "UPDATE approvals SET owner = ?1, delivered = 0 \
             WHERE id = ?2 AND owner = ?3 AND consumed = 0 AND state NOT IN ('waiting', 'allowed')",
            params![owner, stored.id, stored.owner],
        )?;
        Ok(changed == 1)
    }

    /// Nothing can come of this approval any more: what became of its call is on record.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn consume(&self, stored: &Approval) -> Result<(), ApprovalStoreError> {
        self.lock().execute(
            "UPDATE approvals SET consumed = 1, delivered = 1, \
             state = CASE state WHEN 'waiting' THEN 'withdrawn' ELSE state END WHERE id = ?1",
            params![stored.id],
        )?;
        Ok(())
    }

    /// Forgets what was asked in a session, where it is settled: what became of it is on record. Nothing of it stays in
    /// the file.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn forget(&self, session: &str) -> Result<(), ApprovalStoreError> {
        let connection = self.lock();
        connection
            .execute("DELETE FROM approvals WHERE session = ?1 AND state <> 'waiting'", params![session])?;
        erasure::empty_log(&connection);
        Ok(())
    }

    /// The sessions in which something was asked that is kept still.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn sessions(&self) -> Result<Vec<String>, ApprovalStoreError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached("SELECT DISTINCT session FROM approvals")?;
        let sessions = statement.query_map([], |row| row.get(0))?;
        Ok(sessions.collect::<rusqlite::Result<_>>()?)
    }

    /// Everything that waits, oldest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn open_calls(&self) -> Result<Vec<Stored>, ApprovalStoreError> {
        self.select("state = 'waiting' ORDER BY created_ms, id", &[])
    }

    /// Every approval of an owner other than `owner` of which something may still come, oldest first.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn unfinished(&self, owner: &str) -> Result<Vec<Stored>, ApprovalStoreError> {
        self.select("owner <> ?1 AND consumed = 0 ORDER BY created_ms, id", &[owner])
    }

    /// The newest approval of a call whose answer nobody took yet.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn undelivered(&self, session: &str, call_id: &str) -> Result<Option<Stored>, ApprovalStoreError> {
        let found = self.select(
            "session = ?1 AND call_id = ?2 AND delivered = 0 ORDER BY created_ms DESC, id DESC LIMIT 1",
            &[session, call_id],
        )?;
        Ok(found.into_iter().next())
    }

    /// One approval.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn get(&self, id: &str) -> Result<Option<Stored>, ApprovalStoreError> {
        Ok(self.select("id = ?1", &[id])?.into_iter().next())
    }

    fn select(&self, condition: &str, values: &[&str]) -> Result<Vec<Stored>, ApprovalStoreError> {
        let connection = self.lock();
        let mut statement =
            connection.prepare_cached(&format!("SELECT {COLUMNS} FROM approvals WHERE {condition}"))?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), read)?;
        rows.collect::<rusqlite::Result<Vec<Option<Stored>>>>()?
            .into_iter()
            .map(|stored| {
                stored.ok_or_else(|| ApprovalStoreError("a stored approval can't be read".to_owned()))
            })
            .collect()
    }

    /// A test that kills no machine needs no disk flushes.
    #[cfg(test)]
    pub(super) fn without_flushes_for_test(&self) {
        self.lock().pragma_update(None, "synchronous", "OFF").unwrap();
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Option<Stored>> {
    let (digest, request): (String, String) = (row.get(2)?, row.get(9)?);
    let (Some(digest), Ok(request)) =
        (CallDigest::from_hex(&digest), serde_json::from_str::<PermissionRequest>(&request))
    else {
        return Ok(None);
    };
    let time = |place: usize| row.get::<_, i64>(place).map(|ms| u64::try_from(ms).unwrap_or(0));
    let (state, surface): (String, String) = (row.get(12)?, row.get(13)?);
    let answer = match from_columns(&state, &surface, row.get(14)?) {
        Some(answer) => answer,
        None => return Ok(None),
    };
    Ok(Some(Stored {
        approval: Approval {
            id: row.get(0)?,
            nonce: row.get(1)?,
            digest,
            owner: row.get(3)?,
            session: row.get(4)?,
            run: row.get(5)?,
            call_id: row.get(6)?,
            tool: row.get(7)?,
            workspace: row.get(8)?,
            request,
            created_ms: time(10)?,
            expires_ms: time(11)?,
        },
        answer,
    }))
}

fn to_columns(answer: &Answer) -> (&'static str, &'static str, Option<&str>) {
    match answer {
        Answer::Allowed { surface } => ("allowed", surface.as_str(), None),
        Answer::Denied { surface, words } => ("denied", surface.as_str(), words.as_deref()),
        Answer::Expired => ("expired", "", None),
        Answer::Withdrawn => ("withdrawn", "", None),
        Answer::Unavailable { why } => ("unavailable", "", Some(why)),
    }
}

/// `None` for what this build doesn't know; the inner `None` while it waits.
fn from_columns(state: &str, surface: &str, words: Option<String>) -> Option<Option<Answer>> {
    Some(match state {
        "waiting" => None,
        "allowed" => Some(Answer::Allowed { surface: Surface::from_word(surface)? }),
        "denied" => Some(Answer::Denied { surface: Surface::from_word(surface)?, words }),
        "expired" => Some(Answer::Expired),
        "withdrawn" => Some(Answer::Withdrawn),
        "unavailable" => Some(Answer::Unavailable { why: words.unwrap_or_default() }),
        _ => return None,
    })
}

fn to_i64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
