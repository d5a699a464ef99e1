//! The tour: a scripted model that ships with the app, so that a newcomer sees real tools, real dialogs and a real
//! audit with no key and no network. It says that it is scripted, and is a model client like any other: it knows
//! the folder through tool results alone, and what it does next follows from the conversation alone.

mod folder;
mod script;
mod words;

pub use words::TourLanguage;

use super::call_ids::CallIds;
use super::errors::FailureCode;
use super::{Arguments, Delta, Message, ModelClient, ModelRequest, ProposedCall, Reply, StopReason, Usage};
use async_trait::async_trait;
use script::{Move, next_move};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The scripted model.
#[derive(Clone, Copy, Debug)]
pub struct Tour {
    language: TourLanguage,
    pace: Duration,
}

impl Tour {
    /// A tour in this language, with all its text at once.
    #[must_use]
    pub fn new(language: TourLanguage) -> Self {
        Self { language, pace: Duration::ZERO }
    }

    /// The same, word by word, this long apart.
    #[must_use]
    pub fn paced(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }
}

#[async_trait]
impl ModelClient for Tour {
    fn model(&self) -> &str {
        "tour"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        sink: &(dyn Fn(Delta) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Reply {
        let Move { text, call } = next_move(request, self.language);
        let mut shown = String::new();
        for word in text.split_inclusive([' ', '\n', '，', '。', '、', '；']) {
            if cancel.is_cancelled() {
                return Reply {
                    text: shown,
                    stop: StopReason::Error,
                    error: Some(FailureCode::Cancelled.error("")),
                    ..Reply::default()
                };
            }
            sink(Delta::Text(word.to_owned()));
            shown.push_str(word);
            if !self.pace.is_zero() {
                tokio::select! {
                    () = cancel.cancelled() => {}
                    () = tokio::time::sleep(self.pace) => {}
                }
            }
        }
        let used = request.messages.iter().filter_map(|message| match message {
            Message::Assistant(reply) => Some(reply.calls.iter().map(|call| call.id.clone())),
            Message::User { .. } | Message::Tool(_) => None,
        });
        let mut ids =
            CallIds::new(used.flatten().collect(), u64::try_from(request.messages.len()).unwrap_or(0));
        let calls: Vec<_> = call
            .map(|(name, arguments)| ProposedCall {
                id: ids.mint(),
                id_given: true,
                name: name.to_owned(),
                arguments: Arguments::Object(arguments),
                extra: None,
            })
            .into_iter()
            .collect();
        if let Some(call) = calls.first() {
            sink(Delta::CallStarted(call.name.clone()));
        }
        Reply {
            stop: if calls.is_empty() { StopReason::End } else { StopReason::ToolCalls },
            text,
            calls,
            usage: Some(Usage::default()),
            ..Reply::default()
        }
    }
}

#[cfg(test)]
mod tests;
