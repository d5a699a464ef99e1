//! The decoder: body bytes in, deltas and a reply out. Pure and synchronous; the network only feeds it.
//!
//! However the bytes are cut, the result is the same.

use super::call_ids::CallIds;
use super::draft::{BodyEnd, Draft};
use super::errors::FailureCode;
use super::halves::Halves;
use super::sniff::{BodyKind, sniff};
use super::sse::{Event, EventSplitter, MAX_EVENT};
use super::{Delta, ModelError, Reply, anthropic, chat_completions};
use std::collections::HashSet;

/// Events that can't be read, after which a body is given up.
const MAX_BAD_EVENTS: u32 = 16;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wire {
    /// OpenAI's Chat Completions and whatever is compatible with it.
    ChatCompletions,
    /// Anthropic's Messages.
    Messages,
}

/// Decodes one response body.
#[derive(Debug)]
pub struct Decoder {
    body: Body,
    reader: Reader,
    draft: Draft,
    ids: CallIds,
    halves: Halves,
    bad_events: u32,
}

#[derive(Debug)]
enum Body {
    /// Blanks only, so far.
    Unknown(Vec<u8>),
    Events(EventSplitter),
    Json(Vec<u8>),
    /// Nothing more can come of it.
    Given,
}

#[derive(Debug)]
enum Reader {
    ChatCompletions(chat_completions::Reader),
    Messages(anthropic::Reader),
}

impl Decoder {
    /// `tools` are the names on offer; `ids` those of the conversation.
    #[must_use]
    pub fn new(wire: Wire, tools: HashSet<String>, ids: CallIds) -> Self {
        let reader = match wire {
            Wire::ChatCompletions => Reader::ChatCompletions(chat_completions::Reader::default()),
            Wire::Messages => Reader::Messages(anthropic::Reader::default()),
        };
        Self {
            body: Body::Unknown(Vec::new()),
            reader,
            draft: Draft::new(tools),
            ids,
            halves: Halves::default(),
            bad_events: 0,
        }
    }

    /// Takes the next bytes; gives what is new to show.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Delta> {
        self.read(bytes);
        self.draft.take_deltas()
    }

    /// Whether the rest of the body can't matter: the terminator came, or it failed for good.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.draft.is_terminated() || matches!(self.body, Body::Given)
    }

    /// Whether the reply is complete, although the body may go on (usage, a terminator).
    #[must_use]
    pub fn has_finish(&self) -> bool {
        self.draft.has_finish()
    }

    /// The body ended: reads what is pending, and gives what is new to show.
    pub fn close(&mut self) -> Vec<Delta> {
        match std::mem::replace(&mut self.body, Body::Given) {
            Body::Events(mut splitter) if !self.draft.is_terminated() => {
                let (reader, draft, halves) = (&mut self.reader, &mut self.draft, &mut self.halves);
                // An event without its end counts where its content is whole; else the body was cut there.
                splitter.finish(&mut |event| {
                    let _cut = read_event(reader, draft, halves, &event);
                });
            }
            Body::Json(body) => match &mut self.reader {
                Reader::ChatCompletions(reader) => reader.read_whole(&body, &mut self.draft),
                Reader::Messages(reader) => reader.read_whole(&body, &mut self.draft),
            },
            Body::Unknown(_) | Body::Events(_) | Body::Given => {}
        }
        match &mut self.reader {
            Reader::ChatCompletions(_) => {}
            Reader::Messages(reader) => reader.close(&mut self.draft),
        }
        if self.halves.is_waiting() && (self.draft.has_finish() || self.draft.is_terminated()) {
            self.draft.fail(half_missing());
        }
        self.draft.take_deltas()
    }

    /// The reply.
    #[must_use]
    pub fn finish(mut self, end: &BodyEnd) -> DecodedReply {
        self.close();
        let replay = match self.reader {
            Reader::ChatCompletions(reader) => reader.into_replay(),
            Reader::Messages(reader) => reader.into_replay(),
        };
        let reply = self.draft.into_reply(&mut self.ids, end);
        // Unknown keys of a call go back to their maker as well, so it must be known who that was.
        let has_extra = reply.calls.iter().any(|call| call.extra.is_some());
        let replay = replay.or_else(|| has_extra.then(|| serde_json::json!({})));
        DecodedReply { reply, replay }
    }

    fn read(&mut self, bytes: &[u8]) {
        match &mut self.body {
            Body::Given => {}
            Body::Json(body) => {
                if body.len() + bytes.len() > MAX_EVENT {
                    self.draft.fail(
                        FailureCode::BadResponse.error(&format!("it is longer than {MAX_EVENT} bytes")),
                    );
                    self.body = Body::Given;
                } else {
                    body.extend_from_slice(bytes);
                }
            }
            Body::Unknown(head) => {
                head.extend_from_slice(bytes);
                let head = std::mem::take(head);
                match sniff(&head) {
                    None if head.len() > 4096 => self.body = Body::Unknown(Vec::new()),
                    None => self.body = Body::Unknown(head),
                    Some(BodyKind::Html) => {
                        self.draft.fail(FailureCode::NotAnApi.error("it sent a web page"));
                        self.body = Body::Given;
                    }
                    Some(BodyKind::Json) => {
                        self.body = Body::Json(Vec::new());
                        self.read(head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head));
                    }
                    Some(BodyKind::EventStream) => {
                        self.body = Body::Events(EventSplitter::default());
                        self.read(&head);
                    }
                }
            }
            Body::Events(splitter) => {
                let (reader, draft, halves) = (&mut self.reader, &mut self.draft, &mut self.halves);
                let bad_events = &mut self.bad_events;
                let split = splitter.push(bytes, &mut |event| {
                    if draft.is_terminated() || *bad_events >= MAX_BAD_EVENTS {
                        return;
                    }
                    if let Err(problem) = read_event(reader, draft, halves, &event) {
                        *bad_events += 1;
                        draft.fail(FailureCode::BadStream.error(&problem.to_string()));
                    }
                });
                if let Err(too_long) = split {
                    self.draft.fail(FailureCode::BadStream.error(&too_long.to_string()));
                    self.body = Body::Given;
                } else if self.bad_events >= MAX_BAD_EVENTS {
                    self.body = Body::Given;
                }
            }
        }
    }
}

/// A reply and the raw parts that its provider wants back.
#[derive(Debug, PartialEq)]
pub struct DecodedReply {
    /// The reply, its `replay` still empty: the decoder doesn't know who made it.
    pub reply: Reply,
    /// The parts.
    pub replay: Option<serde_json::Value>,
}

fn read_event(
    reader: &mut Reader,
    draft: &mut Draft,
    halves: &mut Halves,
    event: &Event<'_>,
) -> Result<(), serde_json::Error> {
    let data = content(event.data);
    let is_keep_alive = data.is_empty() || data == b"null" || event.name.eq_ignore_ascii_case(b"ping");
    if is_keep_alive {
        return Ok(());
    }
    if data == b"[DONE]" {
        draft.terminate();
        return Ok(());
    }
    if event.is_error_field || event.name == b"error" {
        // What an error says may be JSON or plain words.
        let report = serde_json::from_slice(data)
            .unwrap_or_else(|_| serde_json::Value::String(String::from_utf8_lossy(data).into_owned()));
        if event.is_error_field || is_error(&report) {
            draft.fail_with(&report);
            draft.terminate();
            return Ok(());
        }
    }
    let mut read = |data: &[u8]| match reader {
        Reader::ChatCompletions(reader) => reader.read_event(data, draft),
        Reader::Messages(reader) => reader.read_event(data, draft),
    };
    match read(data) {
        Ok(()) if halves.is_waiting() => {
            draft.fail(half_missing());
            Ok(())
        }
        Ok(()) => Ok(()),
        Err(problem) => match lines(data) {
            Some(mut lines) => lines.try_for_each(|line| {
                let line = Event { name: event.name, data: line, is_error_field: event.is_error_field };
                if draft.is_terminated() { Ok(()) } else { read_event(reader, draft, halves, &line) }
            }),
            None => halves.mend(data).map_or(Err(problem), |mended| read(&mended)),
        },
    }
}

/// The documents of an event that holds one a line: some servers end their events with one line feed instead of two.
fn lines(data: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let lines = || data.split(|byte| *byte == b'\n').filter(|line| !content(line).is_empty());
    let is_whole = |line: &[u8]| {
        let line = content(line);
        line == b"[DONE]" || serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
    };
    (lines().nth(1).is_some() && lines().all(is_whole)).then(lines)
}

fn half_missing() -> ModelError {
    FailureCode::BadStream.error("half of a character is missing")
}

/// The data without what proxies put before it: the field's name once more, or a comment that they took for data.
fn content(data: &[u8]) -> &[u8] {
    let mut data = data.trim_ascii();
    while let Some(rest) = data.strip_prefix(b"data:") {
        data = rest.trim_ascii();
    }
    if data.starts_with(b":") { b"" } else { data }
}

/// An event named `error` is one unless its content is plainly something else: proxies mix names up.
fn is_error(report: &serde_json::Value) -> bool {
    let is_chunk = report.get("choices").is_some_and(serde_json::Value::is_array);
    let is_message_event = report.get("type").and_then(serde_json::Value::as_str).is_some_and(|kind| {
        kind.starts_with("message_") || kind.starts_with("content_block_") || kind == "ping"
    });
    report.get("error").is_some_and(|error| !error.is_null()) || !(is_chunk || is_message_event)
}
