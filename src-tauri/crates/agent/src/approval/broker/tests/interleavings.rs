//! Random lives of many calls against a small reference: 300 in each run of the tests, 10,000 where `ASSENT_SOAK` is set.

use super::{DENY, World, settle};
use crate::approval::broker::Broker;
use crate::approval::fixture::{Notes, question};
use crate::approval::{Answer, Approval, Approver as _, Choice, Question, Surface};
use crate::audit::Step::{Began, Undecided};
use crate::audit::{AuditLog as _, Phase};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
enum Step {
    /// A turn comes to this call, for the first time or again after a restart.
    Turn(u8, u8),
    Decide {
        place: usize,
        allow: bool,
        forged: bool,
        surface: usize,
    },
    Stop(usize),
    Wait(u64),
    /// The person sets how long calls wait.
    Patience(u64),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u8..6, 0_u8..2).prop_map(|(call, content)| Step::Turn(call, content)),
        6 => (0_usize..6, any::<bool>(), prop::bool::weighted(0.2), 0_usize..5)
            .prop_map(|(place, allow, forged, surface)| Step::Decide { place, allow, forged, surface }),
        1 => (0_usize..6).prop_map(Step::Stop),
        3 => prop_oneof![3 => Just(5_u64), 1 => Just(1_000), 1 => Just(400_000), 1 => Just(700_000)]
            .prop_map(Step::Wait),
        1 => prop_oneof![Just(1_u64), Just(500_000), Just(3_600_000)].prop_map(Step::Patience),
        2 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..24)
}

/// What the reference knows of one showing.
#[derive(Clone, Debug)]
struct Shown {
    approval: Approval,
    answered: bool,
}

/// A turn at one call, as the gate takes it: what is on record first, then the question, then the record that the call
/// begins, then the effect. Between the answer and the record lies a moment in which the process may end.
async fn turn(
    broker: Arc<Broker>,
    notes: Arc<Notes>,
    asked: Question,
    effects: Effects,
    stop: CancellationToken,
) {
    let call = asked.call_id.clone();
    let effect = (call.clone(), asked.digest.to_hex());
    let answer = broker.ask(asked, &stop).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    if let Answer::Allowed { surface } = answer {
        assert!(surface.may_allow());
        notes.decide(&call, "allow");
        notes.note(&call, Phase::Start);
        effects.lock().unwrap().push(effect);
    } else {
        notes.decide(&call, "deny");
    }
}

type Effects = Arc<Mutex<Vec<(String, String)>>>;

/// One life, checked against the reference after every step: an answer counts if and only if it is for a showing that
/// waits, and may be given there; a call has its effect at most once, only if somebody allowed exactly it as it was,
/// and never without the record that it began.
async fn live(steps: Vec<Step>) {
    let surfaces =
        [Surface::Dialog, Surface::Terminal, Surface::Notification, Surface::Tray, Surface::Window];
    let mut world = World::new();
    let effects = Effects::default();
    let mut turns: Vec<(JoinHandle<()>, CancellationToken, String)> = Vec::new();
    let mut shown: BTreeMap<String, Shown> = BTreeMap::new();
    let mut allowed: BTreeSet<String> = BTreeSet::new();
    for step in steps {
        match step {
            Step::Turn(call, content) => {
                let call = format!("c{call}");
                // One turn is at a call at a time, and what was decided is never proposed again under its id.
                let busy = turns.iter().any(|(task, _, other)| !task.is_finished() && *other == call);
                let open = world.notes.standing("s", &call).unwrap().is_none_or(|it| it.step == Undecided);
                if !busy && open {
                    world.notes.propose(&call);
                    let stop = CancellationToken::new();
                    let question = question(&call, &content.to_string());
                    let (broker, notes) = (Arc::clone(&world.broker), Arc::clone(&world.notes));
                    let task =
                        tokio::spawn(turn(broker, notes, question, Arc::clone(&effects), stop.clone()));
                    turns.push((task, stop, call));
                }
            }
            Step::Decide { place, allow, forged, surface } => {
                let Some(seen) = shown.values().nth(place).cloned() else { continue };
                let nonce = if forged { "forged" } else { &seen.approval.nonce };
                let (choice, surface) = (if allow { Choice::Allow } else { DENY }, surfaces[surface]);
                let waits = world.broker.waiting().unwrap().iter().any(|it| it.nonce == seen.approval.nonce);
                let (id, digest) = (&seen.approval.id, &seen.approval.digest);
                let counted = world.broker.decide(id, nonce, digest, choice, surface).is_ok();
                let may = waits && !forged && (!allow || surface.may_allow()) && !seen.answered;
                assert_eq!(counted, may, "{seen:?} {step:?}");
                if counted {
                    shown.get_mut(&seen.approval.nonce).unwrap().answered = true;
                    if allow {
                        allowed.insert(digest.to_hex());
                    }
                }
            }
            Step::Stop(place) => {
                if let Some((_, stop, _)) = turns.get(place) {
                    stop.cancel();
                }
            }
            Step::Wait(ms) => {
                world.clock.advance(ms);
                tokio::time::advance(Duration::from_millis(ms)).await;
            }
            Step::Patience(ms) => {
                world.broker.set_expiry(Duration::from_millis(ms)).unwrap();
                let now = world.clock.0.load(Ordering::SeqCst);
                for approval in world.broker.waiting().unwrap() {
                    assert_eq!(approval.expires_ms, approval.created_ms + ms);
                    assert!(approval.expires_ms > now, "{approval:?} is over");
                }
            }
            Step::Restart => {
                for (task, _, _) in &turns {
                    task.abort();
                }
                // Only after the kill: an aborted task of a living process would withdraw its call.
                world.restart();
                settle().await;
                turns.clear();
                shown.clear();
                for adopted in world.broker.take_over().unwrap() {
                    let began = effects.lock().unwrap().iter().any(|(call, _)| *call == adopted.call_id);
                    assert!(!began, "what began is never asked again: {adopted:?}");
                }
            }
        }
        settle().await;
        for approval in world.board.shown.lock().unwrap().iter() {
            let fresh = Shown { approval: approval.clone(), answered: false };
            shown.entry(approval.nonce.clone()).or_insert(fresh);
        }
        let effects = effects.lock().unwrap();
        let calls: BTreeSet<&str> = effects.iter().map(|(call, _)| call.as_str()).collect();
        assert_eq!(calls.len(), effects.len(), "a call had its effect twice: {effects:?}");
        for (call, digest) in effects.iter() {
            assert!(allowed.contains(digest), "nobody allowed {call}");
            let standing = world.notes.standing("s", call).unwrap();
            assert_eq!(standing.map(|it| it.step), Some(Began), "{call} ran without its record");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("ASSENT_SOAK").is_some() { 10_000 } else { 300 }))]
    /// R35: no interleaving of calls, answers, stops, expiries and restarts makes a call run unapproved or twice.
    #[test]
    fn every_interleaving_keeps_the_promise(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(live(steps));
    }
}
