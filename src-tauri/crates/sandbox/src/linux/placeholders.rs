//! Names that must not come to be while a command runs.
//!
//! A mount needs something to lie on, so for the time of the run an empty, marked entry stands at each protected name
//! that doesn't exist: a folder for names that are folders, else a socket, which version control ignores and no
//! reader waits for. Afterwards exactly these are removed. A lock on the workspace folder lets the last of several
//! commands do it; entries that a crash left are known by their mark and taken over by the next.

use super::{SetupError, sys};
use crate::confinement::{Confinement, Level};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The mark: nobody may do anything with it, and it dates from the first second.
const MODE: libc::mode_t = 0;
const TIME: libc::time_t = 1;

/// Names that programs expect to be folders; an empty one means nothing to them.
const FOLDERS: &[&str] = &[
    ".git",
    ".github",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".cursor",
    ".claude",
    ".codex",
    ".assent",
    ".circleci",
    ".gitlab",
    "hooks",
    "workflows",
    "modules",
    "info",
];

/// Entries that stand for the time of a run.
#[derive(Debug)]
pub struct Placed {
    lock: OwnedFd,
    paths: Vec<PathBuf>,
}

impl Placed {
    /// Puts one at each protected name that doesn't exist but could.
    pub fn beside(confinement: &Confinement) -> Result<Option<Self>, SetupError> {
        if confinement.level != Level::WorkspaceWrite {
            return Ok(None);
        }
        let free = |path: &&PathBuf| match path.symlink_metadata() {
            Ok(data) => is_marked(&data),
            Err(_) => path.parent().is_some_and(Path::is_dir),
        };
        let missing: Vec<&PathBuf> = confinement
            .protected
            .iter()
            .filter(|path| path.starts_with(&confinement.workspace) && !confinement.write.contains(path))
            .filter(free)
            .collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let lock = lock(&confinement.workspace).map_err(SetupError::at(&confinement.workspace))?;
        let mut placed = Self { lock, paths: Vec::new() };
        for path in missing {
            match place(path) {
                Ok(()) => placed.paths.push(path.clone()),
                // Where even its owner can't make an entry, neither can the command.
                Err(error) if matches!(error.raw_os_error(), Some(libc::EACCES | libc::EROFS)) => {}
                Err(error) => {
                    placed.remove();
                    return Err(SetupError::Path { path: path.clone(), error });
                }
            }
        }
        Ok(Some(placed))
    }

    /// Removes them, unless another command still needs them.
    pub fn remove(&self) {
        // SAFETY: a descriptor we own.
        if unsafe { libc::flock(self.lock.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } < 0 {
            return;
        }
        for path in &self.paths {
            let Ok(data) = path.symlink_metadata() else { continue };
            if is_marked(&data) {
                // Not empty, or gone: then it is no longer ours.
                let _not_ours =
                    if data.is_dir() { std::fs::remove_dir(path) } else { std::fs::remove_file(path) };
            }
        }
    }
}

/// Holds the workspace folder; shared with every other command in it.
fn lock(workspace: &Path) -> io::Result<OwnedFd> {
    let folder = OwnedFd::from(std::fs::File::open(workspace)?);
    loop {
        // SAFETY: a descriptor we own.
        match sys::check(libc::c_long::from(unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_SH) })) {
            Ok(_) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn place(path: &Path) -> io::Result<()> {
    let text = CString::new(path.as_os_str().as_bytes())?;
    let folder = path.file_name().is_some_and(|name| FOLDERS.iter().any(|folder| name == *folder));
    let made = if folder {
        sys::make_dir(sys::HERE, &text, MODE)
    } else {
        // SAFETY: a valid C string.
        let returned = unsafe { libc::mknod(text.as_ptr(), libc::S_IFSOCK | MODE, 0) };
        sys::check(libc::c_long::from(returned)).map(drop)
    };
    match made {
        Ok(()) => mark(&text),
        // Another command's, or left by a crash.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn mark(path: &CString) -> io::Result<()> {
    let moment = libc::timespec { tv_sec: TIME, tv_nsec: 0 };
    let times = [moment; 2];
    // SAFETY: a valid C string and two times.
    let returned =
        unsafe { libc::utimensat(sys::HERE, path.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) };
    sys::check(libc::c_long::from(returned)).map(drop)
}

/// Whether an entry is one of ours.
pub fn is_marked(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = data.is_dir() || data.file_type().is_socket();
    kind && data.mode() & 0o7777 == MODE && data.mtime() == TIME && data.mtime_nsec() == 0
}
