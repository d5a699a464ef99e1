//! What the window may call. Nothing here approves or loosens: what loosens opens a native question.
#![expect(clippy::unreachable, reason = "what tauri::command writes around an async command")]

pub mod approvals;
pub mod audit;
pub mod changes;
pub mod conversation;
pub mod data;
pub mod grants;
pub mod models;
#[cfg(test)]
mod names;
pub mod outside;
pub mod permissions;
pub mod profiles;
pub mod sessions;
pub mod settings;
#[cfg(test)]
mod tests;
pub mod workspace;

use crate::replies::{Replies, Working};
use crate::shell::{Reply, Shell};
use crate::view::BackendError;
use std::ops::Deref;
use std::sync::Arc;
use tauri::ipc::{CommandArg, CommandItem, InvokeError};
use tauri::{Manager as _, Runtime, State};

/// The app's parts, as a command gets them. Every command takes them: held until it ends, they see to its answer.
pub struct Shared<'a> {
    shell: State<'a, Arc<Shell>>,
    _working: Option<Working>,
}

impl<'a> Shared<'a> {
    /// The shell, for what outlives the command.
    pub fn inner(&self) -> &'a Arc<Shell> {
        self.shell.inner()
    }
}

impl Deref for Shared<'_> {
    type Target = Arc<Shell>;

    fn deref(&self) -> &Self::Target {
        &self.shell
    }
}

impl<'a, 'de: 'a, R: Runtime> CommandArg<'de, R> for Shared<'a> {
    fn from_command(command: CommandItem<'de, R>) -> Result<Self, InvokeError> {
        let replies = command.message.webview_ref().try_state::<Arc<Replies>>();
        let replies = replies.map(|replies| Arc::clone(&replies));
        let working = replies.zip(key(command.message)).map(|(replies, key)| Working::on(replies, key));
        Ok(Self { shell: State::from_command(command)?, _working: working })
    }
}

/// Does `work`, which waits for the disk, where it holds up nobody else.
///
/// # Errors
/// As `work`, or when it panics.
pub async fn beside<T: Send + 'static>(work: impl FnOnce() -> Reply<T> + Send + 'static) -> Reply<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(crashed(&error)))
}

/// Work that panicked: its own words are for the log.
pub fn crashed(error: &tokio::task::JoinError) -> BackendError {
    tracing::error!(%error, "a command panicked");
    BackendError::new("io", "Assent failed at this. The log says where.")
}

/// What tells a request of the window from every other: the number that its page waits with.
pub fn key<R: Runtime>(message: &tauri::ipc::InvokeMessage<R>) -> Option<&str> {
    message.headers().get("Tauri-Callback")?.to_str().ok()
}
