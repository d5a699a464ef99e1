//! The decision, and nothing else.
//!
//! A proposed tool call and everything known about the world come in as data; an [`Evaluation`] goes out.
//! This crate opens no file, no socket and no process, reads no clock and no environment, and has no async.
//! Where it needs to know something ("which file is `a/b` really?") it says so in
//! [`Evaluation::inquiries`]; the caller looks, adds the answer to [`Facts`] and asks again.
//!
//! # Glossary
//! - **Behavior**: `Passthrough < Allow < Ask < Deny`; the result is the maximum over all verdicts.
//! - **Participant**: a judge that gives a [`Verdict`]; one that fails means deny.
//! - **Default**: a participant that speaks only where no allow rule or grant covers the whole call.
//! - **Subject**: what a prepared call would do, as data; **fact**: what was found when we looked.
//! - **Inquiry**: a fact that the decision needs and nobody has looked up yet; until then, ask.
//!
//! # Invariants
//! - No decision is made from a missing fact: an open inquiry can never end in allow.
//! - Adding a participant never weakens the result, and their order never matters.
//! - All limits are budgets of bytes, nodes and depth, never of wall time.

mod behavior;
mod call;
mod canonical;
mod code;
mod context;
mod digest;
mod evaluate;
mod facts;
mod participants;
mod reading;
mod risk;

pub mod escape;
pub mod host;
pub mod lists;
pub mod path;
pub mod request;
pub mod rule;
pub mod shell;

pub use behavior::{Behavior, Reason, Source, Verdict};
pub use call::{
    Access, FileAccess, Needs, NetworkRequest, Origin, PreparedCall, Profile, SearchRequest, ShellRequest,
    Subject, ToolEffect,
};
pub use canonical::canonical_json;
pub use code::ErrorCode;
pub use context::{Context, Mode, Os, ProgramLookup, SandboxState, ShellKind, ShellTrust};
pub use digest::CallDigest;
pub use evaluate::{Evaluation, Touched, evaluate};
pub use facts::{
    Facts, FileKind, Identity, Inquiry, PathFact, ProgramFact, ProgramPlace, RepositoryFact, Resolved,
    TrackedFact, TreeFact,
};
pub use risk::{Risk, RiskKind, RiskLevel};
pub use rule::Rules;
