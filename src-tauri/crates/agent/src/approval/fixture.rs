//! Questions, clocks and surfaces for the tests of this folder.

use super::{Answer, Approval, Broker, Presenter, Question};
use crate::audit::{AuditError, AuditLog, Entry, Phase, Standing};
use crate::clock::Clock;
use crate::facts::sample_context;
use crate::samples;
use assent_policy::request::PermissionRequest;
use assent_policy::{
    Behavior, CallDigest, Evaluation, Reason, Risk, RiskKind, RiskLevel, Source, Subject, ToolEffect,
};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) struct ManualClock(pub AtomicU64);

impl ManualClock {
    pub fn new() -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(1_000_000)))
    }

    pub fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Keeps entries in memory.
#[derive(Default)]
pub(crate) struct Notes(pub Mutex<Vec<Entry>>);

impl Notes {
    /// As the gate does before it asks: the intent is on record, once.
    pub fn propose(&self, call: &str) {
        if self.standing("s", call).unwrap().is_none() {
            self.note(call, Phase::Intent);
        }
    }

    /// What was decided about `call`.
    pub fn decide(&self, call: &str, behavior: &str) {
        let (session, run, call) = ("s".to_owned(), "r".to_owned(), call.to_owned());
        let (phase, behavior) = (Phase::Decision, behavior.to_owned());
        let entry = Entry { phase, session, run, call, behavior, ..Entry::default() };
        self.append(&[entry]).unwrap();
    }

    /// A record of `call`.
    pub fn note(&self, call: &str, phase: Phase) {
        let (session, run) = ("s".to_owned(), "r".to_owned());
        let entry = Entry { phase, session, run, call: call.to_owned(), ..Entry::default() };
        self.append(&[entry]).unwrap();
    }
}

impl AuditLog for Notes {
    fn append(&self, entries: &[Entry]) -> Result<(), AuditError> {
        self.0.lock().unwrap().extend_from_slice(entries);
        Ok(())
    }

    fn standing(&self, session: &str, call: &str) -> Result<Option<Standing>, AuditError> {
        Ok(Standing::of(&self.0.lock().unwrap(), session, call))
    }
}

/// Remembers what it was told.
#[derive(Default)]
pub(crate) struct Board {
    pub shown: Mutex<Vec<Approval>>,
    pub rescheduled: Mutex<Vec<Approval>>,
    pub settled: Mutex<Vec<(String, Answer)>>,
}

impl Board {
    pub fn last(&self) -> Approval {
        self.shown.lock().unwrap().last().cloned().unwrap()
    }

    pub fn count(&self) -> usize {
        self.shown.lock().unwrap().len()
    }
}

impl Presenter for Board {
    fn waiting(&self, approval: &Approval) {
        self.shown.lock().unwrap().push(approval.clone());
    }

    fn rescheduled(&self, approval: &Approval) {
        self.rescheduled.lock().unwrap().push(approval.clone());
    }

    fn settled(&self, id: &str, answer: &Answer) {
        self.settled.lock().unwrap().push((id.to_owned(), answer.clone()));
    }
}

pub(crate) fn broker(data: &Path, clock: &Arc<ManualClock>, notes: &Arc<Notes>) -> Arc<Broker> {
    let broker = Broker::open(data, Arc::clone(clock) as _, Arc::clone(notes) as _).unwrap();
    broker.without_flushes_for_test();
    Arc::new(broker)
}

/// Call `call_id` of session `s`; `content` makes the digest.
pub(crate) fn question(call_id: &str, content: &str) -> Question {
    let arguments = json!({ "path": "a.txt", "content": content });
    let subject = Subject::Files { accesses: Vec::new() };
    let call = samples::call("write_file", ToolEffect::Write, arguments, subject);
    let evaluation = Evaluation {
        behavior: Behavior::Ask,
        source: Source::EFFECT_DEFAULT,
        reason: Reason::new("Changing files needs your consent."),
        risk: Risk::new(RiskLevel::Medium, RiskKind::Writes),
        ..samples::evaluation()
    };
    let context = sample_context("/w");
    let digest = CallDigest::of(&json!({ "call": call_id, "content": content }));
    Question {
        session: "s".to_owned(),
        run: "r".to_owned(),
        call_id: call_id.to_owned(),
        request: PermissionRequest::new(&call, &evaluation, &context, &digest),
        call,
        evaluation,
        digest,
        workspace: "/w".to_owned(),
    }
}
