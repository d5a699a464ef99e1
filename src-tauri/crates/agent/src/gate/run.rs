//! One run as the gate sees it.

use assent_policy::Origin;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// One run as the gate sees it: who, and what was already refused in it. Copies share what they know.
#[derive(Clone)]
pub struct Run {
    /// The session.
    pub session: String,
    /// The run.
    pub id: String,
    /// Who proposes: the task itself or a sub-agent.
    pub origin: Origin,
    /// Fires on Stop.
    pub cancel: CancellationToken,
    /// It goes on after its process ended: its calls may have come to something before.
    pub(super) resumed: bool,
    /// Operations that a person denied in this run; an equal one is refused with no new dialog.
    denied: Arc<Mutex<BTreeSet<String>>>,
    attempts: Arc<Mutex<BTreeMap<String, u32>>>,
    /// The log could not be written after something ran in it: it must stop.
    halted: Arc<AtomicBool>,
}

impl Run {
    /// A run that has refused nothing yet.
    #[must_use]
    pub fn new(session: &str, id: &str, origin: Origin, cancel: CancellationToken) -> Self {
        Self {
            session: session.to_owned(),
            id: id.to_owned(),
            origin,
            cancel,
            resumed: false,
            denied: Arc::default(),
            attempts: Arc::default(),
            halted: Arc::default(),
        }
    }

    /// A run whose process ended and which goes on under its old id.
    #[must_use]
    pub fn resumed(session: &str, id: &str, origin: Origin, cancel: CancellationToken) -> Self {
        Self { resumed: true, ..Self::new(session, id, origin, cancel) }
    }

    /// The same run as a sub-agent proposes in it: what was denied stays denied, and it stops with the run.
    #[must_use]
    pub fn of_sub_agent(&self, name: &str) -> Self {
        let origin = Origin::SubAgent { name: name.to_owned() };
        Self { origin, cancel: self.cancel.child_token(), ..self.clone() }
    }

    /// It must stop, and so must the run that a sub-agent belongs to.
    pub(super) fn halt(&self) {
        self.halted.store(true, Ordering::Release);
    }

    pub(super) fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Acquire)
    }

    /// How often this operation was proposed in the run, this time included (R42).
    pub(super) fn attempt(&self, operation: &str) -> u32 {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = attempts.entry(operation.to_owned()).or_insert(0);
        *count = count.saturating_add(1);
        *count
    }

    pub(super) fn was_denied(&self, operation: &str) -> bool {
        self.denied.lock().unwrap_or_else(PoisonError::into_inner).contains(operation)
    }

    pub(super) fn remember_denial(&self, operation: String) {
        self.denied.lock().unwrap_or_else(PoisonError::into_inner).insert(operation);
    }
}
