//! Ways there and back: undo and replacement over real files.

use super::Workspace;
use super::undo::{State, UndoError};
use crate::tools::testing::{World, tree};
use crate::tools::{EditFile, WriteFile};
use proptest::prelude::{any, proptest};
use proptest::{collection, prop_assert, prop_assert_eq};
use serde_json::json;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

async fn write(world: &World, path: &str, content: &str) {
    let tool = WriteFile::default();
    let permit = world.permit(&tool, json!({"path": path, "content": content}));
    world.outcome(&tool, permit).await.expect("written");
}

fn states(world: &World) -> Vec<State> {
    world.undo().list().expect("a list").into_iter().map(|(_, state)| state).collect()
}

/// R51: a new file and its folders are gone again; a replaced one has its bytes and mode again.
#[tokio::test]
async fn changes_are_taken_back() {
    let world = World::new();
    let script = world.file("run.sh", "echo old\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o750)).expect("a mode");
    let before = tree(world.workspace.root());
    write(&world, "run.sh", "echo new\n").await;
    write(&world, "a/b/c.txt", "new\n").await;
    let undo = world.undo();
    let entries = undo.entries().expect("entries");
    assert_eq!(entries.len(), 2);
    for (place, entry) in entries.iter().enumerate() {
        assert_eq!(states(&world)[place], State::Revertible);
        undo.revert(&world.workspace, &entry.id, false).expect("reverted");
        assert_eq!(states(&world)[place], State::Reverted);
        assert!(matches!(undo.revert(&world.workspace, &entry.id, false), Err(UndoError::AlreadyReverted)));
    }
    assert_eq!(tree(world.workspace.root()), before);
}

/// R51: where the folder was moved, what was changed in it can be taken back there.
#[tokio::test]
async fn changes_move_with_their_folder() {
    let world = World::new();
    world.file("a.txt", "one\n");
    write(&world, "a.txt", "two\n").await;
    write(&world, "new/b.txt", "b\n").await;
    let (undo, from) = (world.undo(), world.workspace.root().to_owned());
    let to = from.with_file_name("moved");
    std::fs::rename(&from, &to).expect("moved");
    undo.relocate(&from, &to).expect("rewritten");
    assert_eq!(states(&world), [State::Revertible, State::Revertible]);
    let workspace = Workspace::open(&to).expect("a workspace");
    for entry in undo.entries().expect("entries") {
        undo.revert(&workspace, &entry.id, false).expect("reverted");
    }
    assert_eq!(std::fs::read(to.join("a.txt")).expect("a file"), b"one\n");
    assert!(!to.join("new").exists(), "a folder made for a file goes with it");
}

/// R51: what somebody changed since is not overwritten unasked.
#[tokio::test]
async fn a_file_changed_since_is_not_reverted_unasked() {
    let world = World::new();
    world.file("a.txt", "one\ntwo\n");
    write(&world, "a.txt", "one\n2\n").await;
    world.file("a.txt", "one\n2\nthree, by hand\n");
    let undo = world.undo();
    let entry = undo.entries().expect("entries").remove(0);
    assert_eq!(states(&world), [State::ChangedSince]);
    let refused = undo.revert(&world.workspace, &entry.id, false).expect_err("refused");
    assert_eq!(world.read("a.txt"), b"one\n2\nthree, by hand\n");
    assert!(matches!(refused, UndoError::ChangedSince), "{refused}");

    undo.revert(&world.workspace, &entry.id, true).expect("reverted all the same");
    assert_eq!(world.read("a.txt"), b"one\ntwo\n");
    // The way back can be taken back as well.
    let last = undo.entries().expect("entries").pop().expect("an entry");
    undo.revert(&world.workspace, &last.id, false).expect("reverted");
    assert_eq!(world.read("a.txt"), b"one\n2\nthree, by hand\n");
}

/// A folder that was created for a file stays if somebody put something else in it.
#[tokio::test]
async fn folders_in_use_stay() {
    let world = World::new();
    write(&world, "a/b/c.txt", "new\n").await;
    world.file("a/other.txt", "mine\n");
    let undo = world.undo();
    let entry = undo.entries().expect("entries").remove(0);
    undo.revert(&world.workspace, &entry.id, false).expect("reverted");
    assert!(!world.path("a/b").exists());
    assert_eq!(world.read("a/other.txt"), b"mine\n");
}

/// A created file that the user removed is gone already; a replaced one comes back only if asked.
#[tokio::test]
async fn a_removed_file_counts_as_changed() {
    let world = World::new();
    world.file("a.txt", "old\n");
    write(&world, "a.txt", "new\n").await;
    std::fs::remove_file(world.path("a.txt")).expect("removed");
    let undo = world.undo();
    let entry = undo.entries().expect("entries").remove(0);
    assert!(matches!(undo.revert(&world.workspace, &entry.id, false), Err(UndoError::ChangedSince)));
    assert!(!world.path("a.txt").exists());
    world.file("a.txt", "old\n");
    assert_eq!(states(&world), [State::AsBefore]);
    std::fs::remove_file(world.path("a.txt")).expect("removed");
    undo.revert(&world.workspace, &entry.id, true).expect("reverted");
    assert_eq!(world.read("a.txt"), b"old\n");
}

/// R35: the list survives a crash, half a line included.
#[tokio::test]
async fn the_list_survives_a_crash() {
    use std::io::Write as _;
    let world = World::new();
    write(&world, "a.txt", "1\n").await;
    let log = world.scratch().join("undo/changes.jsonl");
    let mut file = std::fs::OpenOptions::new().append(true).open(log).expect("the log");
    file.write_all(b"{\"change\":{\"id\":\"half").expect("written");
    drop(file);
    write(&world, "b.txt", "2\n").await;
    let names: Vec<_> = world
        .undo()
        .entries()
        .expect("entries")
        .iter()
        .map(|entry| entry.path.file_name().expect("a name").to_owned())
        .collect();
    assert_eq!(names, ["a.txt", "b.txt"]);
}

/// What a crash in the middle of a write leaves beside the file goes with the next write.
#[tokio::test]
async fn a_temporary_file_left_by_a_crash_goes() {
    let world = World::new();
    write(&world, "src/a.txt", "1\n").await;
    let id = world.undo().entries().expect("entries").remove(0).id;
    world.file(&format!("src/.assent-{id}.tmp"), "half");
    world.file("src/.assent-other.tmp", "not ours to remove");
    write(&world, "b.txt", "2\n").await;
    assert_eq!(std::fs::read_dir(world.path("src")).expect("the folder").count(), 2);
    assert!(world.path("src/.assent-other.tmp").exists());
}

/// R51: on a full disk the old file stays whole, and nothing else is left. The limit on the size of a file stands in
/// for the disk's; a process of its own has it.
#[tokio::test]
async fn a_full_disk_leaves_the_old_file() {
    const LIMITED: &str = "ASSENT_TEST_LIMITED";
    let world = World::new();
    world.file("a.txt", "old\n");
    let big = "x".repeat(3 * 1024 * 1024);
    let said = world.call(&WriteFile::default(), json!({"path": "a.txt", "content": big})).await;
    let made = world.call(&WriteFile::default(), json!({"path": "new/b.txt", "content": big})).await;
    if std::env::var_os(LIMITED).is_none() {
        assert!(said.starts_with("Replaced a.txt"), "{said}");
        // Once more, where no file may grow beyond 1 MiB; SIGXFSZ is ignored so that a write fails instead.
        let script = format!("trap '' XFSZ; ulimit -f 1024; {LIMITED}=1 exec \"$0\" \"$@\"");
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let status = std::process::Command::new("bash")
            .args(["-c", &script])
            .arg(std::env::current_exe().expect("this program"))
            .args(["--exact", &name])
            .status();
        assert!(status.expect("bash").success());
        return;
    }
    insta::assert_snapshot!(format!("{said}\n{made}"));
    assert_eq!(world.read("a.txt"), b"old\n");
    let names: Vec<_> = std::fs::read_dir(world.workspace.root()).expect("the folder").flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(world.undo().entries().expect("entries").is_empty());
}

/// R51: another program wrote between the comparison and the exchange of names; its content stays.
#[test]
fn a_write_in_between_is_a_conflict() {
    let world = World::new();
    let path = world.file("a.txt", "old\n");
    let undo = world.undo();
    for (what, meddle) in [
        (
            "in place",
            (|path| std::fs::write(path, "theirs\n")) as fn(&std::path::Path) -> std::io::Result<()>,
        ),
        ("by a rename", |path| {
            std::fs::write(path.with_extension("new"), "theirs\n")?;
            std::fs::rename(path.with_extension("new"), path)
        }),
    ] {
        std::fs::write(&path, "old\n").expect("written");
        let held = world
            .workspace
            .hold_at("a.txt".as_ref(), &undo, &super::replace::Expectation::Anything)
            .expect("held");
        meddle(&path).expect("meddled");
        let refused = held.write(b"ours\n", "call").expect_err("a conflict");
        assert_eq!(refused.to_string(), "changed since it was checked", "{what}");
        assert_eq!(std::fs::read(&path).expect("the file"), b"theirs\n", "{what}");
        assert_eq!(std::fs::read_dir(world.workspace.root()).expect("the folder").count(), 1, "{what}");
    }
    assert!(undo.entries().expect("entries").is_empty());
}

/// A file that was removed in between is not created again, and one that appeared is not overwritten.
#[test]
fn appearing_and_vanishing_files_are_noticed() {
    let world = World::new();
    let undo = world.undo();
    let anything = super::replace::Expectation::Anything;
    let path = world.file("a.txt", "old\n");
    let held = world.workspace.hold_at("a.txt".as_ref(), &undo, &anything).expect("held");
    std::fs::remove_file(&path).expect("removed");
    held.write(b"ours\n", "call").expect_err("refused");
    assert!(!path.exists());
    let held = world.workspace.hold_at("b/c.txt".as_ref(), &undo, &anything).expect("held");
    world.file("b/c.txt", "theirs\n");
    held.write(b"ours\n", "call").expect_err("refused");
    assert_eq!(world.read("b/c.txt"), b"theirs\n");
}

/// Owner, mode and extended attributes stay; a hard link keeps its own content.
#[tokio::test]
async fn attributes_stay() {
    let world = World::new();
    let path = world.file("a.txt", "old\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4640)).expect("a mode");
    let labelled = rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    std::fs::hard_link(&path, world.outside("twin")).expect("a hard link");
    let owner = path.metadata().expect("the file").uid();
    write(&world, "a.txt", "new\n").await;
    let metadata = path.metadata().expect("the file");
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o640, "set-user-ID goes when content changes");
    assert_eq!(metadata.uid(), owner);
    assert_eq!(std::fs::read(world.outside("twin")).expect("the twin"), b"old\n");
    if labelled {
        let mut value = [0_u8; 8];
        let length = rustix::fs::getxattr(&path, "user.note", &mut value[..]).expect("the attribute");
        assert_eq!(&value[..length], b"kept");
    }
}

/// A file that nobody may write stays as it is.
#[tokio::test]
async fn read_only_files_stay() {
    let world = World::new();
    let path = world.file("a.txt", "old\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).expect("a mode");
    let said = world.call(&WriteFile::default(), json!({"path": "a.txt", "content": "new\n"})).await;
    insta::assert_snapshot!(said, @"Error [tool_execution_error]: a.txt: read-only; nothing was written");
    assert_eq!(world.read("a.txt"), b"old\n");
    let kept = std::fs::read_dir(world.scratch().join("undo")).expect("the folder").flatten();
    assert_eq!(kept.map(|entry| entry.file_name()).collect::<Vec<_>>(), ["lock"]);
}

/// R51: where the folder's new name can't be made durable, the change is made all the same: it is said, and the way back
/// stays. A folder that its user can't list is such a place; root's right to list it is given up for the while.
#[cfg(target_os = "linux")]
#[test]
fn a_change_that_the_disk_does_not_confirm_is_made() {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
    let world = World::new();
    world.file("dim/a.txt", "old\n");
    let dim = world.path("dim");
    std::fs::set_permissions(&dim, std::fs::Permissions::from_mode(0o333)).expect("a mode");
    let said = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let mut sets = capabilities(None).expect("capabilities");
            sets.effective.remove(CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH);
            set_capabilities(None, sets).expect("fewer of them");
            let undo = world.undo();
            let anything = super::replace::Expectation::Anything;
            let held = world.workspace.hold_at("dim/a.txt".as_ref(), &undo, &anything).expect("held");
            let written = held.write(b"new\n", "call").expect("written");
            let made = world.workspace.hold_at("dim/b.txt".as_ref(), &undo, &anything).expect("held");
            let made = made.write(b"made\n", "call").expect("made");
            let gone = undo.revert(&world.workspace, &undo.entries().expect("entries")[1].id, false);
            [written, made, gone.expect("removed")].map(|change| change.unconfirmed)
        });
        work.join().expect("no panic")
    });
    std::fs::set_permissions(&dim, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    assert_eq!(said, [(); 3].map(|()| Some("permission denied".to_owned())));
    assert_eq!(world.read("dim/a.txt"), b"new\n");
    assert!(!world.path("dim/b.txt").exists());
    assert_eq!(states(&world), [State::Revertible, State::Reverted, State::Revertible]);
    let undo = world.undo();
    let first = undo.entries().expect("entries").remove(0);
    undo.revert(&world.workspace, &first.id, false).expect("reverted");
    assert_eq!(world.read("dim/a.txt"), b"old\n");
}

/// R51: one change of a session at a time, whoever makes it: another would take its temporary file for a crash's.
#[test]
fn changes_wait_for_each_other() {
    let world = World::new();
    world.file("a.txt", "old\n");
    let undo = world.undo();
    let lock = std::fs::File::create(world.scratch().join("undo/lock")).expect("the lock");
    let anything = super::replace::Expectation::Anything;
    let held = world.workspace.hold_at("a.txt".as_ref(), &undo, &anything).expect("held");
    assert!(lock.try_lock().is_err(), "it is being made");
    held.write(b"new\n", "call").expect("written");
    lock.try_lock().expect("it is made");
    lock.unlock().expect("unlocked");
    let id = undo.entries().expect("entries").remove(0).id;
    let (first, all) = (std::sync::Barrier::new(6), std::sync::atomic::AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                first.wait();
                if undo.revert(&world.workspace, &id, false).is_ok() {
                    all.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(all.into_inner(), 1, "taken back once");
    assert_eq!(undo.entries().expect("entries").len(), 2);
}

proptest! {
    #![proptest_config(crate::effort::cases(64))]

    /// R51: whatever a file held and whatever its mode, an edit that is taken back leaves exactly that; and
    /// only the edited bytes differ in between.
    #[test]
    fn an_edit_and_its_undo_leave_the_same_bytes_and_mode(
        head in collection::vec(any::<u8>(), 0..200),
        tail in collection::vec(any::<u8>(), 0..200),
        mode in 0o200_u32..0o1000,
        new in "[a-z\u{e9}\u{4e2d}\n]{0,20}",
    ) {
        let world = World::new();
        // No zero bytes, which would make it binary, and no second occurrence of the text.
        let clean = |bytes: Vec<u8>| -> Vec<u8> {
            bytes.into_iter().filter(|byte| !matches!(byte, 0 | b'<' | b'\r' | 0xef | 0xfe | 0xff)).collect()
        };
        let (head, tail) = (clean(head), clean(tail));
        let bytes = [&head[..], b"<old>", &tail[..]].concat();
        let path = world.file("file", &bytes);
        let mode = mode | 0o600;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a mode");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let arguments = json!({"path": "file", "old_string": "<old>", "new_string": new});
        let said = runtime.block_on(world.call(&EditFile::default(), arguments));
        prop_assert!(said.starts_with("Edited file in 1 place."), "{said}");
        prop_assert_eq!(world.read("file"), [&head[..], new.as_bytes(), &tail[..]].concat());
        let undo = world.undo();
        let entry = undo.entries().expect("entries").remove(0);
        undo.revert(&world.workspace, &entry.id, false).expect("reverted");
        prop_assert_eq!(world.read("file"), bytes);
        prop_assert_eq!(path.metadata().expect("the file").permissions().mode() & 0o7777, mode);
    }

    /// CRLF files stay CRLF files, and the edit is what it would be with LF.
    #[test]
    fn line_ends_do_not_matter_to_an_edit(lines in collection::vec("[a-c]{1,3}", 1..12), at in 0_usize..12, new in "[a-z\n]{0,8}") {
        let at = at % lines.len();
        let mut numbered: Vec<String> =
            lines.iter().enumerate().map(|(number, line)| format!("{number}:{line}")).collect();
        let old = numbered[at].clone();
        let text = numbered.join("\n") + "\n";
        numbered[at].clone_from(&new);
        let wanted = numbered.join("\n") + "\n";
        let world = World::new();
        world.file("crlf", text.replace('\n', "\r\n"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let arguments = json!({"path": "crlf", "old_string": format!("{old}\n"), "new_string": format!("{new}\n")});
        runtime.block_on(world.call(&EditFile::default(), arguments));
        prop_assert_eq!(world.read("crlf"), wanted.replace('\n', "\r\n").into_bytes());
    }
}
