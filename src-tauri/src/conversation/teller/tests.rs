//! One conversation, told in one language and then in another.

use super::Teller;
use crate::conversation::spending::Prices;
use crate::conversation::stored::retell;
use crate::view::{AppEvent, RunOutcome, TranscriptItem};
use assent_agent::clock::SystemClock;
use assent_agent::event::{Event, Outcome};
use assent_agent::model::{Message, Usage};
use assent_agent::session::{Item, SessionStore};
use assent_agent::turn::STOP_HOOK;
use assent_policy::ToolEffect;
use assent_policy::request::Language;
use e2e::{bench, call};
use serde_json::json;
use std::sync::Arc;

/// Decision and end of a run, heard in one language and asked for in the other.
#[tokio::test]
async fn what_was_heard_is_said_again_in_another_language() {
    let bench = bench(ToolEffect::Write);
    bench.gate.run(&call("c", "probe", json!({"path": "a.txt"})), &bench.run).await;
    let events = bench.events.lock().unwrap().clone();
    let told = |first: Language| {
        let mut teller = Teller::new("s1", first, Prices::default());
        drop(teller.proposed(1, "c", "probe", None, None));
        for event in &events {
            drop(teller.take(2, event.clone()));
        }
        let stopped = Event::RunFinished {
            outcome: Outcome::Cancelled,
            error_code: None,
            message: Some("Stopped.".to_owned()),
            final_text: String::new(),
            turns: 1,
            usage: Usage::default(),
        };
        drop(teller.take(3, stopped));
        teller.retell_end(4, RunOutcome::Cancelled, None, Some("Stopped.".to_owned()), 1);
        teller
    };
    let mut teller = told(Language::English);
    assert!(teller.call("c").unwrap().decision.is_some());
    assert_ne!(teller.items(), told(Language::Chinese).items());
    teller.speak(Language::Chinese);
    assert_eq!(teller.items(), told(Language::Chinese).items());
    let end = teller.items().last().unwrap();
    let stopped = "已停止。";
    assert!(matches!(end, TranscriptItem::RunEnd { message: Some(said), .. } if said == stopped), "{end:?}");
    teller.speak(Language::English);
    assert_eq!(teller.items(), told(Language::English).items());
}

/// R21: what a hook said to keep a run going is told as the hook's, while it is on and after a restart.
#[test]
fn a_hooks_words_are_retold_as_the_hooks() {
    let said = "Hook `check`: Test it.";
    let mut live = Teller::new("s1", Language::Chinese, Prices::default());
    let told = live.take(1, Event::Warning { code: STOP_HOOK, message: said.to_owned() });
    assert!(
        matches!(told.as_slice(), [AppEvent::ItemAdded { item, .. }] if *item == live.items()[0]),
        "{told:?}"
    );

    let folder = tempfile::tempdir().unwrap();
    let store = SessionStore::open(folder.path(), Arc::new(SystemClock)).unwrap();
    store.create("s1", "/w").unwrap();
    let words = Message::User { text: said.to_owned(), attachments: Vec::new(), by_hook: true };
    store.append("s1", &Item::Message(words)).unwrap();
    let mut again = Teller::new("s1", Language::Chinese, Prices::default());
    retell(&store, "s1", &mut again).unwrap();
    let notice = |teller: &Teller| match teller.items() {
        [TranscriptItem::Notice { code, message, .. }] => (code.clone(), message.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(notice(&live), (STOP_HOOK.to_owned(), "钩子 `check`：Test it。".to_owned()));
    assert_eq!(notice(&again), notice(&live));
}
