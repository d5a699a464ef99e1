//! Steps 1 and 2: the tool and its arguments.

use super::arguments::coerced;
use crate::model::{Arguments, ProposedCall};
use crate::tools::{Registry, Tool, ToolFailure};
use assent_policy::{ErrorCode, Origin, PreparedCall};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Steps 1 and 2. Looks at nothing but the arguments (R5).
///
/// # Errors
/// `unknown_tool`, `invalid_json` or `invalid_arguments`, with a text for the model.
pub fn prepare(
    registry: &Registry,
    proposed: &ProposedCall,
    origin: &Origin,
) -> Result<(Arc<dyn Tool>, PreparedCall), ToolFailure> {
    let failure = |code, reason: String| ToolFailure { code, reason };
    let tool = registry.get(&proposed.name).ok_or_else(|| {
        let known = registry.names().collect::<Vec<_>>().join(", ");
        failure(ErrorCode::UnknownTool, format!("There is no tool of that name. The tools are: {known}."))
    })?;
    let arguments = match &proposed.arguments {
        Arguments::Object(map) => map,
        Arguments::Unreadable { problem, raw } => {
            return Err(failure(
                ErrorCode::InvalidJson,
                format!("The arguments are no JSON object: {problem}. They began: {raw}"),
            ));
        }
    };
    let definition = tool.definition();
    let arguments = coerced(arguments, &definition.schema);
    if let Some(path) = oversized_integer(&arguments) {
        return Err(failure(
            ErrorCode::InvalidArguments,
            format!("`{path}` is an integer beyond 2^53, which JSON readers don't agree on."),
        ));
    }
    let subject =
        tool.prepare(&arguments).map_err(|error| failure(ErrorCode::InvalidArguments, error.to_string()))?;
    let call = PreparedCall {
        tool: definition.name.to_owned(),
        schema_version: definition.schema_version,
        arguments,
        effect: definition.effect,
        subject,
        origin: origin.clone(),
    };
    Ok((Arc::clone(tool), call))
}

/// The path of an integer that a double can't hold, if there is one.
fn oversized_integer(arguments: &Map<String, Value>) -> Option<String> {
    const LIMIT: u64 = 1 << 53;
    fn find(value: &Value, path: String) -> Option<String> {
        match value {
            Value::Number(number) => {
                let size = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
                size.is_some_and(|size| size > LIMIT).then_some(path)
            }
            Value::Array(items) => {
                items.iter().enumerate().find_map(|(place, item)| find(item, format!("{path}[{place}]")))
            }
            Value::Object(map) => map.iter().find_map(|(key, item)| find(item, format!("{path}.{key}"))),
            Value::Null | Value::Bool(_) | Value::String(_) => None,
        }
    }
    arguments.iter().find_map(|(key, value)| find(value, key.clone()))
}
