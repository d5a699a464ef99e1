//! What the file tools changed in one session, as the window shows it, and the way back (R51).

use crate::conversation::shown_call_id;
use crate::diff::{self, Side};
use crate::shell::Reply;
use crate::view::{BackendError, Change, ChangeState, DiffOf, FileDiff, UndoResult, UndoStatus, shown};
use assent_agent::workspace::Workspace;
use assent_agent::workspace::undo::{Entry, State, UndoError, UndoLog};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The changes of one session.
pub struct Changes {
    session: String,
    root: PathBuf,
    log: UndoLog,
}

impl Changes {
    /// The changes of `session`, which works in `root` and keeps its copies in `scratch`.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn open(session: &str, root: PathBuf, scratch: &Path) -> Reply<Self> {
        let log = UndoLog::open(scratch).map_err(|error| unreadable(&error))?;
        Ok(Self { session: session.to_owned(), root, log })
    }

    /// The session's folder `from` was moved to `to`: its changes follow.
    ///
    /// # Errors
    /// When they can't be read or written.
    pub fn relocate(from: &Path, to: &Path, scratch: &Path) -> Reply<()> {
        UndoLog::of(scratch).relocate(from, to).map_err(|error| unreadable(&error))
    }

    /// Every change that a tool made, newest first; `tools` names the tool of each call.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn list(&self, tools: &BTreeMap<String, String>) -> Reply<Vec<Change>> {
        let entries = self.log.list().map_err(|error| unreadable(&error))?;
        let mut made = Vec::with_capacity(entries.len());
        let mut next: BTreeMap<&Path, &Entry> = BTreeMap::new();
        for (entry, state) in entries.iter().rev() {
            if entry.reverts.is_none() {
                made.push(self.view(entry, *state, next.get(entry.path.as_path()).copied(), tools));
            }
            next.insert(&entry.path, entry);
        }
        Ok(made)
    }

    /// The calls that changed something.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn calls(&self) -> Reply<Vec<String>> {
        let entries = self.log.entries().map_err(|error| unreadable(&error))?;
        Ok(entries.into_iter().map(|entry| entry.call_id).collect())
    }

    /// The id of the change that the call named `call` made `during` that time (ms since the epoch: models use a name
    /// again); `None` where there is nothing to take back.
    ///
    /// # Errors
    /// When the changes can't be read.
    pub fn to_take_back(&self, call: &str, during: RangeInclusive<u64>) -> Reply<Option<String>> {
        let entries = self.log.list().map_err(|error| unreadable(&error))?;
        let by_it = |entry: &Entry| entry.call_id == call && during.contains(&entry.time_ms);
        let made = entries.iter().find(|(entry, _)| by_it(entry) && entry.reverts.is_none());
        Ok(made.and_then(|(entry, state)| match state {
            State::Revertible | State::ChangedSince => Some(self.shown_id(entry)),
            State::AsBefore | State::Reverted => None,
        }))
    }

    /// What the change `id` did to its file.
    ///
    /// # Errors
    /// When there is no such change, or it can't be read.
    pub fn diff(&self, id: &str) -> Reply<FileDiff> {
        let entries = self.log.entries().map_err(|error| unreadable(&error))?;
        let mut rest = entries.iter().skip_while(|entry| entry.id != id);
        let entry = rest.next().ok_or_else(|| refused(&UndoError::Unknown))?;
        Ok(self.difference(entry, rest.find(|other| other.path == entry.path)))
    }

    /// Restores what was there before the change `id`; with `even_if_changed` also over later edits, else what it
    /// would do to them is told, and nothing is done. `record` puts it on record first; what can't be recorded
    /// doesn't happen.
    ///
    /// # Errors
    /// When there is no such change, or it can't be read or recorded.
    pub fn undo(
        &self,
        id: &str,
        even_if_changed: bool,
        record: impl Fn(&'static str, &'static str, Value) -> Reply<()>,
    ) -> Reply<UndoResult> {
        let listed = self.log.list().map_err(|error| unreadable(&error))?;
        let found = listed.into_iter().find(|(entry, _)| entry.id == id);
        let (entry, state) = found.ok_or_else(|| refused(&UndoError::Unknown))?;
        if !self.root.is_dir() {
            return Ok(not_undone(&"the folder of the session is gone"));
        }
        match state {
            State::Reverted => return Ok(not_undone(&UndoError::AlreadyReverted)),
            // Nothing of it is left to take back.
            State::AsBefore => return Ok(done(UndoStatus::Undone, None)),
            State::ChangedSince if !even_if_changed => return Ok(self.choice(&entry)),
            State::ChangedSince | State::Revertible => {}
        }
        if is_copy_gone(&entry) {
            return Ok(not_undone(&"the copy of what was there is gone"));
        }
        let workspace = Workspace::open(&self.root)
            .map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
        let details = json!({"path": entry.path, "change": id});
        record("change_undone", "A change was taken back.", details.clone())?;
        match self.log.revert(&workspace, id, even_if_changed) {
            Ok(_) => Ok(done(UndoStatus::Undone, None)),
            Err(error) => {
                record("change_kept", "It could not be taken back after all.", details)?;
                match error {
                    UndoError::ChangedSince => Ok(self.choice(&entry)),
                    UndoError::Unknown
                    | UndoError::OtherWorkspace
                    | UndoError::AlreadyReverted
                    | UndoError::Replace(_)
                    | UndoError::Io(_) => Ok(not_undone(&error)),
                }
            }
        }
    }

    /// Somebody changed the file since: what taking the change back would do to it as it is, for a choice.
    fn choice(&self, entry: &Entry) -> UndoResult {
        let (now, then) = (Side::read(&entry.path), Side::of_copy(entry.before.as_deref()));
        done(UndoStatus::ChangedSince, Some(diff::between(&self.relative(&entry.path), &now, &then)))
    }

    fn view(
        &self,
        entry: &Entry,
        state: State,
        next: Option<&Entry>,
        tools: &BTreeMap<String, String>,
    ) -> Change {
        let diff = self.difference(entry, next);
        let state = match state {
            State::Reverted => ChangeState::Undone,
            // A file that was added looks taken back where its whole folder is elsewhere.
            State::AsBefore | State::Revertible | State::ChangedSince if !self.root.is_dir() => {
                ChangeState::FolderMissing
            }
            State::AsBefore => ChangeState::Undone,
            State::Revertible | State::ChangedSince if is_copy_gone(entry) => ChangeState::CopyMissing,
            State::ChangedSince => ChangeState::ChangedSince,
            State::Revertible => ChangeState::Undoable,
        };
        Change {
            change_id: self.shown_id(entry),
            session_id: self.session.clone(),
            call_id: shown_call_id(&self.session, &entry.call_id),
            tool: tools.get(&entry.call_id).cloned().unwrap_or_default(),
            path: shown(&self.relative(&entry.path)),
            time_ms: entry.time_ms,
            kind: match (&entry.before, &entry.after) {
                (None, _) => DiffOf::Created,
                (Some(_), None) => DiffOf::Deleted,
                (Some(_), Some(_)) => DiffOf::Modified,
            },
            added: diff.added,
            removed: diff.removed,
            state,
        }
    }

    /// What a change did: from its copy to the copy of the `next` change of that file, else to the file as it is.
    fn difference(&self, entry: &Entry, next: Option<&Entry>) -> FileDiff {
        let after = match next {
            Some(next) => Side::of_copy(next.before.as_deref()),
            None => Side::read(&entry.path),
        };
        diff::between(&self.relative(&entry.path), &Side::of_copy(entry.before.as_deref()), &after)
    }

    fn shown_id(&self, entry: &Entry) -> String {
        format!("{}:{}", self.session, entry.id)
    }

    fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}

/// The session and the change of an id as the window has it.
///
/// # Errors
/// When it is none.
pub fn parse_id(change_id: &str) -> Reply<(&str, &str)> {
    change_id.split_once(':').ok_or_else(|| refused(&UndoError::Unknown))
}

fn is_copy_gone(entry: &Entry) -> bool {
    entry.before.as_ref().is_some_and(|copy| !copy.is_file())
}

fn done(status: UndoStatus, diff: Option<FileDiff>) -> UndoResult {
    UndoResult { status, diff, message: None }
}

fn not_undone(why: &dyn std::fmt::Display) -> UndoResult {
    let message = Some(format!("Can't undo: {why}.").into());
    UndoResult { status: UndoStatus::Failed, diff: None, message }
}

fn unreadable(error: &io::Error) -> BackendError {
    BackendError::new("io", format!("Can't read the changes: {error}."))
}

fn refused(error: &UndoError) -> BackendError {
    BackendError::new("not_found", format!("Can't read that change: {error}."))
}

#[cfg(test)]
mod tests;
