//! What a hook is told, as one JSON object on its standard input.

use super::HookEvent;
use assent_policy::PreparedCall;
use serde_json::{Map, Value, json};
use std::path::Path;

/// One message.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) event: HookEvent,
    fields: Map<String, Value>,
}

impl Message {
    /// What every message holds.
    pub(super) fn new(event: HookEvent, session: &str, workspace: &Path) -> Self {
        let mut fields = Map::new();
        fields.insert("session_id".to_owned(), json!(session));
        fields.insert("cwd".to_owned(), json!(workspace));
        fields.insert("hook_event_name".to_owned(), json!(event.as_str()));
        Self { event, fields }
    }

    /// Adds the fields of an object.
    pub(super) fn with(mut self, details: Value) -> Self {
        if let Value::Object(details) = details {
            self.fields.extend(details);
        }
        self
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Value::Object(self.fields.clone()).to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }
}

/// In which words a call is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Our names of tools and arguments.
    Own,
    /// The names that hooks written for other agents look for.
    Common,
}

/// A tool, its common name, and its arguments that are called otherwise there.
type Names = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const COMMON: &[Names] = &[
    ("shell", "Bash", &[("timeout_ms", "timeout"), ("background", "run_in_background")]),
    ("read_file", "Read", &[("path", "file_path")]),
    ("write_file", "Write", &[("path", "file_path")]),
    ("edit_file", "Edit", &[("path", "file_path")]),
    ("glob", "Glob", &[]),
    ("grep", "Grep", &[]),
    ("list_dir", "LS", &[]),
    ("fetch_url", "WebFetch", &[]),
];

impl Dialect {
    /// The common name of `tool`.
    pub(super) fn alias(tool: &str) -> Option<&'static str> {
        COMMON.iter().find(|(own, _, _)| *own == tool).map(|(_, common, _)| *common)
    }

    /// The call in these words.
    pub(super) fn call(self, call: &PreparedCall) -> Value {
        let names = COMMON.iter().find(|(own, _, _)| *own == call.tool);
        match (self, names) {
            (Self::Common, Some((_, name, fields))) => {
                let renamed = |field: &String| {
                    fields
                        .iter()
                        .find(|(own, _)| own == field)
                        .map_or_else(|| field.clone(), |(_, common)| (*common).to_owned())
                };
                let input: Map<String, Value> =
                    call.arguments.iter().map(|(field, value)| (renamed(field), value.clone())).collect();
                json!({"tool_name": name, "tool_input": input})
            }
            (Self::Own | Self::Common, _) => json!({"tool_name": call.tool, "tool_input": call.arguments}),
        }
    }
}
