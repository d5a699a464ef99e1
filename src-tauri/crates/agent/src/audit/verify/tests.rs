//! What an adversary with the file, and without the key, can do, and what `verify` says to it.

use super::{Breach, HeadState, Verification, VerifyError, verify};
use crate::audit::AuditLog as _;
use crate::audit::fixture::{StubKeys, World, begun, outcome};
use proptest::prelude::*;
use std::fs;
use std::ops::ControlFlow;

fn check(world: &World) -> Verification {
    verify(&world.places, &world.keys(), &|_, _| ControlFlow::Continue(())).unwrap()
}

fn breach(world: &World) -> Option<(Breach, i64)> {
    let found = check(world);
    assert_eq!(found.ok, found.kind.is_none());
    found.kind.map(|kind| (kind, found.seq.unwrap()))
}

/// R42, R44
#[test]
fn an_untouched_log_is_whole() {
    let world = World::with_calls(20);
    let found = check(&world);
    assert!(found.ok && found.records == 81 && found.head == HeadState::Present, "{found:?}");
    assert_eq!(breach(&World::new()), None);
}

/// Each way to bend the log, and the first record that shows it. 10 calls: records 1 to 41.
#[test]
fn each_way_to_bend_it_is_named() {
    let columns = "seq, time_ms, phase, session, run, call, call_seq, tool, behavior, asked, source, reason, verdicts, \
                   risk, digest, approver, surface, policy_version, sandbox, targets, arguments, outcome, duration_ms, \
                   attempt, previous_mac, mac";
    let rest = columns.trim_start_matches("seq, ");
    let shift_up = |from: i64| {
        format!(
            "UPDATE records SET seq = -seq WHERE seq >= {from}; UPDATE records SET seq = -seq + 1 WHERE seq < 0;"
        )
    };
    let cases: Vec<(String, Breach, i64)> = vec![
        ("UPDATE records SET reason = 'x' WHERE seq = 7".to_owned(), Breach::Edit, 7),
        ("UPDATE records SET behavior = 'deny' WHERE seq = 3".to_owned(), Breach::Edit, 3),
        ("UPDATE records SET time_ms = time_ms + 1 WHERE seq = 41".to_owned(), Breach::Edit, 41),
        ("UPDATE records SET mac = zeroblob(32) WHERE seq = 9".to_owned(), Breach::Edit, 9),
        ("UPDATE records SET previous_mac = zeroblob(32) WHERE seq = 9".to_owned(), Breach::Edit, 9),
        ("UPDATE records SET reason = 5 WHERE seq = 9".to_owned(), Breach::Edit, 9),
        ("UPDATE records SET arguments = '{}' WHERE seq = 1".to_owned(), Breach::Edit, 1),
        ("UPDATE records SET reason = 'x' WHERE seq IN (5, 6, 7, 30)".to_owned(), Breach::Edit, 5),
        ("DELETE FROM records WHERE seq = 7".to_owned(), Breach::Deletion, 7),
        ("DELETE FROM records WHERE seq = 1".to_owned(), Breach::Deletion, 1),
        ("DELETE FROM records WHERE seq BETWEEN 7 AND 20".to_owned(), Breach::Deletion, 7),
        (
            "DELETE FROM records WHERE seq BETWEEN 7 AND 10; UPDATE records SET seq = seq - 4 WHERE seq > 10"
                .to_owned(),
            Breach::Deletion,
            7,
        ),
        (
            format!("{} INSERT INTO records SELECT 8, {rest} FROM records WHERE seq = 3", shift_up(8)),
            Breach::Insertion,
            8,
        ),
        (
            format!(
                "{} INSERT INTO records ({columns}) SELECT 1, {rest} FROM records WHERE seq = 4",
                shift_up(1)
            ),
            Breach::Insertion,
            1,
        ),
        (format!("INSERT INTO records SELECT 42, {rest} FROM records WHERE seq = 40"), Breach::Insertion, 42),
        (format!("INSERT INTO records SELECT 0, {rest} FROM records WHERE seq = 40"), Breach::Insertion, 0),
        ("DELETE FROM records WHERE seq > 30".to_owned(), Breach::Truncation, 31),
        ("DELETE FROM records WHERE seq = 41".to_owned(), Breach::Truncation, 41),
        ("DELETE FROM records".to_owned(), Breach::Truncation, 1),
        ("DROP TABLE records".to_owned(), Breach::Truncation, 1),
    ];
    for (sql, kind, seq) in cases {
        let world = World::with_calls(10);
        world.tamper(&sql);
        assert_eq!(breach(&world), Some((kind, seq)), "{sql}");
    }
}

#[test]
fn a_file_replaced_by_an_older_copy_is_a_rollback() {
    let world = World::with_calls(5);
    let copy = world.folder.path().join("copy");
    fs::copy(world.places.log(), &copy).unwrap();
    let store = world.open();
    store.append(&begun(5)).unwrap();
    store.append(&[outcome(5)]).unwrap();
    drop(store);
    fs::copy(&copy, world.places.log()).unwrap();
    assert_eq!(breach(&world), Some((Breach::Rollback, 22)));
    // R41: nothing is appended to it.
    assert!(world.try_open().is_err());
}

#[test]
fn another_history_under_the_same_key_is_a_rollback() {
    let world = World::with_calls(5);
    let copy = world.folder.path().join("copy");
    fs::copy(world.places.log(), &copy).unwrap();
    let head = world.places.head().unwrap();
    let old_head = fs::read(&head).unwrap();
    let store = world.open();
    store.append(&begun(5)).unwrap();
    store.append(&[outcome(5)]).unwrap();
    drop(store);
    let true_head = fs::read(&head).unwrap();
    fs::copy(&copy, world.places.log()).unwrap();
    fs::write(&head, old_head).unwrap();
    let store = world.open();
    for number in 6..9 {
        store.append(&begun(number)).unwrap();
        store.append(&[outcome(number)]).unwrap();
    }
    drop(store);
    fs::write(&head, true_head).unwrap();
    assert_eq!(breach(&world), Some((Breach::Rollback, 25)));
}

#[test]
fn a_head_without_its_log_is_a_truncation() {
    let world = World::with_calls(2);
    fs::remove_file(world.places.log()).unwrap();
    assert_eq!(breach(&world), Some((Breach::Truncation, 1)));
    assert!(world.try_open().is_err());
}

#[test]
fn a_log_without_its_head_says_that_nothing_vouches_for_its_end() {
    let world = World::with_calls(2);
    fs::remove_file(world.places.head().unwrap()).unwrap();
    let found = check(&world);
    assert!(found.ok && found.head == HeadState::Missing, "{found:?}");
    // Going on is possible, and leaves a mark.
    drop(world.open());
    let found = check(&world);
    assert!(found.ok && found.head == HeadState::Present && found.records == 10, "{found:?}");
}

#[test]
fn a_damaged_file_is_reported_and_never_a_panic() {
    let world = World::with_calls(40);
    let mut bytes = fs::read(world.places.log()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 600].fill(0xAA);
    fs::write(world.places.log(), &bytes).unwrap();
    assert!(breach(&world).is_some());
    fs::write(world.places.log(), vec![7; 5000]).unwrap();
    assert_eq!(breach(&world), Some((Breach::Edit, 1)));
}

#[test]
fn without_the_key_there_is_no_result() {
    let world = World::with_calls(1);
    let found = verify(&world.places, &StubKeys, &|_, _| ControlFlow::Continue(()));
    assert!(matches!(found, Err(VerifyError::Audit(_))), "{found:?}");
}

proptest! {
    #![proptest_config(crate::effort::cases(48))]
    /// Any single change to any text of any record is found, at that record.
    #[test]
    fn any_edit_is_found_where_it_is(
        seq in 1_i64..=21,
        column in prop::sample::select(vec!["phase", "session", "run", "call", "tool", "behavior", "source", "reason",
            "verdicts", "risk", "digest", "approver", "surface", "policy_version", "sandbox", "targets", "arguments", "outcome"]),
    ) {
        let world = World::with_calls(5);
        world.tamper(&format!("UPDATE records SET {column} = {column} || ' ' WHERE seq = {seq}"));
        prop_assert_eq!(breach(&world), Some((Breach::Edit, seq)));
    }
}
