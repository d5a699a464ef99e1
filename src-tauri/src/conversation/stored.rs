//! A conversation on disk: what the loop appends, and the transcript as it was when the app comes back to it.

use super::teller::Teller;
use crate::view::{self, Attachment, Call, CallState, RunOutcome, TranscriptItem};
use assent_agent::model::{Arguments, Message, ModelClient, Usage};
use assent_agent::session::{Compacted, Item, SessionStore, StoreError, StoredItem};
use assent_agent::turn::{History, HistoryError, STOP_HOOK};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The history of one session; tells the transcript where each message of the person lies.
pub struct Kept {
    store: Arc<SessionStore>,
    session: String,
    teller: Arc<Mutex<Teller>>,
    inner: assent_agent::session::StoredHistory,
}

impl Kept {
    /// The history of `session`.
    pub fn new(store: Arc<SessionStore>, session: &str, teller: Arc<Mutex<Teller>>) -> Self {
        let inner = assent_agent::session::StoredHistory::new(Arc::clone(&store), session);
        Self { store, session: session.to_owned(), teller, inner }
    }
}

#[async_trait]
impl History for Kept {
    fn messages(&self) -> Result<Vec<Message>, HistoryError> {
        self.inner.messages()
    }

    fn call_ids(&self) -> Result<HashSet<String>, HistoryError> {
        self.inner.call_ids()
    }

    fn append(&self, message: &Message) -> Result<(), HistoryError> {
        let seq = self
            .store
            .append(&self.session, &Item::Message(message.clone()))
            .map_err(|error| HistoryError(error.to_string()))?;
        match message {
            Message::User { by_hook: false, .. } => {
                self.teller.lock().unwrap_or_else(PoisonError::into_inner).user_stored(seq);
            }
            Message::User { by_hook: true, .. } | Message::Assistant(_) | Message::Tool(_) => {}
        }
        Ok(())
    }

    async fn compact(
        &self,
        model: &dyn ModelClient,
        keep: u64,
        budget: u64,
        cancel: &CancellationToken,
    ) -> Result<Option<Compacted>, HistoryError> {
        self.inner.compact(model, keep, budget, cancel).await
    }
}

/// Tells the stored items again, as they were.
///
/// # Errors
/// When they can't be read.
pub fn retell(store: &SessionStore, session: &str, teller: &mut Teller) -> Result<(), StoreError> {
    for StoredItem { seq, time_ms, item } in store.items(session, None, usize::MAX)? {
        match item {
            Item::Message(Message::User { text, by_hook: true, .. }) => {
                drop(teller.remark(time_ms, STOP_HOOK, &text));
            }
            Item::Message(Message::User { text, attachments, by_hook: false }) => {
                let (text, mentions) = super::without_mentions(&text);
                let attachments = attachments.iter().map(attachment_view).collect();
                teller.user(time_ms, &text, &mentions, attachments);
                teller.user_stored(seq);
            }
            Item::Message(Message::Assistant(reply)) => {
                let reasoning = reply.reasoning.unwrap_or_default();
                if !reply.text.trim().is_empty() || !reasoning.is_empty() {
                    teller.retell_assistant(time_ms, &reply.text, &reasoning);
                }
                for call in reply.calls {
                    let arguments = match call.arguments {
                        Arguments::Object(map) => Some(map),
                        Arguments::Unreadable { .. } => None,
                    };
                    drop(teller.proposed(time_ms, &call.id, &call.name, arguments, None));
                }
            }
            Item::Message(Message::Tool(answer)) => {
                let code = answer.error_code.as_deref();
                let code =
                    assent_policy::ErrorCode::ALL.iter().copied().find(|known| Some(known.as_str()) == code);
                teller.retell_answer(&answer.call_id, code, &answer.content);
            }
            Item::Call { call_id, state } => match serde_json::from_value::<Call>(state) {
                Ok(call) => teller.retell_call(&call_id, call.retold(session)),
                Err(error) => tracing::warn!(%error, "a stored card can't be read"),
            },
            Item::Notice { code, message } => drop(teller.remark(time_ms, &code, &message)),
            Item::RunEnd { outcome, error_code, message, turns, input, output, model } => {
                teller.retell_spending(&model, Usage { input, output });
                if let Ok(outcome) = serde_json::from_value::<RunOutcome>(outcome.into()) {
                    teller.retell_end(time_ms, outcome, error_code, message, turns);
                }
            }
            Item::Compaction { summary, .. } if summary.trim().is_empty() => {
                drop(teller.summary_undone());
            }
            Item::Compaction { summary, .. } => drop(teller.summarised(time_ms, &summary)),
            Item::Cut { from_seq } => {
                drop(teller.cut_at(from_seq));
            }
        }
    }
    teller.retold();
    Ok(())
}

/// An attachment as the window shows it.
pub fn attachment_view(attachment: &assent_agent::model::Attachment) -> Attachment {
    let bytes = attachment.data.len();
    Attachment {
        name: view::shown(&attachment.name),
        media_type: view::shown(&attachment.media_type),
        bytes: if attachment.is_image() { bytes / 4 * 3 } else { bytes },
    }
}

/// What a person had attached to the message at `seq`, without the files that its text names.
///
/// # Errors
/// When it can't be read.
pub fn attached_by_hand(
    store: &SessionStore,
    session: &str,
    seq: i64,
) -> Result<Vec<assent_agent::model::Attachment>, StoreError> {
    let newest = store.items(session, Some(seq.saturating_add(1)), 1)?.pop();
    Ok(match newest.map(|stored| stored.item) {
        Some(Item::Message(Message::User { text, attachments, .. })) => {
            let (_, mentions) = super::without_mentions(&text);
            attachments.into_iter().filter(|attached| !mentions.contains(&attached.name)).collect()
        }
        Some(_) | None => Vec::new(),
    })
}

/// What is stored of a card.
pub fn card(call_id: &str, call: &Call) -> Item {
    Item::Call { call_id: call_id.to_owned(), state: serde_json::to_value(call).unwrap_or_default() }
}

/// Whether a stored card still says that something is on: the app ended meanwhile.
pub fn is_open(state: CallState) -> bool {
    matches!(state, CallState::Proposed | CallState::Waiting | CallState::Running)
}

/// The item of a transcript.
pub fn item_id(item: &TranscriptItem) -> &str {
    match item {
        TranscriptItem::User { item_id, .. }
        | TranscriptItem::Assistant { item_id, .. }
        | TranscriptItem::Call { item_id, .. }
        | TranscriptItem::Notice { item_id, .. }
        | TranscriptItem::Summary { item_id, .. }
        | TranscriptItem::RunEnd { item_id, .. } => item_id,
    }
}
