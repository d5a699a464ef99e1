//! The documents of a Chat Completions response, read leniently: every field may be missing, null or of another
//! type, and unknown keys never matter.

use crate::model::loose::{Integer, List, Maybe, Present, RawArguments, Text};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// A chunk of a stream, or a whole response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Chunk<'a> {
    #[serde(borrow)]
    pub choices: List<Choice<'a>>,
    pub usage: Maybe<WireUsage>,
    pub error: Present,
    pub detail: Present,
    /// Cloudflare's.
    pub errors: Present,
    pub message: Present,
    /// MiniMax's: with every chunk, its number zero where nothing is wrong.
    pub base_resp: Maybe<BaseResponse>,
    #[serde(borrow)]
    pub object: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct BaseResponse {
    pub status_code: Integer,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Choice<'a> {
    pub index: Integer,
    #[serde(borrow)]
    pub delta: Maybe<Content<'a>>,
    #[serde(borrow)]
    pub message: Maybe<Content<'a>>,
    #[serde(borrow)]
    pub finish_reason: Text<'a>,
    /// Moonshot reports it here.
    pub usage: Maybe<WireUsage>,
    pub error: Present,
}

/// The content of a message, whole or a piece.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Content<'a> {
    #[serde(borrow)]
    pub content: Text<'a>,
    #[serde(borrow)]
    pub refusal: Text<'a>,
    #[serde(borrow)]
    pub reasoning_content: Text<'a>,
    #[serde(borrow)]
    pub reasoning: Text<'a>,
    pub reasoning_details: List<Value>,
    #[serde(borrow)]
    pub tool_calls: List<ToolCall<'a>>,
    #[serde(borrow)]
    pub function_call: Maybe<Function<'a>>,
}

/// A tool call, whole or a piece, with the keys that we don't know.
#[derive(Debug, Default)]
pub struct ToolCall<'a> {
    pub index: Option<i64>,
    pub id: Text<'a>,
    pub function: Function<'a>,
    pub extra: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Function<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub arguments: RawArguments<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct WireUsage {
    prompt_tokens: Integer,
    completion_tokens: Integer,
    input_tokens: Integer,
    output_tokens: Integer,
}

impl Chunk<'_> {
    /// Whether it says what went wrong in place of a choice.
    pub fn is_error_alone(&self) -> bool {
        let number = self.base_resp.0.as_ref().and_then(|response| response.status_code.0);
        let says =
            self.detail.0 || self.errors.0 || self.message.0 || number.is_some_and(|number| number != 0);
        self.choices.0.is_empty() && says
    }
}

impl WireUsage {
    /// Input and output tokens.
    pub fn tokens(&self) -> (Option<u64>, Option<u64>) {
        let unsigned =
            |first: Integer, second: Integer| first.0.or(second.0).and_then(|n| u64::try_from(n).ok());
        (
            unsigned(self.prompt_tokens, self.input_tokens),
            unsigned(self.completion_tokens, self.output_tokens),
        )
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ToolCall<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ToolCallVisitor<'a>(std::marker::PhantomData<&'a ()>);
        impl<'de: 'a, 'a> Visitor<'de> for ToolCallVisitor<'a> {
            type Value = ToolCall<'a>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a tool call")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ToolCall<'a>, A::Error> {
                let mut call = ToolCall::default();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match key.text.as_ref() {
                        "index" => call.index = map.next_value::<Integer>()?.0,
                        "id" => call.id = map.next_value()?,
                        "function" => {
                            call.function = map.next_value::<Maybe<Function<'a>>>()?.0.unwrap_or_default();
                        }
                        "type" => {
                            map.next_value::<serde::de::IgnoredAny>()?;
                        }
                        other => {
                            let value = map.next_value::<Value>()?;
                            if !value.is_null() {
                                call.extra.insert(other.to_owned(), value);
                            }
                        }
                    }
                }
                Ok(call)
            }
        }
        deserializer.deserialize_map(ToolCallVisitor(std::marker::PhantomData))
    }
}
