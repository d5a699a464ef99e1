//! Events and whole messages, into the draft of a reply. Fragments belong to the block with their index; a block
//! is read as a whole when the body ends.

use super::wire::{Delta, Document};
use crate::model::assembler::Fragment;
use crate::model::draft::Draft;
use crate::model::errors::FailureCode;
use crate::model::loose::{from_json, without_repetitions};
use crate::model::template::Template;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Most content blocks in one reply.
const MAX_BLOCKS: usize = 4096;

/// Input of a block beyond this is not kept, bytes: a little more than the assembler accepts.
const MAX_INPUT: usize = crate::model::arguments::MAX_ARGUMENTS + 1;

/// Reads one response.
#[derive(Debug, Default)]
pub struct Reader {
    blocks: Vec<Block>,
    /// Calls have been handed to the draft.
    is_closed: bool,
    /// The last event, where it was a piece of text for the block with this index.
    template: Option<Template<Option<i64>>>,
}

#[derive(Debug)]
struct Block {
    index: Option<i64>,
    content: BlockContent,
}

#[derive(Debug)]
enum BlockContent {
    Text(String),
    /// A call of ours: what the start held, and the pieces after it. The pieces win.
    ToolUse {
        id: String,
        name: String,
        start: Value,
        pieces: String,
    },
    /// Thinking and its signature, byte for byte.
    Thinking {
        thinking: String,
        signature: String,
    },
    /// To be echoed as it is: redacted thinking, and what the provider's own tools did.
    Raw {
        block: Map<String, Value>,
        pieces: String,
    },
    /// A kind of block that is not known here.
    Ignored,
}

impl Reader {
    /// Reads the data of one event.
    ///
    /// # Errors
    /// When it isn't JSON.
    pub fn read_event(&mut self, data: &[u8], draft: &mut Draft) -> Result<(), serde_json::Error> {
        if let Some((text, index)) = self.template.as_ref().and_then(|template| template.read(data)) {
            self.add_text(index, text, draft);
            return Ok(());
        }
        let plain;
        let document: Document<'_> = match from_json(data) {
            Ok(document) => document,
            Err(_) => {
                plain = without_repetitions(data)?;
                from_json(plain.as_bytes())?
            }
        };
        self.template = template(&document, data);
        match document.kind.text.as_ref() {
            "message_start" => {
                if let Some(usage) = document.message.0.and_then(|message| message.usage.0) {
                    let (input, output) = usage.tokens();
                    draft.add_usage(input, output);
                }
            }
            "content_block_start" => {
                if let Some(Value::Object(block)) = document.content_block.0 {
                    self.start_block(document.index.0, block, draft);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = document.delta.0 {
                    self.add_delta(document.index.0, &delta, draft);
                }
            }
            "message_delta" => {
                if let Some(delta) = document.delta.0 {
                    draft.add_label(&delta.stop_reason.text);
                }
                if let Some(usage) = document.usage.0 {
                    let (input, output) = usage.tokens();
                    draft.add_usage(input, output);
                }
            }
            "message_stop" => draft.terminate(),
            "message" => self.read_message(document, draft),
            _ if document.error.0 || document.kind.text == "error" => {
                draft.fail_with(&serde_json::from_slice(data)?);
                draft.terminate();
            }
            // `ping`, `content_block_stop` and whatever is added later.
            _ => {}
        }
        Ok(())
    }

    /// Reads a body that is one document.
    pub fn read_whole(&mut self, body: &[u8], draft: &mut Draft) {
        let whole = match serde_json::from_slice::<Value>(body.trim_ascii()) {
            Ok(whole) => whole,
            Err(problem) => return draft.fail_unreadable(&problem),
        };
        let plain = whole.to_string();
        let document: Document<'_> = match from_json(plain.as_bytes()) {
            Ok(document) => document,
            Err(problem) => return draft.fail_unreadable(&problem),
        };
        let is_message = document.kind.text == "message"
            || !document.stop_reason.text.is_empty()
            || !document.content.is_null();
        if document.error.0 || document.kind.text == "error" {
            draft.fail_with(&whole);
        } else if is_message {
            self.read_message(document, draft);
        } else {
            draft.fail_without_reply(&whole);
        }
    }

    /// The body ended: the calls are whole, or as whole as they will be.
    pub fn close(&mut self, draft: &mut Draft) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        for (place, block) in self.blocks.iter().enumerate() {
            let BlockContent::ToolUse { id, name, start, pieces } = &block.content else { continue };
            let whole = match start {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let arguments = if pieces.trim().is_empty() { &whole } else { pieces };
            draft.add_announced(Fragment {
                index: i64::try_from(place).ok(),
                id: Some(id),
                name: Some(name),
                arguments,
                extra: Map::new(),
            });
        }
    }

    /// All blocks in order, to be echoed: thinking only with its signature, calls by their place.
    #[must_use]
    pub fn into_replay(self) -> Option<Value> {
        let needs_echo = self.blocks.iter().any(|block| match &block.content {
            BlockContent::Thinking { signature, .. } => !signature.is_empty(),
            BlockContent::Raw { .. } => true,
            BlockContent::Text(_) | BlockContent::ToolUse { .. } | BlockContent::Ignored => false,
        });
        if !needs_echo {
            return None;
        }
        let blocks = self.blocks.into_iter().filter_map(|block| match block.content {
            BlockContent::Text(text) => {
                (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
            }
            BlockContent::ToolUse { .. } => Some(json!({"type": "tool_use"})),
            BlockContent::Thinking { thinking, signature } => (!signature.is_empty())
                .then(|| json!({"type": "thinking", "thinking": thinking, "signature": signature})),
            BlockContent::Raw { mut block, pieces } => {
                if let Ok(input @ Value::Object(_)) = serde_json::from_str::<Value>(&pieces) {
                    block.insert("input".to_owned(), input);
                }
                Some(Value::Object(block))
            }
            BlockContent::Ignored => None,
        });
        Some(json!({"blocks": blocks.collect::<Vec<_>>()}))
    }

    fn read_message(&mut self, document: Document<'_>, draft: &mut Draft) {
        match document.content {
            Value::String(text) => self.add_text(None, &text, draft),
            Value::Array(blocks) => {
                for (place, block) in blocks.into_iter().enumerate() {
                    if let Value::Object(block) = block {
                        self.start_block(i64::try_from(place).ok(), block, draft);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
        draft.add_label(&document.stop_reason.text);
        if let Some(usage) = document.usage.0 {
            let (input, output) = usage.tokens();
            draft.add_usage(input, output);
        }
        draft.terminate();
    }

    fn start_block(&mut self, index: Option<i64>, mut block: Map<String, Value>, draft: &mut Draft) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let content = match text("type").as_str() {
            "text" => {
                draft.add_text(&text("text"));
                BlockContent::Text(text("text"))
            }
            "thinking" => {
                draft.add_reasoning(&text("thinking"));
                BlockContent::Thinking { thinking: text("thinking"), signature: text("signature") }
            }
            "tool_use" => {
                let (id, name) = (text("id"), text("name"));
                let start = block.remove("input").unwrap_or(Value::Null);
                if let Some(known) = self.opened_call(index, &id) {
                    // The same block, opened again: one call all the same.
                    if known.as_object().is_none_or(Map::is_empty) {
                        *known = start;
                    }
                    return;
                }
                // Announced at once; the arguments follow when they are whole.
                if !name.is_empty() {
                    draft.announce(&name);
                }
                BlockContent::ToolUse { id, name, start, pieces: String::new() }
            }
            kind if kind == "redacted_thinking"
                || kind == "server_tool_use"
                || kind.ends_with("_tool_result") =>
            {
                BlockContent::Raw { block, pieces: String::new() }
            }
            _ => BlockContent::Ignored,
        };
        self.push(index, content, draft);
    }

    fn push(&mut self, index: Option<i64>, content: BlockContent, draft: &mut Draft) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.push(Block { index, content });
        } else {
            draft.fail(FailureCode::BadStream.error("it has too many content blocks"));
            draft.terminate();
        }
    }

    /// What the start of the call with this index and id held, where it was opened before.
    fn opened_call(&mut self, index: Option<i64>, id: &str) -> Option<&mut Value> {
        self.blocks.iter_mut().find_map(|block| match &mut block.content {
            BlockContent::ToolUse { id: known, start, .. }
                if block.index == index && known == id && !id.is_empty() =>
            {
                Some(start)
            }
            BlockContent::Text(_)
            | BlockContent::ToolUse { .. }
            | BlockContent::Thinking { .. }
            | BlockContent::Raw { .. }
            | BlockContent::Ignored => None,
        })
    }

    /// Adds text to the block with this index; one that wasn't opened is opened by it.
    fn add_text(&mut self, index: Option<i64>, piece: &str, draft: &mut Draft) {
        let Some(place) = self.place_of(index) else {
            self.push(index, BlockContent::Text(piece.to_owned()), draft);
            draft.add_text(piece);
            return;
        };
        if let Some(Block { content: BlockContent::Text(text), .. }) = self.blocks.get_mut(place) {
            draft.add_text(piece);
            if !draft.has_failed() {
                text.push_str(piece);
            }
        }
    }

    /// Opens the block whose start was lost. A call's name is lost with it, which must show.
    fn open_for(&mut self, kind: &str, index: Option<i64>, draft: &mut Draft) {
        let content = match kind {
            "thinking_delta" => BlockContent::Thinking { thinking: String::new(), signature: String::new() },
            "input_json_delta" => BlockContent::ToolUse {
                id: String::new(),
                name: String::new(),
                start: Value::Null,
                pieces: String::new(),
            },
            _ => return,
        };
        self.push(index, content, draft);
    }

    fn place_of(&self, index: Option<i64>) -> Option<usize> {
        self.blocks.iter().rposition(|block| index.is_none() || block.index == index)
    }

    fn add_delta(&mut self, index: Option<i64>, delta: &Delta<'_>, draft: &mut Draft) {
        let kind = match delta.kind.text.as_ref() {
            "" if !delta.text.text.is_empty() => "text_delta",
            "" if !delta.partial_json.0.text.is_empty() => "input_json_delta",
            kind => kind,
        };
        if kind == "text_delta" {
            self.add_text(index, &delta.text.text, draft);
            return;
        }
        if self.place_of(index).is_none() {
            self.open_for(kind, index, draft);
        }
        let place = self.place_of(index);
        let Some(block) = place.and_then(|place| self.blocks.get_mut(place)) else { return };
        match (kind, &mut block.content) {
            // What goes beyond the limit of a call is left out; the assembler then refuses the call.
            ("input_json_delta", BlockContent::ToolUse { pieces, .. } | BlockContent::Raw { pieces, .. })
                if pieces.len() < MAX_INPUT && draft.admit(delta.partial_json.0.text.len()) =>
            {
                pieces.push_str(&delta.partial_json.0.text);
            }
            ("thinking_delta", BlockContent::Thinking { thinking, .. }) => {
                draft.add_reasoning(&delta.thinking.text);
                if !draft.has_failed() {
                    thinking.push_str(&delta.thinking.text);
                }
            }
            ("signature_delta", BlockContent::Thinking { signature, .. })
                if draft.admit(delta.signature.text.len()) =>
            {
                signature.push_str(&delta.signature.text);
            }
            _ => {}
        }
    }
}

/// A template for the events that follow, where this one is a piece of text.
fn template(document: &Document<'_>, data: &[u8]) -> Option<Template<Option<i64>>> {
    let delta = document.delta.0.as_ref().filter(|_| document.kind.text == "content_block_delta")?;
    match &delta.text.text {
        Cow::Borrowed(text) if delta.kind.text == "text_delta" && !text.is_empty() => {
            Template::of(data, text, document.index.0)
        }
        Cow::Borrowed(_) | Cow::Owned(_) => None,
    }
}
