//! An audit log in memory that can be told to fail.

use assent_agent::audit::{AuditError, AuditLog, Entry, Phase, Standing};
use std::sync::{Arc, Mutex};

/// Keeps the entries; fails on the phase it is told to.
#[derive(Clone, Default)]
pub struct MemoryAudit {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// How many entries each append brought.
    appended: Vec<usize>,
    fail_on: Option<Phase>,
    /// The next failure is the only one.
    fails_once: bool,
}

impl MemoryAudit {
    /// From here on every append that holds an entry of `phase` fails as a whole.
    pub fn fail_on(&self, phase: Option<Phase>) {
        let mut state = self.state.lock().expect("the log");
        (state.fail_on, state.fails_once) = (phase, false);
    }

    /// The next append that holds an entry of `phase` fails as a whole.
    pub fn fail_once(&self, phase: Phase) {
        let mut state = self.state.lock().expect("the log");
        (state.fail_on, state.fails_once) = (Some(phase), true);
    }

    /// What was stored.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.state.lock().expect("the log").entries.clone()
    }

    /// The phases that were stored together, append by append.
    #[must_use]
    pub fn appends(&self) -> Vec<Vec<Phase>> {
        let state = self.state.lock().expect("the log");
        let mut phases = state.entries.iter().map(|entry| entry.phase);
        state.appended.iter().map(|count| phases.by_ref().take(*count).collect()).collect()
    }

    /// `intent · decision:deny(workspace-boundary) · outcome:permission_denied`, for comparing.
    #[must_use]
    pub fn story(&self, call: &str) -> String {
        let parts: Vec<String> = self
            .entries()
            .iter()
            .filter(|entry| entry.call == call)
            .map(|entry| match entry.phase {
                Phase::Intent => "intent".to_owned(),
                Phase::Decision => format!("decision:{}({})", entry.behavior, entry.source),
                Phase::Start => "start".to_owned(),
                Phase::Outcome => format!("outcome:{}", entry.outcome),
                Phase::Event => "event".to_owned(),
            })
            .collect();
        parts.join(" · ")
    }
}

impl AuditLog for MemoryAudit {
    fn append(&self, entries: &[Entry]) -> Result<(), AuditError> {
        let mut state = self.state.lock().expect("the log");
        if let Some(phase) = state.fail_on
            && entries.iter().any(|entry| entry.phase == phase)
        {
            if state.fails_once {
                state.fail_on = None;
            }
            return Err(AuditError::Store("the disk is full".to_owned()));
        }
        state.entries.extend(entries.iter().cloned());
        state.appended.push(entries.len());
        Ok(())
    }

    fn standing(&self, session: &str, call: &str) -> Result<Option<Standing>, AuditError> {
        Ok(Standing::of(&self.entries(), session, call))
    }
}
