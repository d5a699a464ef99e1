//! Chunks and whole responses, into the draft of a reply.

use super::wire::{Chunk, Content, Function, ToolCall, WireUsage};
use crate::model::assembler::Fragment;
use crate::model::draft::Draft;
use crate::model::loose::{List, Maybe, Text, from_json, without_repetitions};
use crate::model::template::Template;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The label of the one call that the older `function_call` field can hold.
const LEGACY_CALL: i64 = i64::MIN;

/// Most raw thinking parts that are kept to be echoed.
const MAX_DETAILS: usize = 4096;

/// Reads one response.
#[derive(Debug, Default)]
pub struct Reader {
    /// The choice that is read; others are alternatives nobody asked for.
    choice: Option<i64>,
    /// Where the thinking text comes from: routers mirror one text in several fields.
    source: Option<Source>,
    streamed: Streamed,
    reasoning_content: String,
    details: Vec<Value>,
    /// The last chunk, where it did one thing only.
    template: Option<Template<Effect>>,
}

/// The one thing that a chunk did with its text.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Text,
    Arguments { index: Option<i64> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    ReasoningContent,
    Reasoning,
    Details,
    Parts,
}

/// What came in pieces. A whole message beside them (Foundry Local) or behind them (MiniMax) says it again.
#[derive(Debug, Default)]
struct Streamed {
    text: bool,
    reasoning: bool,
    refusal: bool,
    calls: bool,
}

impl Reader {
    /// Reads the data of one event.
    ///
    /// # Errors
    /// When it isn't JSON.
    pub fn read_event(&mut self, data: &[u8], draft: &mut Draft) -> Result<(), serde_json::Error> {
        if let Some((text, effect)) = self.template.as_ref().and_then(|template| template.read(data)) {
            match effect {
                Effect::Text => draft.add_text(text),
                Effect::Arguments { index } => add_arguments(index, text, draft),
            }
            return Ok(());
        }
        let plain;
        let chunk: Chunk<'_> = match from_json(data) {
            Ok(chunk) => chunk,
            Err(_) => {
                plain = without_repetitions(data)?;
                from_json(plain.as_bytes())?
            }
        };
        let index = chunk.choices.0.first().map(|choice| choice.index.0.unwrap_or_default());
        let template = template(&chunk, data);
        self.read_chunk(chunk, data, draft)?;
        // Of a choice that isn't read nothing follows.
        self.template = template.filter(|_| self.choice == index);
        Ok(())
    }

    /// Reads a body that is one document.
    pub fn read_whole(&mut self, body: &[u8], draft: &mut Draft) {
        let document = match serde_json::from_slice::<Value>(body.trim_ascii()) {
            Ok(document) => document,
            Err(problem) => return draft.fail_unreadable(&problem),
        };
        if document.is_array() {
            return draft.fail_with(&document);
        }
        let plain = document.to_string();
        let plain = plain.as_bytes();
        let read = from_json(plain).and_then(|mut chunk: Chunk<'_>| {
            number_calls(&mut chunk);
            self.read_chunk(chunk, plain, draft)
        });
        match read {
            Ok(had_choice) if had_choice || draft.has_failed() => draft.terminate(),
            Ok(_) => draft.fail_without_reply(&document),
            Err(problem) => draft.fail_unreadable(&problem),
        }
    }

    /// What the provider wants back with this reply.
    #[must_use]
    pub fn into_replay(self) -> Option<Value> {
        let mut parts = serde_json::Map::new();
        if !self.details.is_empty() {
            parts.insert("reasoning_details".to_owned(), Value::Array(self.details));
        }
        if !self.reasoning_content.is_empty() {
            parts.insert("reasoning_content".to_owned(), json!(self.reasoning_content));
        }
        (!parts.is_empty()).then_some(Value::Object(parts))
    }

    /// Whether there was a choice to read.
    fn read_chunk(
        &mut self,
        chunk: Chunk<'_>,
        raw: &[u8],
        draft: &mut Draft,
    ) -> Result<bool, serde_json::Error> {
        let is_flat_error =
            chunk.object.text == "error" || chunk.kind.text == "error" || chunk.is_error_alone();
        if chunk.error.0 || is_flat_error || chunk.choices.0.iter().any(|choice| choice.error.0) {
            draft.fail_with(&error_report(&serde_json::from_slice(raw)?));
            draft.terminate();
        }
        add_usage(&chunk.usage, draft);
        let mut had_choice = false;
        for choice in chunk.choices.0 {
            let index = choice.index.0.unwrap_or_default();
            if *self.choice.get_or_insert(index) != index {
                continue;
            }
            had_choice = true;
            if let Some(piece) = choice.delta.0 {
                self.streamed.note(&piece);
                self.read_content(piece, draft);
            }
            if let Some(mut message) = choice.message.0 {
                self.streamed.remove_from(&mut message);
                self.read_content(message, draft);
            }
            add_usage(&choice.usage, draft);
            draft.add_label(&choice.finish_reason.text);
        }
        Ok(had_choice)
    }

    fn read_content(&mut self, content: Content<'_>, draft: &mut Draft) {
        self.read_reasoning(&content, draft);
        draft.add_text(&content.content.text);
        draft.add_refusal(&content.refusal.text);
        for call in content.tool_calls.0 {
            let ToolCall { index, id, function, extra } = call;
            add_fragment(index, &id.text, &function, extra, draft);
        }
        if let Some(function) = content.function_call.0 {
            add_fragment(Some(LEGACY_CALL), "", &function, serde_json::Map::new(), draft);
        }
    }

    fn read_reasoning(&mut self, content: &Content<'_>, draft: &mut Draft) {
        let details: String = content.reasoning_details.0.iter().map(detail_text).collect();
        let sources = [
            (Source::ReasoningContent, content.reasoning_content.text.as_ref()),
            (Source::Reasoning, content.reasoning.text.as_ref()),
            (Source::Details, details.as_str()),
            (Source::Parts, content.content.thinking.as_str()),
        ];
        for (source, text) in sources {
            if !text.is_empty() && *self.source.get_or_insert(source) == source {
                draft.add_reasoning(text);
            }
        }
        if !draft.has_failed() {
            self.reasoning_content.push_str(&content.reasoning_content.text);
            let room = MAX_DETAILS.saturating_sub(self.details.len());
            self.details.extend(content.reasoning_details.0.iter().take(room).cloned());
        }
    }
}

impl Streamed {
    fn note(&mut self, piece: &Content<'_>) {
        self.text |= !piece.content.is_empty();
        self.reasoning |= !piece.reasoning_content.is_empty()
            || !piece.reasoning.is_empty()
            || !piece.reasoning_details.0.is_empty();
        self.refusal |= !piece.refusal.is_empty();
        self.calls |= !piece.tool_calls.0.is_empty() || piece.function_call.0.is_some();
    }

    fn remove_from(&self, message: &mut Content<'_>) {
        if self.text {
            message.content = Text::default();
        }
        if self.reasoning {
            message.reasoning_content = Text::default();
            message.reasoning = Text::default();
            message.reasoning_details = List::default();
        }
        if self.refusal {
            message.refusal = Text::default();
        }
        if self.calls {
            message.tool_calls = List::default();
            message.function_call = Maybe::default();
        }
    }
}

/// In a whole message each element is a call of its own, whatever its label and its id say.
fn number_calls(chunk: &mut Chunk<'_>) {
    for message in chunk.choices.0.iter_mut().filter_map(|choice| choice.message.0.as_mut()) {
        for (place, call) in message.tool_calls.0.iter_mut().enumerate() {
            call.index = i64::try_from(place).ok();
        }
    }
}

fn add_usage(usage: &Maybe<WireUsage>, draft: &mut Draft) {
    if let Some(usage) = &usage.0 {
        let (input, output) = usage.tokens();
        draft.add_usage(input, output);
    }
}

/// A template for the chunks that follow, where this one holds one text and nothing else that has an effect.
fn template(chunk: &Chunk<'_>, data: &[u8]) -> Option<Template<Effect>> {
    let [choice] = chunk.choices.0.as_slice() else { return None };
    let quiet = chunk.usage.0.is_none()
        && choice.usage.0.is_none()
        && !(chunk.error.0 || chunk.detail.0 || chunk.message.0 || choice.error.0)
        && chunk.object.text != "error"
        && chunk.kind.text != "error"
        && choice.message.0.is_none()
        && choice.finish_reason.is_empty();
    let content = choice.delta.0.as_ref().filter(|_| quiet)?;
    let silent = content.refusal.is_empty()
        && content.reasoning_content.is_empty()
        && content.reasoning.is_empty()
        && content.reasoning_details.0.is_empty()
        && content.function_call.0.is_none()
        && content.content.thinking.is_empty();
    match (content.tool_calls.0.as_slice(), &content.content.text) {
        ([], Cow::Borrowed(text)) if silent && !text.is_empty() => Template::of(data, text, Effect::Text),
        ([call], text) if silent && text.is_empty() => {
            let is_bare = call.id.is_empty() && call.function.name.is_empty() && call.extra.is_empty();
            match &call.function.arguments.0.text {
                Cow::Borrowed(text) if is_bare && !text.is_empty() => {
                    Template::of(data, text, Effect::Arguments { index: call.index })
                }
                Cow::Borrowed(_) | Cow::Owned(_) => None,
            }
        }
        _ => None,
    }
}

fn add_arguments(index: Option<i64>, arguments: &str, draft: &mut Draft) {
    draft.add_fragment(Fragment { index, id: None, name: None, arguments, extra: serde_json::Map::new() });
}

fn add_fragment(
    index: Option<i64>,
    id: &str,
    function: &Function<'_>,
    extra: serde_json::Map<String, Value>,
    draft: &mut Draft,
) {
    draft.add_fragment(Fragment {
        index,
        id: Some(id),
        name: Some(&function.name.text),
        arguments: &function.arguments.0.text,
        extra,
    });
}

/// The text of a raw thinking part, where it has one.
fn detail_text(detail: &Value) -> &str {
    let text = |key| detail.get(key).and_then(Value::as_str);
    text("text").or_else(|| text("summary")).unwrap_or_default()
}

/// The part of a chunk that reports an error.
fn error_report(chunk: &Value) -> Value {
    let of_choice = || chunk.get("choices")?.as_array()?.iter().find_map(|choice| choice.get("error"));
    match chunk.get("error") {
        Some(error) if !error.is_null() => chunk.clone(),
        Some(_) | None => of_choice().cloned().unwrap_or_else(|| chunk.clone()),
    }
}
