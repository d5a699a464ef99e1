//! Stop, at every moment of a run: what had begun is told honestly, nothing new begins, and the history stays whole.

use assent_agent::approval::{Answer, Surface};
use assent_agent::event::{Event, Outcome};
use assent_agent::model::history::check;
use assent_agent::model::{Message, Reply};
use assent_agent::turn::{Finished, History as _, Limits, Turn};
use assent_policy::ToolEffect;
use e2e::{Bench, ScriptedModel, bench, call, calls, text};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ALLOW: Answer = Answer::Allowed { surface: Surface::Dialog };

fn script() -> Vec<Reply> {
    let probe = |id: &str| call(id, "probe", json!({"path": id}));
    let with_words = |reply: Reply| Reply { text: "Working on it.".to_owned(), ..reply };
    vec![
        with_words(calls([probe("a1"), probe("a2")])),
        with_words(calls([probe("b1"), probe("b2"), probe("b3")])),
        text("Done."),
    ]
}

/// Runs the script; stops it at the moment `stop_at`, counting what the loop tells. How many moments there were.
async fn run(bench: &Bench, model: &ScriptedModel, stop_at: Option<usize>) -> (Finished, usize) {
    for _ in 0..5 {
        bench.person.will(ALLOW);
    }
    let moments = Arc::new(AtomicUsize::new(0));
    let (count, cancel) = (Arc::clone(&moments), bench.run.cancel.clone());
    let turn = Turn {
        model: Arc::new(model.clone()),
        gate: Arc::clone(&bench.gate),
        history: Arc::clone(&bench.history) as Arc<_>,
        observer: Arc::new(move |_: Event| {
            if Some(count.fetch_add(1, Ordering::SeqCst)) == stop_at {
                cancel.cancel();
            }
        }),
        system: "You are a test.".to_owned(),
        hidden: Arc::new(|_| false),
        limits: Limits::default(),
    };
    let message = Message::User { text: "go".to_owned(), attachments: Vec::new(), by_hook: false };
    let finished = turn.run(message, &bench.run).await;
    (finished, moments.load(Ordering::SeqCst))
}

/// What ran is what the history says ran, and every call has its answer.
fn assert_honest(bench: &Bench, when: &str) {
    let messages = bench.history.messages().expect("messages");
    check(&messages).unwrap_or_else(|fault| panic!("{when}: {fault}"));
    let succeeded =
        messages.iter().filter(|message| matches!(message, Message::Tool(answer) if !answer.is_error));
    assert_eq!(succeeded.count(), bench.probe.runs(), "{when}");
}

/// R2 R3 R62
#[tokio::test]
async fn a_run_can_be_stopped_at_every_moment() {
    let whole = bench(ToolEffect::Write);
    let (finished, moments) = run(&whole, &ScriptedModel::new(script()), None).await;
    assert_eq!((finished.outcome, whole.probe.runs()), (Outcome::Completed, 5));
    assert!(moments > 8, "{moments}");
    let mut stopped = 0;
    for moment in 0..moments {
        let bench = bench(ToolEffect::Write);
        let model = ScriptedModel::new(script());
        let (finished, _) = run(&bench, &model, Some(moment)).await;
        let when = format!("moment {moment} of {moments}");
        assert_honest(&bench, &when);
        match finished.outcome {
            Outcome::Cancelled => stopped += 1,
            // The answer was whole already.
            Outcome::Completed => assert_eq!(bench.probe.runs(), 5, "{when}"),
            other => panic!("{when}: {other:?}"),
        }
    }
    assert!(stopped > moments / 2, "{stopped} of {moments}");
}

/// R2 R34 R62: stopped while a call waits for a person; neither it nor those behind it run.
#[tokio::test]
async fn a_run_can_be_stopped_while_it_asks() {
    let bench = bench(ToolEffect::Write);
    let cancel = bench.run.cancel.clone();
    bench.person.will_after(move |_| cancel.cancel(), Answer::Withdrawn);
    let finished = bench.turn(ScriptedModel::new(script())).await;
    assert_eq!(finished.outcome, Outcome::Cancelled);
    assert_eq!((bench.probe.runs(), bench.person.asked().len()), (0, 1));
    assert_honest(&bench, "while it asks");
}
