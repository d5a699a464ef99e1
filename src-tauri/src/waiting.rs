//! The waiting calls of this process: the broker keeps them, the desktop's surfaces show them, and every answer
//! goes back to the broker, which decides whether it counts (R31, R34, R35).

use crate::presenter::{Answers, Presenter, Ticket, Verdict};
use assent_agent::approval::{self, Answer, Approval, Broker, Choice, DecideError, Surface};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the clock is looked at while calls wait that no run waits for.
const LOOK: Duration = Duration::from_secs(5);

/// Says what is shown of a waiting call, and hears how it goes. Called from the broker: nothing may block.
pub trait Describe: Send + Sync {
    /// What the surfaces show.
    fn ticket(&self, approval: &Approval) -> Ticket;
    /// It waits.
    fn waiting(&self, approval: &Approval);
    /// It ended.
    fn settled(&self, approval: &Approval, answer: &Answer);
}

/// The waiting calls of this process, as they were shown.
pub struct Waiting {
    /// None where there is no audit log or no store; then nothing runs, so nothing waits.
    broker: Option<Arc<Broker>>,
    shown: Arc<Mutex<Shown>>,
}

#[derive(Default)]
struct Shown {
    calls: BTreeMap<String, Approval>,
    /// Those whose process ended. Their run is gone, so an allow would be for nothing: no dialog asks for it.
    orphans: BTreeSet<String>,
}

impl Waiting {
    /// What waits in `broker`.
    #[must_use]
    pub fn new(broker: Option<Arc<Broker>>) -> Self {
        Self { broker, shown: Arc::default() }
    }

    /// Connects the surfaces; before that, nobody can be asked. Calls of processes that ended are listed, or expire.
    pub fn connect(&self, presenter: Presenter, describe: Arc<dyn Describe>) {
        let Some(broker) = &self.broker else { return };
        match broker.take_over() {
            Ok(orphans) => lock(&self.shown).orphans = orphans.into_iter().map(|orphan| orphan.id).collect(),
            Err(error) => tracing::warn!(%error, "calls of an earlier run can't be taken over"),
        }
        let surfaces = Surfaces { shown: Arc::clone(&self.shown), presenter, describe };
        if let Err(error) = broker.present_to(Arc::new(surfaces)) {
            tracing::warn!(%error, "calls of an earlier run can't be shown");
        }
        tauri::async_runtime::spawn(expire_orphans(Arc::clone(broker), Arc::clone(&self.shown)));
    }

    /// How long the next calls wait.
    pub fn set_patience(&self, minutes: u8) {
        if let Some(broker) = &self.broker {
            broker.set_expiry(Duration::from_secs(60 * u64::from(minutes)));
        }
    }

    /// Whether the run of this call is gone: it can be denied, and expires, but nothing can come of an allow.
    pub fn is_orphan(&self, id: &str) -> bool {
        lock(&self.shown).orphans.contains(id)
    }

    /// The call that waits longest: ids sort by the time they were made.
    pub fn first(&self) -> Option<String> {
        lock(&self.shown).calls.keys().next().cloned()
    }

    /// Denies a waiting call, with words for the model.
    ///
    /// # Errors
    /// When it doesn't count.
    pub fn deny(&self, id: &str, surface: Surface, words: Option<String>) -> Result<(), DecideError> {
        self.decide(id, Choice::Deny { words }, surface)
    }

    /// Denies everything that waits.
    pub fn deny_all(&self, surface: Surface) {
        let ids: Vec<String> = lock(&self.shown).calls.keys().cloned().collect();
        for id in ids {
            self.answer(&id, Verdict::Deny, surface);
        }
    }

    /// Ends what waits from an earlier life of a session: nobody needs an answer to it any more.
    pub fn withdraw_orphans(&self, session: &str) {
        let Some(broker) = &self.broker else { return };
        let orphans: Vec<Approval> = {
            let shown = lock(&self.shown);
            let calls = shown.orphans.iter().filter_map(|id| shown.calls.get(id));
            calls.filter(|call| call.session == session).cloned().collect()
        };
        for call in orphans {
            if let Err(error) = broker.withdraw(&call) {
                tracing::warn!(%error, "a call that nobody waits for could not be withdrawn");
            }
        }
    }

    fn decide(&self, id: &str, choice: Choice, surface: Surface) -> Result<(), DecideError> {
        let (broker, call) = self.shown(id)?;
        broker.decide(id, &call.nonce, &call.digest, choice, surface)
    }

    fn unavailable(&self, id: &str, why: &str) -> Result<(), DecideError> {
        let (broker, call) = self.shown(id)?;
        broker.unavailable(&call, why)?;
        Ok(())
    }

    fn shown(&self, id: &str) -> Result<(&Broker, Approval), DecideError> {
        let call = lock(&self.shown).calls.get(id).cloned();
        self.broker.as_deref().zip(call).ok_or(DecideError::Unknown)
    }
}

impl Answers for Waiting {
    fn answer(&self, id: &str, verdict: Verdict, surface: Surface) {
        let outcome = match verdict {
            Verdict::Allow => self.decide(id, Choice::Allow, surface),
            Verdict::Deny => self.deny(id, surface, None),
            Verdict::Unavailable(why) => self.unavailable(id, &why),
        };
        if let Err(error) = outcome {
            tracing::warn!(%error, surface = surface.as_str(), "an answer did not count");
        }
    }
}

/// Window, dialog, notification and tray, as the broker's presenter.
struct Surfaces {
    shown: Arc<Mutex<Shown>>,
    presenter: Presenter,
    describe: Arc<dyn Describe>,
}

impl approval::Presenter for Surfaces {
    fn waiting(&self, approval: &Approval) {
        let orphan = {
            let mut shown = lock(&self.shown);
            shown.calls.insert(approval.id.clone(), approval.clone());
            shown.orphans.contains(&approval.id)
        };
        self.describe.waiting(approval);
        if !orphan {
            self.presenter.waiting(self.describe.ticket(approval));
        }
    }

    fn settled(&self, id: &str, answer: &Answer) {
        let call = {
            let mut shown = lock(&self.shown);
            shown.orphans.remove(id);
            shown.calls.remove(id)
        };
        self.presenter.settled(id);
        if let Some(call) = call {
            self.describe.settled(&call, answer);
        }
    }
}

/// Nobody waits for the answer of an orphan, so nobody else sees it expire.
async fn expire_orphans(broker: Arc<Broker>, shown: Arc<Mutex<Shown>>) {
    while !lock(&shown).orphans.is_empty() {
        tokio::time::sleep(LOOK).await;
        // Looking expires what ran out of time.
        if let Err(error) = broker.waiting() {
            tracing::warn!(%error, "waiting calls can't be read");
        }
    }
}

fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
