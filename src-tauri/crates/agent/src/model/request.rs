//! What a request is made of, beyond the conversation: who gets it and what that server is known to need.

use super::history::{IdForm, map_ids, normalise};
use super::{AssistantMessage, Attachment, Message, ModelRequest, Replay};
use serde_json::Value;
use std::collections::BTreeSet;

/// Longest tool name that APIs accept, bytes.
const MAX_NAME: usize = 64;

/// In place of a result without text: some servers refuse an empty one.
const NO_OUTPUT: &str = "(no output)";

/// Who gets a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Which server: replay parts go back to the same one only.
    pub provider: String,
    /// The model's name there.
    pub model: String,
    /// The form of ids it accepts.
    pub id_form: IdForm,
    /// Most tokens it may write; the API's own default where there is none.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature; the model's own where there is none.
    pub temperature: Option<f32>,
    /// What was learned about it from its refusals.
    pub quirks: Quirks,
}

/// What one server and model refused before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// Parameters to leave out.
    pub omitted: BTreeSet<String>,
    /// Write `max_completion_tokens` for `max_tokens`.
    pub renames_max_tokens: bool,
    /// The last request was refused for the form of its conversation: send the plainest form.
    pub plain_history: bool,
    /// It wants thinking text on every reply.
    pub wants_reasoning: bool,
    /// It refuses empty text beside calls.
    pub refuses_empty_content: bool,
    /// It reads no images.
    pub refuses_images: bool,
}

impl Quirks {
    /// Learns that a parameter is refused. False where that was known already: sending the same again is useless.
    pub fn learn_parameter(&mut self, parameter: &str, said: &str) -> bool {
        if parameter == "max_tokens" && said.contains("max_completion_tokens") && !self.renames_max_tokens {
            self.renames_max_tokens = true;
            return true;
        }
        self.omitted.insert(parameter.to_owned())
    }

    /// Learns that images are refused, where that is what was said. False where it isn't, or was known already.
    pub fn learn_images(&mut self, said: &str) -> bool {
        const COMPLAINTS: [&str; 7] =
            ["support", "not allowed", "invalid", "multimodal", "vision", "unknown variant", "expected"];
        let said = said.to_lowercase();
        let is_about_images = said.contains("image") || said.contains("multimodal");
        is_about_images
            && COMPLAINTS.iter().any(|complaint| said.contains(complaint))
            && !std::mem::replace(&mut self.refuses_images, true)
    }

    /// Learns that the form of the conversation was refused. False where the plainest form was sent already.
    pub fn learn_history(&mut self, said: &str) -> bool {
        let said = said.to_lowercase();
        if said.contains("reasoning_content") && !self.wants_reasoning {
            self.wants_reasoning = true;
            return true;
        }
        if said.contains("non-empty") && !self.refuses_empty_content {
            self.refuses_empty_content = true;
            return true;
        }
        !std::mem::replace(&mut self.plain_history, true)
    }
}

/// The conversation as this target accepts it: paired, ids in its form, names in the charset, nothing echoed that
/// another server or model made.
#[must_use]
pub fn prepare(request: &ModelRequest, target: &Target) -> Vec<Message> {
    let form = if target.quirks.plain_history { IdForm::NineAlphanumerics } else { target.id_form };
    let mut messages = map_ids(&normalise(&request.messages), form);
    for message in &mut messages {
        match message {
            Message::Assistant(reply) => prepare_reply(reply, target),
            Message::Tool(answer) if answer.content.trim().is_empty() => {
                answer.content = NO_OUTPUT.to_owned()
            }
            Message::User { attachments, .. } if target.quirks.refuses_images => {
                attachments.iter_mut().filter(|attached| attached.is_image()).for_each(name_only);
            }
            Message::Tool(_) | Message::User { .. } => {}
        }
    }
    messages
}

/// Whether images go along with a request.
#[must_use]
pub fn has_images(request: &ModelRequest) -> bool {
    request.messages.iter().any(|message| match message {
        Message::User { attachments, .. } => attachments.iter().any(Attachment::is_image),
        Message::Assistant(_) | Message::Tool(_) => false,
    })
}

/// In place of an image, for a model that reads none.
fn name_only(image: &mut Attachment) {
    let text = image.as_text();
    *image = Attachment { media_type: "text/plain".to_owned(), data: text, ..image.clone() };
}

/// The raw parts to echo: after [`prepare`] only those of this target are left.
#[must_use]
pub fn echoed<'a>(reply: &'a AssistantMessage, part: &str) -> Option<&'a Value> {
    reply.replay.as_ref()?.parts.get(part)
}

fn prepare_reply(reply: &mut AssistantMessage, target: &Target) {
    let is_own = |replay: &Replay| replay.provider == target.provider && replay.model == target.model;
    let keeps_raw = !target.quirks.plain_history && reply.replay.as_ref().is_some_and(is_own);
    if !keeps_raw {
        reply.replay = None;
    }
    for call in &mut reply.calls {
        call.name = wire_name(&call.name);
        if !keeps_raw {
            call.extra = None;
        }
    }
}

/// A name that APIs accept: a model may have made up one that would make every later request fail.
fn wire_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(MAX_NAME).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}
