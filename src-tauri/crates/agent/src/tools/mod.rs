//! Tools are data and a handler (R4): one file a tool, the same three parts in the same order.

mod arguments;
mod edit_file;
mod fetch_url;
mod file_access;
mod found;
mod glob;
mod grep;
mod lines;
mod list_dir;
mod read_file;
mod registry;
mod substitution;
mod write_file;

pub mod command_output;
pub mod shell;

#[cfg(test)]
#[cfg(unix)]
mod searching_tests;
#[cfg(test)]
#[cfg(unix)]
pub(crate) mod testing;

pub use edit_file::EditFile;
pub use fetch_url::{FetchUrl, page_text};
pub use glob::Glob;
pub use grep::Grep;
pub use list_dir::ListDir;
pub use read_file::ReadFile;
pub use registry::{Registry, RegistryError};
pub use shell::Shell;
pub use write_file::WriteFile;

use crate::gate::{Permit, Run};
use crate::model::ToolSpec;
use crate::workspace::{Workspace, Written};
use assent_policy::{ErrorCode, Subject, ToolEffect};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Every tool that ships with the app, around `shell`, the only one that is set up.
#[must_use]
pub fn builtin(shell: Shell) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(shell),
        Arc::new(ReadFile::default()),
        Arc::new(WriteFile::default()),
        Arc::new(EditFile::default()),
        Arc::new(Glob::default()),
        Arc::new(Grep::default()),
        Arc::new(ListDir::default()),
        Arc::new(FetchUrl::default()),
    ]
}

/// One tool.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Name, description, schema, effect.
    fn definition(&self) -> &ToolDefinition;

    /// What the call would do, as data. Looks at nothing outside the arguments.
    ///
    /// # Errors
    /// When the arguments don't fit the schema (R5).
    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments>;

    /// Does it. The permit is the proof that this very call was decided and recorded; it is used up here.
    ///
    /// # Errors
    /// A stable code and a text for the model.
    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure>;
}

/// What a tool is.
#[derive(Clone, Debug)]
pub struct ToolDefinition {
    /// `[A-Za-z0-9_]`, unique.
    pub name: &'static str,
    /// For the model.
    pub description: &'static str,
    /// JSON Schema, strict.
    pub schema: Value,
    /// What kind of effect it has: never sent to the model.
    pub effect: ToolEffect,
    /// Goes up when the schema changes its meaning.
    pub schema_version: u32,
}

impl ToolDefinition {
    /// What goes to the model.
    #[must_use]
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            schema: self.schema.clone(),
        }
    }
}

/// What a handler may use.
pub struct Execution {
    /// The folder it works in.
    pub workspace: Arc<Workspace>,
    /// The session.
    pub session: String,
    /// The run it belongs to.
    pub run: Run,
    /// The call.
    pub call_id: String,
    /// Fires on Stop and at the app's exit.
    pub cancel: CancellationToken,
    /// Folder of this session for whole outputs and undo copies; outside the workspace.
    pub scratch: PathBuf,
    /// Takes pieces of output while it runs.
    pub output: Arc<dyn Fn(String) + Send + Sync>,
}

/// What a tool gives back (R6).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub content: String,
    /// What was changed, for undo and the diff view.
    pub changes: Vec<Change>,
}

/// A file that a tool changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Real path.
    pub path: PathBuf,
    /// Copy of what was there; `None` where nothing was.
    pub before: Option<PathBuf>,
    /// SHA-256 (hex) of what is there after; empty where the file was removed.
    pub after: String,
    /// Folders that were created for it, outermost first.
    pub created: Vec<PathBuf>,
}

impl From<Written> for Change {
    fn from(written: Written) -> Self {
        Self {
            path: written.path,
            before: written.before,
            after: written.after.unwrap_or_default(),
            created: written.created,
        }
    }
}

/// A known failure of a tool (R6).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Error [{code}]: {reason}")]
pub struct ToolFailure {
    /// The stable code.
    pub code: ErrorCode,
    /// What went wrong and what to do, for the model.
    pub reason: String,
}

/// Arguments that don't fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidArguments(pub String);
