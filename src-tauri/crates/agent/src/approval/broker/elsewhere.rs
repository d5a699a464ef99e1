//! Waiting calls and other processes: a living one's are left alone, and what another did to ours is told.

use super::Broker;
use crate::approval::owner::is_alive;
use crate::approval::store::{ApprovalStoreError, Stored};
use crate::approval::{Answer, Approval};

/// The waiting calls of a session can't be ended.
#[derive(Debug, thiserror::Error)]
pub enum WithdrawError {
    /// A living process asks for one of them.
    #[error(
        "end what waits: another window or process of Assent asks about a call of this session; answer it there"
    )]
    Elsewhere,
    /// The store can't be used.
    #[error(transparent)]
    Store(#[from] ApprovalStoreError),
}

impl Broker {
    /// Ends what waits in `session`: nobody needs an answer to it any more. Where a living process asks for one of its
    /// calls, all of them wait on.
    ///
    /// # Errors
    /// When another process asks, or the store can't be used.
    pub fn withdraw_all(&self, session: &str) -> Result<(), WithdrawError> {
        let here = |approval: &Approval| self.is_mine(approval) || !is_alive(&self.owners, &approval.owner);
        let waiting = || -> Result<Vec<Approval>, WithdrawError> {
            let mut waiting = self.waiting()?;
            waiting.retain(|approval| approval.session == session);
            if waiting.iter().all(here) { Ok(waiting) } else { Err(WithdrawError::Elsewhere) }
        };
        for approval in waiting()? {
            self.end(&approval, Answer::Withdrawn)?;
        }
        // One whose process had ended may have been taken over meanwhile.
        waiting().map(drop)
    }

    /// Tells the run and the surfaces where `approval`, as they know it, waits no longer: another process ended,
    /// deleted or took it.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn notice(&self, approval: &Approval) -> Result<(), ApprovalStoreError> {
        let ours =
            |stored: &Stored| self.is_mine(&stored.approval) && stored.approval.nonce == approval.nonce;
        match self.store.get(&approval.id)?.filter(ours) {
            Some(Stored { answer: None, .. }) => {}
            Some(Stored { answer: Some(answer), .. }) => self.tell_end(&approval.id, &answer),
            // Whatever is answered there isn't answered here.
            None => self.tell_end(&approval.id, &Answer::Withdrawn),
        }
        Ok(())
    }
}
