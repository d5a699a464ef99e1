//! The flow with scripted surfaces: who answers what, and what never happens.

use super::{Answers, Notify, Parts, Presenter, Stage, Ticket, Verdict};
use crate::dialog::{ApprovalDialog, Asks, Labels, Press, Prompt};
use crate::notification::{Note, Reaction};
use crate::view::Notifications;
use assent_agent::approval::Surface;
use async_trait::async_trait;
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a test watches, in order.
#[derive(Debug, PartialEq)]
enum Seen {
    Asked(String),
    Answer(String, Verdict, Surface),
    Noted(String),
    Shown,
    Attention,
}

struct Script {
    presses: Mutex<Vec<Press>>,
    reactions: Mutex<Vec<Reaction>>,
    /// Pressed behind the back of a dialog that waits, before its withdrawal and after it.
    behind: Option<Press>,
    seen: mpsc::UnboundedSender<Seen>,
    /// Hears of every answer that it counted, as from the broker.
    presenter: OnceLock<Presenter>,
}

#[async_trait]
impl ApprovalDialog for Script {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn ask(&self, prompt: Prompt, withdraw: &CancellationToken) -> Press {
        let behind = || {
            if let (Some(late), Some(press)) = (&prompt.late, &self.behind) {
                late.0(press.clone());
            }
        };
        behind();
        self.seen.send(Seen::Asked(prompt.title.clone())).unwrap();
        let press = self.presses.lock().unwrap().pop();
        match press {
            Some(Press::Failed(why)) if why == "panic" => panic!("the toolkit broke"),
            Some(press) => press,
            None => {
                withdraw.cancelled().await;
                behind();
                Press::Withdrawn
            }
        }
    }
}

impl Answers for Script {
    fn answer(&self, id: &str, verdict: Verdict, surface: Surface) {
        self.seen.send(Seen::Answer(id.to_owned(), verdict, surface)).unwrap();
        if let Some(presenter) = self.presenter.get() {
            presenter.settled(id);
        }
    }
}

#[async_trait]
impl Notify for Script {
    async fn notify(&self, note: Note, until: CancellationToken) -> Reaction {
        self.seen.send(Seen::Noted(note.body)).unwrap();
        let reaction = self.reactions.lock().unwrap().pop();
        match reaction {
            Some(reaction) => reaction,
            None => {
                until.cancelled().await;
                Reaction::Gone
            }
        }
    }
}

impl Stage for Script {
    fn show_window(&self) {
        self.seen.send(Seen::Shown).unwrap();
    }

    fn attention(&self) {
        self.seen.send(Seen::Attention).unwrap();
    }

    fn badge(&self, _waiting: usize) {}

    fn dialog_changed(&self, _id: &str, _open: bool) {}

    fn note(&self, ticket: &Ticket, more: usize) -> Note {
        Note { title: String::new(), body: format!("{} +{more}", ticket.tool), actions: None }
    }
}

fn start(presses: Vec<Press>, reactions: Vec<Reaction>) -> (Presenter, mpsc::UnboundedReceiver<Seen>) {
    start_with(presses, reactions, None)
}

fn start_with(
    presses: Vec<Press>,
    reactions: Vec<Reaction>,
    behind: Option<Press>,
) -> (Presenter, mpsc::UnboundedReceiver<Seen>) {
    let (seen, received) = mpsc::unbounded_channel();
    let (presses, reactions, presenter) = (presses.into(), reactions.into(), OnceLock::new());
    let script = Arc::new(Script { presses, reactions, behind, seen, presenter });
    let presenter = Presenter::start(Parts {
        dialog: Arc::clone(&script) as Arc<dyn ApprovalDialog>,
        screen: Arc::default(),
        answers: Arc::clone(&script) as Arc<dyn Answers>,
        stage: Arc::clone(&script) as Arc<dyn Stage>,
        notify: Arc::clone(&script) as Arc<dyn Notify>,
        setting: Notifications::Unfocused,
    });
    drop(script.presenter.set(presenter.clone()));
    (presenter, received)
}

fn ticket(id: &str) -> Ticket {
    let word = |text: &str| text.to_owned();
    let title = format!("{id}?");
    let prompt = Asks(Arc::new(move || prompt(&title)));
    Ticket { id: word(id), prompt, tool: word("shell"), workspace: word("shop") }
}

fn prompt(title: &str) -> Prompt {
    let word = |text: &str| text.to_owned();
    Prompt {
        title: word(title),
        lines: Vec::new(),
        labels: Labels {
            deny: word("Deny"),
            allow: word("Allow once"),
            cancel: word("Cancel"),
            next: word("Next"),
            read_on: word("Scroll"),
        },
        late: None,
    }
}

/// R30: a dialog says what is so when it opens, not what was so when its call began to wait.
#[tokio::test]
async fn the_text_is_made_when_the_dialog_opens() {
    let (presenter, mut seen) = start(vec![Press::Deny], Vec::new());
    let now = Arc::new(Mutex::new("nothing runs"));
    let then = Arc::clone(&now);
    let asks = Asks(Arc::new(move || prompt(*then.lock().unwrap())));
    presenter.waiting(Ticket { prompt: asks, ..ticket("a") });
    assert_eq!(seen.recv().await, Some(Seen::Noted("shell +0".into())));
    *now.lock().unwrap() = "a program runs";
    presenter.focused(true);
    assert_eq!(seen.recv().await, Some(Seen::Asked("a program runs".into())));
}

/// R30, R31: every way a dialog can end, and the one that allows.
#[tokio::test]
async fn only_the_allow_button_allows() {
    for (press, verdict) in [
        (Press::Allow, Some(Verdict::Allow)),
        (Press::Deny, Some(Verdict::Deny)),
        (Press::Dismissed, Some(Verdict::Deny)),
        (Press::Failed("no display".into()), Some(Verdict::Unavailable("no display".into()))),
        (Press::Withdrawn, None),
    ] {
        let (presenter, mut seen) = start(vec![press.clone()], Vec::new());
        presenter.focused(true);
        presenter.waiting(ticket("a"));
        assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
        presenter.waiting(ticket("b"));
        let next = seen.recv().await.unwrap();
        match verdict {
            Some(verdict) => {
                assert_eq!(next, Seen::Answer("a".into(), verdict, Surface::Dialog), "{press:?}")
            }
            None => {
                // It waits on, so it isn't lost from sight.
                assert_eq!(next, Seen::Attention);
                assert_eq!(seen.recv().await, Some(Seen::Asked("b?".into())));
            }
        }
    }
}

/// R31: a toolkit that panics is a dialog that failed.
#[tokio::test]
async fn a_panic_in_the_dialog_denies() {
    let (presenter, mut seen) = start(vec![Press::Failed("panic".into())], Vec::new());
    presenter.focused(true);
    presenter.waiting(ticket("a"));
    assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
    match seen.recv().await {
        Some(Seen::Answer(id, Verdict::Unavailable(_), Surface::Dialog)) => assert_eq!(id, "a"),
        other => panic!("{other:?}"),
    }
}

/// R37: several calls are asked one at a time, in order.
#[tokio::test]
async fn the_next_dialog_opens_when_the_first_is_answered() {
    let (presenter, mut seen) = start(vec![Press::Allow, Press::Deny], Vec::new());
    presenter.focused(true);
    presenter.waiting(ticket("a"));
    presenter.waiting(ticket("b"));
    let mut order = Vec::new();
    for _ in 0..4 {
        order.push(seen.recv().await.unwrap());
    }
    assert_eq!(
        order,
        [
            Seen::Asked("a?".into()),
            Seen::Answer("a".into(), Verdict::Deny, Surface::Dialog),
            Seen::Asked("b?".into()),
            Seen::Answer("b".into(), Verdict::Allow, Surface::Dialog),
        ]
    );
}

#[tokio::test]
async fn a_notification_denies_or_opens_the_dialog() {
    let (presenter, mut seen) = start(Vec::new(), vec![Reaction::Deny]);
    presenter.waiting(ticket("a"));
    assert_eq!(seen.recv().await, Some(Seen::Noted("shell +0".into())));
    assert_eq!(seen.recv().await, Some(Seen::Answer("a".into(), Verdict::Deny, Surface::Notification)));

    let (presenter, mut seen) = start(vec![Press::Allow], vec![Reaction::Review]);
    presenter.waiting(ticket("a"));
    assert_eq!(seen.recv().await, Some(Seen::Noted("shell +0".into())));
    assert_eq!(seen.recv().await, Some(Seen::Shown));
    assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
    assert_eq!(seen.recv().await, Some(Seen::Answer("a".into(), Verdict::Allow, Surface::Dialog)));
}

#[tokio::test]
async fn a_notification_that_fails_becomes_attention_and_a_dialog() {
    let (presenter, mut seen) = start(vec![Press::Deny], vec![Reaction::Failed("server died".into())]);
    presenter.waiting(ticket("a"));
    assert_eq!(seen.recv().await, Some(Seen::Noted("shell +0".into())));
    assert_eq!(seen.recv().await, Some(Seen::Attention));
    assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
}

/// Notifications that are switched off while one is on screen: it goes, and the call it told of is asked.
#[tokio::test]
async fn a_changed_setting_counts_for_what_waits() {
    let (presenter, mut seen) = start(vec![Press::Deny], Vec::new());
    presenter.waiting(ticket("a"));
    assert_eq!(seen.recv().await, Some(Seen::Noted("shell +0".into())));
    presenter.set_notifications(Notifications::Off);
    assert_eq!(seen.recv().await, Some(Seen::Attention));
    assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
    assert_eq!(seen.recv().await, Some(Seen::Answer("a".into(), Verdict::Deny, Surface::Dialog)));
}

/// What ended elsewhere is withdrawn, and nothing is answered in its name.
#[tokio::test]
async fn a_settled_call_takes_its_dialog_along() {
    let (presenter, mut seen) = start(Vec::new(), Vec::new());
    presenter.focused(true);
    presenter.waiting(ticket("a"));
    assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
    presenter.settled("a");
    presenter.waiting(ticket("b"));
    assert_eq!(seen.recv().await, Some(Seen::Asked("b?".into())));
}

/// R31, R34: a window that outlives its call answers only for the record, once the call has ended.
#[tokio::test]
async fn what_is_pressed_after_the_end_is_only_put_on_record() {
    for (press, verdict) in
        [(Press::Allow, Some(Verdict::Allow)), (Press::Deny, Some(Verdict::Deny)), (Press::Dismissed, None)]
    {
        let (presenter, mut seen) = start_with(Vec::new(), Vec::new(), Some(press.clone()));
        presenter.focused(true);
        presenter.waiting(ticket("a"));
        assert_eq!(seen.recv().await, Some(Seen::Asked("a?".into())));
        presenter.settled("a");
        presenter.waiting(ticket("b"));
        if let Some(verdict) = verdict {
            let late = Seen::Answer("a".into(), verdict, Surface::Dialog);
            assert_eq!(seen.recv().await, Some(late), "{press:?}");
        }
        assert_eq!(seen.recv().await, Some(Seen::Asked("b?".into())), "{press:?}");
    }
}

/// One native window at a time: a question waits until the screen is free, and one that ended meanwhile is never shown.
#[tokio::test]
async fn a_question_waits_for_the_screen() {
    for ended in [false, true] {
        let (seen, mut received) = mpsc::unbounded_channel();
        let presses = Mutex::new(vec![Press::Allow]);
        let (reactions, presenter) = (Mutex::default(), OnceLock::new());
        let dialog = Arc::new(Script { presses, reactions, behind: None, seen, presenter });
        let (screen, withdraw) = (super::Screen::default(), CancellationToken::new());
        let taken = Arc::clone(&screen).lock_owned().await;
        let made = Arc::new(Mutex::new(false));
        let told = Arc::clone(&made);
        let makes = move || {
            *told.lock().unwrap() = true;
            prompt("a?")
        };
        let asking = tokio::spawn(super::ask(dialog, screen, makes, withdraw.clone()));
        tokio::task::yield_now().await;
        assert!(received.try_recv().is_err() && !asking.is_finished() && !*made.lock().unwrap());
        if ended {
            withdraw.cancel();
            assert_eq!(asking.await.unwrap(), Press::Withdrawn);
            assert!(received.try_recv().is_err());
        } else {
            drop(taken);
            assert_eq!(asking.await.unwrap(), Press::Allow);
            assert_eq!(received.recv().await, Some(Seen::Asked("a?".into())));
        }
    }
}
