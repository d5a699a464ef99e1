//! Arguments that a server wrote as text, put right before a tool looks at them.

use serde_json::{Map, Number, Value};

/// The arguments with numbers and truth values that were written as text put right, where the schema asks for
/// them: some servers quote every value. Nothing else is touched.
pub(super) fn coerced(arguments: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties");
    arguments
        .iter()
        .map(|(name, value)| {
            let schema = properties.and_then(|properties| properties.get(name));
            (name.clone(), schema.map_or_else(|| value.clone(), |schema| coerced_value(value, schema)))
        })
        .collect()
}

fn coerced_value(value: &Value, schema: &Value) -> Value {
    match value {
        Value::String(text) => match schema.get("type").and_then(Value::as_str) {
            Some("integer") => integer(text).map_or_else(|| value.clone(), Value::Number),
            Some("boolean") => text.parse().map_or_else(|_| value.clone(), Value::Bool),
            Some(_) | None => value.clone(),
        },
        Value::Array(items) => match schema.get("items") {
            Some(schema) => items.iter().map(|item| coerced_value(item, schema)).collect(),
            None => value.clone(),
        },
        Value::Object(map) => Value::Object(coerced(map, schema)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A number in the one form that JSON has for it: no sign but a minus, no leading zero.
fn integer(text: &str) -> Option<Number> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then(|| number.into())
}

#[cfg(test)]
mod tests {
    use super::coerced;
    use serde_json::{Value, json};

    /// R5
    #[test]
    fn quoted_numbers_and_truth_values_become_what_the_schema_asks_for() {
        let schema = json!({"type": "object", "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer"},
            "all": {"type": "boolean"},
            "needs": {"type": "object", "properties": {
                "listen": {"type": "array", "items": {"type": "integer"}},
                "unsandboxed": {"type": "boolean"},
            }},
        }});
        let cases = [
            (json!({"offset": "3", "all": "true"}), json!({"offset": 3, "all": true})),
            (json!({"offset": "-3", "all": "false"}), json!({"offset": -3, "all": false})),
            (
                json!({"needs": {"listen": ["80", 81], "unsandboxed": "true"}}),
                json!({"needs": {"listen": [80, 81], "unsandboxed": true}}),
            ),
        ];
        for (given, wanted) in cases {
            assert_eq!(Value::Object(coerced(given.as_object().unwrap(), &schema)), wanted);
        }
        for kept in [
            json!({"path": "3", "other": "3"}),
            json!({"path": 3}),
            json!({"offset": "03", "all": "True"}),
            json!({"offset": "+3"}),
            json!({"offset": " 3"}),
            json!({"offset": "3.0"}),
            json!({"offset": "1e3"}),
            json!({"offset": ""}),
            json!({"offset": true, "all": 1}),
            json!({"offset": null, "needs": "{}"}),
        ] {
            assert_eq!(Value::Object(coerced(kept.as_object().unwrap(), &schema)), kept, "it stays as it is");
        }
    }
}
