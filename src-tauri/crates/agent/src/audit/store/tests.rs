//! What is stored, and what happens when it can't be.

use crate::audit::fixture::{StubKeys, Ticks, World, begun, outcome};
use crate::audit::head::read_head;
use crate::audit::verify::verify;
use crate::audit::{
    AuditError, AuditLog as _, AuditReader, AuditStore, Entry, Phase, Record, Redactor, Step,
};
use rusqlite::Connection;
use serde_json::json;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

fn records(world: &World) -> Vec<Record> {
    let reader = AuditReader::open(&world.places).unwrap().unwrap();
    let sql = format!("SELECT {} FROM records ORDER BY seq", crate::audit::record::COLUMNS);
    let mut statement = reader.connection.prepare(&sql).unwrap();
    statement.query_map([], Record::from_row).unwrap().map(Result::unwrap).collect()
}

/// R40, R43: the phases of a call share its intent's sequence, and secrets don't reach the disk.
#[test]
fn a_call_leaves_its_phases_without_secrets() {
    let world = World::with_calls(1);
    let stored = records(&world);
    let phases: Vec<_> = stored.iter().map(|record| (record.phase.as_str(), record.call_seq)).collect();
    assert_eq!(phases, [("event", 1), ("intent", 2), ("decision", 2), ("start", 2), ("outcome", 2)]);
    assert!(stored[1].arguments.contains("[redacted:own-key]"));
    let bytes = fs::read(world.places.log()).unwrap();
    assert!(!bytes.windows(10).any(|window| window == b"my-own-key"));
    let head = read_head(&world.places.head().unwrap()).unwrap().unwrap();
    assert_eq!((head.seq, head.mac), (5, stored[4].mac));
}

/// R41: a phase without its intent isn't stored, nor what came with it.
#[test]
fn a_decision_needs_a_stored_intent() {
    let world = World::new();
    let store = world.open();
    let lone = Entry { phase: Phase::Decision, call: "x".to_owned(), ..Entry::default() };
    let result = store.append(&[Entry::event("mode", "r", json!({})), lone]);
    assert!(matches!(result, Err(AuditError::Order(_))), "{result:?}");
    assert_eq!(records(&world).len(), 1);
}

/// R53: another process can finish a call it finds without an outcome.
#[test]
fn two_processes_share_one_chain() {
    let world = World::new();
    let (first, second) = (world.open(), world.open());
    first.append(&begun(1)).unwrap();
    second.append(&[outcome(1)]).unwrap();
    second.append(&begun(2)).unwrap();
    first.append(&[outcome(2)]).unwrap();
    let stored = records(&world);
    assert_eq!(stored.iter().map(|record| record.call_seq).collect::<Vec<_>>(), [1, 2, 2, 2, 2, 6, 6, 6, 6]);
    assert!(stored.windows(2).all(|pair| pair[1].previous_mac == pair[0].mac));
}

/// R40, R41: appends of several threads and processes at once make one chain, and none is lost.
#[test]
fn appends_at_once_make_one_chain() {
    let world = World::new();
    let (first, second) = (world.open(), world.open());
    std::thread::scope(|scope| {
        for (thread, store) in [&first, &first, &second, &second].into_iter().enumerate() {
            scope.spawn(move || {
                for number in (0..6).map(|number| 10 * thread + number) {
                    store.append(&begun(number)).unwrap();
                    store.append(&[outcome(number)]).unwrap();
                }
            });
        }
    });
    let stored = records(&world);
    assert_eq!(stored.len(), 1 + 4 * 6 * 4);
    assert!(
        stored.windows(2).all(|pair| pair[1].previous_mac == pair[0].mac && pair[1].seq == pair[0].seq + 1)
    );
    let found = verify(&world.places, &world.keys(), &|_, _| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(found.ok, "{found:?}");
}

/// R41: what was appended is on the disk: a log that grows beside the file, flushed at every commit.
#[test]
fn each_append_is_flushed() {
    let world = World::new();
    let store = world.open();
    let (mode, synchronous) = store.durability_for_test();
    assert_eq!((mode.as_str(), synchronous), ("wal", 2), "2 is FULL");
}

/// R44: where the key is stands in the first record, under the chain; the key itself nowhere.
#[test]
fn the_first_record_says_where_the_key_is() {
    let world = World::with_calls(0);
    let first = records(&world).remove(0);
    let said: serde_json::Value = serde_json::from_str(&first.arguments).unwrap();
    let name = said["key_name"].as_str().unwrap();
    assert_eq!((first.tool.as_str(), said["key_place"].as_str()), ("audit_created", Some("file")));
    let key = fs::read_dir(&world.places.data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains(name))
        .expect("the key of that name");
    let secret = fs::read(key).unwrap();
    let log = fs::read(world.places.log()).unwrap();
    assert!(!log.windows(secret.len()).any(|bytes| bytes == secret));
}

/// One folder has one head, by whatever way it is named.
#[cfg(unix)]
#[test]
fn a_link_to_the_folder_leads_to_the_same_head() {
    let world = World::with_calls(1);
    let link = world.folder.path().join("link");
    std::os::unix::fs::symlink(&world.places.data, &link).unwrap();
    let by_link = crate::audit::AuditPlaces { data: link, state: world.places.state.clone() };
    assert_eq!(by_link.head().unwrap(), world.places.head().unwrap());
    assert!(!by_link.head().unwrap().starts_with(world.places.data.canonicalize().unwrap()));
}

#[test]
fn the_table_refuses_change_and_deletion() {
    let world = World::with_calls(1);
    let connection = Connection::open(world.places.log()).unwrap();
    for sql in ["UPDATE records SET reason = 'x'", "DELETE FROM records WHERE seq = 2"] {
        let error = connection.execute_batch(sql).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{error}");
    }
}

/// R41: each way in which the log can be out of reach is an error with something to do, and nothing is stored.
#[test]
fn what_cant_be_stored_is_an_error() {
    // Locked by another process.
    let world = World::new();
    let store = world.open();
    let other = Connection::open(world.places.log()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.append(&begun(1)).unwrap_err().to_string();
    assert!(error.contains("locked by another process"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    store.append(&begun(1)).unwrap();

    // Full: a page limit stands in for the disk's.
    let world = World::new();
    let store = world.open();
    store.limit_pages_for_test();
    let big = Entry { reason: "x".repeat(1 << 20), ..Entry::event("big", "", json!({})) };
    let error = store.append(&[big]).unwrap_err().to_string();
    assert!(error.contains("is full"), "{error}");
    assert_eq!(records(&world).len(), 1);

    // Not a database.
    let world = World::new();
    fs::create_dir_all(&world.places.data).unwrap();
    fs::write(world.places.log(), vec![9; 4096]).unwrap();
    let error = world.try_open().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");

    // Its key is gone.
    let world = World::with_calls(1);
    let opened =
        AuditStore::open(world.places.clone(), &StubKeys, Arc::new(Ticks::default()), Redactor::default());
    assert!(matches!(opened.map(|_| ()), Err(AuditError::Key(_))));

    // Its head can't be written: a folder is in its place.
    let world = World::new();
    fs::create_dir_all(&world.places.data).unwrap();
    fs::create_dir_all(world.places.head().unwrap()).unwrap();
    assert!(matches!(world.try_open().map(|_| ()), Err(AuditError::Store(_))));
}

/// R41: what was bent before the start, or behind the app's back, is never continued.
#[test]
fn a_bent_chain_is_not_continued() {
    for sql in [
        "DELETE FROM records WHERE seq > 6",
        "UPDATE records SET mac = zeroblob(32) WHERE seq = 9",
        "INSERT INTO records SELECT 10, time_ms, phase, session, run, call, call_seq, tool, behavior, asked, source, \
         reason, verdicts, risk, digest, approver, surface, policy_version, sandbox, targets, arguments, outcome, \
         duration_ms, attempt, previous_mac, mac FROM records WHERE seq = 9",
    ] {
        let world = World::with_calls(2);
        let running = world.open();
        world.tamper(sql);
        assert!(matches!(running.append(&begun(3)), Err(AuditError::Chain(_))), "{sql}");
        drop(running);
        assert!(matches!(world.try_open().map(|_| ()), Err(AuditError::Chain(_))), "{sql}");
    }
}

/// The log may lead the head: a crash between the two writes loses nothing.
#[test]
fn a_head_that_lags_is_brought_forward() {
    let world = World::with_calls(2);
    let head = world.places.head().unwrap();
    let old = fs::read(&head).unwrap();
    let store = world.open();
    store.append(&begun(3)).unwrap();
    drop(store);
    fs::write(&head, old).unwrap();
    let store = world.open();
    store.append(&[outcome(3)]).unwrap();
    assert_eq!(read_head(&head).unwrap().unwrap().seq, 13);
}

#[cfg(unix)]
#[test]
fn its_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::with_calls(1);
    for entry in fs::read_dir(&world.places.data).unwrap().chain(fs::read_dir(&world.places.state).unwrap()) {
        let path = entry.unwrap().path();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
    }
    let key = fs::read_dir(&world.places.data)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "key"))
        .unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(world.try_open().map(|_| ()), Err(AuditError::Key(_))));
}

/// R35, R53: how far a call came is known after a restart, and an end that it never got is recorded once.
#[test]
fn the_standing_of_a_call_is_known() {
    let world = World::new();
    let store = world.open();
    let standing = |call: &str| store.standing("session-1", call).unwrap().map(|it| it.step);
    let phases = begun(1);
    assert_eq!(standing("call-1"), None);
    store.append(&phases[..1]).unwrap();
    assert_eq!(standing("call-1"), Some(Step::Undecided));
    assert_eq!(store.standing("session-2", "call-1").unwrap(), None);
    store.append(&phases[1..]).unwrap();
    assert_eq!(standing("call-1"), Some(Step::Began));
    assert_eq!(world.open().standing("session-1", "call-1").unwrap().unwrap().run, "run");
    for _ in 0..2 {
        store.close("session-1", "call-1", "outcome_unknown").unwrap();
    }
    assert_eq!(standing("call-1"), Some(Step::Ended { outcome: "outcome_unknown".to_owned() }));
    assert_eq!(records(&world).len(), 5);
    let refused = Entry { behavior: "deny".to_owned(), ..phases[1].clone() };
    store.append(&[phases[0].clone(), refused]).unwrap();
    assert_eq!(standing("call-1"), Some(Step::Refused));
}

/// The log, its words and what SQLite puts beside them are nobody else's to read from the first record on, in a folder that
/// is open to others too; what an earlier version left open is taken back.
#[cfg(unix)]
#[test]
fn the_log_is_private_from_its_first_record() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let modes = || -> Vec<(String, u32)> {
        let files = fs::read_dir(&world.places.data).unwrap().map(|entry| entry.unwrap());
        let logs = files.filter(|file| file.file_name().to_string_lossy().contains(".sqlite"));
        logs.map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            (name, file.metadata().unwrap().permissions().mode() & 0o777)
        })
        .collect()
    };
    let store = world.open();
    let reader = AuditReader::open(&world.places).unwrap().unwrap();
    let index = || reader.index_words(Duration::from_secs(60)).unwrap();
    index();
    let made = modes();
    assert!(made.len() >= 4, "{made:?}");
    assert!(made.iter().all(|(_, mode)| *mode == 0o600), "{made:?}");
    for (name, _) in made {
        fs::set_permissions(world.places.data.join(name), fs::Permissions::from_mode(0o644)).unwrap();
    }
    let _again = world.open();
    index();
    let modes = modes();
    assert!(modes.iter().all(|(_, mode)| *mode == 0o600), "{modes:?}");
    drop(store);
}
