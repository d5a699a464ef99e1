//! What a gate is made of: the ports it reaches everything outside through.

use crate::advice::Advisor;
use crate::approval::Approver;
use crate::audit::AuditLog;
use crate::event::Observer;
use crate::tools::Registry;
use crate::workspace::Workspace;
use assent_policy::{Context, Rules};
use std::path::PathBuf;
use std::sync::Arc;

/// What a gate is made of.
pub struct Parts {
    /// The tools of the turn.
    pub registry: Arc<Registry>,
    /// The record; where it can't be written, nothing runs (R41).
    pub audit: Arc<dyn AuditLog>,
    /// The person.
    pub approver: Arc<dyn Approver>,
    /// Hooks and reviewer.
    pub advisor: Arc<dyn Advisor>,
    /// Mode, layers, sandbox state, read anew for each judgement.
    pub circumstances: Arc<dyn Circumstances>,
    /// The folder the calls work in.
    pub workspace: Arc<Workspace>,
    /// This session's folder for whole outputs and undo copies.
    pub scratch: PathBuf,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
}

/// What a decision depends on beside the call; asked again at every judgement, so that an edited policy counts at once.
pub trait Circumstances: Send + Sync {
    /// The context and the rules as they are at this moment.
    ///
    /// # Errors
    /// A sentence saying why they can't be known; the call is denied with it.
    fn current(&self) -> Result<(Context, Arc<Rules>), String>;
}
