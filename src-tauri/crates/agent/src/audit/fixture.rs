//! A log in temporary folders, for the tests of this folder.

use super::{AuditError, AuditLog as _, AuditPlaces, AuditStore, Entry, KeyPlace, KeyStore, Phase, Redactor};
use crate::audit::chain::ChainKey;
use crate::clock::Clock;
use assent_policy::{Behavior, Source, Verdict};
use rusqlite::Connection;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct StubKeys;

impl KeyStore for StubKeys {
    fn create(&self, _name: &str, _key: &[u8; ChainKey::LENGTH]) -> Result<KeyPlace, AuditError> {
        Ok(KeyPlace::File)
    }

    fn load(&self, _name: &str, _place: KeyPlace) -> Result<[u8; ChainKey::LENGTH], AuditError> {
        Err(AuditError::Key("the stub has none".to_owned()))
    }
}

/// Counts up by one ms at each look.
#[derive(Default)]
pub(crate) struct Ticks(pub AtomicU64);

impl Clock for Ticks {
    fn now_ms(&self) -> u64 {
        1_000_000 + self.0.fetch_add(1, Ordering::Relaxed)
    }
}

pub(crate) struct World {
    pub folder: tempfile::TempDir,
    pub places: AuditPlaces,
}

impl World {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let places = AuditPlaces { data: folder.path().join("data"), state: folder.path().join("state") };
        Self { folder, places }
    }

    pub fn keys(&self) -> super::SystemKeys {
        super::SystemKeys::file_only(&self.places.data)
    }

    pub fn try_open(&self) -> Result<AuditStore, AuditError> {
        AuditStore::open(
            self.places.clone(),
            &self.keys(),
            Arc::new(Ticks::default()),
            Redactor::new(["my-own-key".to_owned()]),
        )
    }

    pub fn open(&self) -> AuditStore {
        self.try_open().unwrap()
    }

    /// A log with `calls` finished calls after the first record.
    pub fn with_calls(calls: usize) -> Self {
        let world = Self::new();
        let store = world.open();
        for number in 0..calls {
            store.append(&begun(number)).unwrap();
            store.append(&[outcome(number)]).unwrap();
        }
        drop(store);
        world
    }

    /// The file as an adversary sees it: triggers out of the way.
    pub fn tamper(&self, sql: &str) {
        let connection = Connection::open(self.places.log()).unwrap();
        connection
            .execute_batch(
                "DROP TRIGGER IF EXISTS records_no_update; DROP TRIGGER IF EXISTS records_no_delete;",
            )
            .unwrap();
        connection.execute_batch(sql).unwrap();
    }
}

/// Intent, decision and start of call `number`, as an allowed call leaves them.
pub(crate) fn begun(number: usize) -> Vec<Entry> {
    let entry = |phase| Entry {
        phase,
        session: format!("session-{}", number % 7),
        run: "run".to_owned(),
        call: format!("call-{number}"),
        tool: ["shell", "read_file", "edit_file"][number % 3].to_owned(),
        arguments: json!({ "command": format!("cargo test {number}"), "key": "my-own-key" }),
        risk: "low".to_owned(),
        attempt: 1,
        ..Entry::default()
    };
    vec![
        entry(Phase::Intent),
        Entry {
            behavior: "allow".to_owned(),
            source: "shell-default".to_owned(),
            reason: "Proven read-only.".to_owned(),
            verdicts: vec![Verdict::new(Source::SHELL_DEFAULT, Behavior::Allow, "Proven read-only.")],
            ..entry(Phase::Decision)
        },
        entry(Phase::Start),
    ]
}

pub(crate) fn outcome(number: usize) -> Entry {
    Entry {
        phase: Phase::Outcome,
        run: "run".to_owned(),
        call: format!("call-{number}"),
        tool: ["shell", "read_file", "edit_file"][number % 3].to_owned(),
        outcome: "succeeded".to_owned(),
        duration_ms: number as u64,
        attempt: 1,
        ..Entry::default()
    }
}
