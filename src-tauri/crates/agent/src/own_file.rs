//! Files of the app that a person and several processes change: by one of them at a time, and in one step.

use crate::new_name;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Beside the files that it guards: they are replaced, so a lock on one of them would hold nobody.
pub const LOCK: &str = ".lock";
/// How long a change waits for the one that somebody else makes.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries.
const REST: Duration = Duration::from_millis(2);

/// The right to change the files of a folder, until it is dropped.
#[derive(Debug)]
pub struct Alone {
    _lock: File,
}

/// From the reading to the writing of the file at `path`, nobody else changes one of its folder: neither another thread
/// nor another process. The lock is the operating system's, so one that dies leaves none behind.
///
/// # Errors
/// When it can't be made, or somebody else holds it for longer than a change takes.
pub fn alone(path: &Path) -> io::Result<Alone> {
    alone_within(PATIENCE, path)
}

fn alone_within(patience: Duration, path: &Path) -> io::Result<Alone> {
    let folder = folder(path)?;
    fs::create_dir_all(folder)?;
    let guard = folder.join(LOCK);
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&guard)?;
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Alone { _lock: lock }),
            Err(TryLockError::WouldBlock) if begun.elapsed() < patience => std::thread::sleep(REST),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other(format!("another program holds {}", guard.display())));
            }
            // A file system that knows no locks: changes are one at a time in this process's own commands only.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Alone { _lock: lock });
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Writes `bytes` to `path` in one step: a new file beside it, on disk before it takes the name, and its name then. The
/// folder is made where it is missing.
///
/// # Errors
/// When it can't be written; what was there stays.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = folder(path)?;
    fs::create_dir_all(folder)?;
    let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    fresh.persist(path)?;
    new_name::flush(folder);
    Ok(())
}

fn folder(path: &Path) -> io::Result<&Path> {
    path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
}

#[cfg(test)]
mod tests {
    use super::{LOCK, alone, alone_within, replace};
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    const FILE: &str = "ASSENT_TEST_ADDS_TO";
    const STAYS: &str = "ASSENT_TEST_STAYS";
    const LINES: usize = 20;

    /// Not a test by itself: what the other process of the tests below does.
    #[test]
    fn another_process_adds() {
        let Some(path) = std::env::var_os(FILE) else { return };
        let path = Path::new(&path);
        if std::env::var_os(STAYS).is_some() {
            let _alone = alone(path).unwrap();
            std::io::stdout().write_all(b"it has the lock\n").unwrap();
            loop {
                std::thread::park();
            }
        }
        add(path, "theirs");
    }

    fn add(path: &Path, who: &str) {
        for line in 0..LINES {
            // As long as it takes: three write without a pause, and a disk may be slow.
            let _alone = alone_within(Duration::from_secs(600), path).unwrap();
            let text = std::fs::read_to_string(path).unwrap_or_default();
            replace(path, format!("{text}{who} {line}\n").as_bytes()).unwrap();
        }
    }

    fn other(path: &Path) -> Command {
        let mut other = Command::new(std::env::current_exe().unwrap());
        other.args(["--exact", "own_file::tests::another_process_adds", "--nocapture"]).env(FILE, path);
        other
    }

    #[test]
    fn nothing_is_lost_between_two_processes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/file");
        let mut others: Vec<_> =
            (0..2).map(|_| other(&path).stdout(Stdio::null()).spawn().unwrap()).collect();
        add(&path, "ours");
        assert!(others.iter_mut().all(|other| other.wait().unwrap().success()));
        let text = std::fs::read_to_string(&path).unwrap();
        let count = |who: &str| text.lines().filter(|line| line.starts_with(who)).count();
        assert_eq!((count("ours"), count("theirs")), (LINES, 2 * LINES), "{text}");
        let names = std::fs::read_dir(path.parent().unwrap()).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [LOCK, "file"]);
    }

    /// Nobody waits for ever, and a process that is killed leaves no lock behind.
    #[test]
    fn a_lock_ends_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut other = other(&path).env(STAYS, "1").stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(other.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line.contains("it has the lock")));
        let refused = alone_within(Duration::ZERO, &path).unwrap_err().to_string();
        assert_eq!(refused, format!("another program holds {}", folder.path().join(LOCK).display()));
        other.kill().unwrap();
        other.wait().unwrap();
        drop(alone(&path).unwrap());
    }
}
