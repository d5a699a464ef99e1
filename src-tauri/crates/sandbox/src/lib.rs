//! OS confinement for the commands an agent runs: the only crate with `unsafe` and confinement calls.
//!
//! [`Sandbox::start`] hands a [`Command`] and its [`Confinement`] to the small program `assent-sandbox`, which
//! applies the limits in a process of its own, starts the command and stays its supervisor. The caller gets the
//! command's output, what the sandbox refused, how it ended, and a [`Leash`] that ends the whole process tree.
//!
//! What a backend holds on this machine is found out by
//! trying ([`Sandbox::self_test`]), never by assuming.

mod backend;
pub mod command;
pub mod confinement;
pub mod forward;
pub mod outcome;
pub mod program;
pub mod report;
mod setup_error;
pub mod start;
mod wire;

#[cfg(target_os = "linux")]
mod linux;
pub mod macos;
#[cfg(unix)]
mod unix;
pub mod windows;

pub use command::{Command, Limits};
pub use confinement::{Confinement, Level, Replacement};
pub use outcome::{EndReason, Ended, Outcome, Refusal, RefusalKind};
pub use report::{Attempt, Mechanism, SandboxReport, Strength};
pub use start::{Leash, Running, Sandbox, StartError, Started, Streams};
