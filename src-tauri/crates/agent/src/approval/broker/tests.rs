//! One question to its end, and what a restart leaves of it.

mod interleavings;

use super::super::fixture::{Board, ManualClock, Notes, broker, question};
use super::{ApprovalStore, Broker, DecideError, WithdrawError};
use crate::approval::{Answer, Approval, Approver as _, Choice, Presenter, Surface};
use crate::audit::Phase;
use crate::erasure::files_with;
use assent_policy::CallDigest;
use serde_json::json;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

struct World {
    folder: tempfile::TempDir,
    clock: Arc<ManualClock>,
    notes: Arc<Notes>,
    board: Arc<Board>,
    broker: Arc<Broker>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (clock, notes, board) =
            (ManualClock::new(), Arc::new(Notes::default()), Arc::new(Board::default()));
        let broker = broker(folder.path(), &clock, &notes);
        broker.present_to(Arc::clone(&board) as _).unwrap();
        Self { folder, clock, notes, board, broker }
    }

    async fn ask(&self, call: &str, content: &str) -> (JoinHandle<Answer>, CancellationToken) {
        self.notes.propose(call);
        let (broker, cancel) = (Arc::clone(&self.broker), CancellationToken::new());
        let (token, question) = (cancel.clone(), question(call, content));
        let asking = tokio::spawn(async move { broker.ask(question, &token).await });
        settle().await;
        (asking, cancel)
    }

    fn decide(&self, approval: &Approval, choice: Choice, surface: Surface) -> Result<(), DecideError> {
        self.broker.decide(&approval.id, &approval.nonce, &approval.digest, choice, surface)
    }

    /// What kill -9 leaves: the store as it is, the lock free, and a new process on it.
    fn restart(&mut self) {
        self.broker.kill_for_test();
        self.board = Arc::new(Board::default());
        self.broker = broker(self.folder.path(), &self.clock, &self.notes);
        self.broker.present_to(Arc::clone(&self.board) as _).unwrap();
    }
}

/// Lets every task run that can.
async fn settle() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

const DENY: Choice = Choice::Deny { words: None };

/// R30, R36: stored before shown; one allow from the dialog, bound to nonce and digest.
#[tokio::test(start_paused = true)]
async fn an_allow_counts_once_and_only_as_shown() {
    let world = World::new();
    let (asking, _cancel) = world.ask("c1", "x").await;
    let shown = world.board.last();
    assert_eq!(world.broker.waiting().unwrap(), std::slice::from_ref(&shown));
    let other = CallDigest::of(&json!(1));
    let stale = [
        world.broker.decide(&shown.id, "forged", &shown.digest, Choice::Allow, Surface::Dialog),
        world.broker.decide(&shown.id, &shown.nonce, &other, Choice::Allow, Surface::Dialog),
    ];
    assert!(stale.iter().all(|it| matches!(it, Err(DecideError::Stale))), "{stale:?}");
    let unknown = world.broker.decide("none", &shown.nonce, &shown.digest, Choice::Allow, Surface::Dialog);
    assert!(matches!(unknown, Err(DecideError::Unknown)));
    for surface in [Surface::Notification, Surface::Tray, Surface::Window] {
        assert!(matches!(world.decide(&shown, Choice::Allow, surface), Err(DecideError::MayNotAllow)));
    }
    assert!(!asking.is_finished());
    world.decide(&shown, Choice::Allow, Surface::Dialog).unwrap();
    assert_eq!(asking.await.unwrap(), Answer::Allowed { surface: Surface::Dialog });
    assert!(matches!(world.decide(&shown, DENY, Surface::Tray), Err(DecideError::Stale)));
    // R34: late and refused answers are on record.
    let late = world.notes.0.lock().unwrap().iter().filter(|entry| entry.tool == "late_answer").count();
    assert_eq!(late, 6);
    assert_eq!(world.board.settled.lock().unwrap().len(), 1);
}

/// R35: a surface is told of a call once it is on disk, and of its end once that is.
#[tokio::test(start_paused = true)]
async fn what_is_shown_is_stored() {
    struct Reader(ApprovalStore, Mutex<Vec<Option<Answer>>>);
    impl Reader {
        fn look(&self, id: &str) {
            self.1.lock().unwrap().push(self.0.get(id).unwrap().expect("it is stored").answer);
        }
    }
    impl Presenter for Reader {
        fn waiting(&self, approval: &Approval) {
            self.look(&approval.id);
        }

        fn settled(&self, id: &str, _answer: &Answer) {
            self.look(id);
        }
    }
    let world = World::new();
    let reader = Arc::new(Reader(ApprovalStore::open(world.folder.path(), 0).unwrap(), Mutex::default()));
    world.broker.present_to(Arc::clone(&reader) as _).unwrap();
    let (asking, _c) = world.ask("c", "x").await;
    world.decide(&world.board.last(), DENY, Surface::Tray).unwrap();
    let denied = asking.await.unwrap();
    assert_eq!(*reader.1.lock().unwrap(), [None, Some(denied)]);
}

/// R34: of answers that come at once from everywhere exactly one counts, and it is the one the run gets.
#[tokio::test(start_paused = true)]
async fn one_of_many_answers_at_once_counts() {
    for _ in 0..10 {
        let world = World::new();
        let (asking, _c) = world.ask("c", "x").await;
        let shown = world.board.last();
        let all = [Surface::Dialog, Surface::Terminal, Surface::Notification, Surface::Tray, Surface::Window];
        let start = Barrier::new(all.len());
        let counted: Vec<Surface> = std::thread::scope(|scope| {
            let deciders: Vec<_> = all
                .map(|surface| {
                    let (world, shown, start) = (&world, &shown, &start);
                    scope.spawn(move || {
                        let choice = if surface.may_allow() { Choice::Allow } else { DENY };
                        start.wait();
                        world.decide(shown, choice, surface).is_ok().then_some(surface)
                    })
                })
                .into_iter()
                .collect();
            deciders.into_iter().filter_map(|decider| decider.join().unwrap()).collect()
        });
        let [surface] = counted[..] else { panic!("{counted:?}") };
        let expected = if surface.may_allow() {
            Answer::Allowed { surface }
        } else {
            Answer::Denied { surface, words: None }
        };
        assert_eq!(asking.await.unwrap(), expected);
        let late = world.notes.0.lock().unwrap().iter().filter(|entry| entry.tool == "late_answer").count();
        assert_eq!(late, all.len() - 1);
    }
}

/// R31, R34: the ends that are no allow.
#[tokio::test(start_paused = true)]
async fn every_other_end_denies() {
    let world = World::new();
    let (asking, _c) = world.ask("deny", "x").await;
    let words = Some("use the other folder".to_owned());
    world.decide(&world.board.last(), Choice::Deny { words: words.clone() }, Surface::Window).unwrap();
    assert_eq!(asking.await.unwrap(), Answer::Denied { surface: Surface::Window, words });

    let (asking, cancel) = world.ask("stop", "x").await;
    cancel.cancel();
    assert_eq!(asking.await.unwrap(), Answer::Withdrawn);
    assert!(matches!(
        world.decide(&world.board.last(), Choice::Allow, Surface::Dialog),
        Err(DecideError::Stale)
    ));

    let (asking, _c) = world.ask("sleep", "x").await;
    let shown = world.board.last();
    world.clock.advance(3_600_000);
    // The laptop woke up and somebody presses the button that still stands there.
    assert!(matches!(world.decide(&shown, Choice::Allow, Surface::Dialog), Err(DecideError::Stale)));
    assert_eq!(asking.await.unwrap(), Answer::Expired);

    let (asking, _c) = world.ask("nobody shows it", "x").await;
    assert!(world.broker.unavailable(&world.board.last(), "No display.").unwrap());
    assert_eq!(asking.await.unwrap(), Answer::Unavailable { why: "No display.".to_owned() });

    let (asking, _c) = world.ask("dropped", "x").await;
    asking.abort();
    settle().await;
    assert!(world.broker.waiting().unwrap().is_empty());
}

/// R31: ten minutes by our own clock, even where the wall clock was set back.
#[tokio::test(start_paused = true)]
async fn it_expires_though_the_clock_is_set_back() {
    let world = World::new();
    world.broker.set_expiry(Duration::from_secs(60)).unwrap();
    let (asking, _c) = world.ask("c", "x").await;
    world.clock.0.store(5, std::sync::atomic::Ordering::SeqCst);
    let started = tokio::time::Instant::now();
    assert_eq!(asking.await.unwrap(), Answer::Expired);
    assert!(started.elapsed() <= Duration::from_secs(61));
}

/// R31: a changed patience counts at once for what waits, by both clocks; what another process owns is its own.
#[tokio::test(start_paused = true)]
async fn a_changed_patience_counts_for_what_waits() {
    const MINUTE: Duration = Duration::from_secs(60);
    let world = World::new();
    let (asking, _c) = world.ask("shorter", "x").await;
    let before = world.board.last();
    let other = broker(world.folder.path(), &world.clock, &world.notes);
    other.set_expiry(MINUTE).unwrap();
    world.broker.set_expiry(10 * MINUTE).unwrap();
    assert_eq!(world.broker.waiting().unwrap(), std::slice::from_ref(&before));
    assert_eq!(*world.board.rescheduled.lock().unwrap(), [], "it is the one it has");

    world.broker.set_expiry(MINUTE).unwrap();
    let after = Approval { expires_ms: before.created_ms + 60_000, ..before.clone() };
    assert_eq!(world.broker.waiting().unwrap(), std::slice::from_ref(&after));
    assert_eq!(*world.board.rescheduled.lock().unwrap(), [after]);
    let started = tokio::time::Instant::now();
    assert_eq!(asking.await.unwrap(), Answer::Expired);
    assert!(started.elapsed() <= Duration::from_secs(61));

    let (asking, _c) = world.ask("longer", "x").await;
    let shown = world.board.last();
    world.broker.set_expiry(60 * MINUTE).unwrap();
    world.clock.advance(50 * 60_000);
    tokio::time::advance(50 * MINUTE).await;
    settle().await;
    world.decide(&shown, Choice::Allow, Surface::Dialog).unwrap();
    assert_eq!(asking.await.unwrap(), Answer::Allowed { surface: Surface::Dialog });

    // Over already by the new patience: a press that comes before the broker looks is late.
    let (asking, _c) = world.ask("over", "x").await;
    world.clock.advance(5 * 60_000);
    world.broker.set_expiry(MINUTE).unwrap();
    assert!(matches!(
        world.decide(&world.board.last(), Choice::Allow, Surface::Dialog),
        Err(DecideError::Stale)
    ));
    assert_eq!(asking.await.unwrap(), Answer::Expired);
}

struct Panics;

impl Presenter for Panics {
    fn waiting(&self, _approval: &Approval) {
        panic!("no display");
    }

    fn settled(&self, _id: &str, _answer: &Answer) {
        panic!("no display");
    }
}

/// R31: no surface, a surface that panics, a store that can't be written.
#[tokio::test(start_paused = true)]
async fn nobody_to_ask_is_a_denial() {
    let folder = tempfile::tempdir().unwrap();
    let (clock, notes) = (ManualClock::new(), Arc::new(Notes::default()));
    let broker = broker(folder.path(), &clock, &notes);
    let cancel = CancellationToken::new();
    let answer = broker.ask(question("c", "x"), &cancel).await;
    assert_eq!(answer, Answer::Unavailable { why: "No surface can ask.".to_owned() });
    broker.present_to(Arc::new(Panics)).unwrap();
    let answer = broker.ask(question("c", "x"), &cancel).await;
    assert_eq!(answer, Answer::Unavailable { why: "Every surface failed to show it.".to_owned() });
    let other = rusqlite::Connection::open(folder.path().join("approvals.sqlite")).unwrap();
    other.execute_batch("DROP TABLE approvals").unwrap();
    let board = Arc::new(Board::default());
    assert!(broker.present_to(Arc::clone(&board) as _).is_err());
    assert!(matches!(broker.ask(question("c", "x"), &cancel).await, Answer::Unavailable { .. }));
    assert_eq!(board.count(), 0);
}

/// R35: killed while it waited. Shown again under a new nonce; the old answer is dead; the resumed call takes the new one once.
#[tokio::test(start_paused = true)]
async fn a_waiting_call_survives_its_process() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    let before = world.board.last();
    world.restart();
    assert_eq!(world.board.count(), 0);
    let adopted = world.broker.take_over().unwrap();
    assert_eq!(adopted, [world.board.last()]);
    assert_ne!(adopted[0].nonce, before.nonce);
    assert!(matches!(world.decide(&before, Choice::Allow, Surface::Dialog), Err(DecideError::Stale)));
    world.decide(&adopted[0], Choice::Allow, Surface::Dialog).unwrap();
    // The session's turn goes on and asks again: answered without a new dialog, and only this once.
    let (resumed, _c) = world.ask("c", "x").await;
    assert_eq!(resumed.await.unwrap(), Answer::Allowed { surface: Surface::Dialog });
    assert_eq!(world.board.count(), 1);
    let (again, _c) = world.ask("c", "x").await;
    assert!(!again.is_finished());
    assert_eq!(world.board.count(), 2);
}

/// R33, R35: what was approved is what was shown; a call that changed meanwhile is asked anew.
#[tokio::test(start_paused = true)]
async fn an_adopted_answer_is_for_the_same_call_only() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    world.restart();
    let adopted = world.broker.take_over().unwrap();
    world.decide(&adopted[0], Choice::Allow, Surface::Dialog).unwrap();
    let (changed, _c) = world.ask("c", "something else").await;
    assert!(!changed.is_finished());
    assert_eq!(world.board.count(), 2);
}

/// R35: an allow that was given but not used before the crash counts no more.
#[tokio::test(start_paused = true)]
async fn an_unused_allow_waits_again_after_a_crash() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    world.restart();
    let adopted = world.broker.take_over().unwrap();
    world.decide(&adopted[0], Choice::Allow, Surface::Dialog).unwrap();
    world.restart();
    let (resumed, _c) = world.ask("c", "x").await;
    assert!(!resumed.is_finished());
    assert_eq!(world.broker.take_over().unwrap().len(), 1);
}

/// R35: an allow that was handed out and whose call never began counts no more either; one whose call began is used up.
#[tokio::test(start_paused = true)]
async fn only_the_record_of_a_start_uses_an_allow_up() {
    for began in [false, true] {
        let mut world = World::new();
        let (asking, _c) = world.ask("c", "x").await;
        world.decide(&world.board.last(), Choice::Allow, Surface::Dialog).unwrap();
        assert_eq!(asking.await.unwrap(), Answer::Allowed { surface: Surface::Dialog });
        if began {
            world.notes.note("c", Phase::Decision);
            world.notes.note("c", Phase::Start);
        }
        world.restart();
        let adopted = world.broker.take_over().unwrap();
        assert_eq!((adopted.len(), world.board.count()), if began { (0, 0) } else { (1, 1) });
        assert_eq!(world.broker.take_over().unwrap(), []);
    }
}

/// R34, R35: a denial that reached no run holds over a restart, whatever the call depends on by then.
#[tokio::test(start_paused = true)]
async fn a_denial_survives_its_process() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    world.restart();
    let adopted = world.broker.take_over().unwrap();
    assert!(world.broker.is_adopted(&adopted[0].id));
    world.decide(&adopted[0], DENY, Surface::Window).unwrap();
    world.restart();
    assert_eq!(world.broker.take_over().unwrap(), []);
    let denied = Answer::Denied { surface: Surface::Window, words: None };
    assert_eq!(world.broker.untaken("s", "c").unwrap(), Some(denied.clone()));
    let (resumed, _c) = world.ask("c", "changed since").await;
    assert_eq!(resumed.await.unwrap(), denied);
    assert_eq!(world.board.count(), 0);
}

/// R35: of two processes that start at once, one takes a call over.
#[tokio::test(start_paused = true)]
async fn one_process_takes_a_call_over() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    world.restart();
    let second = broker(world.folder.path(), &world.clock, &world.notes);
    assert_eq!(second.take_over().unwrap().len(), 1);
    assert_eq!(world.broker.take_over().unwrap(), []);
    let taken = world.notes.0.lock().unwrap().iter().filter(|it| it.tool == "approval_taken_over").count();
    assert_eq!(taken, 1);
}

/// R35: while its owner lives, another process shows a call but can't answer, expire or adopt it.
#[tokio::test(start_paused = true)]
async fn a_living_owner_keeps_its_calls() {
    let world = World::new();
    let (asking, _c) = world.ask("c", "x").await;
    let second = broker(world.folder.path(), &world.clock, &world.notes);
    let shown = second.waiting().unwrap();
    assert!(!second.is_mine(&shown[0]));
    let answer =
        second.decide(&shown[0].id, &shown[0].nonce, &shown[0].digest, Choice::Allow, Surface::Dialog);
    assert!(matches!(answer, Err(DecideError::NotMine)));
    assert_eq!(second.take_over().unwrap(), []);
    world.clock.advance(3_600_000);
    assert_eq!(second.waiting().unwrap().len(), 1);
    assert_eq!(asking.await.unwrap(), Answer::Expired);
}

/// R35: a session that goes on in a second process ends what nobody asks for any more, and nothing that a living
/// process asks for.
#[tokio::test(start_paused = true)]
async fn a_living_owners_call_is_not_withdrawn() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    world.restart();
    world.broker.take_over().unwrap();
    let adopted = world.board.last();
    let second = broker(world.folder.path(), &world.clock, &world.notes);
    assert!(matches!(second.withdraw_all("s"), Err(WithdrawError::Elsewhere)));
    second.withdraw_all("another session").unwrap();
    assert_eq!(world.broker.waiting().unwrap(), [adopted]);
    assert_eq!(world.board.settled.lock().unwrap().len(), 0);
    world.broker.kill_for_test();
    second.withdraw_all("s").unwrap();
    assert_eq!(second.waiting().unwrap(), []);
    assert_eq!(second.untaken("s", "c").unwrap(), Some(Answer::Withdrawn));
}

/// Of a deleted session nothing stays that a dead process asked; what a living one asks about is its own.
#[tokio::test(start_paused = true)]
async fn what_waited_in_a_deleted_session_goes_with_it() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "violets").await;
    world.restart();
    assert_ne!(files_with(world.folder.path(), "violets"), [""; 0]);
    let delete = |broker: &Broker| broker.withdraw_all("s").map(|()| broker.forget("s").unwrap());
    delete(&world.broker).unwrap();
    assert_eq!(files_with(world.folder.path(), "violets"), [""; 0]);
    assert_eq!(world.broker.sessions().unwrap(), [""; 0]);
    let (_asking, _c) = world.ask("c2", "roses").await;
    let second = broker(world.folder.path(), &world.clock, &world.notes);
    assert!(matches!(delete(&second), Err(WithdrawError::Elsewhere)));
    second.forget("s").unwrap();
    assert_eq!((second.sessions().unwrap(), second.waiting().unwrap().len()), (vec!["s".to_owned()], 1));
}

/// R31, R35: what another process did to a waiting call reaches the run and the surfaces; what waits on isn't told of.
#[tokio::test(start_paused = true)]
async fn an_end_elsewhere_is_noticed() {
    let world = World::new();
    let store = ApprovalStore::open(world.folder.path(), 0).unwrap();
    let (settled, _c) = world.ask("c1", "x").await;
    let first = world.board.last();
    let (taken, _c) = world.ask("c2", "x").await;
    let second = world.board.last();
    for waits in [&first, &second] {
        world.broker.notice(waits).unwrap();
    }
    assert_eq!(world.board.settled.lock().unwrap().len(), 0);
    assert!(store.settle(&first, &Answer::Withdrawn, 0).unwrap());
    // As one that takes this process for dead; its answer is for its own run.
    assert!(store.take_over(&second, "another", "nonce").unwrap());
    let theirs = Approval { owner: "another".to_owned(), nonce: "nonce".to_owned(), ..second.clone() };
    assert!(store.settle(&theirs, &Answer::Allowed { surface: Surface::Dialog }, 0).unwrap());
    for ended in [&first, &second] {
        world.broker.notice(ended).unwrap();
    }
    assert_eq!(settled.await.unwrap(), Answer::Withdrawn);
    assert!(!matches!(taken.await.unwrap(), Answer::Allowed { .. }));
    let withdrawn = |approval: &Approval| (approval.id.clone(), Answer::Withdrawn);
    assert_eq!(*world.board.settled.lock().unwrap(), [withdrawn(&first), withdrawn(&second)]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ran_out_of_time_while_nobody_lived_is_expired() {
    let mut world = World::new();
    let (_asking, _c) = world.ask("c", "x").await;
    world.clock.advance(700_000);
    world.restart();
    assert_eq!(world.broker.take_over().unwrap(), []);
    assert_eq!(world.broker.waiting().unwrap(), []);
    assert_eq!(world.board.count(), 0);
}

/// R36: words for the model are bounded, at a character's end.
#[tokio::test(start_paused = true)]
async fn long_words_are_cut() {
    let world = World::new();
    let (asking, _c) = world.ask("c", "x").await;
    let words = Some("好".repeat(1_000));
    world.decide(&world.board.last(), Choice::Deny { words }, Surface::Window).unwrap();
    let Answer::Denied { words: Some(words), .. } = asking.await.unwrap() else { panic!("denied") };
    assert_eq!(words.len(), 1_998);
}

/// Of a session that is gone the store keeps nothing that was asked; what waits in it, and other sessions, stay.
#[tokio::test(start_paused = true)]
async fn what_was_asked_in_a_session_is_forgotten_with_it() {
    let world = World::new();
    let (asking, _cancel) = world.ask("c1", "violets").await;
    let settled = world.board.last();
    world.decide(&settled, DENY, Surface::Window).unwrap();
    asking.await.unwrap();
    let (_waits, _cancel) = world.ask("c2", "roses").await;
    let holding = |words: &str| {
        let files = std::fs::read_dir(world.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.is_file());
        files.filter(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains(words)).count()
    };
    assert!(holding("violets") > 0);
    world.broker.forget("another").unwrap();
    assert!(holding("violets") > 0);
    world.broker.forget(&settled.session).unwrap();
    assert_eq!((holding("violets"), world.broker.waiting().unwrap().len()), (0, 1));
    assert!(holding("roses") > 0);
}
