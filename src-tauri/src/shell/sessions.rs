//! Sessions on disk: listed, linked to, deleted.

use super::{Reply, Shell, failed, home};
use crate::changes::Changes;
use crate::deep_link::SessionLink;
use crate::folders;
use crate::view::{self, AppEvent, BackendError};
use crate::window;
use assent_agent::approval::broker::WithdrawError;
use assent_agent::session::{Filter, SessionLock, SessionRecord, SessionStore};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

impl Shell {
    /// The sessions on disk.
    pub fn store(&self) -> Reply<&Arc<SessionStore>> {
        self.sessions.as_ref().map_err(|why| BackendError::new("io", why.clone()))
    }

    /// What is stored of a session.
    pub fn record_of(&self, id: &str) -> Reply<SessionRecord> {
        self.store()?.session(id).map_err(|error| BackendError::new("not_found", format!("Can't {error}.")))
    }

    /// The sessions that a query asks for, newest first.
    pub fn summaries(&self, query: view::SessionQuery) -> Reply<Vec<view::SessionSummary>> {
        let filter = Filter {
            workspace: query.workspace,
            archived: query.archived,
            words: query.text,
            limit: query.limit.min(1_000),
        };
        let records = self.store()?.list(&filter);
        let records = records.map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        Ok(records.into_iter().map(|record| self.summary(record)).collect())
    }

    /// A session's line in the list.
    pub fn summary(&self, record: SessionRecord) -> view::SessionSummary {
        let conversation = self.running_conversation(&record.id);
        let path = PathBuf::from(&record.workspace);
        let taken = || {
            conversation.is_none()
                && self.engine().is_ok_and(|engine| SessionLock::is_taken(&engine.scratch(&record.id)))
        };
        let read_only = if !path.is_dir() {
            Some(view::ReadOnly::FolderMissing)
        } else if taken() {
            Some(view::ReadOnly::OtherProcess)
        } else {
            None
        };
        view::SessionSummary {
            title: view::shown(&record.title),
            workspace_display: folders::display(&path, home().as_deref()),
            workspace: record.workspace,
            created_ms: record.created_ms,
            updated_ms: record.updated_ms,
            running: conversation.is_some_and(|conversation| conversation.is_running()),
            waiting: self.waiting_in(&record.id),
            archived: record.archived,
            read_only,
            session_id: record.id,
        }
    }

    /// How many calls of a session wait.
    pub fn waiting_in(&self, session: &str) -> usize {
        let approvals = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        approvals.values().filter(|approval| approval.session_id == session).count()
    }

    /// Ends what waits in the session `id`.
    ///
    /// # Errors
    /// When another process asks about one of its calls, or nothing can be ended.
    pub(super) fn withdraw_all(&self, id: &str) -> Reply<()> {
        self.waiting.withdraw_all(id).map_err(|error| {
            let code = match &error {
                WithdrawError::Elsewhere => "read_only",
                WithdrawError::Store(_) => "io",
            };
            BackendError::new(code, format!("Can't {error}."))
        })
    }

    /// What the file tools changed in the session `id`.
    ///
    /// # Errors
    /// When there is no such session, or its changes can't be read.
    pub fn changes(&self, id: &str) -> Reply<Changes> {
        let root = self.record_of(id)?.workspace.into();
        Changes::open(id, root, &self.engine()?.scratch(id))
    }

    /// Tells the window about a session's line in the list.
    pub fn session_changed(&self, id: &str) {
        match self.record_of(id) {
            Ok(record) => {
                let session = self.summary(record);
                let conversation = self.running_conversation(id);
                // Under the lock that the start and the end of a run are told under: it doesn't belie them.
                let teller = conversation.as_ref().map(|conversation| conversation.teller());
                let running = conversation.as_ref().is_some_and(|conversation| conversation.is_running());
                let session = view::SessionSummary { running, ..session };
                self.bridge.send(AppEvent::SessionChanged { session });
                drop(teller);
            }
            Err(_) => self.bridge.send(AppEvent::SessionsChanged),
        }
    }

    /// Shows the session of a link, now or as soon as there is a window to show it.
    pub fn want(&self, link: SessionLink) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
        window::bring_up(&self.app);
        self.show_wanted();
    }

    /// Shows the session that a link asked for, where the window listens. It is only shown: nothing is sent or run.
    pub fn show_wanted(&self) {
        if !self.bridge.is_listened_to() {
            return;
        }
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(link) = wanted else { return };
        match self.record_of(link.id()) {
            Ok(record) => {
                self.bridge.send(AppEvent::Show { session_id: Some(record.id), panel: None });
            }
            Err(_) => self.warn("link", self.words().no_such_session.as_str()),
        }
    }

    /// Deletes a session with everything that belongs to it: undo copies, whole outputs, what was moved to quarantine,
    /// what was asked in it. Its run and its commands in the background end first. The audit stays.
    ///
    /// # Errors
    /// When another process runs it, or something of it can't be deleted.
    pub async fn delete_session(&self, id: &str) -> Reply<()> {
        let lock = self.withhold(id).await?;
        let deleted = self.delete_withheld(id, lock).await;
        if deleted.is_err() {
            self.session_changed(id);
        }
        deleted
    }

    async fn delete_withheld(&self, id: &str, lock: SessionLock) -> Reply<()> {
        self.end_session_grants(id);
        self.background.end(id).await;
        self.withdraw_all(id)?;
        self.store()?.delete(id).map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        self.bridge.send(AppEvent::SessionDeleted { session_id: id.to_owned() });
        let forgotten = self.forget_asked(id);
        let scratch = self.engine()?.scratch(id);
        let kept = format!("delete {}", scratch.display());
        let removed = tokio::task::spawn_blocking(move || {
            let removed = remove_folder(&scratch);
            // Nobody begins in it before it is gone.
            drop(lock);
            removed
        });
        let removed = removed.await.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        removed.map_err(|error| failed(&anyhow::Error::from(error).context(kept)))?;
        forgotten
    }

    /// Forgets what was asked in the session `id`, which is gone.
    ///
    /// # Errors
    /// When another process asks about one of its calls, or something can't be forgotten.
    pub fn forget_asked(&self, id: &str) -> Reply<()> {
        self.withdraw_all(id)?;
        self.waiting.forget(id).map_err(|error| failed(&error.into()))
    }
}

/// Removes the folder at `path` with everything in it, where there is one.
pub(super) fn remove_folder(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
