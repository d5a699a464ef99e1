//! A call as it comes in: a line of JSON, or words on the command line.

use anyhow::Context as _;
use assent_agent::gate::prepare;
use assent_agent::model::{Arguments, ProposedCall};
use assent_agent::process::background::Background;
use assent_agent::subagent::Task;
use assent_agent::tools::{Registry, RegistryError, Shell, Tool, ToolFailure, builtin, shell};
use assent_policy::{ErrorCode, Origin, PreparedCall};
use assent_sandbox::Sandbox;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A call that somebody wants judged.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Proposal {
    /// Echoed in the answer.
    #[serde(default)]
    pub(super) id: Value,
    /// The tool's name.
    pub(super) tool: String,
    /// Its arguments, whatever they are.
    #[serde(default)]
    pub(super) arguments: Value,
}

impl Proposal {
    pub(super) fn from_line(line: &str) -> anyhow::Result<Self> {
        serde_json::from_str(line).context(
            "it is no call, such as {\"id\":1,\"tool\":\"shell\",\"arguments\":{\"command\":\"ls\"}}",
        )
    }

    /// `shell git status`, `read_file src/a.rs`, or any tool with a JSON object.
    pub(super) fn from_words(tool: &str, words: &[String]) -> Self {
        let text = words.join(" ");
        let arguments = match serde_json::from_str::<Value>(&text) {
            Ok(object @ Value::Object(_)) => object,
            Ok(_) | Err(_) => match tool {
                "shell" => json!({"command": text}),
                "write_file" => json!({"path": text, "content": ""}),
                "edit_file" => json!({"path": text, "old_string": "", "new_string": ""}),
                "glob" | "grep" => json!({"pattern": text}),
                "fetch_url" => json!({"url": text}),
                "task" => json!({"name": "task", "prompt": text}),
                _ => json!({"path": text}),
            },
        };
        Self { id: Value::Null, tool: tool.to_owned(), arguments }
    }

    /// What it would do, or why it is no call.
    pub(super) fn prepare(&self, origin: &Origin) -> Result<PreparedCall, ToolFailure> {
        let registry = registry().map_err(|error| ToolFailure {
            code: ErrorCode::PermissionEvaluationError,
            reason: error.to_string(),
        })?;
        prepare(&registry, &self.proposed(), origin).map(|(_, call)| call)
    }

    fn proposed(&self) -> ProposedCall {
        let arguments = match self.arguments.as_object() {
            Some(map) => Arguments::Object(map.clone()),
            None => Arguments::Unreadable {
                raw: self.arguments.to_string().chars().take(200).collect(),
                problem: "not an object".to_owned(),
            },
        };
        ProposedCall {
            id: "check".to_owned(),
            id_given: false,
            name: self.tool.clone(),
            arguments,
            extra: None,
        }
    }
}

/// Every tool, to prepare calls with; none is ever executed.
fn registry() -> Result<Registry, RegistryError> {
    let shell = Shell::new(shell::Parts {
        sandbox: Sandbox::with_helper("assent-sandbox"),
        background: Background::default(),
        variables: Vec::new(),
    });
    Registry::new(builtin(shell).into_iter().chain([Arc::new(Task::without_session()) as Arc<dyn Tool>]))
}
