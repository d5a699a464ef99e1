//! The record of what was proposed, decided and done (R40–R44).
//!
//! [`store`] appends, [`chain`] and [`head`] make it tamper-evident, [`verify`] finds what was bent,
//! [`redact`] keeps secrets out, [`query`] and [`export`] read it back.

pub mod chain;
pub mod export;
mod fault;
#[cfg(test)]
pub(crate) mod fixture;
pub mod head;
pub mod key;
pub mod metrics;
mod numbers;
pub mod otlp;
pub mod otlp_settings;
pub mod query;
mod reader;
pub mod record;
#[cfg(test)]
mod recording;
pub mod redact;
mod row;
mod search;
mod standing;
pub mod store;
pub mod verify;

pub use key::{KeyPlace, KeyStore, SystemKeys};
pub use numbers::ToolMetrics;
pub use reader::AuditReader;
pub use record::Record;
pub use redact::Redactor;
pub use row::AuditRow;
pub use search::Indexed;
pub use standing::{Standing, Step};
pub use store::{AuditPlaces, AuditStore};

use assent_policy::Verdict;
use serde::Serialize;
use serde_json::Value;

/// An append-only log. The engine can't be built without one (R60).
pub trait AuditLog: Send + Sync {
    /// Stores `entries` in one durable transaction, all or none.
    ///
    /// # Errors
    /// When they can't be stored for certain; then nothing may run (R41).
    fn append(&self, entries: &[Entry]) -> Result<(), AuditError>;

    /// How far the newest call named `call` of `session` came (R35, R53); `None` where nothing of it is on record.
    ///
    /// # Errors
    /// When the log can't be read; then it may have come to anything.
    fn standing(&self, session: &str, call: &str) -> Result<Option<Standing>, AuditError>;

    /// Records `outcome` for a call that a restart left without an end; does nothing for any other.
    ///
    /// # Errors
    /// When the log can't be read or written.
    fn close(&self, session: &str, call: &str, outcome: &str) -> Result<(), AuditError> {
        let Some(Standing { run, tool, step }) = self.standing(session, call)? else { return Ok(()) };
        if let Step::Ended { .. } = step {
            return Ok(());
        }
        self.append(&[Entry {
            phase: Phase::Outcome,
            session: session.to_owned(),
            run,
            call: call.to_owned(),
            tool,
            outcome: outcome.to_owned(),
            attempt: 1,
            ..Entry::default()
        }])
    }
}

/// What one phase of one call leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Entry {
    /// Which phase.
    pub phase: Phase,
    /// The session.
    pub session: String,
    /// The run.
    pub run: String,
    /// The call.
    pub call: String,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// Arguments; the log redacts them before they are stored (R43).
    pub arguments: Value,
    /// Allow, ask or deny; empty before the decision.
    pub behavior: String,
    /// Who decided.
    pub source: String,
    /// Why.
    pub reason: String,
    /// Every verdict.
    pub verdicts: Vec<Verdict>,
    /// `low` … `critical`.
    pub risk: String,
    /// The call's digest, hex.
    pub digest: String,
    /// Who answered: the OS user, or empty.
    pub approver: String,
    /// Where they answered, or empty.
    pub surface: String,
    /// Digest of every layer that decided.
    pub policy_version: String,
    /// The sandbox profile and what of it was in force.
    pub sandbox: String,
    /// Real paths and hosts the call touches.
    pub targets: Vec<String>,
    /// `succeeded`, or an error code.
    pub outcome: String,
    /// How long the execution took, ms.
    pub duration_ms: u64,
    /// 1 for the first try.
    pub attempt: u32,
}

impl Entry {
    /// Something that is no call: `name` takes the tool's place.
    #[must_use]
    pub fn event(name: &str, reason: &str, details: Value) -> Self {
        Self {
            phase: Phase::Event,
            tool: name.to_owned(),
            reason: reason.to_owned(),
            arguments: details,
            ..Self::default()
        }
    }
}

/// The phases of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Proposed; nothing happened.
    #[default]
    Intent,
    /// Final, allow or deny.
    Decision,
    /// Durable mark that execution begins; what has one and no outcome is unknown (R53).
    Start,
    /// What came of it.
    Outcome,
    /// Something that is no call: a mode change, a revoked rule, a late answer.
    Event,
}

impl Phase {
    /// The word in the log.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intent => "intent",
            Self::Decision => "decision",
            Self::Start => "start",
            Self::Outcome => "outcome",
            Self::Event => "event",
        }
    }
}

/// The log can't promise that a record is stored.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The disk is full, the file locked, read-only or damaged.
    #[error("store the audit record: {0}")]
    Store(String),
    /// The file is no log any more.
    #[error("read the audit log: {0}")]
    Damaged(String),
    /// The key is out of reach.
    #[error("reach the audit key: {0}")]
    Key(String),
    /// A phase came before the one it needs; nothing of it was stored.
    #[error("keep the order of the audit: {0}")]
    Order(String),
    /// The chain is broken or was rolled back; nothing is appended to it.
    #[error("continue the audit chain: {0}")]
    Chain(String),
}
