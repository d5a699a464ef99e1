//! A tool that only counts how often it was really run.

use assent_agent::gate::Permit;
use assent_agent::tools::{Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use assent_policy::{Access, ErrorCode, FileAccess, Subject, ToolEffect};
use async_trait::async_trait;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A writing tool called `probe` with one argument, `path`; `path` = `panic` panics, `fail` fails, `nul` answers badly.
#[derive(Clone)]
pub struct Probe {
    definition: Arc<ToolDefinition>,
    runs: Arc<AtomicUsize>,
}

impl Probe {
    /// A probe with that effect.
    #[must_use]
    pub fn new(effect: ToolEffect) -> Self {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false});
        let definition =
            ToolDefinition { name: "probe", description: "Counts.", schema, effect, schema_version: 1 };
        Self { definition: Arc::new(definition), runs: Arc::default() }
    }

    /// How often it ran.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for Probe {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        match (arguments.get("path").and_then(Value::as_str), arguments.len()) {
            (Some(path), 1) => {
                let access = match self.definition.effect {
                    ToolEffect::Read => Access::Read,
                    ToolEffect::Write | ToolEffect::Execute | ToolEffect::Network => Access::Write,
                };
                Ok(Subject::Files { accesses: vec![FileAccess { path: path.to_owned(), access }] })
            }
            (Some(_) | None, _) => Err(InvalidArguments("exactly `path`, a string".to_owned())),
        }
    }

    async fn execute(&self, permit: Permit, _run: &Execution) -> Result<ToolOutput, ToolFailure> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        match permit.call().arguments.get("path").and_then(Value::as_str) {
            Some("panic") => panic!("as asked"),
            Some("fail") => Err(ToolFailure { code: ErrorCode::FileNotFound, reason: "as asked".to_owned() }),
            Some("nul") => Ok(ToolOutput { content: "a\0b".to_owned(), changes: Vec::new() }),
            Some(_) | None => Ok(ToolOutput { content: "probed".to_owned(), changes: Vec::new() }),
        }
    }
}
