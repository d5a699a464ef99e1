//! Wire values as servers really send them: a field of the wrong type is read as far as it makes sense and never
//! fails the whole document.

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A text: a string, a number in place of one, `null`, or parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Text<'a> {
    /// The text; empty where there is none.
    pub text: Cow<'a, str>,
    /// Text of parts that are thinking.
    pub thinking: String,
}

impl Text<'_> {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thinking.is_empty()
    }
}

/// Arguments of a call: a text to append, or a value that was not encoded as text.
#[derive(Debug, Default)]
pub struct RawArguments<'a>(pub Text<'a>);

/// An integer: a number, or a string that holds one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integer(pub Option<i64>);

/// Whether a field says anything: `null`, `false`, an empty text, list or object doesn't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present(pub bool);

/// An array; anything else counts as an empty one.
#[derive(Debug, PartialEq, Eq)]
pub struct List<T>(pub Vec<T>);

/// An object; anything else counts as absent.
#[derive(Debug, PartialEq, Eq)]
pub struct Maybe<T>(pub Option<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// Reads a document. Where it is all UTF-8, as nearly always, each string in it needn't be looked at again.
///
/// # Errors
/// When it isn't JSON.
pub fn from_json<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, serde_json::Error> {
    match std::str::from_utf8(data) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(data),
    }
}

/// A document in which each key stands once: of one that is there twice the last counts, as JSON parsers commonly
/// have it. NVIDIA's gateway repeats `reasoning_content`.
///
/// # Errors
/// When it isn't JSON.
pub fn without_repetitions(data: &[u8]) -> Result<String, serde_json::Error> {
    serde_json::from_slice::<Value>(data).map(|document| document.to_string())
}

/// The text of a part, and whether it is thinking.
fn read_part(part: &Value, out: &mut Text<'_>) {
    let Value::Object(object) = part else {
        if let Value::String(text) = part {
            out.text.to_mut().push_str(text);
        }
        return;
    };
    let text = |key: &str| match object.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")).filter_map(Value::as_str).collect()
        }
        Some(_) | None => String::new(),
    };
    match object.get("type").and_then(Value::as_str) {
        Some("thinking" | "reasoning") => {
            out.thinking.push_str(&text("thinking"));
            out.thinking.push_str(&text("text"));
        }
        Some(_) | None => out.text.to_mut().push_str(&text("text")),
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for TextVisitor<'a> {
            type Value = Text<'a>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'a>, E> {
                Ok(Text { text: Cow::Borrowed(text), thinking: String::new() })
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'a>, E> {
                self.visit_string(text.to_owned())
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Text<'a>, E> {
                Ok(Text { text: Cow::Owned(text), thinking: String::new() })
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Text<'a>, E> {
                self.visit_string(number.to_string())
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Text<'a>, E> {
                self.visit_string(number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Text<'a>, E> {
                self.visit_string(number.to_string())
            }
            fn visit_bool<E>(self, _: bool) -> Result<Text<'a>, E> {
                Ok(Text::default())
            }
            fn visit_unit<E>(self) -> Result<Text<'a>, E> {
                Ok(Text::default())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Text<'a>, A::Error> {
                let mut out = Text::default();
                while let Some(part) = parts.next_element::<Value>()? {
                    read_part(&part, &mut out);
                }
                Ok(out)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text<'a>, A::Error> {
                let mut object = serde_json::Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    object.insert(key, value);
                }
                let mut out = Text::default();
                read_part(&Value::Object(object), &mut out);
                Ok(out)
            }
        }
        deserializer.deserialize_any(TextVisitor(PhantomData))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawArguments<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ArgumentsVisitor<'a>(PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for ArgumentsVisitor<'a> {
            type Value = RawArguments<'a>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("arguments")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<RawArguments<'a>, E> {
                Ok(RawArguments(Text { text: Cow::Borrowed(text), thinking: String::new() }))
            }
            fn visit_str<E>(self, text: &str) -> Result<RawArguments<'a>, E> {
                Ok(RawArguments(Text { text: Cow::Owned(text.to_owned()), thinking: String::new() }))
            }
            fn visit_unit<E>(self) -> Result<RawArguments<'a>, E> {
                Ok(RawArguments::default())
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<RawArguments<'a>, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<RawArguments<'a>, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_i64<E: Error>(self, value: i64) -> Result<RawArguments<'a>, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_f64<E: Error>(self, value: f64) -> Result<RawArguments<'a>, E> {
                self.visit_str(&value.to_string())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<RawArguments<'a>, A::Error> {
                let value = Value::deserialize(serde::de::value::SeqAccessDeserializer::new(items))?;
                self.visit_str(&value.to_string())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawArguments<'a>, A::Error> {
                let value = Value::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                self.visit_str(&value.to_string())
            }
        }
        deserializer.deserialize_any(ArgumentsVisitor(PhantomData))
    }
}

/// Visits any value, doing nothing with the kinds that the caller doesn't name.
macro_rules! ignoring_visitor {
    ($visitor:ident -> $out:ty, $default:expr, { $($method:item)* }, skip [$($skip:ident),*]) => {
        struct $visitor;
        impl<'de> Visitor<'de> for $visitor {
            type Value = $out;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }
            $($method)*
            $(ignoring_visitor!(@ $skip, $out, $default);)*
        }
    };
    (@ scalar, $out:ty, $default:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<$out, E> { Ok($default) }
    };
    (@ map, $out:ty, $default:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$out, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($default)
        }
    };
    (@ seq, $out:ty, $default:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<$out, A::Error> {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            Ok($default)
        }
    };
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ignoring_visitor!(IntegerVisitor -> Integer, Integer(None), {
            fn visit_u64<E>(self, number: u64) -> Result<Integer, E> { Ok(Integer(i64::try_from(number).ok())) }
            fn visit_i64<E>(self, number: i64) -> Result<Integer, E> { Ok(Integer(Some(number))) }
            fn visit_f64<E>(self, number: f64) -> Result<Integer, E> {
                #[expect(clippy::cast_possible_truncation, reason = "checked to be a whole number within range")]
                let whole = (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
                Ok(Integer(whole))
            }
            fn visit_str<E>(self, text: &str) -> Result<Integer, E> { Ok(Integer(text.trim().parse().ok())) }
            fn visit_unit<E>(self) -> Result<Integer, E> { Ok(Integer(None)) }
        }, skip [scalar, map, seq]);
        deserializer.deserialize_any(IntegerVisitor)
    }
}

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match Value::deserialize(deserializer)? {
            Value::Null => false,
            Value::Bool(is_set) => is_set,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
        }))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
            type Value = List<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<List<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(Maybe(item)) = items.next_element::<Maybe<T>>()? {
                    list.extend(item);
                }
                Ok(List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<List<T>, A::Error> {
                // One object where an array of one should be.
                let item = T::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(List(vec![item]))
            }
            fn visit_unit<E>(self) -> Result<List<T>, E> {
                Ok(List::default())
            }
            fn visit_bool<E>(self, _: bool) -> Result<List<T>, E> {
                Ok(List::default())
            }
            fn visit_u64<E>(self, _: u64) -> Result<List<T>, E> {
                Ok(List::default())
            }
            fn visit_i64<E>(self, _: i64) -> Result<List<T>, E> {
                Ok(List::default())
            }
            fn visit_f64<E>(self, _: f64) -> Result<List<T>, E> {
                Ok(List::default())
            }
            fn visit_str<E>(self, _: &str) -> Result<List<T>, E> {
                Ok(List::default())
            }
        }
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MaybeVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for MaybeVisitor<T> {
            type Value = Maybe<T>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Maybe<T>, A::Error> {
                T::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    .map(|item| Maybe(Some(item)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Maybe<T>, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Maybe(None))
            }
            fn visit_unit<E>(self) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }
            fn visit_str<E>(self, _: &str) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }
        }
        deserializer.deserialize_any(MaybeVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::{Integer, List, Maybe, Present, Text};

    #[test]
    fn every_type_is_read_as_far_as_it_makes_sense() {
        let text = |json: &str| {
            let text: Text<'_> = serde_json::from_str(json).unwrap();
            (text.text.into_owned(), text.thinking)
        };
        let plain = |text: &str| (text.to_owned(), String::new());
        assert_eq!(text(r#""a""#), plain("a"));
        assert_eq!(text(r#""\u00e9""#), plain("é"));
        assert_eq!(text("7"), plain("7"));
        assert_eq!(text("null"), plain(""));
        assert_eq!(text("true"), plain(""));
        assert_eq!(text(r#"["a",{"type":"text","text":"b"},{"type":"image"}]"#), plain("ab"));
        assert_eq!(
            text(
                r#"[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"b"}]"#
            ),
            ("b".to_owned(), "hm".to_owned())
        );
        let integer = |json: &str| serde_json::from_str::<Integer>(json).unwrap().0;
        assert_eq!(
            ["3", "\"3\"", "3.0", "null", "[]", "{\"a\":1}", "\"x\"", "1e300"].map(integer),
            [Some(3), Some(3), Some(3), None, None, None, None, None]
        );
        let present = |json: &str| serde_json::from_str::<Present>(json).unwrap().0;
        assert_eq!(["null", "{}", "[]", "\"\"", "0", "false"].map(present), [false; 6]);
        assert_eq!(["{\"a\":1}", "[1]", "\"x\"", "1", "true"].map(present), [true; 5]);
        let list = |json: &str| serde_json::from_str::<List<serde_json::Value>>(json).unwrap().0.len();
        assert_eq!(["[{},null,{}]", "null", "3", "\"x\"", "{}"].map(list), [2, 0, 0, 0, 1]);
        let maybe = |json: &str| serde_json::from_str::<Maybe<serde_json::Value>>(json).unwrap().0.is_some();
        assert_eq!(["{}", "null", "3", "\"x\"", "[1]"].map(maybe), [true, false, false, false, false]);
    }
}
