//! A stored record: its columns, and the bytes its MAC covers.

use crate::audit::chain::{ChainKey, Content, Mac};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Transaction, params};
use serde::Serialize;

/// A record as it lies in the log. Texts are redacted; `verdicts`, `targets` and `arguments` are JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// 1 for the first record, without gaps.
    pub seq: i64,
    /// Milliseconds since the Unix epoch, UTC.
    pub time_ms: i64,
    /// `intent`, `decision`, `start`, `outcome` or `event`.
    pub phase: String,
    /// The session.
    pub session: String,
    /// The run.
    pub run: String,
    /// The call.
    pub call: String,
    /// Sequence of the call's intent; an event's own.
    pub call_seq: i64,
    /// The tool's name as the model wrote it, or the event's name.
    pub tool: String,
    /// `allow` or `deny`; empty where nothing is decided.
    pub behavior: String,
    /// 1 where a person had to be asked.
    pub asked: i64,
    /// Who decided.
    pub source: String,
    /// Why.
    pub reason: String,
    /// Every verdict.
    pub verdicts: String,
    /// `low` … `critical`.
    pub risk: String,
    /// The call's digest, hex.
    pub digest: String,
    /// The OS user who answered.
    pub approver: String,
    /// Where they answered.
    pub surface: String,
    /// Digest of every layer that decided.
    pub policy_version: String,
    /// The sandbox profile and what of it was in force.
    pub sandbox: String,
    /// Real paths and hosts.
    pub targets: String,
    /// Redacted arguments.
    pub arguments: String,
    /// `succeeded`, or an error code.
    pub outcome: String,
    /// How long the execution took, ms.
    pub duration_ms: i64,
    /// 1 for the first try.
    pub attempt: i64,
    /// MAC of the record before.
    #[serde(serialize_with = "hex")]
    pub previous_mac: Mac,
    /// MAC of this record.
    #[serde(serialize_with = "hex")]
    pub mac: Mac,
}

/// The table and what belongs to it. Phases of one call share `call_seq`; the partial indexes serve
/// the panel (newest calls first, filters over decisions, outcomes of a call) and finding a call's intent.
/// `chain_key` only says where to look; the first record says it under the chain.
pub const SCHEMA: &str = "
CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    time_ms INTEGER NOT NULL,
    phase TEXT NOT NULL,
    session TEXT NOT NULL,
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    call_seq INTEGER NOT NULL,
    tool TEXT NOT NULL,
    behavior TEXT NOT NULL,
    asked INTEGER NOT NULL,
    source TEXT NOT NULL,
    reason TEXT NOT NULL,
    verdicts TEXT NOT NULL,
    risk TEXT NOT NULL,
    digest TEXT NOT NULL,
    approver TEXT NOT NULL,
    surface TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    targets TEXT NOT NULL,
    arguments TEXT NOT NULL,
    outcome TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    previous_mac BLOB NOT NULL,
    mac BLOB NOT NULL
);
CREATE INDEX records_intent ON records (call, run) WHERE phase = 'intent';
CREATE INDEX records_head ON records (call_seq, phase, tool, session, time_ms) WHERE phase IN ('intent', 'event');
CREATE INDEX records_decision ON records (call_seq, tool, session, time_ms, behavior, asked, source, surface, risk)
    WHERE phase = 'decision';
CREATE INDEX records_outcome ON records (call_seq, tool, outcome, duration_ms) WHERE phase = 'outcome';
CREATE INDEX records_start ON records (call_seq) WHERE phase = 'start';
CREATE TRIGGER records_no_update BEFORE UPDATE ON records BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER records_no_delete BEFORE DELETE ON records BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
CREATE TABLE chain_key (place TEXT NOT NULL, name TEXT NOT NULL);
PRAGMA user_version = 1;
";

/// Every column, in the order of [`SCHEMA`].
pub const COLUMNS: &str = "seq, time_ms, phase, session, run, call, call_seq, tool, behavior, asked, source, \
    reason, verdicts, risk, digest, approver, surface, policy_version, sandbox, targets, arguments, outcome, \
    duration_ms, attempt, previous_mac, mac";

/// How many of [`COLUMNS`] the MAC covers before the previous MAC.
const COVERED: usize = 24;

impl Record {
    /// Gives the record its place in the chain.
    pub fn seal(&mut self, key: &ChainKey, previous: Mac, content: &mut Content) {
        self.previous_mac = previous;
        content.begin();
        content.integer(self.seq).integer(self.time_ms);
        for text in [&self.phase, &self.session, &self.run, &self.call] {
            content.text(text.as_bytes());
        }
        content.integer(self.call_seq);
        content.text(self.tool.as_bytes()).text(self.behavior.as_bytes());
        content.integer(self.asked);
        for text in [
            &self.source,
            &self.reason,
            &self.verdicts,
            &self.risk,
            &self.digest,
            &self.approver,
            &self.surface,
            &self.policy_version,
            &self.sandbox,
            &self.targets,
            &self.arguments,
            &self.outcome,
        ] {
            content.text(text.as_bytes());
        }
        content.integer(self.duration_ms).integer(self.attempt);
        self.mac = key.mac(content.finish(&previous));
    }

    /// Writes it.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn insert(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut statement = transaction.prepare_cached(
            "INSERT INTO records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, \
             ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
        )?;
        statement.execute(params![
            self.seq,
            self.time_ms,
            self.phase,
            self.session,
            self.run,
            self.call,
            self.call_seq,
            self.tool,
            self.behavior,
            self.asked,
            self.source,
            self.reason,
            self.verdicts,
            self.risk,
            self.digest,
            self.approver,
            self.surface,
            self.policy_version,
            self.sandbox,
            self.targets,
            self.arguments,
            self.outcome,
            self.duration_ms,
            self.attempt,
            self.previous_mac.as_bytes().as_slice(),
            self.mac.as_bytes().as_slice(),
        ])?;
        Ok(())
    }

    /// Reads a row of [`COLUMNS`].
    ///
    /// # Errors
    /// When a column has another type than the schema says.
    pub fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let mac = |place: usize| -> rusqlite::Result<Mac> {
            let bytes: Vec<u8> = row.get(place)?;
            Ok(Mac::from_bytes(&bytes).unwrap_or(Mac::ZERO))
        };
        Ok(Self {
            seq: row.get(0)?,
            time_ms: row.get(1)?,
            phase: row.get(2)?,
            session: row.get(3)?,
            run: row.get(4)?,
            call: row.get(5)?,
            call_seq: row.get(6)?,
            tool: row.get(7)?,
            behavior: row.get(8)?,
            asked: row.get(9)?,
            source: row.get(10)?,
            reason: row.get(11)?,
            verdicts: row.get(12)?,
            risk: row.get(13)?,
            digest: row.get(14)?,
            approver: row.get(15)?,
            surface: row.get(16)?,
            policy_version: row.get(17)?,
            sandbox: row.get(18)?,
            targets: row.get(19)?,
            arguments: row.get(20)?,
            outcome: row.get(21)?,
            duration_ms: row.get(22)?,
            attempt: row.get(23)?,
            previous_mac: mac(24)?,
            mac: mac(25)?,
        })
    }
}

/// What `verify` needs of a row: its place, its stored MACs, and whether its own MAC is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The stored sequence.
    pub seq: i64,
    /// The stored MAC of the record before.
    pub previous: Mac,
    /// The stored MAC.
    pub mac: Mac,
    /// Whether the content under this MAC is what was written.
    pub intact: bool,
}

impl Link {
    /// Reads a row of [`COLUMNS`] and checks its MAC, without copying a text. `seq` replaces the stored
    /// sequence, to find out whether a record was moved.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn from_row(
        row: &Row<'_>,
        key: &ChainKey,
        content: &mut Content,
        seq: Option<i64>,
    ) -> rusqlite::Result<Self> {
        let stored: i64 = row.get(0)?;
        let mac = |place: usize| match row.get_ref(place) {
            Ok(ValueRef::Blob(bytes)) => Mac::from_bytes(bytes),
            Ok(ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_)) | Err(_) => {
                None
            }
        };
        content.begin().integer(seq.unwrap_or(stored));
        let mut typed = true;
        for place in 1..COVERED {
            match row.get_ref(place)? {
                ValueRef::Integer(value) => {
                    content.integer(value);
                }
                ValueRef::Text(bytes) => {
                    content.text(bytes);
                }
                ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => typed = false,
            }
        }
        let previous = mac(COVERED).unwrap_or(Mac::ZERO);
        let own = mac(COVERED + 1);
        let intact = typed && own == Some(key.mac(content.finish(&previous)));
        Ok(Self { seq: stored, previous, mac: own.unwrap_or(Mac::ZERO), intact })
    }
}

fn hex<S: serde::Serializer>(mac: &Mac, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&mac.to_hex())
}
