//! The person behind the dialog, as the engine's approver. Anything but one explicit allow is a deny (R31).

use crate::presenter::{Answers, Presenter, Ticket, Verdict};
use assent_agent::approval::{Answer, Approver, Question, Surface};
use assent_agent::clock::{Clock as _, SystemClock};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Makes the dialog of a question, and hears how it goes.
pub trait Describe: Send + Sync {
    /// What the surfaces show.
    fn ticket(&self, id: &str, question: &Question) -> Ticket;
    /// It waits; `expires_ms` is Unix time.
    fn waiting(&self, id: &str, question: &Question, created_ms: u64, expires_ms: u64);
    /// It ended.
    fn settled(&self, id: &str, question: &Question, answer: &Answer);
    /// How long a call waits.
    fn patience(&self) -> Duration;
}

/// The waiting calls of this process.
#[derive(Default)]
pub struct Asking {
    waiting: Mutex<BTreeMap<String, oneshot::Sender<Answer>>>,
    outside: OnceLock<(Presenter, Arc<dyn Describe>)>,
}

impl Asking {
    /// Connects it with the surfaces; before that, nobody can be asked.
    pub fn connect(&self, presenter: Presenter, describe: Arc<dyn Describe>) {
        drop(self.outside.set((presenter, describe)));
    }

    /// Denies a waiting call, with words for the model.
    pub fn deny(&self, id: &str, surface: Surface, words: Option<String>) {
        self.settle(id, Answer::Denied { surface, words });
    }

    /// Every call that waits, oldest first: ids sort by the time they were made.
    pub fn ids(&self) -> Vec<String> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// The call that waits longest.
    pub fn first(&self) -> Option<String> {
        self.ids().into_iter().next()
    }

    fn settle(&self, id: &str, answer: Answer) {
        let sender = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(sender) = sender {
            drop(sender.send(answer));
        }
    }
}

impl Answers for Asking {
    fn answer(&self, id: &str, verdict: Verdict, surface: Surface) {
        let answer = match verdict {
            Verdict::Allow if surface.may_allow() => Answer::Allowed { surface },
            Verdict::Allow | Verdict::Deny => Answer::Denied { surface, words: None },
            Verdict::Unavailable(why) => Answer::Unavailable { why },
        };
        self.settle(id, answer);
    }
}

#[async_trait]
impl Approver for Asking {
    async fn ask(&self, question: Question, cancel: &CancellationToken) -> Answer {
        let Some((presenter, describe)) = self.outside.get() else {
            return Answer::Unavailable { why: "the window isn't up yet".to_owned() };
        };
        let now = SystemClock.now_ms();
        let id = match assent_agent::id::new_id(now) {
            Ok(id) => id,
            Err(error) => return Answer::Unavailable { why: error.to_string() },
        };
        let (sender, answered) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), sender);
        let patience = describe.patience();
        let expires = now.saturating_add(u64::try_from(patience.as_millis()).unwrap_or(u64::MAX));
        describe.waiting(&id, &question, now, expires);
        presenter.waiting(describe.ticket(&id, &question));
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => Answer::Withdrawn,
            answer = answered => answer.unwrap_or_else(|_| Answer::Unavailable { why: "the question was lost".to_owned() }),
            () = tokio::time::sleep(patience) => Answer::Expired,
        };
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        presenter.settled(&id);
        describe.settled(&id, &question, &answer);
        answer
    }
}
