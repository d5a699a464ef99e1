//! What runs through the pipelines around a command, from the outermost to its own.

use super::proof::Stream;
use super::reader::{Command, Head, properties_of};

/// Pipelines inside each other: in brackets at a head, or as values and conditions of a command.
#[derive(Default)]
pub(super) struct Pipelines {
    open: Vec<Pipeline>,
}

struct Pipeline {
    stream: Stream,
    /// How many pipelines stood here one after the other: all of them give output.
    count: usize,
    /// What the value at its head makes of the pipeline in brackets that it holds.
    head: Value,
}

/// A value at the head of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// No pipeline in brackets.
    Other,
    /// The output of one, or an element of it.
    Whole,
    /// A text that each of its files has.
    TextOfFiles,
    /// A property, or something computed.
    Computed,
}

impl Pipelines {
    /// Goes to the pipeline in which `command` stands; what the command before it there hands on.
    pub(super) fn reach(&mut self, command: &Command) -> Stream {
        let depth = command.level + command.heads + 1;
        while self.open.len() > depth {
            let inner = self.open.pop();
            if let (Some(inner), Some(outer)) = (inner, self.open.last_mut()) {
                outer.take(inner);
            }
        }
        while self.open.len() < depth {
            self.open.push(Pipeline { stream: Stream::Objects, count: 0, head: Value::Other });
        }
        self.open.last().map_or(Stream::Objects, |pipeline| pipeline.stream.clone())
    }

    /// Notes what `command`, the last one reached, hands on.
    pub(super) fn leave(&mut self, command: &Command, stream: &Stream) {
        if let Some(pipeline) = self.open.last_mut() {
            pipeline.stream.clone_from(stream);
            pipeline.count += usize::from(!command.piped);
            pipeline.head = Value::of(command);
        }
    }
}

impl Pipeline {
    /// The value at the head takes the output of the pipeline in its brackets.
    fn take(&mut self, inner: Self) {
        self.stream = match (self.head, inner.stream) {
            (Value::Other, _) => return,
            (_, Stream::Processes) => Stream::Processes,
            (Value::Whole, stream) if inner.count == 1 => stream,
            (Value::TextOfFiles, Stream::Files { .. }) if inner.count == 1 => Stream::Text,
            (Value::Computed, Stream::Text) if inner.count == 1 => Stream::Text,
            (Value::Whole | Value::TextOfFiles | Value::Computed, _) => Stream::Objects,
        };
    }
}

impl Value {
    fn of(command: &Command) -> Self {
        const TEXTS: &[&str] = &[".name", ".fullname", ".basename", ".extension"];
        match command.words.as_slice() {
            _ if command.head != Head::Value => Self::Other,
            [only] if only.group => match properties_of(only).to_lowercase().as_str() {
                "" => Self::Whole,
                text if TEXTS.contains(&text) => Self::TextOfFiles,
                _ => Self::Computed,
            },
            words if words.iter().any(|word| word.group) => Self::Computed,
            _ => Self::Other,
        }
    }
}
