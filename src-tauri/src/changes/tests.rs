//! Taking changes back that real tools made, as the window does it (R51).

use super::Changes;
use crate::view::{BackendError, ChangeState, DiffOf, UndoResult, UndoStatus};
use assent_agent::approval::{Answer, Surface};
use e2e::{Desk, ScriptedModel, World, call, calls, desk};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A session in which some files were written, and what the audit is told.
struct Session {
    desk: Desk,
    changes: Changes,
    recorded: RefCell<Vec<&'static str>>,
}

impl Session {
    /// The tools wrote each `(path, content)`; `before` was there.
    async fn with(before: &[(&str, &str)], writes: &[(&str, &str)]) -> Self {
        let world = World::new();
        for (path, content) in before {
            world.write(path, content);
        }
        let write = |(place, (path, content)): (usize, &(&str, &str))| {
            call(&format!("c{place}"), "write_file", json!({"path": path, "content": content}))
        };
        let model = ScriptedModel::new([calls(writes.iter().enumerate().map(write))]);
        let desk = desk(world, model);
        for _ in writes {
            desk.person.will(Answer::Allowed { surface: Surface::Dialog });
        }
        desk.say("go").await;
        let scratch = desk.world.folder("data").join("sessions/s1");
        let changes = Changes::open("s1", desk.world.workspace(), &scratch).unwrap();
        Self { desk, changes, recorded: RefCell::default() }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.desk.world.workspace().join(path)
    }

    /// The id of the change at `place`, oldest first.
    fn id(&self, place: usize) -> String {
        let listed = self.changes.list(&BTreeMap::new()).unwrap();
        let change = listed.iter().rev().nth(place).unwrap();
        super::parse_id(&change.change_id).unwrap().1.to_owned()
    }

    fn undo(&self, place: usize, even_if_changed: bool) -> UndoResult {
        let record = |name, _, _| {
            self.recorded.borrow_mut().push(name);
            Ok(())
        };
        self.changes.undo(&self.id(place), even_if_changed, record).unwrap()
    }

    /// Newest first.
    fn states(&self) -> Vec<ChangeState> {
        self.changes.list(&BTreeMap::new()).unwrap().into_iter().map(|change| change.state).collect()
    }

    fn offered(&self, call: &str) -> bool {
        self.changes.to_take_back(call, 0..=u64::MAX).unwrap().is_some()
    }
}

/// The folder was moved: nothing stands as undone, and once the session follows, all can be taken back.
#[cfg(unix)]
#[tokio::test]
async fn a_change_goes_with_its_folder() {
    let mut session = Session::with(&[("a.txt", "one\n")], &[("a.txt", "two\n"), ("b.txt", "b\n")]).await;
    let from = session.desk.world.workspace();
    let to = from.with_file_name("moved");
    std::fs::rename(&from, &to).unwrap();
    assert_eq!(session.states(), [ChangeState::FolderMissing; 2]);
    assert_eq!(session.undo(0, false).status, UndoStatus::Failed);
    assert!(session.recorded.borrow().is_empty(), "nothing happened, so nothing is on record");

    let scratch = session.desk.world.folder("data").join("sessions/s1");
    Changes::relocate(&from, &to, &scratch).unwrap();
    session.changes = Changes::open("s1", to.clone(), &scratch).unwrap();
    assert_eq!(session.states(), [ChangeState::Undoable; 2]);
    assert_eq!(session.undo(1, false).status, UndoStatus::Undone);
    assert!(!to.join("b.txt").exists());
}

#[tokio::test]
async fn a_change_is_listed_with_what_it_did() {
    let session =
        Session::with(&[("a.txt", "one\ntwo\n")], &[("a.txt", "one\n2\n"), ("new/b.txt", "b\n")]).await;
    let tools = BTreeMap::from([("c0".to_owned(), "write_file".to_owned())]);
    let listed = session.changes.list(&tools).unwrap();
    let told: Vec<_> = listed
        .iter()
        .map(|it| (it.path.as_str(), it.kind, it.added, it.removed, it.tool.as_str(), it.call_id.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("new/b.txt", DiffOf::Created, 1, 0, "", "s1:c1"),
            ("a.txt", DiffOf::Modified, 1, 1, "write_file", "s1:c0"),
        ]
    );
    assert_eq!(session.changes.calls().unwrap(), ["c0", "c1"]);
    let diff = session.changes.diff(&session.id(0)).unwrap();
    assert_eq!((diff.path.as_str(), diff.kind, diff.added, diff.removed), ("a.txt", DiffOf::Modified, 1, 1));
}

/// Nobody touched the file since: one press, on record, and only once.
#[tokio::test]
async fn a_change_is_taken_back_once() {
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n")]).await;
    assert_eq!((session.states(), session.offered("c0")), (vec![ChangeState::Undoable], true));
    assert_eq!(session.undo(0, false), super::done(UndoStatus::Undone, None));
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("old\n"));
    assert_eq!((session.states(), session.offered("c0")), (vec![ChangeState::Undone], false));

    session.desk.world.write("a.txt", "by hand\n");
    for even_if_changed in [false, true] {
        let again = session.undo(0, even_if_changed);
        assert_eq!(again.status, UndoStatus::Failed);
        assert_eq!(again.message, Some("Can't undo: the change was already taken back.".into()));
    }
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("by hand\n"));
    assert_eq!(*session.recorded.borrow(), ["change_undone"], "what was not done is not on record");
}

/// Somebody changed the file since: the first press shows what it would do and does nothing; the choice does it.
#[tokio::test]
async fn a_later_change_is_shown_before_it_is_lost() {
    let session = Session::with(&[("a.txt", "one\ntwo\n")], &[("a.txt", "one\n2\n")]).await;
    session.desk.world.write("a.txt", "one\n2\nby hand\n");
    assert_eq!((session.states(), session.offered("c0")), (vec![ChangeState::ChangedSince], true));
    let asked = session.undo(0, false);
    let diff = asked.diff.unwrap();
    assert_eq!((asked.status, diff.kind), (UndoStatus::ChangedSince, DiffOf::Modified));
    assert_eq!((diff.path.as_str(), diff.added, diff.removed), ("a.txt", 1, 2));
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("one\n2\nby hand\n"));
    assert!(session.recorded.borrow().is_empty());

    assert_eq!(session.undo(0, true).status, UndoStatus::Undone);
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("one\ntwo\n"));
    assert_eq!(*session.recorded.borrow(), ["change_undone"]);
}

/// Of two changes of a file the first can only go over the second, and says so; in order both go.
#[tokio::test]
async fn changes_of_one_file_go_back_in_order() {
    let session = Session::with(&[("a.txt", "0\n")], &[("a.txt", "1\n"), ("a.txt", "2\n")]).await;
    assert_eq!(session.undo(0, false).status, UndoStatus::ChangedSince);
    assert_eq!(session.undo(1, false).status, UndoStatus::Undone);
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("1\n"));
    assert_eq!(session.undo(0, false).status, UndoStatus::Undone);
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("0\n"));
}

/// A created file goes with the folders that were made for it; one in which something else lies stays.
#[tokio::test]
async fn a_created_file_goes_with_its_folders() {
    let session = Session::with(&[], &[("a/b/c.txt", "x\n"), ("d/e.txt", "x\n")]).await;
    session.desk.world.write("d/mine.txt", "mine\n");
    for place in [0, 1] {
        assert_eq!(session.undo(place, false).status, UndoStatus::Undone);
    }
    assert!(!session.file("a").exists());
    assert!(!session.file("d/e.txt").exists());
    assert_eq!(session.desk.world.read("d/mine.txt").as_deref(), Some("mine\n"));
}

/// The file is gone: bringing it back is a choice. A created one that is gone is back to nothing already.
#[tokio::test]
async fn a_file_that_is_gone() {
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n"), ("b.txt", "b\n")]).await;
    for path in ["a.txt", "b.txt"] {
        std::fs::remove_file(session.file(path)).unwrap();
    }
    assert_eq!(session.states(), [ChangeState::Undone, ChangeState::ChangedSince]);
    assert!(session.offered("c0") && !session.offered("c1"));
    let asked = session.undo(0, false);
    assert_eq!((asked.status, asked.diff.unwrap().kind), (UndoStatus::ChangedSince, DiffOf::Created));
    assert_eq!(session.undo(1, false), super::done(UndoStatus::Undone, None));
    assert!(!session.file("a.txt").exists() && !session.file("b.txt").exists());
    assert!(session.recorded.borrow().is_empty(), "nothing was done");

    assert_eq!(session.undo(0, true).status, UndoStatus::Undone);
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("old\n"));
}

/// What lines can't show is said to be such, not to be missing.
#[tokio::test]
async fn bytes_that_are_no_text_are_told_as_such() {
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n")]).await;
    std::fs::write(session.file("a.txt"), [0xff, 0x00]).unwrap();
    let asked = session.undo(0, false);
    assert_eq!((asked.status, asked.diff.unwrap().kind), (UndoStatus::ChangedSince, DiffOf::Binary));
    assert_eq!(std::fs::read(session.file("a.txt")).unwrap(), [0xff, 0x00]);
}

/// Without its copy a change can't be taken back, and the file stays; that is no record of an undo.
#[tokio::test]
async fn without_the_copy_nothing_happens() {
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n")]).await;
    let undo = session.desk.world.folder("data").join("sessions/s1/undo");
    for entry in std::fs::read_dir(undo).unwrap().map(Result::unwrap) {
        if entry.path().extension().is_some_and(|end| end == "before") {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    assert_eq!(session.states(), [ChangeState::CopyMissing]);
    for even_if_changed in [false, true] {
        assert_eq!(session.undo(0, even_if_changed).status, UndoStatus::Failed);
    }
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("new\n"));
    assert!(session.recorded.borrow().is_empty());
}

/// R41: what can't be recorded doesn't happen.
#[tokio::test]
async fn without_a_record_nothing_is_taken_back() {
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n")]).await;
    let full = |_, _, _| Err(BackendError::new("audit_unavailable", "The disk is full."));
    let refused = session.changes.undo(&session.id(0), false, full).unwrap_err();
    assert_eq!(refused.code, "audit_unavailable");
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("new\n"));
}

/// A file that can't be written stays, and the record says that it was kept after all.
#[cfg(unix)]
#[tokio::test]
async fn what_fails_half_way_is_on_record_as_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n")]).await;
    std::fs::set_permissions(session.file("a.txt"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let failed = session.undo(0, false);
    assert_eq!(failed.status, UndoStatus::Failed, "{failed:?}");
    assert_eq!(session.desk.world.read("a.txt").as_deref(), Some("new\n"));
    assert_eq!(*session.recorded.borrow(), ["change_undone", "change_kept"]);
}

#[tokio::test]
async fn a_change_that_is_none_is_refused() {
    let session = Session::with(&[], &[]).await;
    let undone = session.changes.undo("none", true, |_, _, _| Ok(()));
    assert_eq!(undone.unwrap_err().code, "not_found");
    assert_eq!(session.changes.diff("none").unwrap_err().code, "not_found");
    assert_eq!(super::parse_id("no session").unwrap_err().code, "not_found");
    assert_eq!(session.changes.to_take_back("c0", 0..=u64::MAX).unwrap(), None);
}

/// Models use the name of a call again: the time tells which of them made the change.
#[tokio::test]
async fn a_call_is_told_from_another_of_its_name() {
    let session = Session::with(&[("a.txt", "old\n")], &[("a.txt", "new\n")]).await;
    let time = session.changes.list(&BTreeMap::new()).unwrap()[0].time_ms;
    for (during, found) in
        [(0..=time, true), (time..=time, true), (0..=time - 1, false), (time + 1..=u64::MAX, false)]
    {
        assert_eq!(session.changes.to_take_back("c0", during).unwrap().is_some(), found);
    }
}
