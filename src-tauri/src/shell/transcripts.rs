//! Transcripts: of a session that this process runs, and of one on disk alike.

use super::{Reply, Shell};
use crate::conversation::teller::Teller;
use crate::conversation::{parse_call_id, stored};
use crate::model;
use crate::view::{self, AppEvent, BackendError};
use assent_agent::model::tokens::estimate_message;
use assent_agent::session::StoredHistory;
use assent_agent::turn::{History as _, HistoryError};
use std::sync::{Arc, PoisonError};

/// Most items of a transcript that the window gets at once.
pub const PAGE: usize = 200;

impl Shell {
    /// The transcript of a session, whether or not this process runs it.
    pub fn transcript<T>(&self, id: &str, read: impl FnOnce(&Teller) -> T) -> Reply<T> {
        self.read(id, |teller, _| read(teller))
    }

    /// Tells the window to show a session from here: its newest items.
    ///
    /// They leave under the lock that every later event of the session takes, so none is lost or told twice.
    ///
    /// # Errors
    /// When there is no such session or it can't be read.
    pub fn tell_opened(&self, id: &str) -> Reply<()> {
        let session = self.summary(self.record_of(id)?);
        self.read(id, |teller, running| {
            let items = teller.items();
            let from = items.len().saturating_sub(PAGE);
            let transcript = view::Transcript {
                session: view::SessionSummary { running, ..session },
                items: items.iter().skip(from).cloned().collect(),
                before: (from > 0).then(|| from.to_string()),
                usage: teller.spending().view(),
            };
            self.bridge.send(AppEvent::SessionOpened { transcript: Box::new(transcript) });
        })
    }

    /// [`Self::transcript`], with whether a run is on: its end is told under the transcript's lock, so that it can't
    /// be told before what is read here.
    fn read<T>(&self, id: &str, read: impl FnOnce(&Teller, bool) -> T) -> Reply<T> {
        if let Some(conversation) = self.running_conversation(id) {
            let teller = conversation.teller();
            return Ok(read(&teller, conversation.is_running()));
        }
        let mut teller = self.retold(id)?;
        self.mark_waiting(id, &mut teller);
        Ok(read(&teller, false))
    }

    /// The transcript of a session as it is on disk.
    pub(super) fn retold(&self, id: &str) -> Reply<Teller> {
        let broken = |error: &dyn std::fmt::Display| BackendError::new("io", format!("Can't {error}."));
        let mut teller = Teller::new(id, self.words.language().of_requests(), self.prices.table());
        stored::retell(self.store()?, id, &mut teller).map_err(|error| broken(&error))?;
        self.measure(id, &mut teller).map_err(|error| broken(&error))?;
        Ok(teller)
    }

    /// About how much of the chosen model's context the conversation fills.
    fn measure(&self, id: &str, teller: &mut Teller) -> Result<(), HistoryError> {
        let Ok(store) = &self.sessions else { return Ok(()) };
        let messages = StoredHistory::new(Arc::clone(store), id).messages()?;
        let used = messages.iter().map(estimate_message).fold(0, u64::saturating_add);
        let profile = self.settings.get().active();
        let window =
            model::settings(&profile, None).ok().flatten().and_then(|settings| settings.context_window);
        teller.fill_context(used, window);
        Ok(())
    }

    /// Calls that wait though no run of this process asks for them are shown as waiting.
    fn mark_waiting(&self, id: &str, teller: &mut Teller) {
        let approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        for approval in approvals.values().filter(|approval| approval.session_id == id) {
            if let Some((_, call)) = parse_call_id(&approval.call_id) {
                teller.waits(call, &approval.approval_id, approval.diffs.clone());
            }
        }
    }
}
