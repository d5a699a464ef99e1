//! A call's arguments: from the text on the wire to a JSON object, or to an honest "can't be read".
//!
//! A strict JSON object is never touched. Beyond it only those deviations are accepted that leave one possible
//! meaning; nothing that was cut is ever closed, and nothing unreadable ever becomes `{}`.

use super::Arguments;
use serde_json::{Map, Value};

/// Longest arguments of one call, bytes.
pub const MAX_ARGUMENTS: usize = 4 * 1024 * 1024;

/// How much of unreadable arguments is shown to the model and the person, bytes.
const SHOWN: usize = 400;

/// Reads the arguments of one call.
#[must_use]
pub fn read_arguments(raw: &str) -> Arguments {
    let trimmed = raw.trim();
    if trimmed.is_empty() || trimmed == "null" {
        return Arguments::Object(Map::new());
    }
    match read_object(trimmed) {
        Ok(object) => Arguments::Object(object),
        Err(problem) => unreadable(raw, problem),
    }
}

/// Arguments that can't be used, with the bounded head of what arrived.
#[must_use]
pub fn unreadable(raw: &str, problem: String) -> Arguments {
    let mut end = raw.len().min(SHOWN);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    Arguments::Unreadable { raw: raw.get(..end).unwrap_or_default().to_owned(), problem }
}

fn read_object(text: &str) -> Result<Map<String, Value>, String> {
    let strict = match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) => return Ok(object),
        Ok(Value::String(inner)) => return unwrap_string(&inner),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
            return Err("the arguments are JSON but no object".to_owned());
        }
        Err(problem) => problem,
    };
    let escaped = escape_control_characters(text);
    let lenient = escaped.as_deref().unwrap_or(text);
    match first_object_alone(lenient) {
        Some(result) => result,
        None => Err(strict.to_string()),
    }
}

/// Some servers encode the object twice; once is undone, no more.
fn unwrap_string(inner: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str::<Value>(inner.trim()) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | Err(_) => {
            Err("the arguments are a JSON string, not an object".to_owned())
        }
    }
}

/// One whole object, followed by nothing but blanks, closing brackets and the very same object again. `None`
/// where there is no whole object at the start.
fn first_object_alone(text: &str) -> Option<Result<Map<String, Value>, String>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let Some(Ok(Value::Object(object))) = values.next() else { return None };
    let mut rest = text.get(values.byte_offset()..).unwrap_or_default();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']'));
        if rest.is_empty() {
            return Some(Ok(object));
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(again))) if again == object => {
                rest = rest.get(values.byte_offset()..).unwrap_or_default();
            }
            Some(Ok(Value::Object(_))) => {
                return Some(Err("two different objects in the arguments of one call".to_owned()));
            }
            Some(_) | None => return Some(Err("text after the end of the arguments' object".to_owned())),
        }
    }
}

/// Writes raw control characters inside strings as escapes. `None` where there are none, or where one follows a
/// backslash: that text has no one meaning.
fn escape_control_characters(text: &str) -> Option<String> {
    let mut out: Option<String> = None;
    let mut in_string = false;
    let mut after_backslash = false;
    for (place, character) in text.char_indices() {
        if in_string && u32::from(character) < 0x20 {
            if after_backslash {
                return None;
            }
            let out = out.get_or_insert_with(|| text.get(..place).unwrap_or_default().to_owned());
            out.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else if let Some(out) = out.as_mut() {
            out.push(character);
        }
        (in_string, after_backslash) = match (in_string, after_backslash, character) {
            (true, false, '\\') => (true, true),
            (true, false, '"') => (false, false),
            (true, _, _) => (true, false),
            (false, _, _) => (character == '"', false),
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{SHOWN, read_arguments};
    use crate::model::Arguments;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// R5
    #[test]
    fn what_is_accepted() {
        let cases: &[(&str, Value)] = &[
            ("", json!({})),
            (" \n\t", json!({})),
            ("null", json!({})),
            (r#"{"path":"a"}"#, json!({"path": "a"})),
            (r#" {"path":"a"} "#, json!({"path": "a"})),
            (r#""{\"path\":\"a\"}""#, json!({"path": "a"})),
            ("{\"content\":\"a\nb\tc\"}", json!({"content": "a\nb\tc"})),
            ("{\"content\":\"a\\\\\nb\"}", json!({"content": "a\\\nb"})),
            (r#"{"path":"a"}}"#, json!({"path": "a"})),
            (r#"{"path":"a"} ]}} "#, json!({"path": "a"})),
            (r#"{"path":"a"}{"path":"a"}"#, json!({"path": "a"})),
            (r#"{"path":"a"}}{"path": "a"}}"#, json!({"path": "a"})),
            (r#"{"c":"if(a){b()}{c()}"}"#, json!({"c": "if(a){b()}{c()}"})),
            (r#"{"c":"}}\"}{"}"#, json!({"c": "}}\"}{"})),
        ];
        for (raw, expected) in cases {
            let Arguments::Object(object) = read_arguments(raw) else { panic!("{raw:?} was refused") };
            assert_eq!(&Value::Object(object), expected, "{raw:?}");
        }
    }

    /// R5
    #[test]
    fn what_is_refused_and_never_guessed() {
        let cases = [
            r#"{"path":"a"#,
            r#"{"path":"a""#,
            r#"{"path":"#,
            r#"["a"]"#,
            "[]",
            "3",
            "true",
            r#""a""#,
            r#""""#,
            r#""\"{}\"""#,
            r#"{"path":"a"}{"path":"b"}"#,
            r#"{"path":"a"}{"path":"#,
            r#"{"path":"a"} and more"#,
            r#"{'path':'a'}"#,
            "{path:1}",
            "{\"a\":\"x\\\ny\"}",
            "<tool>",
        ];
        for raw in cases {
            let read = read_arguments(raw);
            assert!(matches!(read, Arguments::Unreadable { .. }), "{raw:?} became {read:?}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_without_overflow() {
        let deep = "[".repeat(1_000_000);
        assert!(matches!(read_arguments(&deep), Arguments::Unreadable { .. }));
        let deep = "{\"a\":".repeat(100_000);
        assert!(matches!(read_arguments(&deep), Arguments::Unreadable { .. }));
    }

    #[test]
    fn the_head_of_the_text_is_bounded() {
        let Arguments::Unreadable { raw, .. } = read_arguments(&"é".repeat(5_000)) else { panic!() };
        assert!(raw.len() <= SHOWN && !raw.is_empty());
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,12}".prop_map(Value::from),
            "[\\x00-\\x20\"\\\\{}]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map("\\PC{0,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn valid_objects_are_never_touched(map in proptest::collection::hash_map("\\PC{0,6}", json_value(), 0..5)) {
            let value = Value::Object(map.into_iter().collect());
            let Arguments::Object(object) = read_arguments(&value.to_string()) else { panic!() };
            prop_assert_eq!(Value::Object(object), value);
        }

        #[test]
        fn a_cut_object_is_never_accepted(map in proptest::collection::hash_map("\\PC{0,6}", json_value(), 1..4), cut in any::<prop::sample::Index>()) {
            let text = Value::Object(map.into_iter().collect()).to_string();
            let mut end = cut.index(text.len() - 1) + 1;
            while !text.is_char_boundary(end) { end -= 1; }
            prop_assume!(end > 0);
            let refused = matches!(read_arguments(text.get(..end).unwrap()), Arguments::Unreadable { .. });
            prop_assert!(refused);
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,60}|[\\x00-\\x20\"\\\\{}\\[\\]:,a]{0,60}") {
            let _ = read_arguments(&text);
        }
    }
}
