//! A run of a conversation: what is on, what is told, and in which order.

use super::teller::Teller;
use super::{Conversation, Work};
use crate::bridge::Bridge;
use crate::conversation::spending::Prices;
use crate::view::{AppEvent, RunOutcome, TranscriptItem};
use assent_agent::event::{Event, Observer, Outcome};
use assent_agent::model::{Delta, ModelClient, ModelRequest, Reply, Usage};
use assent_agent::session::SessionLock;
use assent_policy::Mode;
use assent_policy::request::Language;
use async_trait::async_trait;
use e2e::{Desk, World};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A model whose reply is a panic.
struct Panics;

#[async_trait]
impl ModelClient for Panics {
    fn model(&self) -> &str {
        "panics"
    }

    async fn complete(
        &self,
        _request: &ModelRequest,
        _sink: &(dyn Fn(Delta) + Send + Sync),
        _cancel: &CancellationToken,
    ) -> Reply {
        panic!("the model's code is wrong")
    }
}

fn teller() -> Teller {
    Teller::new("s1", Language::English, Prices::default())
}

fn started(teller: &mut Teller) -> Vec<AppEvent> {
    teller.take(1, Event::RunStarted { session: "s1".into(), run: "r1".into(), model: "m".into() })
}

fn conversation(model: impl ModelClient + 'static) -> (Arc<Conversation>, World) {
    let Desk { world, layers, session, .. } = Desk::new(World::new(), Mode::Balanced, "", model);
    let teller = Arc::new(Mutex::new(teller()));
    let told = Arc::clone(&teller);
    let reporter: Arc<dyn Observer> = Arc::new(move |event| {
        drop(told.lock().unwrap().take(1, event));
    });
    let lock = SessionLock::take(&world.folder("data").join("s1")).unwrap();
    (Arc::new(Conversation::new(session, teller, reporter, layers, lock)), world)
}

/// The window sends what waits as soon as it hears of the end, so the end is not told with the run still on.
#[test]
fn the_end_of_a_run_is_told_by_whoever_ends_it() {
    let mut teller = teller();
    drop(started(&mut teller));
    let end = Event::RunFinished {
        outcome: Outcome::Completed,
        error_code: None,
        message: None,
        final_text: String::new(),
        turns: 1,
        usage: Usage::default(),
    };
    assert_eq!(teller.take(2, end), []);
    let told = teller.take_end();
    assert!(
        matches!(&told, Some(AppEvent::RunFinished { run_id, outcome: RunOutcome::Completed, .. }) if run_id == "r1"),
        "{told:?}"
    );
    assert_eq!(teller.take_end(), None);
}

/// A reply that broke off without an end isn't the one that the next run writes.
#[test]
fn the_next_run_writes_a_reply_of_its_own() {
    let mut teller = teller();
    for text in ["broken ", "off"] {
        drop(started(&mut teller));
        drop(teller.take(2, Event::TextDelta(text.to_owned())));
    }
    assert_eq!(teller.items().len(), 2, "{:?}", teller.items());
}

/// Somebody may still hold it, to say that its run ended; the session is whoever's closed it, for as long as they need.
#[tokio::test]
async fn a_closed_conversation_gives_its_session_up() {
    let (conversation, world) = conversation(Panics);
    let scratch = world.folder("data").join("s1");
    assert!(SessionLock::is_taken(&scratch));
    let lock = conversation.close().await;
    assert!(lock.is_some() && SessionLock::is_taken(&scratch) && conversation.begin().is_err());
    assert!(conversation.close().await.is_none());
    drop(lock);
    assert!(!SessionLock::is_taken(&scratch));
}

#[tokio::test]
async fn a_run_that_panics_has_an_end() {
    let (conversation, _world) = conversation(Panics);
    let begun = conversation.begin().unwrap();
    let work = Work::Message { run_id: "r1".to_owned(), text: "hello".to_owned(), attachments: Vec::new() };
    let outcome = Arc::clone(&conversation).run(work, begun, &Bridge::default()).await;
    assert_eq!(outcome, None);
    assert!(!conversation.is_running());
    let mut teller = conversation.teller();
    let last = teller.items().last().cloned();
    assert!(
        matches!(&last, Some(TranscriptItem::RunEnd { error_code: Some(code), .. }) if code == "panic"),
        "{last:?}"
    );
    assert_eq!(teller.take_end(), None, "it was told");
}
