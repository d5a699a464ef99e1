//! The one owner of every waiting call: stored before it is shown, answered once, expired by the clock,
//! and after a crash shown again under a new nonce ([`take_over`]).

mod elsewhere;
mod take_over;

pub use elsewhere::WithdrawError;
pub use take_over::TakeOverError;

use super::owner::Owner;
use super::store::{ApprovalStore, ApprovalStoreError, Stored};
use super::{Answer, Approval, Approver, Choice, Presenter, Question, Surface};
use crate::audit::{AuditLog, Entry};
use crate::clock::Clock;
use crate::id::new_id;
use assent_policy::CallDigest;
use async_trait::async_trait;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a call waits where no setting says otherwise.
pub const DEFAULT_EXPIRY: Duration = Duration::from_secs(10 * 60);
/// How often the wall clock is looked at while a call waits: it may jump, and stands still for nobody.
const LOOK: Duration = Duration::from_secs(1);
/// Words of a person for the model, at most (bytes).
const WORDS: usize = 2_000;

/// Asks people and takes their answers. One for each process.
pub struct Broker {
    store: ApprovalStore,
    owner: Owner,
    owners: PathBuf,
    clock: Arc<dyn Clock>,
    audit: Arc<dyn AuditLog>,
    presenters: RwLock<Vec<Arc<dyn Presenter>>>,
    /// Calls whose run waits for the answer, by approval.
    asking: Mutex<HashMap<String, Asking>>,
    /// Approvals of processes that ended, which nobody here has asked for again.
    adopted: Mutex<BTreeSet<String>>,
    expiry_ms: AtomicU64,
    /// Set where a test stands in for a killed process: nothing is written any more.
    dead: AtomicBool,
}

/// A run that waits for an answer.
struct Asking {
    answer: oneshot::Sender<Answer>,
    /// When it stops waiting, ms since the epoch.
    expires_ms: Arc<AtomicU64>,
}

/// Why an answer did not count.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// There is no such approval.
    #[error("answer: there is no such request")]
    Unknown,
    /// It was answered, expired, withdrawn, or asked anew since.
    #[error("answer: the request has ended or was asked anew")]
    Stale,
    /// Another process owns it.
    #[error("answer: another window owns this request")]
    NotMine,
    /// This surface can only deny.
    #[error("answer: nothing can be allowed from there")]
    MayNotAllow,
    /// The answer couldn't be stored, so it doesn't count.
    #[error(transparent)]
    Store(#[from] ApprovalStoreError),
}

/// The broker can't work.
#[derive(Debug, thiserror::Error)]
pub enum OpenBrokerError {
    /// Its store can't be used.
    #[error(transparent)]
    Store(#[from] ApprovalStoreError),
    /// Its owner lock can't be taken.
    #[error("claim the approvals: {0}")]
    Owner(std::io::Error),
    /// No random numbers.
    #[error(transparent)]
    Random(#[from] crate::id::NoRandomness),
}

impl Broker {
    /// Opens the store in the data folder `data` and claims ownership for this process.
    ///
    /// # Errors
    /// When either isn't possible.
    pub fn open(
        data: &Path,
        clock: Arc<dyn Clock>,
        audit: Arc<dyn AuditLog>,
    ) -> Result<Self, OpenBrokerError> {
        let now = clock.now_ms();
        let store = ApprovalStore::open(data, now)?;
        let owners = data.join("approval-owners");
        let owner = Owner::claim(&owners, new_id(now)?).map_err(OpenBrokerError::Owner)?;
        Ok(Self {
            store,
            owner,
            owners,
            clock,
            audit,
            presenters: RwLock::default(),
            asking: Mutex::default(),
            adopted: Mutex::default(),
            expiry_ms: AtomicU64::new(to_ms(DEFAULT_EXPIRY)),
            dead: AtomicBool::new(false),
        })
    }

    /// Adds a surface. Calls that wait already are told to it at once.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn present_to(&self, presenter: Arc<dyn Presenter>) -> Result<(), ApprovalStoreError> {
        self.presenters.write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&presenter));
        for approval in self.waiting()?.iter().filter(|approval| self.is_mine(approval)) {
            shielded(|| presenter.waiting(approval));
        }
        Ok(())
    }

    /// How long calls wait from when they are asked: the next ones, and those of this process that wait already.
    ///
    /// # Errors
    /// When the store can't be written: what waits already waits as long as before.
    pub fn set_expiry(&self, expiry: Duration) -> Result<(), ApprovalStoreError> {
        self.expiry_ms.store(to_ms(expiry), Ordering::Relaxed);
        for approval in self.store.reschedule(self.owner.id(), to_ms(expiry))? {
            if let Some(asking) = self.asking.lock().unwrap_or_else(PoisonError::into_inner).get(&approval.id)
            {
                asking.expires_ms.store(approval.expires_ms, Ordering::Relaxed);
            }
            for presenter in self.presenters.read().unwrap_or_else(PoisonError::into_inner).clone() {
                shielded(|| presenter.rescheduled(&approval));
            }
        }
        Ok(())
    }

    /// Every waiting call of every process, oldest first. Own ones that ran out of time are expired on the way.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn waiting(&self) -> Result<Vec<Approval>, ApprovalStoreError> {
        let now = self.clock.now_ms();
        let mut out = Vec::new();
        for Stored { approval, .. } in self.store.open_calls()? {
            if self.is_mine(&approval) && approval.expires_ms <= now {
                self.end(&approval, Answer::Expired)?;
            } else {
                out.push(approval);
            }
        }
        Ok(out)
    }

    /// Whether this process owns `approval`.
    #[must_use]
    pub fn is_mine(&self, approval: &Approval) -> bool {
        approval.owner == self.owner.id()
    }

    /// A person's answer. Counts if the call still waits under this nonce and digest, and the surface may say so.
    ///
    /// # Errors
    /// When it doesn't count; a late answer is on record.
    pub fn decide(
        &self,
        id: &str,
        nonce: &str,
        digest: &CallDigest,
        choice: Choice,
        surface: Surface,
    ) -> Result<(), DecideError> {
        let Some(Stored { approval, answer }) = self.store.get(id)? else { return Err(DecideError::Unknown) };
        if choice == Choice::Allow && !surface.may_allow() {
            self.record_late(&approval, &choice, surface, "This surface can't allow.");
            return Err(DecideError::MayNotAllow);
        }
        if answer.is_some() || approval.nonce != nonce || approval.digest != *digest {
            self.record_late(&approval, &choice, surface, "The request had ended or was asked anew.");
            return Err(DecideError::Stale);
        }
        if !self.is_mine(&approval) {
            return Err(DecideError::NotMine);
        }
        if approval.expires_ms <= self.clock.now_ms() {
            self.end(&approval, Answer::Expired)?;
            self.record_late(&approval, &choice, surface, "The request had expired.");
            return Err(DecideError::Stale);
        }
        let answer = match &choice {
            Choice::Allow => Answer::Allowed { surface },
            Choice::Deny { words } => Answer::Denied { surface, words: words.as_deref().map(bounded) },
        };
        if self.end(&approval, answer)? {
            Ok(())
        } else {
            self.record_late(&approval, &choice, surface, "Another answer came first.");
            Err(DecideError::Stale)
        }
    }

    /// Ends a call that no surface can show.
    ///
    /// # Errors
    /// When the store can't be written; the call then waits for its expiry.
    pub fn unavailable(&self, approval: &Approval, why: &str) -> Result<bool, ApprovalStoreError> {
        self.end(approval, Answer::Unavailable { why: why.to_owned() })
    }

    /// The sessions in which something was asked that is kept still.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn sessions(&self) -> Result<Vec<String>, ApprovalStoreError> {
        self.store.sessions()
    }

    /// Forgets what was asked in a session that is gone.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn forget(&self, session: &str) -> Result<(), ApprovalStoreError> {
        self.store.forget(session)
    }

    /// Settles `approval` in the store, then tells the run and the surfaces. Says whether this was the first answer.
    fn end(&self, approval: &Approval, answer: Answer) -> Result<bool, ApprovalStoreError> {
        if self.dead.load(Ordering::Acquire) {
            return Ok(false);
        }
        if !self.store.settle(approval, &answer, self.clock.now_ms())? {
            return Ok(false);
        }
        self.tell_end(&approval.id, &answer);
        Ok(true)
    }

    /// Tells the run and the surfaces how the call ended.
    fn tell_end(&self, id: &str, answer: &Answer) {
        let asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(asking) = asking {
            // The run may be gone already; the answer is stored.
            let _ = asking.answer.send(answer.clone());
        }
        let presenters = self.presenters.read().unwrap_or_else(PoisonError::into_inner).clone();
        for presenter in presenters {
            shielded(|| presenter.settled(id, answer));
        }
    }

    /// Tells every surface; says whether at least one took it without failing.
    fn show(&self, approval: &Approval) -> bool {
        let presenters = self.presenters.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut shown = false;
        for presenter in presenters {
            shown |= shielded(|| presenter.waiting(approval));
        }
        shown
    }

    fn record_late(&self, approval: &Approval, choice: &Choice, surface: Surface, why: &str) {
        let entry = Entry {
            session: approval.session.clone(),
            run: approval.run.clone(),
            call: approval.call_id.clone(),
            surface: surface.as_str().to_owned(),
            digest: approval.digest.to_hex(),
            ..Entry::event(
                "late_answer",
                why,
                json!({ "approval": approval.id, "tool": approval.tool, "answer": choice.as_str() }),
            )
        };
        if let Err(error) = self.audit.append(&[entry]) {
            tracing::warn!(%error, "a late answer could not be recorded");
        }
    }

    /// The approval this question waits under: a taken-over one for the same call and digest, or a new one.
    fn enter(&self, question: &Question) -> Result<Entered, String> {
        let found = self
            .store
            .undelivered(&question.session, &question.call_id)
            .map_err(|error| error.to_string())?;
        if let Some(Stored { approval, answer }) = found
            && self.is_mine(&approval)
        {
            self.adopted.lock().unwrap_or_else(PoisonError::into_inner).remove(&approval.id);
            let same = approval.digest == question.digest && approval.expires_ms > self.clock.now_ms();
            let done = |error: ApprovalStoreError| error.to_string();
            match answer {
                None if same => return Ok(Entered::Waiting(Box::new(approval))),
                None => {
                    self.end(&approval, Answer::Withdrawn).map_err(done)?;
                }
                // A no holds for the call, whatever has changed around it.
                Some(answer @ Answer::Denied { .. }) => {
                    return Ok(Entered::Answered(Box::new(approval), answer));
                }
                Some(answer @ Answer::Allowed { .. }) if same => {
                    return Ok(Entered::Answered(Box::new(approval), answer));
                }
                // Given for something else, or too long ago: it must not come back.
                Some(Answer::Allowed { .. }) => self.store.consume(&approval).map_err(done)?,
                Some(Answer::Expired | Answer::Withdrawn | Answer::Unavailable { .. }) => {}
            }
        }
        let now = self.clock.now_ms();
        let id = || new_id(now).map_err(|error| error.to_string());
        let approval = Approval {
            id: id()?,
            nonce: id()?,
            digest: question.digest,
            owner: self.owner.id().to_owned(),
            session: question.session.clone(),
            run: question.run.clone(),
            call_id: question.call_id.clone(),
            tool: question.call.tool.clone(),
            workspace: question.workspace.clone(),
            request: question.request.clone(),
            created_ms: now,
            expires_ms: now.saturating_add(self.expiry_ms.load(Ordering::Relaxed)),
        };
        self.store.insert(&approval).map_err(|error| error.to_string())?;
        Ok(Entered::New(Box::new(approval)))
    }

    /// Hands an answer out; a stored one exactly once.
    fn hand_out(&self, approval: &Approval, answer: Answer) -> Answer {
        match self.store.deliver(approval) {
            Ok(true) => answer,
            Ok(false) => unavailable("The answer was used already."),
            Err(error) => unavailable(&error.to_string()),
        }
    }

    #[cfg(test)]
    pub(super) fn without_flushes_for_test(&self) {
        self.store.without_flushes_for_test();
    }

    /// Makes this broker behave like one whose process was killed: it writes nothing and gives its lock back.
    #[cfg(test)]
    pub(super) fn kill_for_test(&self) {
        self.dead.store(true, Ordering::Release);
        std::fs::remove_file(self.owners.join(format!("{}.lock", self.owner.id()))).unwrap();
    }
}

enum Entered {
    New(Box<Approval>),
    Waiting(Box<Approval>),
    Answered(Box<Approval>, Answer),
}

#[async_trait]
impl Approver for Broker {
    async fn ask(&self, question: Question, cancel: &CancellationToken) -> Answer {
        if self.presenters.read().unwrap_or_else(PoisonError::into_inner).is_empty() {
            return unavailable("No surface can ask.");
        }
        let (approval, fresh) = match self.enter(&question) {
            Ok(Entered::New(approval)) => (*approval, true),
            Ok(Entered::Waiting(approval)) => (*approval, false),
            Ok(Entered::Answered(approval, answer)) => return self.hand_out(&approval, answer),
            Err(why) => return unavailable(&why),
        };
        let (answer, mut receiver) = oneshot::channel();
        let expires_ms = Arc::new(AtomicU64::new(approval.expires_ms));
        let asking = Asking { answer, expires_ms: Arc::clone(&expires_ms) };
        self.asking.lock().unwrap_or_else(PoisonError::into_inner).insert(approval.id.clone(), asking);
        // Whatever ends this future, the call doesn't wait on behind it.
        let mut guard = WithdrawOnDrop { broker: self, approval: Some(approval.clone()) };
        if fresh && !self.show(&approval) {
            let why = Answer::Unavailable { why: "Every surface failed to show it.".to_owned() };
            if let Err(error) = self.end(&approval, why) {
                return unavailable(&error.to_string());
            }
        }
        let (started, started_ms) = (Instant::now(), self.clock.now_ms());
        // Looked at anew each time: a setting may have changed it.
        let expires = || expires_ms.load(Ordering::Relaxed);
        let limit = || Duration::from_millis(expires().saturating_sub(started_ms));
        let answer = loop {
            let ending = tokio::select! {
                biased;
                answer = &mut receiver => break answer.unwrap_or(Answer::Withdrawn),
                () = cancel.cancelled() => Answer::Withdrawn,
                () = tokio::time::sleep(LOOK.min(limit().saturating_sub(started.elapsed()))) => {
                    // By the wall clock, which a sleeping laptop moves on; by our own, which nobody can set back.
                    if self.clock.now_ms() < expires() && started.elapsed() < limit() {
                        continue;
                    }
                    Answer::Expired
                }
            };
            match self.end(&approval, ending.clone()) {
                Ok(true) => break ending,
                // Somebody answered first; or the call isn't ours any more, and then nothing was answered here.
                Ok(false) => match self.store.get(&approval.id) {
                    Ok(Some(Stored { answer: Some(answer), .. })) => break answer,
                    Ok(_) => break unavailable("Another process has the request."),
                    Err(error) => break unavailable(&error.to_string()),
                },
                Err(error) => break unavailable(&error.to_string()),
            }
        };
        guard.approval = None;
        self.hand_out(&approval, answer)
    }
}

struct WithdrawOnDrop<'a> {
    broker: &'a Broker,
    approval: Option<Approval>,
}

impl Drop for WithdrawOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(approval) = &self.approval
            && let Err(error) = self.broker.end(approval, Answer::Withdrawn)
        {
            tracing::warn!(%error, "a call that nobody waits for could not be withdrawn");
        }
    }
}

/// A surface that panics has not shown anything; it must not take the run with it (R31).
fn shielded(call: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_ok()
}

fn unavailable(why: &str) -> Answer {
    Answer::Unavailable { why: why.to_owned() }
}

fn bounded(words: &str) -> String {
    let end = words
        .char_indices()
        .map(|(place, character)| place + character.len_utf8())
        .take_while(|end| *end <= WORDS);
    words.get(..end.last().unwrap_or(0)).unwrap_or_default().to_owned()
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
