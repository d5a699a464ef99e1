//! What no tool accepts in its arguments, whatever its schema says.

use serde_json::{Map, Value};

/// The path of an integer that a double can't hold, if there is one.
pub(super) fn oversized_integer(arguments: &Map<String, Value>) -> Option<String> {
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
