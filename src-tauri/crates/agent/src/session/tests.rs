//! What a session keeps, finds again, and how it goes on after a crash.

use super::{
    Fate, Filter, Headings, ImportError, Item, SessionLock, SessionLockError, SessionStore, StoreError,
    StoredHistory, export_json, export_markdown, import_json, resume,
};
use crate::clock::Clock;
use crate::erasure::files_with;
use crate::model::history::check;
use crate::model::{Arguments, AssistantMessage, Message, ProposedCall, ToolMessage};
use crate::turn::History as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now_ms(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

fn store(folder: &std::path::Path) -> Arc<SessionStore> {
    Arc::new(SessionStore::open(folder, Arc::new(Ticking::default())).unwrap())
}

fn user(text: &str) -> Item {
    Item::Message(Message::User { text: text.to_owned(), attachments: Vec::new(), by_hook: false })
}

fn reply(text: &str, calls: &[&str]) -> Item {
    let calls = calls
        .iter()
        .map(|id| ProposedCall {
            id: (*id).to_owned(),
            id_given: true,
            name: "shell".to_owned(),
            arguments: Arguments::Object(serde_json::Map::new()),
            extra: None,
        })
        .collect();
    Item::Message(Message::Assistant(AssistantMessage {
        text: text.to_owned(),
        calls,
        ..AssistantMessage::default()
    }))
}

fn answer(id: &str) -> Item {
    Item::Message(Message::Tool(ToolMessage {
        call_id: id.to_owned(),
        content: "ok".to_owned(),
        is_error: false,
        error_code: None,
    }))
}

/// What was deleted stands in no file any more, while the store is open neither; what is left is found.
#[test]
fn what_is_deleted_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let secret = "unspeakable";
    for (id, word) in [("a", "quarterly"), ("b", secret)] {
        store.create(id, "/w").unwrap();
        for _ in 0..200 {
            store.append(id, &user(&word.repeat(7))).unwrap();
            store.append(id, &user(&format!("{word} again"))).unwrap();
        }
        store.save_draft(id, word, "").unwrap();
    }
    std::fs::write(folder.path().join("sessions.sqlite.v1"), secret).unwrap();
    assert_ne!(files_with(folder.path(), secret), [""; 0]);
    std::fs::write(folder.path().join("sessions.sqlite.v2.half"), "another process at work").unwrap();
    store.delete("b").unwrap();
    store.erase().unwrap();
    assert!(folder.path().join("sessions.sqlite.v2.half").exists());
    assert_eq!(files_with(folder.path(), secret), [""; 0]);
    let found = |words: &str| {
        let filter = Filter { words: words.to_owned(), limit: 9, ..Filter::default() };
        store.list(&filter).unwrap().len()
    };
    assert_eq!((found("quarterly"), found(secret)), (1, 0));
}

#[test]
fn sessions_are_named_listed_found_renamed_archived_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create("a", "/w/one").unwrap();
    store.create("b", "/w/two").unwrap();
    store.append("a", &user("Why does the checkout test fail?\nIt is red.")).unwrap();
    store.append("b", &user("支付页面为什么打不开")).unwrap();
    store.append("b", &reply("The *tax* table is empty.", &[])).unwrap();

    let titles = |filter: &Filter| -> Vec<String> {
        store.list(filter).unwrap().into_iter().map(|record| record.title).collect()
    };
    let all = Filter { limit: 10, ..Filter::default() };
    assert_eq!(titles(&all), ["支付页面为什么打不开", "Why does the checkout test fail?"]);
    assert_eq!(titles(&Filter { workspace: Some("/w/one".to_owned()), ..all.clone() }).len(), 1);
    for (words, found) in [("checkout", 1), ("页面", 1), ("tax empty", 1), ("nothing", 0), ("\"*", 0)] {
        assert_eq!(titles(&Filter { words: words.to_owned(), ..all.clone() }).len(), found, "{words}");
    }
    assert_eq!(
        store.search("checkout", 5).unwrap().first().map(|it| (it.session.clone(), it.seq)),
        Some(("a".to_owned(), 1))
    );

    store.rename("a", "Checkout").unwrap();
    store.append("a", &user("and more")).unwrap();
    assert_eq!(store.session("a").unwrap().title, "Checkout");
    store.archive("a", true).unwrap();
    assert_eq!(titles(&all), ["支付页面为什么打不开"]);
    assert_eq!(titles(&Filter { archived: true, ..all.clone() }), ["Checkout"]);
    store.delete("b").unwrap();
    assert!(titles(&Filter { words: "tax".to_owned(), ..all }).is_empty());
    assert!(matches!(store.append("b", &user("late")), Err(StoreError::Unknown(_))));
}

/// R53: a kill at each point of a run leaves a history that a run can go on from.
#[test]
fn resume_answers_what_has_no_answer() {
    for (fate, code) in [(Fate::NeverBegan, "cancelled"), (Fate::Began, "outcome_unknown")] {
        let folder = tempfile::tempdir().unwrap();
        let killed = store(folder.path());
        killed.create("a", "/w").unwrap();
        killed.append("a", &user("go")).unwrap();
        killed.append("a", &reply("", &["c1", "c2"])).unwrap();
        killed.append("a", &answer("c1")).unwrap();
        drop(killed);

        let store = store(folder.path());
        resume(&store, "a", |_| fate.clone()).unwrap();
        let messages = StoredHistory::new(Arc::clone(&store), "a").messages().unwrap();
        check(&messages).unwrap();
        let Some(Message::Tool(last)) = messages.last() else { panic!("{messages:?}") };
        assert_eq!((last.call_id.as_str(), last.error_code.as_deref()), ("c2", Some(code)));

        let before = store.items("a", None, 100).unwrap();
        resume(&store, "a", |_| fate.clone()).unwrap();
        assert_eq!(store.items("a", None, 100).unwrap(), before, "a sound session is left alone");
    }
}

#[test]
fn what_had_streamed_is_kept_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create("a", "/w").unwrap();
    store.append("a", &user("go")).unwrap();
    store.save_draft("a", "Half a", "").unwrap();
    store.save_draft("a", "Half a sentence", "thinking").unwrap();
    resume(&store, "a", |_| Fate::NeverBegan).unwrap();
    let messages = StoredHistory::new(Arc::clone(&store), "a").messages().unwrap();
    let Some(Message::Assistant(kept)) = messages.last() else { panic!("{messages:?}") };
    assert!(kept.interrupted && kept.text == "Half a sentence");
    assert_eq!(store.draft("a").unwrap(), None);
}

#[test]
fn a_summary_and_a_cut_change_what_is_sent_and_nothing_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create("a", "/w").unwrap();
    for text in ["one", "two", "three"] {
        store.append("a", &user(text)).unwrap();
        store.append("a", &reply(text, &[&format!("c-{text}")])).unwrap();
    }
    store.append("a", &Item::Cut { from_seq: 5 }).unwrap();
    store.append("a", &Item::Compaction { summary: "One was said.".to_owned(), from_seq: 3 }).unwrap();
    let history = StoredHistory::new(Arc::clone(&store), "a");
    let sent = history.messages().unwrap();
    let texts: Vec<&str> = sent
        .iter()
        .map(|message| match message {
            Message::User { text, .. } => text.as_str(),
            Message::Assistant(reply) => reply.text.as_str(),
            Message::Tool(answer) => answer.content.as_str(),
        })
        .collect();
    assert_eq!(
        texts,
        ["[A summary of the conversation so far, made by Assent]\nOne was said.", "two", "two"]
    );
    assert_eq!(store.items("a", None, 100).unwrap().len(), 8);
    let mut ids: Vec<String> = history.call_ids().unwrap().into_iter().collect();
    ids.sort();
    assert_eq!(ids, ["c-one", "c-three", "c-two"], "ids stay taken");
    assert_eq!(store.items("a", Some(3), 1).unwrap().first().map(|it| it.seq), Some(2));
}

#[test]
fn an_export_comes_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create("a", "/w").unwrap();
    for item in [user("go"), reply("Look:\n```\nx\n```", &["c1"]), answer("c1"), reply("Done.", &[])] {
        store.append("a", &item).unwrap();
    }
    let text = export_json(&store, "a").unwrap();
    import_json(&store, "copy", &text, as_it_was).unwrap();
    let items = |id: &str| -> Vec<Item> {
        store.items(id, None, 100).unwrap().into_iter().map(|it| it.item).collect()
    };
    assert_eq!(items("copy"), items("a"));
    insta::assert_snapshot!(export_markdown(&store, "a", &HEADINGS).unwrap());
    for bad in [
        "",
        "{}",
        "[1]",
        &text.replace("assent-session/1", "assent-session/9"),
        &text.replace("\"title\"", "\"titel\""),
    ] {
        assert!(import_json(&store, "bad", bad, as_it_was).is_err());
        assert!(
            matches!(store.session("bad"), Err(StoreError::Unknown(_))),
            "nothing is left of a bad import"
        );
    }
}

/// What somebody replaced is not handed on.
#[test]
fn markdown_holds_what_is_still_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create("a", "/w").unwrap();
    for item in [user("the password is x"), reply("Noted.", &[]), Item::Cut { from_seq: 1 }, user("hello")] {
        store.append("a", &item).unwrap();
    }
    let text = export_markdown(&store, "a", &Headings { you: "你", ..HEADINGS }).unwrap();
    assert!(text.contains("## 你\n\nhello\n"), "{text}");
    assert!(!text.contains("the password") && !text.contains("Noted"), "{text}");
    assert!(export_json(&store, "a").unwrap().contains("the password is x"), "JSON is whole");
}

/// What a message says that was replaced doesn't stay in the list as the session's name.
#[test]
fn a_title_goes_with_the_message_it_came_from() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create("a", "/w").unwrap();
    let steps = [
        (user("one"), "one"),
        (reply("Noted.", &[]), "one"),
        (user("two"), "one"),
        (Item::Cut { from_seq: 3 }, "one"),
        (user("three"), "one"),
        (Item::Cut { from_seq: 1 }, ""),
        (user("four"), "four"),
        (Item::Cut { from_seq: 7 }, ""),
        (user("five"), "five"),
    ];
    for (step, (item, title)) in steps.into_iter().enumerate() {
        store.append("a", &item).unwrap();
        assert_eq!(store.session("a").unwrap().title, title, "{step}");
    }
    store.rename("a", "Mine").unwrap();
    store.append("a", &Item::Cut { from_seq: 1 }).unwrap();
    assert_eq!(store.session("a").unwrap().title, "Mine");
}

fn as_it_was(folder: String) -> String {
    folder
}

const HEADINGS: Headings<'static> = Headings {
    workspace: "Workspace",
    you: "You",
    attached: "Attached",
    agent: "Agent",
    interrupted: "Agent (interrupted)",
    call: "Call",
    result: "Result",
    summary: "Summary of what came before",
};

/// What an older build exported, before files said that they were cut and runs which model they had.
#[test]
fn an_older_export_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let text = r#"{"format":"assent-session/1","title":"","workspace":"/w","items":[
        {"kind":"message","body":{"role":"user","text":"go","attachments":[{"name":"a.txt","media_type":"text/plain","data":"x"}]}},
        {"kind":"message","body":{"role":"assistant","text":"Done."}},
        {"kind":"run_end","body":{"outcome":"completed","error_code":null,"message":null,"turns":1,"input":2,"output":3}}
    ]}"#;
    import_json(&store, "old", text, as_it_was).unwrap();
    assert_eq!(store.session("old").unwrap().title, "go");
    assert_eq!(store.items("old", None, 100).unwrap().len(), 3);
}

/// An export from elsewhere may hold anything. What a run could not go on from is refused, and of the rest no call runs:
/// one without an answer gets one.
#[test]
fn a_hostile_export_is_refused_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let export = |items: &[Item]| {
        serde_json::json!({"format": "assent-session/1", "title": "t", "workspace": "/w", "items": items})
            .to_string()
    };
    let deep = format!(r#"{{"format":{}"#, "[".repeat(100_000));
    let empty_id = reply("", &[""]);
    for bad in [
        deep,
        export(&[user("go"), answer("c1")]),
        export(&[user("go"), reply("", &["c1"]), user("on"), answer("c1")]),
        export(&[user("go"), reply("", &["c1"]), answer("c1"), reply("", &["c1"]), answer("c1")]),
        export(&[user("go"), reply("", &["c1", "c2"]), answer("c2"), answer("c1")]),
        export(&[user("go"), empty_id]),
        export(&[user("")]),
        export(&[user("go")]).replace("\"role\":\"user\"", "\"role\":\"system\""),
    ] {
        let refused = import_json(&store, "bad", &bad, as_it_was);
        assert!(matches!(refused, Err(ImportError::Form(_))), "{refused:?} {bad:.200}");
        assert!(matches!(store.session("bad"), Err(StoreError::Unknown(_))), "{bad:.200}");
    }
    let exported = export(&[user("go")]);
    let cut = exported.get(..exported.len() - 5).unwrap();
    for (bad, told) in [
        ("", "it is empty".to_owned()),
        (" \n", "it is empty".to_owned()),
        ("[1]", "line 1, column 2 is not as Assent exports a session".to_owned()),
        ("{}\n", "it is no session that Assent exported".to_owned()),
        ("{\n  so", "it is no JSON from line 2, column 3 on".to_owned()),
        (cut, format!("it ends in the middle of something, at line 1, column {}", cut.len())),
        (
            &exported.replace("\"go\"", "7"),
            "line 1, column 117 is not as Assent exports a session".to_owned(),
        ),
    ] {
        let refused = import_json(&store, "bad", bad, as_it_was).unwrap_err().to_string();
        assert_eq!(refused, format!("import the session: {told}"), "{bad}");
    }
    import_json(&store, "marked", &format!("\u{feff}{exported}"), as_it_was).unwrap();
    let odd = [
        Item::Cut { from_seq: i64::MIN },
        user("go"),
        Item::Compaction { summary: "s".to_owned(), from_seq: i64::MAX },
        Item::Compaction { summary: String::new(), from_seq: -1 },
        Item::Call { call_id: "c1".to_owned(), state: serde_json::json!({"state": "running"}) },
        reply("", &["c1"]),
    ];
    import_json(&store, "odd", &export(&odd), as_it_was).unwrap();
    let answers = resume(&store, "odd", |_| Fate::of(Ok(None), || None)).unwrap();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].error_code.as_deref(), Some("cancelled"));
    check(&StoredHistory::new(Arc::clone(&store), "odd").messages().unwrap()).unwrap();
    // The same id again.
    assert!(import_json(&store, "odd", &export(&[user("other")]), as_it_was).is_err());
    import_json(&store, "moved", &export(&[user("go")]), |own| format!("{own}/b")).unwrap();
    assert_eq!(
        store.session("moved").unwrap().workspace,
        "/w/b",
        "in one write: its own folder never stands"
    );
    assert_eq!(store.items("odd", None, 100).unwrap().len(), 7, "what is there stays");
}

/// Whether the disk is full, or the process ends in the middle: a session is there whole or not at all.
#[test]
fn an_import_that_fails_midway_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.connection().pragma_update(None, "max_page_count", 100).unwrap();
    let items: Vec<Item> = (0..200).map(|number| user(&format!("{number} {}", "x".repeat(4_000)))).collect();
    let text =
        serde_json::json!({"format": "assent-session/1", "title": "t", "workspace": "/w", "items": items});
    let refused = import_json(&store, "big", &text.to_string(), as_it_was);
    assert!(matches!(refused, Err(ImportError::Store(_))), "{refused:?}");
    assert!(matches!(store.session("big"), Err(StoreError::Unknown(_))));
    assert!(store.items("big", None, 1).unwrap().is_empty());
    assert!(
        store.list(&Filter { words: "xxxx".to_owned(), limit: 9, ..Filter::default() }).unwrap().is_empty()
    );
}

/// Two processes that write to one session, each with a connection of its own: nothing is lost or overwritten.
#[test]
fn what_two_processes_add_stands_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path()).create("a", "/w").unwrap();
    std::thread::scope(|scope| {
        for name in ["left", "right"] {
            let folder = folder.path();
            scope.spawn(move || {
                let store = store(folder);
                for number in 0..50 {
                    store.append("a", &user(&format!("{name} {number}"))).unwrap();
                }
            });
        }
    });
    let items = store(folder.path()).items("a", None, 1_000).unwrap();
    let places: Vec<i64> = items.iter().map(|item| item.seq).collect();
    assert_eq!(places, (1..=100).collect::<Vec<i64>>());
    for name in ["left", "right"] {
        let of: Vec<&str> = items
            .iter()
            .filter_map(|item| {
                let Item::Message(Message::User { text, .. }) = &item.item else { return None };
                text.strip_prefix(name)
            })
            .collect();
        let expected: Vec<String> = (0..50).map(|number| format!(" {number}")).collect();
        assert_eq!(of, expected, "{name}");
    }
}

#[test]
fn a_file_of_a_newer_build_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(store(folder.path()));
    let path = folder.path().join(super::store::FILE_NAME);
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let opened = SessionStore::open(folder.path(), Arc::new(Ticking::default()));
    assert!(matches!(opened, Err(StoreError::Newer { version: 99, .. })));
}

#[test]
fn one_process_runs_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let held = SessionLock::take(folder.path()).unwrap();
    assert!(matches!(SessionLock::take(folder.path()), Err(SessionLockError::Taken)));
    drop(held);
    SessionLock::take(folder.path()).unwrap();
}

/// The list of sessions looks at each of them, also while one is taken up.
#[test]
fn looking_whether_a_session_is_taken_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path().join("s");
    assert!(!SessionLock::is_taken(&scratch) && !scratch.exists());
    let held = SessionLock::take(&scratch).unwrap();
    assert!(SessionLock::is_taken(&scratch));
    drop(held);
    assert!(!SessionLock::is_taken(&scratch));
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = SessionLock::is_taken(&scratch);
            }
        });
        let refused = (0..2_000).filter(|_| SessionLock::take(&scratch).is_err()).count();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(refused, 0);
    });
}

/// R35, R53: what was said is flushed at every commit, as the log is; only what still streams isn't, and it changes nothing
/// for what comes after it, also where it can't be kept.
#[test]
fn each_message_is_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let flushed = || {
        let connection = store.connection();
        let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        let level: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        mode == "wal" && level == 2
    };
    assert!(flushed(), "2 is FULL");
    store.create("s", "/w").unwrap();
    store.save_draft("s", "so far", "").unwrap();
    assert!(flushed(), "after a draft");
    assert!(store.save_draft("no such session", "so far", "").is_err());
    assert!(flushed(), "after a draft that can't be kept");
}

/// Whoever deletes what was said finds nothing of it in the folder afterwards, while the app still runs.
#[test]
fn what_was_deleted_is_nowhere_once_it_is_purged() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    for (id, text) in [("a", "violets are here"), ("b", "the other one")] {
        store.create(id, "/w").unwrap();
        store.append(id, &user(text)).unwrap();
        store.save_draft(id, text, "").unwrap();
    }
    let old = folder.path().join(format!("{}.v1", super::store::FILE_NAME));
    std::fs::write(&old, "violets").unwrap();
    let holding = || {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        files
            .filter(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains("violets"))
            .count()
    };
    assert!(holding() > 1);
    store.delete("a").unwrap();
    store.purge().unwrap();
    assert_eq!(holding(), 0);
    let others = store.list(&Filter { words: "other".to_owned(), limit: 9, ..Filter::default() }).unwrap();
    assert_eq!(others.len(), 1, "what is left is found as before");
    store.append("b", &user("and more")).unwrap();
}
