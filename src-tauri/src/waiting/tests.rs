//! The desktop's surfaces with the real broker: whose answer counts, and what a restart leaves.

use super::{Describe, Shown, Waiting, look};
use crate::dialog::{ApprovalDialog, Asks, Labels, Press, Prompt};
use crate::notification::{Note, Reaction};
use crate::presenter::{Answers, Notify, Parts, Presenter, Stage, Ticket, Verdict};
use crate::view::{FileDiff, Notifications};
use assent_agent::approval::store::ApprovalStore;
use assent_agent::approval::{Answer, Approval, Approver as _, Broker, DecideError, Question, Surface};
use assent_agent::audit::{AuditLog as _, Entry};
use assent_agent::clock::SystemClock;
use assent_policy::ToolEffect;
use async_trait::async_trait;
use e2e::{MemoryAudit, bench, call};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OnceCell, mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[derive(Debug, PartialEq)]
enum Seen {
    /// The window lists it.
    Listed(String),
    /// Its dialog opened.
    Asked,
    /// It waits so many ms from when it was asked.
    Rescheduled(u64),
    /// It ended.
    Settled(Answer),
    /// Its turn is to go on.
    GoesOn(String),
}

type Look = Box<dyn FnOnce(&Approval) + Send>;

/// Every surface; the dialog presses what it is told to, or stays open.
struct Screen {
    presses: Mutex<Vec<Press>>,
    seen: mpsc::UnboundedSender<Seen>,
    /// How many wait by the badge, and whether a dialog is open.
    front: watch::Sender<(usize, bool)>,
    /// What happens while the first call is being described.
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    /// How it is found out what the next call changes, the last of these first.
    looks: Mutex<Vec<Look>>,
}

#[async_trait]
impl ApprovalDialog for Screen {
    fn name(&self) -> &'static str {
        "scripted"
    }

    async fn ask(&self, _prompt: Prompt, withdraw: &CancellationToken) -> Press {
        self.seen.send(Seen::Asked).unwrap();
        let press = self.presses.lock().unwrap().pop();
        match press {
            Some(press) => press,
            None => {
                withdraw.cancelled().await;
                Press::Withdrawn
            }
        }
    }
}

#[async_trait]
impl Notify for Screen {
    async fn notify(&self, _note: Note, until: CancellationToken) -> Reaction {
        until.cancelled().await;
        Reaction::Gone
    }
}

impl Stage for Screen {
    fn show_window(&self) {}

    fn attention(&self) {}

    fn badge(&self, waiting: usize) {
        self.front.send_modify(|front| front.0 = waiting);
    }

    fn dialog_changed(&self, _id: &str, open: bool) {
        self.front.send_modify(|front| front.1 = open);
    }

    fn note(&self, _ticket: &Ticket, _more: usize) -> Note {
        Note { title: String::new(), body: String::new(), actions: None }
    }
}

impl Describe for Screen {
    fn ticket(&self, approval: &Approval) -> Ticket {
        let word = String::new;
        let labels = Labels { deny: word(), allow: word(), cancel: word(), next: word(), read_on: word() };
        Ticket {
            id: approval.id.clone(),
            prompt: Asks(Arc::new(move || Prompt {
                title: word(),
                lines: Vec::new(),
                labels: labels.clone(),
                late: None,
            })),
            tool: word(),
            workspace: word(),
        }
    }

    fn changes(&self, approval: &Approval) -> Vec<FileDiff> {
        let looks = self.looks.lock().unwrap().pop();
        if let Some(looks) = looks {
            looks(approval);
        }
        Vec::new()
    }

    fn waiting(&self, approval: &Approval, _changes: Vec<FileDiff>) {
        if let Some(meanwhile) = self.meanwhile.lock().unwrap().take() {
            meanwhile();
        }
        self.seen.send(Seen::Listed(approval.id.clone())).unwrap();
    }

    fn rescheduled(&self, approval: &Approval) {
        self.seen.send(Seen::Rescheduled(approval.expires_ms - approval.created_ms)).unwrap();
    }

    fn settled(&self, _approval: &Approval, answer: &Answer) {
        self.seen.send(Seen::Settled(answer.clone())).unwrap();
    }

    fn goes_on(&self, approval: &Approval) {
        self.seen.send(Seen::GoesOn(approval.id.clone())).unwrap();
    }
}

struct App {
    broker: Arc<Broker>,
    waiting: Arc<Waiting>,
    audit: MemoryAudit,
    screen: Arc<Screen>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl App {
    fn start(data: &Path, presses: Vec<Press>) -> Self {
        let (seen, received) = mpsc::unbounded_channel();
        let screen = Arc::new(Screen {
            presses: presses.into(),
            seen,
            front: watch::Sender::default(),
            meanwhile: Mutex::default(),
            looks: Mutex::default(),
        });
        let audit = MemoryAudit::default();
        // As the gate does before it asks.
        for call in ["c", "d"] {
            let (session, run, call) = ("s1".to_owned(), "r1".to_owned(), call.to_owned());
            audit.append(&[Entry { session, run, call, ..Entry::default() }]).unwrap();
        }
        let log = Arc::new(audit.clone());
        let broker = Arc::new(Broker::open(data, Arc::new(SystemClock), log).unwrap());
        let waiting = Arc::new(Waiting::new(Some(Arc::clone(&broker))));
        let presenter = Presenter::start(Parts {
            dialog: Arc::clone(&screen) as Arc<dyn ApprovalDialog>,
            screen: Arc::default(),
            answers: Arc::clone(&waiting) as Arc<dyn Answers>,
            stage: Arc::clone(&screen) as Arc<dyn Stage>,
            notify: Arc::clone(&screen) as Arc<dyn Notify>,
            setting: Notifications::Unfocused,
        });
        presenter.focused(true);
        waiting.connect(presenter, Arc::clone(&screen) as Arc<dyn Describe>);
        Self { broker, waiting, audit, screen, seen: received }
    }

    fn ask(&self) -> JoinHandle<Answer> {
        self.ask_about("c")
    }

    fn ask_about(&self, call: &str) -> JoinHandle<Answer> {
        let (broker, call_id) = (Arc::clone(&self.broker), call.to_owned());
        tokio::spawn(async move {
            let question = Question { call_id, ..question().await };
            broker.ask(question, &CancellationToken::new()).await
        })
    }

    async fn listed(&mut self) -> String {
        match self.seen.recv().await {
            Some(Seen::Listed(id)) => id,
            other => panic!("{other:?}"),
        }
    }
}

/// One question as the gate asks it, the same for every test.
async fn question() -> Question {
    static ASKED: OnceCell<Question> = OnceCell::const_new();
    let ask = async || {
        let bench = bench(ToolEffect::Write);
        bench.gate.run(&call("c", "probe", json!({"path": "a.txt"})), &bench.run).await;
        bench.person.asked().remove(0)
    };
    ASKED.get_or_init(ask).await.clone()
}

/// What a call would change takes its time to find out: others are shown meanwhile, and one that ends meanwhile never is.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_that_is_looked_into_holds_up_no_other() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), Vec::new());
    let (looked, looking) = std::sync::mpsc::channel::<Approval>();
    let (go_on, wait) = std::sync::mpsc::channel::<()>();
    *app.screen.looks.lock().unwrap() = vec![Box::new(move |approval| {
        looked.send(approval.clone()).unwrap();
        wait.recv().unwrap();
    })];
    let slow = app.ask();
    let first = tokio::task::spawn_blocking(move || looking.recv().unwrap()).await.unwrap();
    drop(app.ask_about("d"));
    let second = app.listed().await;
    assert_ne!(first.id, second);
    app.broker.unavailable(&first, "It is gone.").unwrap();
    go_on.send(()).unwrap();
    assert_eq!(slow.await.unwrap(), Answer::Unavailable { why: "It is gone.".to_owned() });
    app.waiting.deny_all(Surface::Tray);
    let mut settled = Vec::new();
    while settled.is_empty() {
        match app.seen.recv().await.unwrap() {
            Seen::Asked => {}
            Seen::Settled(answer) => settled.push(answer),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(settled[..], [Answer::Denied { surface: Surface::Tray, .. }]), "{settled:?}");
    assert!(app.waiting.all().is_empty());
}

/// Somebody denies all in the moment in which a call arrives: it goes from every surface again.
#[tokio::test]
async fn a_call_is_listed_before_it_ends() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), Vec::new());
    let waiting = Arc::clone(&app.waiting);
    *app.screen.meanwhile.lock().unwrap() = Some(Box::new(move || {
        let (told, done) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            waiting.deny_all(Surface::Tray);
            told.send(())
        });
        // It ends only once the call is described, so the wait runs out.
        let _ = done.recv_timeout(Duration::from_millis(300));
    }));
    let answer = app.ask().await.unwrap();
    assert!(matches!(answer, Answer::Denied { surface: Surface::Tray, .. }), "{answer:?}");
    app.listed().await;
    let settled = async {
        loop {
            if let Some(Seen::Settled(_)) = app.seen.recv().await {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), settled).await.expect("it ends after it was listed");
    assert!(app.waiting.all().is_empty());
}

/// R30: the dialog's allow reaches the run.
#[tokio::test]
async fn the_dialog_allows() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), vec![Press::Allow]);
    let answer = app.ask();
    app.listed().await;
    let allowed = Answer::Allowed { surface: Surface::Dialog };
    assert_eq!(app.seen.recv().await, Some(Seen::Asked));
    assert_eq!(app.seen.recv().await, Some(Seen::Settled(allowed.clone())));
    assert_eq!(answer.await.unwrap(), allowed);
    assert_eq!(app.waiting.first(), None);
}

/// R31: a changed setting counts for what waits: the window hears until when, and an answer still counts once.
#[tokio::test]
async fn a_changed_patience_counts_for_what_waits() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), Vec::new());
    let answer = app.ask();
    let id = app.listed().await;
    assert_eq!(app.seen.recv().await, Some(Seen::Asked));
    for minutes in [1, 1, 60] {
        app.waiting.set_patience(minutes);
    }
    assert_eq!(app.seen.recv().await, Some(Seen::Rescheduled(60_000)));
    assert_eq!(app.seen.recv().await, Some(Seen::Rescheduled(3_600_000)));
    app.waiting.answer(&id, Verdict::Allow, Surface::Dialog);
    assert_eq!(answer.await.unwrap(), Answer::Allowed { surface: Surface::Dialog });
}

/// R31: a call that ended while its time was being changed stays ended.
#[tokio::test]
async fn a_call_that_ended_is_not_put_off() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), Vec::new());
    let _answer = app.ask();
    let id = app.listed().await;
    let call = app.waiting.all().remove(0);
    let mut shown = Shown::default();
    shown.calls.insert(id.clone(), call.clone());
    let later = Approval { expires_ms: call.expires_ms + 1, ..call };
    assert!(shown.put_off(&later));
    assert_eq!(shown.end(&id).map(|call| call.expires_ms), Some(later.expires_ms));
    assert!(!shown.put_off(&later));
    assert!(shown.calls.is_empty());
}

/// R31: a dialog that can't be shown denies.
#[tokio::test]
async fn a_dialog_that_fails_makes_it_unavailable() {
    let data = tempfile::tempdir().unwrap();
    let app = App::start(data.path(), vec![Press::Failed("no display".to_owned())]);
    assert_eq!(app.ask().await.unwrap(), Answer::Unavailable { why: "no display".to_owned() });
}

/// R34: whatever can only deny can't allow; the call waits on, and a denial with words counts once.
#[tokio::test]
async fn window_tray_and_notification_only_deny() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), Vec::new());
    let answer = app.ask();
    let id = app.listed().await;
    for surface in [Surface::Window, Surface::Tray, Surface::Notification] {
        app.waiting.answer(&id, Verdict::Allow, surface);
        assert_eq!(app.waiting.first(), Some(id.clone()));
    }
    let words = Some("Use the other file.".to_owned());
    app.waiting.deny(&id, Surface::Window, words.clone()).unwrap();
    assert!(matches!(app.waiting.deny(&id, Surface::Tray, None), Err(DecideError::Stale)));
    assert_eq!(answer.await.unwrap(), Answer::Denied { surface: Surface::Window, words });
}

/// R31, R34: an answer to a call that ended changes nothing and is on record, an allow too.
#[tokio::test]
async fn a_late_answer_is_on_record() {
    let data = tempfile::tempdir().unwrap();
    let mut app = App::start(data.path(), Vec::new());
    let answer = app.ask();
    let id = app.listed().await;
    app.waiting.deny(&id, Surface::Window, None).unwrap();
    let denied = Answer::Denied { surface: Surface::Window, words: None };
    assert_eq!(answer.await.unwrap(), denied);
    app.waiting.answer(&id, Verdict::Allow, Surface::Dialog);
    app.waiting.answer(&id, Verdict::Deny, Surface::Notification);
    let late: Vec<String> = app
        .audit
        .entries()
        .into_iter()
        .filter(|entry| entry.tool == "late_answer")
        .map(|entry| entry.surface)
        .collect();
    assert_eq!(late, ["dialog", "notification"]);
    assert!(matches!(app.waiting.deny("never shown", Surface::Tray, None), Err(DecideError::Unknown)));
}

/// R35: after a crash the call is known and not approved; it is asked again, and the person's answer lets its turn
/// go on, whichever it is.
#[tokio::test]
async fn a_call_of_a_process_that_ended_is_asked_again() {
    for (press, answer) in [
        (Press::Allow, Answer::Allowed { surface: Surface::Dialog }),
        (Press::Deny, Answer::Denied { surface: Surface::Dialog, words: None }),
    ] {
        let data = tempfile::tempdir().unwrap();
        let mut before = App::start(data.path(), Vec::new());
        let _never_answered = before.ask();
        let id = before.listed().await;
        // What the end of a process leaves: a call that waits, and no lock.
        std::fs::remove_dir_all(data.path().join("approval-owners")).unwrap();

        let mut after = App::start(data.path(), vec![press]);
        assert_eq!(after.listed().await, id);
        assert_eq!(after.seen.recv().await, Some(Seen::Asked));
        assert_eq!(after.seen.recv().await, Some(Seen::Settled(answer.clone())));
        assert_eq!(after.seen.recv().await, Some(Seen::GoesOn(id)));
        assert_eq!(after.waiting.first(), None);
        assert_eq!(after.ask().await.unwrap(), answer, "the turn that goes on takes it");
    }
}

/// R35: a session that goes another way has answered it; nothing is left to ask, and nothing goes on.
#[tokio::test]
async fn a_session_that_goes_another_way_withdraws_what_waited() {
    let data = tempfile::tempdir().unwrap();
    let mut before = App::start(data.path(), Vec::new());
    let _never_answered = before.ask();
    before.listed().await;
    std::fs::remove_dir_all(data.path().join("approval-owners")).unwrap();

    let mut after = App::start(data.path(), Vec::new());
    let id = after.listed().await;
    assert_eq!(after.seen.recv().await, Some(Seen::Asked));
    assert!(after.waiting.waits_from_before("s1") && !after.waiting.waits_from_before("another"));
    after.waiting.withdraw_all("another").unwrap();
    assert_eq!(after.waiting.first(), Some(id));
    after.waiting.withdraw_all("s1").unwrap();
    assert_eq!(after.seen.recv().await, Some(Seen::Settled(Answer::Withdrawn)));
    assert_eq!(after.waiting.untaken("s1", "c"), Some(Answer::Withdrawn));
    assert!(!after.waiting.waits_from_before("s1"));
    assert_eq!(after.waiting.first(), None);
    assert!(after.seen.try_recv().is_err());
}

/// R31, R35: what another process ended goes from every surface, dialog and badge too: by itself, and at an answer that
/// comes too late.
#[tokio::test]
async fn a_call_that_ended_elsewhere_is_shown_no_longer() {
    for by_itself in [true, false] {
        let data = tempfile::tempdir().unwrap();
        let mut app = App::start(data.path(), Vec::new());
        let answer = app.ask();
        let id = app.listed().await;
        assert_eq!(app.seen.recv().await, Some(Seen::Asked));
        app.screen.front.subscribe().wait_for(|front| *front == (1, true)).await.unwrap();
        look(&app.broker, &app.waiting.shown);
        assert_eq!(app.waiting.first(), Some(id.clone()), "it waits");
        let elsewhere = ApprovalStore::open(data.path(), 0).unwrap();
        assert!(elsewhere.settle(&app.waiting.all()[0], &Answer::Withdrawn, 0).unwrap());
        if by_itself {
            look(&app.broker, &app.waiting.shown);
        } else {
            assert!(matches!(app.waiting.deny(&id, Surface::Window, None), Err(DecideError::Stale)));
        }
        assert_eq!(app.seen.recv().await, Some(Seen::Settled(Answer::Withdrawn)));
        assert_eq!(app.waiting.first(), None);
        assert_eq!(answer.await.unwrap(), Answer::Withdrawn);
        let bare = (0, false);
        app.screen.front.subscribe().wait_for(|front| *front == bare).await.unwrap();
    }
}
