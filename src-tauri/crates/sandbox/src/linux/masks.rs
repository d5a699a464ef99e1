//! The files and folders that lie over hidden ones. Each is watched, so that a command that opened one is told that
//! what it read as empty isn't.

use super::sys;
use crate::outcome::{Refusal, RefusalKind};
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

/// The watch over all masks (`inotify(7)`). Looking at a name, without opening it, is not seen.
#[derive(Debug)]
pub struct Masks {
    events: OwnedFd,
    watched: HashMap<libc::c_int, PathBuf>,
}

/// Room for some events; none of them carries a name.
const ROOM: usize = 64 * size_of::<libc::inotify_event>();

impl AsRawFd for Masks {
    fn as_raw_fd(&self) -> RawFd {
        self.events.as_raw_fd()
    }
}

impl From<Masks> for OwnedFd {
    fn from(masks: Masks) -> Self {
        masks.events
    }
}

impl Masks {
    /// A watch over nothing yet; an error where the user has too many.
    pub fn new() -> io::Result<Self> {
        // SAFETY: plain numbers.
        let raw = unsafe { libc::inotify_init1(libc::IN_CLOEXEC | libc::IN_NONBLOCK) };
        sys::check(libc::c_long::from(raw))?;
        // SAFETY: the kernel just made this descriptor for us.
        Ok(Self { events: unsafe { OwnedFd::from_raw_fd(raw) }, watched: HashMap::new() })
    }

    /// Watches the mask `name` in the folder `inside`, which will lie over `hidden`.
    pub fn watch(&mut self, inside: RawFd, name: &CStr, hidden: &Path) -> io::Result<()> {
        let path = [format!("/proc/self/fd/{inside}/").as_bytes(), name.to_bytes()].concat();
        let path = CString::new(path)?;
        // SAFETY: a valid C string.
        let raw = unsafe { libc::inotify_add_watch(self.as_raw_fd(), path.as_ptr(), libc::IN_OPEN) };
        sys::check(libc::c_long::from(raw))?;
        self.watched.insert(raw, hidden.to_owned());
        Ok(())
    }

    /// What was opened since; each path once.
    pub fn opened(&mut self) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        let mut room = [0_u8; ROOM];
        loop {
            // SAFETY: the room is writable and its length is given.
            let read = unsafe { libc::read(self.as_raw_fd(), room.as_mut_ptr().cast(), ROOM) };
            let Some(events) =
                usize::try_from(read).ok().filter(|read| *read > 0).and_then(|read| room.get(..read))
            else {
                return refusals;
            };
            for event in events.chunks_exact(size_of::<libc::inotify_event>()) {
                let Some(Ok(number)) = event.get(..4).map(<[u8; 4]>::try_from) else { continue };
                let number = libc::c_int::from_ne_bytes(number);
                if let Some(path) = self.watched.remove(&number) {
                    // Told once: a command that opens it over and over is not listened to.
                    // SAFETY: plain numbers; a watch that is gone is no error.
                    unsafe { libc::inotify_rm_watch(self.as_raw_fd(), number) };
                    refusals.push(Refusal { kind: RefusalKind::Read, what: path.display().to_string() });
                }
            }
        }
    }
}
