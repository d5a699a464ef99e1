//! A conversation that no longer fits goes on from a summary, once, and says so.

use assent_agent::clock::SystemClock;
use assent_agent::event::{Event, Outcome};
use assent_agent::model::history::check;
use assent_agent::model::{FailureCode, Message, Reply, StopReason};
use assent_agent::session::{Item, SessionStore, StoredHistory};
use assent_agent::turn::{Finished, History as _, Limits, Turn};
use assent_policy::ToolEffect;
use e2e::{ScriptedModel, bench, text};
use std::sync::{Arc, Mutex};

fn overflow() -> Reply {
    let error = FailureCode::ContextOverflow.error("prompt is too long");
    Reply { stop: StopReason::Error, error: Some(error), ..Reply::default() }
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned(), attachments: Vec::new(), by_hook: false }
}

struct Ran {
    finished: Finished,
    warnings: Vec<String>,
    history: StoredHistory,
    _folder: tempfile::TempDir,
}

async fn run(model: ScriptedModel) -> Ran {
    let bench = bench(ToolEffect::Read);
    let folder = tempfile::tempdir().expect("a folder");
    let store = Arc::new(SessionStore::open(folder.path(), Arc::new(SystemClock)).expect("a store"));
    store.create("s", "/w").expect("a session");
    for words in ["one ".repeat(200), "two ".repeat(200)] {
        store.append("s", &Item::Message(user(&words))).expect("stored");
    }
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&warnings);
    let turn = Turn {
        model: Arc::new(model),
        gate: Arc::clone(&bench.gate),
        history: Arc::new(StoredHistory::new(Arc::clone(&store), "s")),
        observer: Arc::new(move |event| {
            let said = match event {
                Event::Warning { code, .. } => code.to_owned(),
                Event::Compacted(done) => format!("compacted: {}", done.summary),
                _ => return,
            };
            seen.lock().expect("the warnings").push(said);
        }),
        system: "You are a test.".to_owned(),
        hidden: Arc::new(|_| false),
        limits: Limits::default(),
    };
    let finished = turn.run(user("go on"), &bench.run).await;
    let warnings = warnings.lock().expect("the warnings").clone();
    Ran { finished, warnings, history: StoredHistory::new(store, "s"), _folder: folder }
}

/// R2, R3
#[tokio::test]
async fn an_overflow_is_met_by_one_summary_and_one_more_try() {
    let model = ScriptedModel::new([overflow(), text("It was about one and two."), text("Done.")]);
    let ran = run(model.clone()).await;
    assert_eq!((ran.finished.outcome, ran.finished.final_text.as_str()), (Outcome::Completed, "Done."));
    assert_eq!(ran.warnings, ["compacted: It was about one and two."]);
    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    let sent = &requests[2].messages;
    assert_eq!(check(sent), Ok(()));
    assert!(matches!(&sent[0], Message::User { text, .. } if text.ends_with("It was about one and two.")));
    assert_eq!(sent.last(), Some(&user("go on")));
    check(&ran.history.messages().expect("messages")).expect("a valid history");
}

/// R3
#[tokio::test]
async fn a_second_overflow_ends_the_run() {
    let model = ScriptedModel::new([overflow(), text("A summary."), overflow(), text("never")]);
    let ran = run(model.clone()).await;
    assert_eq!(ran.finished.outcome, Outcome::ProviderError);
    assert_eq!(ran.finished.error_code.as_deref(), Some("context_overflow"));
    assert_eq!(model.requests().len(), 3);
}

/// R3
#[tokio::test]
async fn without_a_summary_the_run_ends_and_nothing_is_lost() {
    let model = ScriptedModel::new([overflow(), overflow()]);
    let ran = run(model).await;
    assert_eq!(ran.finished.error_code.as_deref(), Some("context_overflow"));
    assert_eq!(ran.warnings, ["compaction_failed"]);
    assert_eq!(ran.history.messages().expect("messages").len(), 3);
}
