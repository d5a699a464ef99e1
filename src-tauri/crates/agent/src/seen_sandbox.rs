//! What the sandbox's self-test saw last. Every judgement reads it anew, so that another test counts at once.

use assent_policy::SandboxState;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by all that depends on it: clones see the same.
#[derive(Clone, Debug)]
pub struct SeenSandbox {
    in_force: Arc<AtomicBool>,
}

impl SeenSandbox {
    /// `in_force`: whether the self-test saw both profiles in force.
    #[must_use]
    pub fn new(in_force: bool) -> Self {
        Self { in_force: Arc::new(AtomicBool::new(in_force)) }
    }

    /// Another self-test saw this. A call that was judged before is bound to what held then.
    pub fn tested(&self, in_force: bool) {
        self.in_force.store(in_force, Ordering::Release);
    }

    /// For a judgement.
    #[must_use]
    pub fn state(&self) -> SandboxState {
        if self.in_force.load(Ordering::Acquire) { SandboxState::InForce } else { SandboxState::NotInForce }
    }
}
