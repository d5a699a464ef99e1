//! The log on disk: one SQLite file, one write point, every append durable before it returns.

use crate::audit::chain::{ChainKey, Content, Mac};
use crate::audit::fault::{file_error, store_error};
use crate::audit::head::{Head, HeadFile};
use crate::audit::key::KeyStore;
use crate::audit::reader::key_location;
use crate::audit::record::{COLUMNS, Link, Record, SCHEMA};
use crate::audit::redact::Redactor;
use crate::audit::standing::standing;
use crate::audit::{AuditError, AuditLog, Entry, Phase, Standing};
use crate::clock::Clock;
use crate::private;
use assent_policy::Behavior;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

/// The log's file name in the data folder.
pub const FILE_NAME: &str = "audit.sqlite";
/// The schema this build reads and writes.
const VERSION: i64 = 1;
/// How long an append waits for another process's append.
pub(super) const BUSY: Duration = Duration::from_secs(2);

/// Where a log and its head are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditPlaces {
    /// The data folder, which holds the log.
    pub data: PathBuf,
    /// The state folder, which holds the head.
    pub state: PathBuf,
}

impl AuditPlaces {
    /// The log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.data.join(FILE_NAME)
    }

    /// The head.
    ///
    /// # Errors
    /// When the data folder can't be resolved.
    pub fn head(&self) -> std::io::Result<PathBuf> {
        Ok(HeadFile::path(&self.state, &self.data.canonicalize()?))
    }
}

/// The append-only log.
pub struct AuditStore {
    writer: Mutex<Writer>,
    redactor: RwLock<Redactor>,
    clock: Arc<dyn Clock>,
    places: AuditPlaces,
}

struct Writer {
    connection: Connection,
    key: ChainKey,
    head: HeadFile,
    tip: Head,
    /// Sequence of the intent of each call that has no outcome yet, by call and run.
    open: HashMap<(String, String), i64>,
    content: Content,
}

impl AuditStore {
    /// Opens the log, creating it where there has never been one.
    ///
    /// # Errors
    /// When it can't be written, its key is out of reach, or the chain doesn't reach the head.
    pub fn open(
        places: AuditPlaces,
        keys: &dyn KeyStore,
        clock: Arc<dyn Clock>,
        redactor: Redactor,
    ) -> Result<Self, AuditError> {
        create_private(&places.data).map_err(|error| file_error(&places.data, &error))?;
        create_private(&places.state).map_err(|error| file_error(&places.state, &error))?;
        let head_path = places.head().map_err(|error| file_error(&places.data, &error))?;
        let mut head = HeadFile::open(head_path).map_err(|error| file_error(&places.state, &error))?;
        let known = head.read().map_err(|error| file_error(head.location(), &error))?;
        let path = places.log();
        if !path.exists() && known.is_some_and(|head| head.seq > 0) {
            return Err(AuditError::Chain(format!(
                "{} is gone, but {} says it had records; bring it back, or move the head away to begin a new log",
                path.display(),
                head.location().display()
            )));
        }
        // Before the first record: what SQLite puts beside the log gets the log's mode.
        private::claim(&path).map_err(|error| file_error(&path, &error))?;
        let mut connection = Connection::open(&path).map_err(|error| store_error(&path, &error))?;
        configure(&connection).map_err(|error| store_error(&path, &error))?;
        let now = to_i64(clock.now_ms());
        let key = prepare(&mut connection, &path, keys, now)?;
        let mut writer = Writer {
            connection,
            key,
            head,
            tip: Head::EMPTY,
            open: HashMap::new(),
            content: Content::default(),
        };
        writer.catch_up(&path)?;
        let uncertain = known.is_none() && writer.tip.seq > 1;
        if known.is_none() {
            let tip = writer.tip;
            writer.head.advance(tip, true).map_err(|error| file_error(writer.head.location(), &error))?;
        }
        let store = Self { writer: Mutex::new(writer), redactor: RwLock::new(redactor), clock, places };
        if uncertain {
            store.append(&[Entry::event(
                "audit_head_missing",
                "The head file was missing: records before this one may have been cut off.",
                Value::Null,
            )])?;
        }
        Ok(store)
    }

    /// Where it is.
    #[must_use]
    pub fn places(&self) -> &AuditPlaces {
        &self.places
    }

    /// How SQLite keeps what is appended: its journal and how it flushes.
    #[cfg(test)]
    fn durability_for_test(&self) -> (String, i64) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mode = writer.connection.pragma_query_value(None, "journal_mode", |row| row.get(0));
        let synchronous = writer.connection.pragma_query_value(None, "synchronous", |row| row.get(0));
        (mode.unwrap(), synchronous.unwrap())
    }

    /// Has everything that is asked of the head's file written down.
    #[cfg(test)]
    pub(super) fn record_head_for_test(&self, recording: &crate::audit::recording::Recording) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let head = HeadFile::open(writer.head.location().to_owned()).unwrap();
        writer.head = recording.under(head);
    }

    /// Makes the next large append fail as on a full disk.
    #[cfg(test)]
    fn limit_pages_for_test(&self) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.connection.pragma_update(None, "max_page_count", 40).unwrap();
    }

    /// Replaces the secrets that are taken out, after a key was added or removed.
    pub fn set_redactor(&self, redactor: Redactor) {
        *self.redactor.write().unwrap_or_else(PoisonError::into_inner) = redactor;
    }
}

impl AuditLog for AuditStore {
    fn append(&self, entries: &[Entry]) -> Result<(), AuditError> {
        let now = to_i64(self.clock.now_ms());
        let redactor = self.redactor.read().unwrap_or_else(PoisonError::into_inner);
        let records: Vec<Record> = entries.iter().map(|entry| draft(entry, &redactor, now)).collect();
        drop(redactor);
        let durable_head = entries.iter().any(|entry| entry.phase == Phase::Outcome);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.append(records, &self.places.log(), durable_head)
    }

    fn standing(&self, session: &str, call: &str) -> Result<Option<Standing>, AuditError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        standing(&writer.connection, session, call).map_err(|error| store_error(&self.places.log(), &error))
    }
}

impl Writer {
    /// The one write point.
    fn append(
        &mut self,
        mut records: Vec<Record>,
        path: &Path,
        durable_head: bool,
    ) -> Result<(), AuditError> {
        let store = |error: rusqlite::Error| store_error(path, &error);
        let vouched = self.head.read().map_err(|error| file_error(self.head.location(), &error))?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(store)?;
        let tip = last(&transaction).map_err(store)?;
        if tip != self.tip || vouched.is_some_and(|head| head.seq > tip.seq) {
            drop(transaction);
            self.catch_up(path)?;
            return self.append(records, path, durable_head);
        }
        let mut previous = tip;
        let mut opened: HashMap<(String, String), i64> = HashMap::new();
        for record in &mut records {
            record.seq = previous.seq + 1;
            record.call_seq = match record.phase.as_str() {
                "intent" => {
                    opened.insert((record.call.clone(), record.run.clone()), record.seq);
                    record.seq
                }
                "event" => record.seq,
                _ => {
                    let call = (record.call.clone(), record.run.clone());
                    match opened.get(&call).or_else(|| self.open.get(&call)) {
                        Some(seq) => *seq,
                        None => intent_of(&transaction, &call).map_err(store)?.ok_or_else(|| {
                            AuditError::Order(format!(
                                "{} of call {} without its intent",
                                record.phase, record.call
                            ))
                        })?,
                    }
                }
            };
            record.seal(&self.key, previous.mac, &mut self.content);
            record.insert(&transaction).map_err(store)?;
            previous = Head { seq: record.seq, mac: record.mac };
        }
        transaction.commit().map_err(store)?;
        self.tip = previous;
        self.open.extend(opened);
        for record in records.iter().filter(|record| record.phase == "outcome") {
            self.open.remove(&(record.call.clone(), record.run.clone()));
        }
        self.head.advance(previous, durable_head).map_err(|error| file_error(self.head.location(), &error))
    }

    /// Follows what other processes appended since, and makes sure that the chain reaches the head.
    fn catch_up(&mut self, path: &Path) -> Result<(), AuditError> {
        let store = |error: rusqlite::Error| store_error(path, &error);
        let head = self
            .head
            .read()
            .map_err(|error| file_error(self.head.location(), &error))?
            .unwrap_or(Head::EMPTY);
        let tip = last(&self.connection).map_err(store)?;
        if tip.seq < head.seq {
            return Err(AuditError::Chain(format!(
                "{} ends at record {}, but had come to {}: records were cut off or it was replaced by an older copy; \
                 `assent audit verify` says more",
                path.display(),
                tip.seq,
                head.seq
            )));
        }
        if tip == self.tip && head.seq <= self.tip.seq {
            return Ok(());
        }
        // Everything past what is known here or vouched for by the head must hang together.
        let mut previous = if self.tip == Head::EMPTY { head } else { self.tip };
        let broken = |seq: i64| {
            AuditError::Chain(format!(
                "{}: record {seq} isn't what was written; `assent audit verify` says more",
                path.display()
            ))
        };
        if previous.seq > 0 && mac_at(&self.connection, previous.seq).map_err(store)? != Some(previous.mac) {
            return Err(broken(previous.seq));
        }
        let mut statement = self
            .connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM records WHERE seq > ?1 ORDER BY seq"))
            .map_err(store)?;
        let mut rows = statement.query(params![previous.seq]).map_err(store)?;
        while let Some(row) = rows.next().map_err(store)? {
            let link = Link::from_row(row, &self.key, &mut self.content, None).map_err(store)?;
            if !link.intact || link.seq != previous.seq + 1 || link.previous != previous.mac {
                return Err(broken(previous.seq + 1));
            }
            previous = Head { seq: link.seq, mac: link.mac };
        }
        self.tip = previous;
        Ok(())
    }
}

fn draft(entry: &Entry, redactor: &Redactor, now: i64) -> Record {
    let text = |text: &str| redactor.text(text);
    let verdicts: Vec<Value> = entry
        .verdicts
        .iter()
        .map(|verdict| {
            json!({
                "source": verdict.source.as_str(),
                "behavior": verdict.behavior.as_str(),
                "reason": text(verdict.reason.as_str()),
            })
        })
        .collect();
    let asked = entry.phase == Phase::Decision
        && (!entry.surface.is_empty()
            || entry.verdicts.iter().map(|verdict| verdict.behavior).max() == Some(Behavior::Ask));
    let targets: Vec<Value> = entry.targets.iter().map(|target| Value::String(text(target))).collect();
    Record {
        seq: 0,
        time_ms: now,
        phase: entry.phase.as_str().to_owned(),
        session: entry.session.clone(),
        run: entry.run.clone(),
        call: entry.call.clone(),
        call_seq: 0,
        tool: text(&entry.tool),
        behavior: entry.behavior.clone(),
        asked: i64::from(asked),
        source: text(&entry.source),
        reason: text(&entry.reason),
        verdicts: Value::Array(verdicts).to_string(),
        risk: entry.risk.clone(),
        digest: entry.digest.clone(),
        approver: entry.approver.clone(),
        surface: entry.surface.clone(),
        policy_version: entry.policy_version.clone(),
        sandbox: entry.sandbox.clone(),
        targets: Value::Array(targets).to_string(),
        arguments: redactor.value(&entry.arguments).to_string(),
        outcome: entry.outcome.clone(),
        duration_ms: to_i64(entry.duration_ms),
        attempt: i64::from(entry.attempt),
        previous_mac: Mac::ZERO,
        mac: Mac::ZERO,
    }
}

/// Brings the file to the current schema. A fresh one gets its key and its first record; an old one gives its key back.
fn prepare(
    connection: &mut Connection,
    path: &Path,
    keys: &dyn KeyStore,
    now: i64,
) -> Result<ChainKey, AuditError> {
    let store = |error: rusqlite::Error| store_error(path, &error);
    // Immediate, so that two first starts can't make two keys.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(store)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(store)?;
    if version > VERSION {
        return Err(AuditError::Store(format!("{} was made by a newer version of Assent", path.display())));
    }
    if version == VERSION {
        let (place, name) = key_location(&transaction).map_err(store)?.ok_or_else(|| {
            AuditError::Chain(format!("{}: where its key is isn't known any more", path.display()))
        })?;
        return Ok(ChainKey::new(&keys.load(&name, place)?));
    }
    let mut secret = [0; ChainKey::LENGTH];
    let mut name = [0; 8];
    getrandom::fill(&mut secret)
        .and_then(|()| getrandom::fill(&mut name))
        .map_err(|error| AuditError::Key(format!("no randomness: {error}")))?;
    let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
    let place = keys.create(&name, &secret)?;
    let key = ChainKey::new(&secret);
    transaction.execute_batch(SCHEMA).map_err(store)?;
    let created = Entry::event(
        "audit_created",
        "The log begins here.",
        json!({ "key_place": place.as_str(), "key_name": name }),
    );
    let mut record = draft(&created, &Redactor::default(), now);
    // "key_name" is where the key is, not what it is.
    record.arguments = created.arguments.to_string();
    record.seq = 1;
    record.call_seq = 1;
    record.seal(&key, Mac::ZERO, &mut Content::default());
    record.insert(&transaction).map_err(store)?;
    transaction
        .execute("INSERT INTO chain_key VALUES (?1, ?2)", params![place.as_str(), name])
        .map_err(store)?;
    transaction.commit().map_err(store)?;
    Ok(key)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // A short WAL is soon written over instead of grown: each flush then carries no change of the file's size.
    connection.pragma_update(None, "wal_autocheckpoint", 200)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}

fn last(connection: &Connection) -> rusqlite::Result<Head> {
    let mut statement =
        connection.prepare_cached("SELECT seq, mac FROM records ORDER BY seq DESC LIMIT 1")?;
    let found = statement
        .query_row([], |row| {
            let mac: Vec<u8> = row.get(1)?;
            Ok(Head { seq: row.get(0)?, mac: Mac::from_bytes(&mac).unwrap_or(Mac::ZERO) })
        })
        .optional()?;
    Ok(found.unwrap_or(Head::EMPTY))
}

fn mac_at(connection: &Connection, seq: i64) -> rusqlite::Result<Option<Mac>> {
    let bytes: Option<Vec<u8>> = connection
        .prepare_cached("SELECT mac FROM records WHERE seq = ?1")?
        .query_row(params![seq], |row| row.get(0))
        .optional()?;
    Ok(bytes.and_then(|bytes| Mac::from_bytes(&bytes)))
}

fn intent_of(transaction: &Transaction<'_>, call: &(String, String)) -> rusqlite::Result<Option<i64>> {
    transaction
        .prepare_cached(
            "SELECT seq FROM records WHERE phase = 'intent' AND call = ?1 AND run = ?2 ORDER BY seq DESC LIMIT 1",
        )?
        .query_row(params![call.0, call.1], |row| row.get(0))
        .optional()
}

fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn to_i64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
