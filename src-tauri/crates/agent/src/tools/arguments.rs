//! A model's arguments as a type: strict, the same for every tool (R5).

use super::{InvalidArguments, ToolFailure};
use crate::gate::Permit;
use assent_policy::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads `arguments` as `T`, which must deny unknown fields.
///
/// # Errors
/// When a field is missing, unknown or of another type.
pub(super) fn parse<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T, InvalidArguments> {
    serde_json::from_value(Value::Object(arguments.clone()))
        .map_err(|error| InvalidArguments(error.to_string()))
}

/// The arguments of a permitted call: the ones that were judged.
///
/// # Errors
/// When they don't fit, which `prepare` would have said before.
pub(super) fn permitted<T: DeserializeOwned>(permit: &Permit) -> Result<T, ToolFailure> {
    parse(&permit.call().arguments)
        .map_err(|InvalidArguments(reason)| ToolFailure { code: ErrorCode::InvalidArguments, reason })
}

#[cfg(test)]
mod tests {
    use super::parse;
    use serde::Deserialize;
    use serde_json::{Value, json};

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        path: String,
        offset: Option<u64>,
    }

    fn problem(value: Value) -> String {
        let Value::Object(map) = value else { panic!("an object") };
        match parse::<Sample>(&map) {
            Ok(sample) => format!("ok: {} {:?}", sample.path, sample.offset),
            Err(error) => error.to_string(),
        }
    }

    /// R5
    #[test]
    fn what_does_not_fit_is_named() {
        let cases = [
            json!({"path": "a", "offset": 1}),
            json!({}),
            json!({"path": 1}),
            json!({"path": "a", "mode": "x"}),
            json!({"path": "a", "offset": -1}),
            json!({"path": "a", "offset": 1.5}),
            json!({"path": "a", "offset": 1e300}),
        ];
        insta::assert_snapshot!(cases.map(problem).join("\n"));
    }
}
