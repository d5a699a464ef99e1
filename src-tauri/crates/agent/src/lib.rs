//! The engine: what the desktop app and the command line share. No window, no dialog library.
//!
//! Read [`gate`] for the life of one call, [`turn`] for the loop around it and [`engine`] for how the
//! parts are put together. Everything outside is reached through a port: [`model::ModelClient`],
//! [`approval::Surface`], [`audit::AuditLog`], [`clock::Clock`].

pub mod advice;
pub mod amend;
pub mod approval;
pub mod attachments;
pub mod audit;
mod blocking;
pub mod circumstances;
pub mod clock;
#[cfg(test)]
#[path = "../../../../tests/support/effort.rs"]
mod effort;
pub mod engine;
mod erasure;
pub mod event;
pub mod facts;
pub mod fulltext;
pub mod gate;
pub mod hooks;
pub mod id;
pub mod instructions;
pub mod layers;
pub mod machine;
pub mod malformed;
pub mod model;
pub mod new_name;
pub mod own_file;
pub mod places;
mod private;
pub mod process;
pub mod prompt;
pub mod reviewer;
#[cfg(test)]
mod samples;
pub mod secret;
pub mod seen_sandbox;
pub mod session;
pub mod subagent;
pub mod tools;
pub mod turn;
pub mod workspace;
