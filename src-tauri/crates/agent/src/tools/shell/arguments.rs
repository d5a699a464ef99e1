//! What a `shell` call may say.

use crate::tools::InvalidArguments;
use crate::tools::arguments::parse;
use assent_policy::{Needs, ShellRequest, Subject};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Where the call names none, in ms (R52).
const DEFAULT_TIMEOUT_MS: u64 = 120_000;
/// The longest a call may ask for, in ms.
const MAX_TIMEOUT_MS: u64 = 600_000;

/// The arguments of a `shell` call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShellArguments {
    /// The text for the shell.
    pub command: String,
    /// What the model says it does; shown as the model's words, judged by nobody.
    #[serde(default)]
    pub description: Option<String>,
    /// Time limit in ms.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Whether it goes on in the background.
    #[serde(default)]
    pub background: bool,
    /// What it asks for beyond its profile.
    #[serde(default)]
    pub needs: Needs,
}

impl ShellArguments {
    /// What the call would do.
    ///
    /// # Errors
    /// When the arguments don't fit [`schema`], or the command is empty.
    pub fn subject(arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Self = parse(arguments)?;
        if arguments.command.trim().is_empty() {
            return Err(InvalidArguments("the command is empty".to_owned()));
        }
        if arguments.command.contains('\0') {
            return Err(InvalidArguments("the command holds a NUL character".to_owned()));
        }
        let timeout_ms = arguments.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS);
        if timeout_ms == 0 || timeout_ms > MAX_TIMEOUT_MS {
            return Err(InvalidArguments(format!("timeout_ms is between 1 and {MAX_TIMEOUT_MS}")));
        }
        if arguments.needs.listen.contains(&0) {
            return Err(InvalidArguments("ports in needs.listen are between 1 and 65535".to_owned()));
        }
        Ok(Subject::Shell(ShellRequest {
            command: arguments.command,
            background: arguments.background,
            timeout_ms,
            needs: arguments.needs,
        }))
    }
}

/// The JSON Schema of the arguments.
#[must_use]
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The command, as the shell would read it."},
            "description": {"type": "string", "description": "What it does, in a few words, for the person who is asked."},
            "timeout_ms": {"type": "integer", "minimum": 1, "maximum": MAX_TIMEOUT_MS, "description": "Time limit in ms; 120000 by default."},
            "background": {"type": "boolean", "description": "Return at once and let it go on."},
            "needs": {
                "type": "object",
                "description": "What it needs beyond the sandbox. Anything here asks the user.",
                "properties": {
                    "hosts": {"type": "array", "items": {"type": "string"}, "description": "Host names it connects to."},
                    "listen": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 65535}, "description": "Ports it listens on."},
                    "read": {"type": "array", "items": {"type": "string"}, "description": "Further paths it reads."},
                    "write": {"type": "array", "items": {"type": "string"}, "description": "Further paths it writes."},
                    "unsandboxed": {"type": "boolean", "description": "Run with no sandbox at all."}
                },
                "additionalProperties": false
            }
        },
        "required": ["command"],
        "additionalProperties": false
    })
}

#[cfg(test)]
mod tests {
    use super::ShellArguments;
    use assent_policy::Subject;
    use serde_json::{Value, json};

    fn subject(value: &Value) -> Result<Subject, String> {
        ShellArguments::subject(value.as_object().unwrap()).map_err(|error| error.to_string())
    }

    /// R5
    #[test]
    fn what_a_call_may_say() {
        assert!(matches!(
            subject(&json!({"command": "ls"})),
            Ok(Subject::Shell(request)) if request.timeout_ms == 120_000 && request.needs.is_empty()
        ));
        for refused in [
            json!({}),
            json!({"command": "  "}),
            json!({"command": "a\u{0}b"}),
            json!({"command": "ls", "env": {"A": "b"}}),
            json!({"command": "ls", "timeout_ms": 0}),
            json!({"command": "ls", "timeout_ms": 600_001}),
            json!({"command": "ls", "needs": {"root": true}}),
            json!({"command": "ls", "needs": {"listen": [70_000]}}),
            json!({"command": "ls", "needs": {"listen": [0]}}),
        ] {
            assert!(subject(&refused).is_err(), "{refused}");
        }
    }
}
