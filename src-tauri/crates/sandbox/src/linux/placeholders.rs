//! Names that must not come to be while a command runs.
//!
//! A mount needs something to lie on, so for the time of the run an empty, marked entry stands at each protected name
//! that doesn't exist: a socket, which version control ignores and no reader waits for; all of them are links to one, for
//! that is the cheapest entry there is. Afterwards exactly these are removed. A lock on the workspace folder lets the last
//! of several commands do it; entries that a crash left are known by their mark and taken over by the next.

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

/// Names that git must find as folders: it calls a repository broken where they are none.
const FOLDERS: &[&str] = &[".git", "hooks", "info", "modules"];

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
        let wanted: Vec<&PathBuf> = confinement
            .protected
            .iter()
            .filter(|path| path.starts_with(&confinement.workspace) && !confinement.write.contains(path))
            .collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let lock = lock(&confinement.workspace).map_err(SetupError::at(&confinement.workspace))?;
        let mut placed = Self { lock, paths: Vec::new() };
        let mut first = None;
        for path in wanted {
            match place(path, &mut first) {
                Ok(true) => placed.paths.push(path.clone()),
                Ok(false) => {}
                // Where its folder isn't there, or even its owner can't make an entry, neither can the command.
                Err(error)
                    if matches!(
                        error.raw_os_error(),
                        Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::EROFS)
                    ) => {}
                Err(error) => {
                    placed.remove();
                    return Err(SetupError::Path { path: path.clone(), error });
                }
            }
        }
        Ok((!placed.paths.is_empty()).then_some(placed))
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

/// Makes an entry; `false` where something else stands there. `first` is the socket that further ones are linked to.
fn place(path: &Path, first: &mut Option<Marked>) -> io::Result<bool> {
    let text = CString::new(path.as_os_str().as_bytes())?;
    let folder = path.file_name().is_some_and(|name| FOLDERS.iter().any(|folder| name == *folder));
    let made = match first {
        _ if folder => sys::make_dir(sys::HERE, &text, MODE).and_then(|()| mark(&text)),
        Some(first) => first.link(&text).or_else(|error| match error.raw_os_error() {
            // Another file system, too many links, or a system that allows none to sockets.
            Some(libc::EXDEV | libc::EMLINK | libc::EPERM) => make_socket(&text),
            _ => Err(error),
        }),
        None => make_socket(&text).map(|()| *first = Marked::open(&text)),
    };
    match made {
        Ok(()) => Ok(true),
        // Another command's, left by a crash, or no placeholder at all.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(path.symlink_metadata().is_ok_and(|data| is_marked(&data)))
        }
        Err(error) => Err(error),
    }
}

fn make_socket(path: &CString) -> io::Result<()> {
    // SAFETY: a valid C string.
    let returned = unsafe { libc::mknod(path.as_ptr(), libc::S_IFSOCK | MODE, 0) };
    sys::check(libc::c_long::from(returned))?;
    mark(path)
}

fn mark(path: &CString) -> io::Result<()> {
    let moment = libc::timespec { tv_sec: TIME, tv_nsec: 0 };
    let times = [moment; 2];
    // SAFETY: a valid C string and two times.
    let returned =
        unsafe { libc::utimensat(sys::HERE, path.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) };
    sys::check(libc::c_long::from(returned)).map(drop)
}

/// A socket of ours, held, so that nothing else under its name is ever linked.
struct Marked {
    name: CString,
    _held: OwnedFd,
}

impl Marked {
    fn open(path: &CString) -> Option<Self> {
        let held = sys::open_at(sys::HERE, path, libc::O_PATH | libc::O_NOFOLLOW, 0).ok()?;
        let name = format!("/proc/self/fd/{}", held.as_raw_fd());
        let ours = std::fs::metadata(&name).is_ok_and(|data| is_marked(&data));
        Some(Self { name: CString::new(name).ok().filter(|_| ours)?, _held: held })
    }

    fn link(&self, path: &CString) -> io::Result<()> {
        let (from, to) = (self.name.as_ptr(), path.as_ptr());
        // SAFETY: valid C strings.
        let returned = unsafe { libc::linkat(sys::HERE, from, sys::HERE, to, libc::AT_SYMLINK_FOLLOW) };
        sys::check(libc::c_long::from(returned)).map(drop)
    }
}

/// Whether an entry is one of ours.
pub fn is_marked(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = data.is_dir() || data.file_type().is_socket();
    kind && data.mode() & 0o7777 == MODE && data.mtime() == TIME && data.mtime_nsec() == 0
}
