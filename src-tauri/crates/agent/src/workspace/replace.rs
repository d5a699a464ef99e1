//! Changing a file so that it is either the old one or the new one, and never somebody else's (R51).
//!
//! [`Workspace::hold`] copies what is there into the undo folder and checks that it is what was approved;
//! [`Held::write`] then puts the new content beside it, makes it durable and exchanges the two names in one
//! step. What comes out of the exchange is looked at again: if another program got in between, the two are
//! exchanged back and the call is a conflict. A compare-and-swap, on file systems that can exchange names;
//! elsewhere the comparison comes directly before the rename.

use super::approved::plain;
use super::open::{descend, descend_from, enter, open_regular};
use super::snapshot::{Snapshot, hash_of};
use super::temporary::{Content, Temporary, aside_name, temporary_name};
use super::undo::{ChangeLock, Entry, UndoLog};
use super::{AccessError, ApprovedPath, Workspace, attributes, exchange};
use assent_policy::{ErrorCode, FileKind};
use cap_fs_ext::MetadataExt as _;
use cap_std::fs::{Dir, File, Metadata};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is about to change, or the free name of one that is about to be created.
#[derive(Debug)]
pub struct Held<'a> {
    undo: &'a UndoLog,
    id: String,
    /// Real absolute path.
    path: PathBuf,
    start: Dir,
    inside: PathBuf,
    before: Option<Before>,
    /// No other change of the session is made meanwhile.
    _lock: ChangeLock,
}

/// What was there.
#[derive(Debug)]
struct Before {
    file: File,
    metadata: Metadata,
    snapshot: Snapshot,
}

/// What has to be there for a change to go ahead.
pub(super) enum Expectation<'a> {
    /// What the call was approved for.
    Approved(&'a ApprovedPath),
    /// A file with this content.
    Content(&'a str),
    /// No file.
    Nothing,
    /// Whatever is there.
    Anything,
}

impl Workspace {
    /// Takes hold of the approved path for a change.
    ///
    /// # Errors
    /// When it is outside, isn't what was approved, or is of a kind that is never written.
    pub fn hold<'a>(&self, path: &ApprovedPath, undo: &'a UndoLog) -> Result<Held<'a>, ReplaceError> {
        let inside = path.inside.as_deref().ok_or(AccessError::Outside)?;
        match path.kind() {
            FileKind::Missing | FileKind::Regular => {}
            FileKind::Directory => return Err(AccessError::IsFolder.into()),
            FileKind::Special => return Err(AccessError::Special.into()),
        }
        self.hold_at(inside, undo, &Expectation::Approved(path))
    }

    /// Takes hold of the path `inside` the workspace.
    pub(super) fn hold_at<'a>(
        &self,
        inside: &Path,
        undo: &'a UndoLog,
        expected: &Expectation<'_>,
    ) -> Result<Held<'a>, ReplaceError> {
        self.hold_locked(inside, undo, expected, undo.lock()?)
    }

    /// [`Self::hold_at`] where the session's changes are locked already.
    pub(super) fn hold_locked<'a>(
        &self,
        inside: &Path,
        undo: &'a UndoLog,
        expected: &Expectation<'_>,
        lock: ChangeLock,
    ) -> Result<Held<'a>, ReplaceError> {
        let start = self.handle().try_clone().map_err(AccessError::Io)?;
        self.clear_after_crash(undo)?;
        let found = find(&start, inside);
        let id = undo.new_id()?;
        let before = match found {
            Err(AccessError::NotFound) => None,
            Err(other) => return Err(other.into()),
            Ok(mut file) => {
                let metadata = file.metadata()?;
                if metadata.permissions().readonly() {
                    return Err(ReplaceError::ReadOnly);
                }
                let snapshot = Snapshot::take(&mut file, &undo.copy_path(&id))?;
                Some(Before { file, metadata, snapshot })
            }
        };
        let path = self.root().join(inside);
        let held = Held { undo, id, path, start, inside: inside.to_owned(), before, _lock: lock };
        match held.check(expected) {
            Ok(()) => Ok(held),
            Err(error) => {
                held.forget();
                Err(error)
            }
        }
    }
}

impl Workspace {
    /// Removes the temporary file of the last change, should a crash have left it behind.
    fn clear_after_crash(&self, undo: &UndoLog) -> io::Result<()> {
        let Some(last) = undo.entries()?.pop() else { return Ok(()) };
        let Some(folder) = last.path.parent().and_then(|folder| folder.strip_prefix(self.root()).ok()) else {
            return Ok(());
        };
        if let Ok(folder) = descend_from(self.handle(), folder) {
            match folder.remove_file(temporary_name(&last.id)) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Held<'_> {
    /// Where the copy of what is there lies; `None` where nothing is.
    #[must_use]
    pub fn before(&self) -> Option<&Path> {
        self.before.as_ref().map(|before| before.snapshot.copy.as_path())
    }

    /// Lets go without a change.
    pub fn forget(self) {
        if let Some(before) = &self.before {
            // A copy that stays behind costs space only.
            let _ = std::fs::remove_file(&before.snapshot.copy);
        }
    }

    /// Puts `content` there, durably, with mode, owner and attributes of what it replaces.
    ///
    /// # Errors
    /// When it can't; then the old file is still there, whole.
    pub fn write(self, content: &[u8], call_id: &str) -> Result<Written, ReplaceError> {
        self.put(&Content::Bytes(content), call_id, None)
    }

    /// [`Self::write`] for any content; `reverts` names the change that this takes back.
    pub(super) fn put(
        self,
        content: &Content<'_>,
        call_id: &str,
        reverts: Option<&str>,
    ) -> Result<Written, ReplaceError> {
        let mut created = Vec::new();
        match self.put_in(content, call_id, reverts, &mut created) {
            Err(error) if !error.is_half_done() => {
                self.remove_folders(&created);
                self.forget();
                Err(error)
            }
            // From the exchange on the copy is the only way back.
            done => done,
        }
    }

    fn put_in(
        &self,
        content: &Content<'_>,
        call_id: &str,
        reverts: Option<&str>,
        created: &mut Vec<PathBuf>,
    ) -> Result<Written, ReplaceError> {
        let (parent, name) = self.parent(created)?;
        let after = content.hash()?;
        let entry = self.entry(call_id, reverts, Some(after.clone()), created);
        self.undo.record(&entry)?;
        let done = Temporary::create(&parent, &self.id, self.replaced(), content)
            .and_then(|temporary| self.place(&parent, &name, temporary));
        match done {
            Ok(()) => {
                let unconfirmed = self.sync_folders(&parent, created).err().map(|error| error.to_string());
                Ok(Written {
                    path: entry.path,
                    before: entry.before,
                    after: Some(after),
                    created: entry.created,
                    unconfirmed,
                })
            }
            Err(error) => self.not_made(error),
        }
    }

    /// Notes that the change was not made, where that is so.
    fn not_made(&self, error: ReplaceError) -> Result<Written, ReplaceError> {
        if !error.is_half_done() {
            self.undo.void(&self.id)?;
        }
        Err(error)
    }

    /// Removes what is there.
    ///
    /// # Errors
    /// When it can't; then the file is still there.
    pub(super) fn remove(self, call_id: &str, reverts: Option<&str>) -> Result<Written, ReplaceError> {
        let Some(before) = &self.before else { return Err(AccessError::NotFound.into()) };
        let (parent, name) = self.parent(&mut Vec::new())?;
        let entry = self.entry(call_id, reverts, None, &[]);
        self.undo.record(&entry)?;
        match self.take_away(before, &parent, &name) {
            Ok(()) => Ok(Written {
                path: entry.path,
                before: entry.before,
                after: None,
                created: Vec::new(),
                unconfirmed: sync(&parent).err().map(|error| plain(&error)),
            }),
            Err(error) => {
                let refused = self.not_made(error);
                if refused.as_ref().is_err_and(|error| !error.is_half_done()) {
                    self.forget();
                }
                refused
            }
        }
    }

    /// Moves the file aside, looks whether it is the one that was copied, and removes it; else it gets its name back.
    fn take_away(&self, before: &Before, parent: &Dir, name: &OsStr) -> Result<(), ReplaceError> {
        let aside = temporary_name(&self.id);
        exchange::move_new(parent, name, &aside)?;
        let why = match before.is_still(parent, &aside) {
            Ok(true) => match parent.remove_file(&aside) {
                Ok(()) => return Ok(()),
                Err(error) => error.into(),
            },
            Ok(false) => ReplaceError::Conflict,
            Err(error) => error,
        };
        match exchange::move_new(parent, &aside, name) {
            Ok(()) => Err(why),
            Err(error) => Err(self.kept_aside(parent, &error)),
        }
    }

    /// What can't have its name back stays under one that no later change takes for its own.
    fn kept_aside(&self, parent: &Dir, error: &io::Error) -> ReplaceError {
        let (temporary, kept) = (temporary_name(&self.id), aside_name(&self.id));
        let name = match parent.rename(&temporary, parent, &kept) {
            Ok(()) => kept,
            Err(_) => temporary,
        };
        ReplaceError::Aside { path: self.path.with_file_name(name), why: plain(error) }
    }

    fn check(&self, expected: &Expectation<'_>) -> Result<(), ReplaceError> {
        match (expected, &self.before) {
            (Expectation::Anything, _) | (Expectation::Nothing, None) => Ok(()),
            (Expectation::Nothing, Some(_)) | (Expectation::Content(_), None) => Err(ReplaceError::Conflict),
            (Expectation::Content(hash), Some(before)) if before.snapshot.sha256 == **hash => Ok(()),
            (Expectation::Content(_), Some(_)) => Err(ReplaceError::Conflict),
            (Expectation::Approved(path), None) if path.kind() == FileKind::Missing => Ok(()),
            (Expectation::Approved(_), None) => Err(AccessError::NotFound.into()),
            (Expectation::Approved(path), Some(before)) => {
                if !path.is_same_file(&before.metadata) {
                    return Err(AccessError::Swapped.into());
                }
                let same = match (path.content(), path.identity()) {
                    (Some(content), _) => before.snapshot.sha256 == content,
                    (None, Some(identity)) => {
                        identity.size == before.metadata.len()
                            && attributes::changed_ns(&before.metadata) == Some(identity.changed_ns)
                    }
                    (None, None) => false,
                };
                if same { Ok(()) } else { Err(ReplaceError::Conflict) }
            }
        }
    }

    /// The folder the file lies in and its name there; folders that are missing are created and noted.
    fn parent(&self, created: &mut Vec<PathBuf>) -> Result<(Dir, OsString), ReplaceError> {
        let (Some(parent), Some(name)) = (self.inside.parent(), self.inside.file_name()) else {
            return Err(AccessError::IsFolder.into());
        };
        let mut folder = self.start.try_clone()?;
        let mut way = PathBuf::new();
        for part in parent.components() {
            let part = part.as_os_str();
            way.push(part);
            folder = match enter(&folder, part) {
                Err(AccessError::NotFound) => {
                    folder.create_dir(part)?;
                    created.push(way.clone());
                    enter(&folder, part)?
                }
                other => other?,
            };
        }
        Ok((folder, name.to_owned()))
    }

    /// Gives the temporary file the name, if what has it is still what was copied.
    fn place(&self, parent: &Dir, name: &OsStr, temporary: Temporary<'_>) -> Result<(), ReplaceError> {
        let Some(before) = &self.before else {
            return match exchange::move_new(parent, temporary.name(), name) {
                Ok(()) => {
                    temporary.keep();
                    Ok(())
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    Err(AccessError::Swapped.into())
                }
                Err(error) => Err(error.into()),
            };
        };
        match exchange::exchange(parent, temporary.name(), name) {
            Ok(()) => {
                let why = match before.is_still(parent, temporary.name()) {
                    Ok(true) => return Ok(()),
                    Ok(false) => ReplaceError::Conflict,
                    Err(error) => error,
                };
                if let Err(error) = exchange::exchange(parent, temporary.name(), name) {
                    // The other program's file now has the temporary name: it must stay.
                    temporary.keep();
                    return Err(self.kept_aside(parent, &error));
                }
                Err(why)
            }
            Err(error) if exchange::is_unsupported(&error) => {
                if !before.is_still(parent, name)? {
                    return Err(ReplaceError::Conflict);
                }
                parent.rename(temporary.name(), parent, name)?;
                temporary.keep();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ReplaceError::Conflict),
            Err(error) => Err(error.into()),
        }
    }

    fn replaced(&self) -> Option<(&File, &Metadata)> {
        self.before.as_ref().map(|before| (&before.file, &before.metadata))
    }

    fn entry(
        &self,
        call_id: &str,
        reverts: Option<&str>,
        after: Option<String>,
        created: &[PathBuf],
    ) -> Entry {
        let root = self.path.ancestors().nth(self.inside.components().count()).unwrap_or(&self.path);
        Entry {
            id: self.id.clone(),
            call_id: call_id.to_owned(),
            time_ms: crate::clock::Clock::now_ms(&crate::clock::SystemClock),
            path: self.path.clone(),
            before: self.before().map(Path::to_owned),
            after,
            created: created.iter().map(|folder| root.join(folder)).collect(),
            reverts: reverts.map(str::to_owned),
        }
    }

    /// Makes the new name, and the names of new folders, durable.
    fn sync_folders(&self, parent: &Dir, created: &[PathBuf]) -> Result<(), ReplaceError> {
        sync(parent)?;
        for folder in created {
            sync(&descend(self.start.try_clone()?, folder.parent().unwrap_or(Path::new("")))?)?;
        }
        Ok(())
    }

    fn remove_folders(&self, created: &[PathBuf]) {
        for folder in created.iter().rev() {
            // One that somebody used meanwhile is not empty and stays.
            let _ = self.start.remove_dir(folder);
        }
    }
}

impl Before {
    /// Whether `name` is the file that was copied, unchanged since.
    fn is_still(&self, folder: &Dir, name: &OsStr) -> Result<bool, ReplaceError> {
        let mut there = match open_regular(folder, name) {
            Ok(file) => file,
            Err(AccessError::Io(error)) => return Err(error.into()),
            Err(_) => return Ok(false),
        };
        let metadata = there.metadata()?;
        Ok(metadata.dev() == self.metadata.dev()
            && metadata.ino() == self.metadata.ino()
            && hash_of(&mut there)? == self.snapshot.sha256)
    }
}

/// What a change came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Real path.
    pub path: PathBuf,
    /// Copy of what was there.
    pub before: Option<PathBuf>,
    /// SHA-256 (hex) of what is there; `None` where it was removed.
    pub after: Option<String>,
    /// Folders that were created, outermost first.
    pub created: Vec<PathBuf>,
    /// Why it isn't known whether the change survives a power cut; `None` where it does.
    pub unconfirmed: Option<String>,
}

fn find(start: &Dir, inside: &Path) -> Result<File, AccessError> {
    let (Some(parent), Some(name)) = (inside.parent(), inside.file_name()) else {
        return Err(AccessError::IsFolder);
    };
    open_regular(&descend(start.try_clone()?, parent)?, name)
}

/// Makes the names in a folder durable, where the system and the file system know such a thing.
fn sync(folder: &Dir) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::{Mode, OFlags};
        // The handle itself may only be good for looking names up (`O_PATH`).
        let readable = rustix::fs::openat(
            folder,
            ".",
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        match rustix::fs::fsync(readable) {
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// It can't be reached.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// It is not the content that was approved, or another program changed it in between.
    #[error("changed since it was checked")]
    Conflict,
    /// Nobody may write it.
    #[error("read-only")]
    ReadOnly,
    /// A replacement would belong to somebody else.
    #[error("it belongs to another user, and a replacement would not")]
    OtherOwner,
    /// Another program's change in the same moment could not be given its name back.
    #[error("another program changed it in the same moment, and its content is now in {}: {why}", path.display())]
    Aside {
        /// Where that content is.
        path: PathBuf,
        /// What the OS said.
        why: String,
    },
    /// The OS refused: no space, no permission.
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
}

impl ReplaceError {
    /// The stable code the model gets.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Access(error) => error.code(),
            Self::Conflict => ErrorCode::EditConflict,
            Self::Aside { .. } => ErrorCode::OutcomeUnknown,
            Self::ReadOnly | Self::OtherOwner | Self::Io(_) => ErrorCode::ToolExecutionError,
        }
    }

    /// Whether something has changed all the same, so that the copy of what was there must stay.
    fn is_half_done(&self) -> bool {
        match self {
            Self::Aside { .. } => true,
            Self::Access(_) | Self::Conflict | Self::ReadOnly | Self::OtherOwner | Self::Io(_) => false,
        }
    }
}
