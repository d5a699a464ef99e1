//! The waiting calls of this process: the broker keeps them, the desktop's surfaces show them, and every answer
//! goes back to the broker, which decides whether it counts (R31, R34, R35).

use crate::presenter::{Answers, Presenter, Ticket, Verdict};
use crate::view::FileDiff;
use assent_agent::approval::broker::WithdrawError;
use assent_agent::approval::store::ApprovalStoreError;
use assent_agent::approval::{self, Answer, Approval, Broker, Choice, DecideError, Surface};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// How often it is looked whether a process ended that had calls waiting, or one of them ran out of time.
const LOOK: Duration = Duration::from_secs(5);

/// How many ended calls are kept for late answers.
const KEPT: usize = 64;

/// Says what is shown of a waiting call, and hears how it goes. Called from the broker, one call at a time, but for what
/// takes its time.
pub trait Describe: Send + Sync {
    /// What it would change. The surfaces of other calls don't wait for that.
    fn changes(&self, approval: &Approval) -> Vec<FileDiff>;
    /// What the surfaces show.
    fn ticket(&self, approval: &Approval) -> Ticket;
    /// It waits, and would change this.
    fn waiting(&self, approval: &Approval, changes: Vec<FileDiff>);
    /// It waits until another time now.
    fn rescheduled(&self, approval: &Approval);
    /// It ended.
    fn settled(&self, approval: &Approval, answer: &Answer);
    /// A person answered a call whose process had ended: its turn goes on.
    fn goes_on(&self, approval: &Approval);
}

/// The waiting calls of this process, as they were shown.
pub struct Waiting {
    /// None where there is no audit log or no store; then nothing runs, so nothing waits.
    broker: Option<Arc<Broker>>,
    shown: Arc<Mutex<Shown>>,
}

#[derive(Default)]
struct Shown {
    /// Those that no surface was told of yet: it is found out what they would change.
    coming: BTreeMap<String, Approval>,
    calls: BTreeMap<String, Approval>,
    /// Those that ended last, newest behind: an answer to one is late, and the broker puts it on record.
    ended: VecDeque<Approval>,
}

impl Shown {
    /// Files `id` among those that are shown, as it is by now; `None` where it ended meanwhile.
    fn arrive(&mut self, id: &str) -> Option<Approval> {
        let approval = self.coming.remove(id)?;
        self.calls.insert(id.to_owned(), approval.clone());
        Some(approval)
    }

    /// Replaces `approval`, which waits until another time; whether the surfaces know it.
    fn put_off(&mut self, approval: &Approval) -> bool {
        if let Some(coming) = self.coming.get_mut(&approval.id) {
            coming.clone_from(approval);
        }
        self.calls.get_mut(&approval.id).map(|call| call.clone_from(approval)).is_some()
    }

    /// Files `id` among the ended ones; the call where the surfaces know it.
    fn end(&mut self, id: &str) -> Option<Approval> {
        let call = self.calls.remove(id);
        self.ended.extend(self.coming.remove(id).or_else(|| call.clone()));
        while self.ended.len() > KEPT {
            self.ended.pop_front();
        }
        call
    }
}

impl Waiting {
    /// What waits in `broker`.
    #[must_use]
    pub fn new(broker: Option<Arc<Broker>>) -> Self {
        Self { broker, shown: Arc::default() }
    }

    /// Connects the surfaces; before that, nobody can be asked. Calls of processes that ended are asked again, or
    /// expire; so are those of processes that end from here on.
    pub fn connect(&self, presenter: Presenter, describe: Arc<dyn Describe>) {
        let Some(broker) = &self.broker else { return };
        let shown = Arc::clone(&self.shown);
        let surfaces =
            Surfaces { broker: Arc::downgrade(broker), shown, turns: Mutex::default(), presenter, describe };
        if let Err(error) = broker.present_to(Arc::new(surfaces)) {
            tracing::warn!(%error, "calls that wait can't be shown");
        }
        tauri::async_runtime::spawn(look_after(Arc::downgrade(broker), Arc::clone(&self.shown)));
    }

    /// How long calls wait, those that wait already too.
    pub fn set_patience(&self, minutes: u8) {
        let Some(broker) = &self.broker else { return };
        if let Err(error) = broker.set_expiry(Duration::from_secs(60 * u64::from(minutes))) {
            tracing::warn!(%error, "what waits already waits as long as before");
        }
    }

    /// All that wait, longest first.
    pub fn all(&self) -> Vec<Approval> {
        lock(&self.shown).calls.values().cloned().collect()
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

    /// Ends what waits in a session that goes another way, or is deleted.
    ///
    /// # Errors
    /// When a living process asks about one of its calls, or the store can't be used.
    pub fn withdraw_all(&self, session: &str) -> Result<(), WithdrawError> {
        self.broker.as_ref().map_or(Ok(()), |broker| broker.withdraw_all(session))
    }

    /// Whether a call waits in `session` that an earlier life of it asked about: its answer lets that run go on.
    pub fn waits_from_before(&self, session: &str) -> bool {
        !self.adopted(session).is_empty()
    }

    fn adopted(&self, session: &str) -> Vec<Approval> {
        let Some(broker) = &self.broker else { return Vec::new() };
        let mut calls = self.all();
        calls.retain(|call| call.session == session && broker.is_adopted(&call.id));
        calls
    }

    /// The sessions in which something was asked that is kept still.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn sessions(&self) -> Result<Vec<String>, ApprovalStoreError> {
        self.broker.as_ref().map_or(Ok(Vec::new()), |broker| broker.sessions())
    }

    /// Forgets what was asked in a session that is gone.
    ///
    /// # Errors
    /// When it can't be forgotten.
    pub fn forget(&self, session: &str) -> Result<(), ApprovalStoreError> {
        self.broker.as_ref().map_or(Ok(()), |broker| broker.forget(session))
    }

    /// How the question about a call ended whose turn had ended before; `None` where there was none.
    pub fn untaken(&self, session: &str, call_id: &str) -> Option<Answer> {
        let broker = self.broker.as_ref()?;
        broker.untaken(session, call_id).unwrap_or_else(|error| {
            tracing::warn!(%error, "an answer can't be read");
            None
        })
    }

    fn decide(&self, id: &str, choice: Choice, surface: Surface) -> Result<(), DecideError> {
        let (broker, call) = self.shown(id)?;
        let decided = broker.decide(id, &call.nonce, &call.digest, choice, surface);
        match &decided {
            // It ended elsewhere: nothing of it stays on the surfaces.
            Err(DecideError::Stale | DecideError::Unknown | DecideError::NotMine)
                if lock(&self.shown).calls.contains_key(id) =>
            {
                broker.notice(&call)?;
            }
            Ok(()) | Err(_) => {}
        }
        decided
    }

    fn unavailable(&self, id: &str, why: &str) -> Result<(), DecideError> {
        let (broker, call) = self.shown(id)?;
        broker.unavailable(&call, why)?;
        Ok(())
    }

    fn shown(&self, id: &str) -> Result<(&Broker, Approval), DecideError> {
        let shown = lock(&self.shown);
        let call = shown.calls.get(id).or_else(|| shown.ended.iter().find(|call| call.id == id)).cloned();
        drop(shown);
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
    // The broker holds its presenters.
    broker: Weak<Broker>,
    shown: Arc<Mutex<Shown>>,
    /// One call at a time: its end is not told before its beginning is. Nothing below comes back to the broker for
    /// an answer.
    turns: Mutex<()>,
    presenter: Presenter,
    describe: Arc<dyn Describe>,
}

impl Surfaces {
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl approval::Presenter for Surfaces {
    fn waiting(&self, approval: &Approval) {
        lock(&self.shown).coming.insert(approval.id.clone(), approval.clone());
        let changes = self.describe.changes(approval);
        let _turn = self.turn();
        let arrived = lock(&self.shown).arrive(&approval.id);
        // No surface hears of one that ended meanwhile.
        let Some(approval) = arrived else { return };
        self.describe.waiting(&approval, changes);
        self.presenter.waiting(self.describe.ticket(&approval));
    }

    fn rescheduled(&self, approval: &Approval) {
        let _turn = self.turn();
        if lock(&self.shown).put_off(approval) {
            self.describe.rescheduled(approval);
        }
    }

    fn settled(&self, id: &str, answer: &Answer) {
        let _turn = self.turn();
        let call = lock(&self.shown).end(id);
        self.presenter.settled(id);
        let Some(call) = call else { return };
        self.describe.settled(&call, answer);
        let answered = matches!(answer, Answer::Allowed { .. } | Answer::Denied { .. });
        if answered && self.broker.upgrade().is_some_and(|broker| broker.is_adopted(id)) {
            self.describe.goes_on(&call);
        }
    }
}

/// Nobody asks for the calls of a process that ended, so nobody else takes them over or sees them expire; and nobody
/// else tells that another process ended one of ours.
async fn look_after(broker: Weak<Broker>, shown: Arc<Mutex<Shown>>) {
    while let Some(broker) = broker.upgrade() {
        look(&broker, &shown);
        drop(broker);
        tokio::time::sleep(LOOK).await;
    }
}

fn look(broker: &Broker, shown: &Mutex<Shown>) {
    if let Err(error) = broker.take_over() {
        tracing::warn!(%error, "calls of a process that ended can't be taken over");
    }
    // Looking expires what ran out of time.
    if let Err(error) = broker.waiting() {
        tracing::warn!(%error, "waiting calls can't be read");
    }
    let calls: Vec<Approval> = lock(shown).calls.values().cloned().collect();
    for call in calls {
        if let Err(error) = broker.notice(&call) {
            tracing::warn!(%error, "whether a call waits still can't be read");
        }
    }
}

fn lock(shown: &Mutex<Shown>) -> MutexGuard<'_, Shown> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
