//! Canonical JSON (RFC 8785): the same value always gives the same bytes.

use serde_json::Value;
use std::fmt::Write as _;

/// The canonical text of `value`. Numbers must be integers within ±2^53 or finite doubles;
/// validation refuses larger integers before a value gets here, so their text is kept as it is.
#[must_use]
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => {
            // ECMAScript prints whole doubles without a fraction.
            match number.as_f64() {
                Some(float)
                    if !number.is_i64() && !number.is_u64() && float.fract() == 0.0 && float.abs() < 1e21 =>
                {
                    let _ = write!(out, "{float:.0}");
                }
                Some(_) | None => {
                    let _ = write!(out, "{number}");
                }
            }
        }
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
            out.push('{');
            for (place, (key, item)) in entries.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if u32::from(control) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::canonical_json;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_by_utf16_and_nothing_is_padded() {
        let value = json!({"b": [1, 2.0, "x"], "a": {"\u{e000}": 1, "\u{10000}": 2}, "c": "a\u{1}\n\"\\é"});
        assert_eq!(
            canonical_json(&value),
            "{\"a\":{\"\u{10000}\":2,\"\u{e000}\":1},\"b\":[1,2,\"x\"],\"c\":\"a\\u0001\\n\\\"\\\\é\"}"
        );
    }
}
