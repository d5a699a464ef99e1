//! Programs that run without the sandbox: each could press the buttons of any dialog on the person's screen, whichever
//! process of Assent started it. So every process tells the others, by a lock on a file that all of them know.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

const FILE_NAME: &str = "unconfined.lock";

/// Who looks takes the lock for a moment; nobody of this process takes that for a program.
static LOOK: Mutex<()> = Mutex::new(());
/// How often it is tried to hold it, 2 ms apart.
const HOLDS: usize = 50;
/// How often it is looked: another process may look at the same moment.
const LOOKS: usize = 3;

/// Those of this process, and a way to hear of the others'. Clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Programs {
    running: Arc<AtomicUsize>,
    marker: Arc<OnceLock<PathBuf>>,
}

impl Programs {
    /// Tells and hears through a file in `state`, the folder of this user that every process of Assent has.
    pub(super) fn share(&self, state: &Path) {
        drop(self.marker.set(state.join(FILE_NAME)));
    }

    /// Whether one runs, here or elsewhere.
    pub(super) fn any(&self) -> bool {
        self.running.load(Ordering::SeqCst) > 0 || self.marker.get().is_some_and(|marker| is_held(marker))
    }

    /// Says that one is about to run, until what this gives is dropped.
    pub(super) fn begin(&self) -> Unconfined {
        self.running.fetch_add(1, Ordering::SeqCst);
        let held = self.marker.get().and_then(|marker| match hold(marker) {
            Ok(file) => Some(file),
            Err(error) => {
                tracing::warn!(%error, "other processes can't be told of a program without the sandbox");
                None
            }
        });
        Unconfined { running: Arc::clone(&self.running), _held: held }
    }
}

/// Held while a program runs without the sandbox. The system lets the lock go when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Unconfined {
    running: Arc<AtomicUsize>,
    _held: Option<File>,
}

impl Drop for Unconfined {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The file stays: only its lock says something.
fn hold(marker: &Path) -> io::Result<File> {
    if let Some(folder) = marker.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(marker)?;
    // Who looks has it for a moment. Longer, it is no process of ours, and whoever looks hears of that one.
    for _ in 0..HOLDS {
        match file.try_lock_shared() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    Err(io::Error::from(io::ErrorKind::WouldBlock))
}

/// Whether a process holds the lock. Where that can't be told, one does.
fn is_held(marker: &Path) -> bool {
    let _one_at_a_time = LOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let file = match OpenOptions::new().write(true).open(marker) {
        Err(error) => return error.kind() != io::ErrorKind::NotFound,
        Ok(file) => file,
    };
    for _ in 0..LOOKS {
        match file.try_lock() {
            Ok(()) => return false,
            Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{FILE_NAME, Programs};

    /// R30: dialogs speak of a program without the sandbox from before its start to after its end.
    #[test]
    fn programs_are_counted() {
        let programs = Programs::default();
        let (first, second) = (programs.begin(), programs.clone().begin());
        drop(first);
        assert!(programs.any());
        drop(second);
        assert!(!programs.any());
    }

    /// A program that takes the lock for itself holds nobody up, and is heard of.
    #[test]
    fn a_lock_that_is_taken_holds_nobody_up() {
        let state = tempfile::tempdir().unwrap();
        let taken = std::fs::File::create(state.path().join(FILE_NAME)).unwrap();
        taken.lock().unwrap();
        let [here, there] = [Programs::default(), Programs::default()];
        for programs in [&here, &there] {
            programs.share(state.path());
        }
        let begun = here.begin();
        assert!(here.any() && there.any());
        drop((begun, taken));
        assert!(!here.any() && !there.any());
    }

    /// R30: those of another process count too, `assent exec`'s in the window and the other way round.
    #[test]
    fn programs_of_other_processes_count() {
        let state = tempfile::tempdir().unwrap();
        let [here, there, alone] = [Programs::default(), Programs::default(), Programs::default()];
        for programs in [&here, &there] {
            programs.share(&state.path().join("assent"));
            assert!(!programs.any(), "nothing ran yet");
        }
        let (first, second) = (there.begin(), here.begin());
        assert!(here.any() && there.any() && !alone.any());
        drop(second);
        assert!(here.any() && there.any());
        drop(first);
        assert!(!here.any() && !there.any());
        assert!(state.path().join("assent").join(FILE_NAME).is_file(), "as a killed process leaves it");
    }
}
