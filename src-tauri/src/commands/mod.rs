//! What the window may call. Nothing here approves or loosens: what loosens opens a native question.
#![expect(clippy::unreachable, reason = "what tauri::command writes around an async command")]

pub mod approvals;
pub mod audit;
pub mod changes;
pub mod conversation;
pub mod grants;
pub mod models;
#[cfg(test)]
mod names;
pub mod outside;
pub mod permissions;
pub mod sessions;
pub mod settings;
#[cfg(test)]
mod tests;
pub mod workspace;

use crate::shell::Shell;
use std::sync::Arc;

/// The app's parts, as a command gets them.
pub type Shared<'a> = tauri::State<'a, Arc<Shell>>;
