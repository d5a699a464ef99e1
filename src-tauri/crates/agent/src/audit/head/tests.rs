//! The head only moves forward, is flushed under its lock, and a step that fails is an error.

use super::{Head, HeadFile, Mac, read_head};
use crate::audit::fixture::{World, begun, outcome};
use crate::audit::recording::{Operation, Recording};
use crate::audit::{AuditError, AuditLog as _};
use std::path::Path;

fn head(seq: i64) -> Head {
    Head { seq, mac: Mac::from_hex(&"ab".repeat(32)).unwrap() }
}

/// R41: the head never goes backwards.
#[test]
fn it_only_moves_forward() {
    let folder = tempfile::tempdir().unwrap();
    let path = HeadFile::path(folder.path(), Path::new("/data"));
    let mut file = HeadFile::open(path.clone()).unwrap();
    assert_eq!(file.read().unwrap(), None);
    file.advance(head(7), true).unwrap();
    file.advance(head(3), false).unwrap();
    assert_eq!(file.read().unwrap(), Some(head(7)));
    assert_eq!(read_head(&path).unwrap(), Some(head(7)));
}

#[test]
fn another_content_is_an_error_and_no_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("head");
    assert_eq!(read_head(&path).unwrap(), None);
    std::fs::write(&path, "assent-head 1 5 x\n").unwrap();
    assert!(read_head(&path).is_err());
}

/// R41: it is read and written under the lock, and what is to be durable is flushed before the lock is given back.
#[test]
fn it_is_flushed_under_the_lock() {
    use Operation::{Lock, Read, Sync, Unlock, Write};
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::default();
    let mut file = recording.under(HeadFile::open(folder.path().join("head")).unwrap());
    for (seq, sync, expected) in [
        (5, true, &[Lock, Read, Write, Sync, Unlock][..]),
        (6, false, &[Lock, Read, Write, Unlock]),
        // Another process was further: durable all the same.
        (2, true, &[Lock, Read, Sync, Unlock]),
        (2, false, &[Lock, Read, Unlock]),
    ] {
        file.advance(head(seq), sync).unwrap();
        assert_eq!(recording.take(), expected, "{seq}, {sync}");
    }
}

/// R41: a step that fails is an error, nothing of it is done later, and the lock is given back.
#[test]
fn a_step_that_fails_is_an_error() {
    use Operation::{Lock, Read, Sync, Unlock, Write};
    for (fails, expected, left) in [
        (Lock, &[Lock][..], 1),
        (Read, &[Lock, Read, Unlock], 1),
        (Write, &[Lock, Read, Write, Unlock], 1),
        (Sync, &[Lock, Read, Write, Sync, Unlock], 2),
        (Unlock, &[Lock, Read, Write, Sync, Unlock], 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("head");
        let mut plain = HeadFile::open(path.clone()).unwrap();
        plain.advance(head(1), true).unwrap();
        let recording = Recording::failing(fails);
        assert!(recording.under(plain).advance(head(2), true).is_err(), "{fails:?}");
        assert_eq!(recording.take(), expected, "{fails:?}");
        assert_eq!(read_head(&path).unwrap(), Some(head(left)), "{fails:?}");
    }
}

/// R41: the head is on the disk with each outcome, and an outcome whose head can't be flushed isn't taken for stored.
#[test]
fn each_outcome_makes_it_durable() {
    let world = World::new();
    let store = world.open();
    let recording = Recording::default();
    store.record_head_for_test(&recording);
    store.append(&begun(1)).unwrap();
    assert!(!recording.take().contains(&Operation::Sync));
    store.append(&[outcome(1)]).unwrap();
    let operations = recording.take();
    let place = |wanted| operations.iter().rposition(|operation| *operation == wanted);
    assert!(place(Operation::Write) < place(Operation::Sync), "{operations:?}");

    let world = World::new();
    let store = world.open();
    store.record_head_for_test(&Recording::failing(Operation::Sync));
    store.append(&begun(1)).unwrap();
    assert!(matches!(store.append(&[outcome(1)]), Err(AuditError::Store(_))));
}

/// Names the head that a process of [`the_lock_holds_between_processes`] moves forward.
#[cfg(target_os = "linux")]
const MOVES: &str = "ASSENT_TEST_MOVES_HEAD";

/// The other process of [`the_lock_holds_between_processes`]; alone, nothing.
#[cfg(target_os = "linux")]
#[test]
fn another_process_moves_it() {
    if let Some(path) = std::env::var_os(MOVES) {
        HeadFile::open(path.into()).unwrap().advance(head(8), true).unwrap();
    }
}

/// R41: between two processes it never goes backwards: one waits for the other, and looks only then.
#[cfg(target_os = "linux")]
#[test]
fn the_lock_holds_between_processes() {
    for (meanwhile, last) in [(7, 8), (9, 9)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("head");
        let mut ours = HeadFile::open(path.clone()).unwrap();
        ours.advance(head(6), true).unwrap();
        ours.file.lock().unwrap();
        let mut other = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "audit::head::tests::another_process_moves_it"])
            .env(MOVES, &path)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while !waits_for_a_lock(other.id()) {
            assert!(other.try_wait().unwrap().is_none(), "it did not wait");
            std::thread::yield_now();
        }
        assert_eq!(read_head(&path).unwrap(), Some(head(6)));
        ours.advance_locked(head(meanwhile), false).unwrap();
        ours.file.unlock().unwrap();
        assert!(other.wait().unwrap().success());
        assert_eq!(read_head(&path).unwrap(), Some(head(last)));
    }
}

/// Whether the kernel has a process wait for a lock on a file (`proc_locks(5)`).
#[cfg(target_os = "linux")]
fn waits_for_a_lock(process: u32) -> bool {
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    let waits = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| *word != "->");
        words.next().is_some() && words.any(|word| word == process.to_string())
    };
    locks.lines().any(waits)
}
