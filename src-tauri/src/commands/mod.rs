//! What the window may call. Nothing here approves or loosens: what loosens opens a native question.

pub mod audit;
#[cfg(test)]
mod names;
pub mod outside;
pub mod settings;
#[cfg(test)]
mod tests;
pub mod workspace;

use crate::shell::Shell;
use std::sync::Arc;

/// The app's parts, as a command gets them.
pub type Shared<'a> = tauri::State<'a, Arc<Shell>>;
