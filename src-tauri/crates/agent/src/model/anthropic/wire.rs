//! The documents of a Messages response, read leniently. Their `type` decides; names of events don't matter.

use crate::model::loose::{Integer, Maybe, Present, RawArguments, Text};
use serde::Deserialize;
use serde_json::Value;

/// One event of a stream, or a whole message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Document<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    pub index: Integer,
    pub message: Maybe<Start>,
    pub content_block: Maybe<Value>,
    #[serde(borrow)]
    pub delta: Maybe<Delta<'a>>,
    pub usage: Maybe<WireUsage>,
    pub error: Present,
    /// Blocks, or a text alone.
    pub content: Value,
    #[serde(borrow)]
    pub stop_reason: Text<'a>,
}

/// What opens a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Start {
    pub usage: Maybe<WireUsage>,
}

/// A piece of a block, or of the message itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Delta<'a> {
    #[serde(borrow, rename = "type")]
    pub kind: Text<'a>,
    #[serde(borrow)]
    pub text: Text<'a>,
    #[serde(borrow)]
    pub partial_json: RawArguments<'a>,
    #[serde(borrow)]
    pub thinking: Text<'a>,
    #[serde(borrow)]
    pub signature: Text<'a>,
    #[serde(borrow)]
    pub stop_reason: Text<'a>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct WireUsage {
    input_tokens: Integer,
    output_tokens: Integer,
    cache_creation_input_tokens: Integer,
    cache_read_input_tokens: Integer,
}

impl WireUsage {
    /// Tokens read, cached ones included, and tokens written.
    pub fn tokens(&self) -> (Option<u64>, Option<u64>) {
        let unsigned = |number: Integer| number.0.and_then(|number| u64::try_from(number).ok());
        let cached = [self.cache_creation_input_tokens, self.cache_read_input_tokens];
        let cached = cached.into_iter().filter_map(unsigned).fold(0, u64::saturating_add);
        // A final report without input says 0; that is no news.
        let input = unsigned(self.input_tokens).map(|tokens| tokens.saturating_add(cached));
        (input.filter(|tokens| *tokens > 0), unsigned(self.output_tokens))
    }
}
