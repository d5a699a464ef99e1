//! What a process that ended left behind: calls that wait, and answers of which nothing came (R35).

use super::Broker;
use crate::approval::owner::is_alive;
use crate::approval::store::{ApprovalStoreError, Stored};
use crate::approval::{Answer, Approval};
use crate::audit::{AuditError, Entry, Step};
use crate::id::{NoRandomness, new_id};
use serde_json::json;
use std::sync::PoisonError;

/// A dead owner's calls can't be adopted.
#[derive(Debug, thiserror::Error)]
pub enum TakeOverError {
    /// The store can't be used.
    #[error(transparent)]
    Store(#[from] ApprovalStoreError),
    /// No random numbers for a new nonce.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// Whether a call began can't be known.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl Broker {
    /// Adopts the calls of processes that ended: shown again under a new nonce, or expired. Nothing is taken for
    /// approved: an allow is used up by the record that its call began, and by nothing else. Answering an adopted
    /// call stores the answer; the session's resumed turn takes it by asking again.
    ///
    /// # Errors
    /// When the store or the log can't be used; what was not adopted by then is left as it is.
    pub fn take_over(&self) -> Result<Vec<Approval>, TakeOverError> {
        let now = self.clock.now_ms();
        let mut adopted = Vec::new();
        for Stored { approval, answer } in self.store.unfinished(self.owner.id())? {
            if is_alive(&self.owners, &approval.owner) {
                continue;
            }
            let standing = self.audit.standing(&approval.session, &approval.call_id)?;
            if !standing.is_some_and(|it| it.step == Step::Undecided && it.run == approval.run) {
                self.store.consume(&approval)?;
                continue;
            }
            match answer {
                None | Some(Answer::Allowed { .. }) => adopted.extend(self.adopt(approval, now)?),
                Some(
                    Answer::Denied { .. } | Answer::Expired | Answer::Withdrawn | Answer::Unavailable { .. },
                ) => {
                    self.store.inherit(&approval, self.owner.id())?;
                }
            }
        }
        Ok(adopted)
    }

    /// Whether nobody in this process waits for the answer to `id`: its turn has to be resumed.
    #[must_use]
    pub fn is_adopted(&self, id: &str) -> bool {
        self.adopted.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    /// The answer to a call whose turn ended before it took it.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn untaken(&self, session: &str, call_id: &str) -> Result<Option<Answer>, ApprovalStoreError> {
        Ok(self.store.undelivered(session, call_id)?.and_then(|stored| stored.answer))
    }

    fn adopt(&self, approval: Approval, now: u64) -> Result<Option<Approval>, TakeOverError> {
        let nonce = new_id(now)?;
        if !self.store.take_over(&approval, self.owner.id(), &nonce)? {
            return Ok(None);
        }
        let approval = Approval { owner: self.owner.id().to_owned(), nonce, ..approval };
        if approval.expires_ms <= now {
            self.end(&approval, Answer::Expired)?;
            return Ok(None);
        }
        let entry = Entry {
            session: approval.session.clone(),
            run: approval.run.clone(),
            call: approval.call_id.clone(),
            digest: approval.digest.to_hex(),
            ..Entry::event(
                "approval_taken_over",
                "Assent ended while this call waited; it is asked again.",
                json!({ "approval": approval.id, "tool": approval.tool }),
            )
        };
        self.audit.append(&[entry])?;
        self.adopted.lock().unwrap_or_else(PoisonError::into_inner).insert(approval.id.clone());
        self.show(&approval);
        Ok(Some(approval))
    }
}
