//! The life of one call, top to bottom.

use assent_policy::{Evaluation, Facts, PreparedCall};

/// The proof that exactly this call was judged, recorded and, where needed, approved.
/// Only this file makes one; only a tool's `execute` takes it.
#[derive(Debug)]
pub struct Permit {
    call: PreparedCall,
    evaluation: Evaluation,
    facts: Facts,
}

impl Permit {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &PreparedCall {
        &self.call
    }

    /// How it was judged: profile, touched paths, hosts.
    #[must_use]
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// What was found when it was judged: the files that were approved, by their real paths and identities.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}
