//! What the file tools changed, and the way back (R51).
//!
//! One folder a session: `changes.jsonl`, a line for each change that is written before the change is made,
//! and a copy of what each change replaced. A change whose file was changed again by somebody else is not
//! reverted without being told so.

use super::replace::Expectation;
use super::snapshot::hash_of;
use super::temporary::Content;
use super::{ReplaceError, Workspace, Written};
use crate::new_name;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The changes of one session.
#[derive(Clone, Debug)]
pub struct UndoLog {
    folder: PathBuf,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Unique in the session.
    pub id: String,
    /// The call that made it.
    pub call_id: String,
    /// When, ms since the epoch, UTC.
    pub time_ms: u64,
    /// Real path.
    pub path: PathBuf,
    /// Copy of what was there; absent where nothing was.
    pub before: Option<PathBuf>,
    /// SHA-256 (hex) of what was put there; absent where the file was removed.
    pub after: Option<String>,
    /// Folders created for it, outermost first.
    pub created: Vec<PathBuf>,
    /// The change that this one took back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
}

/// Held while a change is made; the system lets it go when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct ChangeLock {
    _file: File,
}

/// A line of the log.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// A change is about to be made.
    Change(Entry),
    /// The change with this id was not made after all.
    Void(String),
}

/// Whether a change can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The file is what the change left.
    Revertible,
    /// Somebody changed the file since.
    ChangedSince,
    /// The file is what it was before: somebody put it back, or a crash kept the change from being made.
    AsBefore,
    /// It was taken back.
    Reverted,
}

impl UndoLog {
    /// The log in `scratch`, a session's own folder outside the workspace; created where it is missing.
    ///
    /// # Errors
    /// When the folder can't be created.
    pub fn open(scratch: &Path) -> io::Result<Self> {
        let folder = scratch.join("undo");
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Self { folder })
    }

    /// The log in `scratch`, to be read; nothing is created.
    #[must_use]
    pub fn of(scratch: &Path) -> Self {
        Self { folder: scratch.join("undo") }
    }

    /// Those files of `wanted` that are what the last change of them left.
    ///
    /// # Errors
    /// When the log or a file can't be read.
    pub fn standing(&self, wanted: impl Fn(&Path) -> bool) -> io::Result<BTreeSet<PathBuf>> {
        let entries = self.entries()?.into_iter().filter(|entry| wanted(&entry.path));
        let last: BTreeMap<PathBuf, Option<String>> =
            entries.map(|entry| (entry.path, entry.after)).collect();
        let mut standing = BTreeSet::new();
        for (path, after) in last {
            if after.is_some() && path.symlink_metadata().is_ok_and(|found| found.is_file()) {
                let there = hash_of(&mut File::open(&path)?)?;
                standing.extend((after == Some(there)).then_some(path));
            }
        }
        Ok(standing)
    }

    /// Every change that was made, oldest first.
    ///
    /// # Errors
    /// When the log can't be read.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        let file = match File::open(self.log()) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut entries: Vec<Entry> = Vec::new();
        for line in BufReader::new(file).lines() {
            // A line cut short by a crash belongs to a change that was never begun.
            match serde_json::from_str(&line?) {
                Ok(Line::Change(entry)) => entries.push(entry),
                Ok(Line::Void(id)) => entries.retain(|entry| entry.id != id),
                Err(_) => {}
            }
        }
        Ok(entries)
    }

    /// The folder `from` was moved to `to`: what changed in it is there now, and can be taken back there.
    ///
    /// # Errors
    /// When the log can't be read or written; it is as it was then.
    pub fn relocate(&self, from: &Path, to: &Path) -> io::Result<()> {
        if !self.log().exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        let moved = |path: &mut PathBuf| {
            if let Ok(inside) = path.strip_prefix(from) {
                *path = to.join(inside);
            }
        };
        let mut bytes = Vec::new();
        for line in BufReader::new(File::open(self.log())?).lines() {
            // As in `entries`: what a crash cut short counts for nothing.
            let Ok(mut line) = serde_json::from_str::<Line>(&line?) else { continue };
            if let Line::Change(entry) = &mut line {
                moved(&mut entry.path);
                entry.created.iter_mut().for_each(moved);
            }
            serde_json::to_writer(&mut bytes, &line)?;
            bytes.push(b'\n');
        }
        self.rewrite(&bytes)
    }

    /// Puts `bytes` in the log's place, whole or not at all.
    fn rewrite(&self, bytes: &[u8]) -> io::Result<()> {
        let fresh = self.folder.join("changes.jsonl.new");
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&fresh, self.log())?;
        new_name::flush(&self.folder);
        Ok(())
    }

    /// The change with this id.
    ///
    /// # Errors
    /// When there is none, or the log can't be read.
    pub fn entry(&self, id: &str) -> Result<Entry, UndoError> {
        self.entries()?.into_iter().find(|entry| entry.id == id).ok_or(UndoError::Unknown)
    }

    /// Every change with its state as things are, oldest first.
    ///
    /// # Errors
    /// When the log or a file can't be read.
    pub fn list(&self) -> io::Result<Vec<(Entry, State)>> {
        let entries = self.entries()?;
        let reverted: BTreeSet<&str> = entries.iter().filter_map(|entry| entry.reverts.as_deref()).collect();
        let mut listed = Vec::with_capacity(entries.len());
        for entry in &entries {
            let state = if reverted.contains(entry.id.as_str()) { State::Reverted } else { state(entry)? };
            listed.push((entry.clone(), state));
        }
        Ok(listed)
    }

    /// Takes a change back: the file has its old bytes and mode again, or is gone, and folders created for it
    /// are gone if nothing else is in them. The way back is a change of its own.
    ///
    /// # Errors
    /// [`UndoError::ChangedSince`] where the file isn't what the change left, unless `anyway`.
    pub fn revert(&self, workspace: &Workspace, id: &str, anyway: bool) -> Result<Written, UndoError> {
        let lock = self.lock()?;
        let entry = self.entry(id)?;
        if self.entries()?.iter().any(|other| other.reverts.as_deref() == Some(id)) {
            return Err(UndoError::AlreadyReverted);
        }
        let inside = entry.path.strip_prefix(workspace.root()).map_err(|_| UndoError::OtherWorkspace)?;
        let expected = match (&entry.after, anyway) {
            (_, true) => Expectation::Anything,
            (Some(hash), false) => Expectation::Content(hash),
            (None, false) => Expectation::Nothing,
        };
        let held = workspace.hold_locked(inside, self, &expected, lock).map_err(refusal)?;
        let written = match &entry.before {
            Some(before) => held.put(&Content::File(before), &entry.call_id, Some(id)),
            None => held.remove(&entry.call_id, Some(id)),
        };
        let written = written.map_err(refusal)?;
        for folder in entry.created.iter().rev() {
            if let Ok(inside) = folder.strip_prefix(workspace.root()) {
                // Not empty: somebody uses it, so it stays.
                let _ = workspace.handle().remove_dir(inside);
            }
        }
        Ok(written)
    }

    /// Waits until no change of the session is being made, by whatever process, and keeps others from beginning:
    /// each clears up what a crash left of the one before.
    pub(super) fn lock(&self) -> io::Result<ChangeLock> {
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(self.folder.join("lock"))?;
        file.lock()?;
        Ok(ChangeLock { _file: file })
    }

    /// A fresh id.
    pub(super) fn new_id(&self) -> io::Result<String> {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(format!("{:016x}", u64::from_le_bytes(random)))
    }

    /// Where the copy of what the change `id` replaces goes.
    pub(super) fn copy_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.before"))
    }

    /// Notes a change that is about to be made, durably.
    pub(super) fn record(&self, entry: &Entry) -> io::Result<()> {
        self.append(&Line::Change(entry.clone()))
    }

    /// Notes that a change was not made.
    pub(super) fn void(&self, id: &str) -> io::Result<()> {
        self.append(&Line::Void(id.to_owned()))
    }

    fn append(&self, line: &Line) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(self.log())?;
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        if ends_mid_line(&mut file)? {
            bytes.insert(0, b'\n');
        }
        file.write_all(&bytes)?;
        file.sync_data()
    }

    fn log(&self) -> PathBuf {
        self.folder.join("changes.jsonl")
    }
}

fn refusal(error: ReplaceError) -> UndoError {
    match error {
        ReplaceError::Conflict => UndoError::ChangedSince,
        other => UndoError::Replace(other),
    }
}

/// The state of a change that nothing reverted.
fn state(entry: &Entry) -> io::Result<State> {
    let hash = |path: &Path| match File::open(path) {
        Ok(mut file) => hash_of(&mut file).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    let there = hash(&entry.path)?;
    if there == entry.after {
        return Ok(State::Revertible);
    }
    let before = match &entry.before {
        Some(copy) => hash(copy)?,
        None => None,
    };
    Ok(if there == before { State::AsBefore } else { State::ChangedSince })
}

/// Whether a crash left half a line at the end.
fn ends_mid_line(file: &mut File) -> io::Result<bool> {
    use std::io::{Seek as _, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8; 1];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Why a change was not taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The session has no such change.
    #[error("there is no such change")]
    Unknown,
    /// It was made in another folder than the one that is open.
    #[error("the change was made in another workspace")]
    OtherWorkspace,
    /// It was taken back before.
    #[error("the change was already taken back")]
    AlreadyReverted,
    /// The file isn't what the change left.
    #[error("the file was changed since")]
    ChangedSince,
    /// The file can't be written.
    #[error("the file can't be written: {0}")]
    Replace(ReplaceError),
    /// The log or a copy can't be read or written.
    #[error("the undo folder can't be used: {0}")]
    Io(#[from] io::Error),
}
