//! The process ends, or the world misbehaves, at each step of a call's life: what ran (nothing, or once), what the
//! model reads, and what the log says. The log, the broker and the session are the real ones, on disk.

use assent_agent::advice::NoAdvisor;
use assent_agent::approval::{Answer, Approval, Broker, Choice, Presenter, Surface};
use assent_agent::audit::{
    AuditError, AuditLog, AuditPlaces, AuditReader, AuditStore, Entry, Phase, Redactor, Standing, SystemKeys,
};
use assent_agent::clock::{Clock, SystemClock};
use assent_agent::event::Event;
use assent_agent::gate::{Gate, Parts, Run};
use assent_agent::model::Message;
use assent_agent::session::{Fate, SessionStore, StoredHistory, open_calls, resume};
use assent_agent::tools::Registry;
use assent_agent::turn::{Finished, History as _, Limits, Turn};
use assent_agent::workspace::Workspace;
use assent_policy::{Origin, ToolEffect};
use e2e::{Bench, Probe, ScriptedModel, bench, call, calls};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const ALLOW: Choice = Choice::Allow;
const DENY: Choice = Choice::Deny { words: None };

/// Where the process ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// Just before the append that holds this phase.
    Before(Phase),
    /// Just after it.
    After(Phase),
    /// While the person looks at the question.
    Asking,
}

/// The real log, in a process that ends at one point.
struct Mortal {
    log: Arc<AuditStore>,
    end: Option<End>,
}

impl AuditLog for Mortal {
    fn append(&self, entries: &[Entry]) -> Result<(), AuditError> {
        let holds = |phase| entries.iter().any(|entry| entry.phase == phase);
        match self.end {
            Some(End::Before(phase)) if holds(phase) => panic!("the process ends here"),
            Some(End::After(phase)) if holds(phase) => {
                self.log.append(entries)?;
                panic!("the process ends here")
            }
            Some(End::Before(_) | End::After(_) | End::Asking) | None => self.log.append(entries),
        }
    }

    fn standing(&self, session: &str, call: &str) -> Result<Option<Standing>, AuditError> {
        self.log.standing(session, call)
    }
}

/// A wall clock that is set by hand.
struct Hands(AtomicU64);

impl Clock for Hands {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Hands on what it is shown.
struct Board(mpsc::UnboundedSender<Approval>);

impl Presenter for Board {
    fn waiting(&self, approval: &Approval) {
        self.0.send(approval.clone()).expect("somebody looks");
    }

    fn settled(&self, _id: &str, _answer: &Answer) {}
}

/// One process on the data of `bench`.
struct Life {
    turn: Arc<Turn>,
    log: Arc<AuditStore>,
    broker: Arc<Broker>,
    sessions: Arc<SessionStore>,
    shown: mpsc::UnboundedReceiver<Approval>,
    clock: Arc<Hands>,
}

impl Life {
    fn begin(bench: &Bench, model: &ScriptedModel, end: Option<End>) -> Self {
        let places = places(bench);
        let keys = SystemKeys::file_only(&places.data);
        let log = AuditStore::open(places.clone(), &keys, Arc::new(SystemClock), Redactor::default());
        let log = Arc::new(log.expect("a log"));
        let mortal: Arc<dyn AuditLog> = Arc::new(Mortal { log: Arc::clone(&log), end });
        let clock = Arc::new(Hands(AtomicU64::new(1_000_000_000)));
        let broker = Arc::new(
            Broker::open(&places.data, Arc::clone(&clock) as _, Arc::clone(&mortal)).expect("a broker"),
        );
        let (tell, shown) = mpsc::unbounded_channel();
        broker.present_to(Arc::new(Board(tell))).expect("a surface");
        let sessions = Arc::new(SessionStore::open(&places.data, Arc::new(SystemClock)).expect("sessions"));
        if sessions.session("s1").is_err() {
            sessions.create("s1", &bench.world.workspace().to_string_lossy()).expect("a session");
        }
        let probe: Arc<Probe> = Arc::new(bench.probe.clone());
        let gate = Gate::new(Parts {
            registry: Arc::new(Registry::new([probe as Arc<_>]).expect("a registry")),
            audit: mortal,
            approver: Arc::clone(&broker) as _,
            advisor: Arc::new(NoAdvisor),
            circumstances: Arc::clone(&bench.circumstances) as _,
            workspace: Arc::new(Workspace::open(&bench.world.workspace()).expect("a workspace")),
            scratch: places.data.clone(),
            observer: Arc::new(|_: Event| {}),
        });
        let turn = Turn {
            model: Arc::new(model.clone()),
            gate: Arc::new(gate),
            history: Arc::new(StoredHistory::new(Arc::clone(&sessions), "s1")),
            observer: Arc::new(|_: Event| {}),
            system: "You are a test.".to_owned(),
            hidden: Arc::new(|_| false),
            limits: Limits::default(),
        };
        Self { turn: Arc::new(turn), log, broker, sessions, shown, clock }
    }

    /// Says something; the run goes on in a task of its own.
    fn say(&self) -> tokio::task::JoinHandle<Finished> {
        let turn = Arc::clone(&self.turn);
        tokio::spawn(async move {
            let run = Run::new("s1", "r1", Origin::Task, CancellationToken::new());
            turn.run(
                Message::User { text: "hello".to_owned(), attachments: Vec::new(), by_hook: false },
                &run,
            )
            .await
        })
    }

    async fn shown(&mut self) -> Approval {
        self.shown.recv().await.expect("a question")
    }

    fn decide(&self, approval: &Approval, choice: Choice) {
        let Approval { id, nonce, digest, .. } = approval;
        self.broker.decide(id, nonce, digest, choice, Surface::Dialog).expect("an answer that counts");
    }

    /// What the app does when a person answered: the run goes on.
    async fn go_on(&self) -> Finished {
        let open = open_calls(&self.sessions, "s1").expect("the calls without an answer");
        let run = Run::resumed("s1", "r1", Origin::Task, CancellationToken::new());
        self.turn.resume(open, &run).await
    }

    /// What the app does when the person says something else: what is open gets an honest end.
    fn go_another_way(&self) {
        let fate = |call: &str| {
            Fate::of(self.log.standing("s1", call), || self.broker.untaken("s1", call).expect("the store"))
        };
        for answer in resume(&self.sessions, "s1", fate).expect("a sound session") {
            let code = answer.error_code.expect("a code");
            self.log.close("s1", &answer.call_id, &code).expect("a record");
        }
    }

    /// The code of the answer to the call, as the model reads it.
    fn answer(&self) -> String {
        let messages = StoredHistory::new(Arc::clone(&self.sessions), "s1").messages().expect("messages");
        let answers: Vec<_> = messages
            .into_iter()
            .filter_map(|message| match message {
                Message::Tool(answer) => Some(answer.error_code.unwrap_or_else(|| "succeeded".to_owned())),
                Message::User { .. } | Message::Assistant(_) => None,
            })
            .collect();
        assert_eq!(answers.len(), 1, "one call, one answer: {answers:?}");
        answers.concat()
    }
}

fn places(bench: &Bench) -> AuditPlaces {
    AuditPlaces { data: bench.world.folder("data"), state: bench.world.folder("state") }
}

/// The phases of the call, as the log has them.
fn story(bench: &Bench) -> String {
    let Some(reader) = AuditReader::open(&places(bench)).expect("the log") else { return String::new() };
    let Some(seq) = reader.call("c1").expect("the log") else { return String::new() };
    let records = reader.detail(seq).expect("the log").map(|detail| detail.records).unwrap_or_default();
    let phases: Vec<String> = records
        .iter()
        .map(|record| match record.phase.as_str() {
            "decision" => format!("decision:{}({})", record.behavior, record.source),
            "outcome" => format!("outcome:{}", record.outcome),
            other => other.to_owned(),
        })
        .collect();
    phases.join(" · ")
}

fn model() -> ScriptedModel {
    ScriptedModel::new([calls([call("c1", "probe", json!({"path": "a.txt"}))])])
}

struct Row {
    end: End,
    /// What the person says before the end, where they are asked.
    first: Option<Choice>,
    /// What they say after it, where they are asked again.
    second: Option<Choice>,
    runs: usize,
    answer: &'static str,
    story: &'static str,
}

/// R35, R41, R53, R62: the process ends at each step. Nothing runs unapproved, nothing runs twice, and both the model
/// and the log are told what is known.
#[tokio::test]
async fn the_process_ends_at_each_step() {
    let table = [
        Row {
            end: End::Before(Phase::Intent),
            first: None,
            second: None,
            runs: 0,
            answer: "cancelled",
            story: "",
        },
        Row {
            end: End::After(Phase::Intent),
            first: None,
            second: None,
            runs: 0,
            answer: "cancelled",
            story: "intent · outcome:cancelled",
        },
        Row {
            end: End::Asking,
            first: None,
            second: Some(ALLOW),
            runs: 1,
            answer: "succeeded",
            story: "intent · decision:allow(dialog) · start · outcome:succeeded",
        },
        Row {
            end: End::Asking,
            first: None,
            second: Some(DENY),
            runs: 0,
            answer: "approval_denied",
            story: "intent · decision:deny(dialog) · outcome:approval_denied",
        },
        Row {
            end: End::Before(Phase::Decision),
            first: Some(ALLOW),
            second: Some(ALLOW),
            runs: 1,
            answer: "succeeded",
            story: "intent · decision:allow(dialog) · start · outcome:succeeded",
        },
        Row {
            end: End::Before(Phase::Decision),
            first: Some(ALLOW),
            second: Some(DENY),
            runs: 0,
            answer: "approval_denied",
            story: "intent · decision:deny(dialog) · outcome:approval_denied",
        },
        Row {
            end: End::Before(Phase::Decision),
            first: Some(DENY),
            second: None,
            runs: 0,
            answer: "approval_denied",
            story: "intent · outcome:approval_denied",
        },
        Row {
            end: End::After(Phase::Start),
            first: Some(ALLOW),
            second: None,
            runs: 0,
            answer: "outcome_unknown",
            story: "intent · decision:allow(dialog) · start · outcome:outcome_unknown",
        },
        Row {
            end: End::Before(Phase::Outcome),
            first: Some(ALLOW),
            second: None,
            runs: 1,
            answer: "outcome_unknown",
            story: "intent · decision:allow(dialog) · start · outcome:outcome_unknown",
        },
        Row {
            end: End::After(Phase::Outcome),
            first: Some(ALLOW),
            second: None,
            runs: 1,
            answer: "outcome_unknown",
            story: "intent · decision:allow(dialog) · start · outcome:succeeded",
        },
    ];
    for Row { end, first, second, runs, answer, story: expected } in table {
        let row = format!("{end:?}, {first:?}, then {second:?}");
        let (bench, model) = (bench(ToolEffect::Write), model());
        let mut life = Life::begin(&bench, &model, Some(end));
        let run = life.say();
        if end == End::Asking {
            drop(life.shown().await);
            // The lock of a process that is gone is free; what its task would still do, it doesn't.
            std::fs::remove_dir_all(places(&bench).data.join("approval-owners")).expect("the locks");
            std::mem::forget(life);
        } else {
            if let Some(choice) = first {
                let approval = life.shown().await;
                life.decide(&approval, choice);
            }
            assert!(run.await.is_err(), "{row}: the process ended");
            drop(life);
        }

        let mut life = Life::begin(&bench, &model, None);
        let adopted = life.broker.take_over().expect("the approvals");
        assert_eq!(adopted.len(), usize::from(second.is_some()), "{row}");
        match second {
            Some(choice) => {
                let approval = life.shown().await;
                life.decide(&approval, choice);
                let finished = life.go_on().await;
                assert_eq!(finished.final_text, "done", "{row}");
            }
            None => life.go_another_way(),
        }
        assert_eq!((bench.probe.runs(), life.answer().as_str()), (runs, answer), "{row}");
        assert_eq!(story(&bench), expected, "{row}");

        // A third process finds nothing left to ask, and nothing to run.
        drop(life);
        let life = Life::begin(&bench, &model, None);
        assert!(life.broker.take_over().expect("the approvals").is_empty(), "{row}");
        assert!(open_calls(&life.sessions, "s1").expect("the calls").is_empty(), "{row}");
        assert_eq!(bench.probe.runs(), runs, "{row}");
    }
}

/// R35: a run that goes on asks the log before anything else: what began never begins again, whoever proposes it.
#[tokio::test]
async fn a_call_that_began_never_begins_again() {
    let (bench, model) = (bench(ToolEffect::Write), model());
    let mut life = Life::begin(&bench, &model, Some(End::Before(Phase::Outcome)));
    let run = life.say();
    let approval = life.shown().await;
    life.decide(&approval, ALLOW);
    assert!(run.await.is_err());
    drop(life);
    let mut life = Life::begin(&bench, &model, None);
    assert_eq!(life.go_on().await.final_text, "done");
    assert_eq!((bench.probe.runs(), life.answer().as_str()), (1, "outcome_unknown"));
    assert!(life.shown.try_recv().is_err(), "nobody was asked");
    assert_eq!(story(&bench), "intent · decision:allow(dialog) · start · outcome:outcome_unknown");
}

/// R31, R33: the wall clock jumps while a call waits. An hour on, it has expired and the late yes is none; an hour
/// back, one yes still counts once.
#[tokio::test]
async fn the_clock_jumps_while_a_call_waits() {
    const HOUR: u64 = 3_600_000;
    for forwards in [true, false] {
        let (bench, model) = (bench(ToolEffect::Write), model());
        let mut life = Life::begin(&bench, &model, None);
        let run = life.say();
        let Approval { id, nonce, digest, .. } = life.shown().await;
        let hands = &life.clock.0;
        if forwards {
            hands.fetch_add(HOUR, Ordering::SeqCst);
        } else {
            hands.fetch_sub(HOUR, Ordering::SeqCst);
        }
        let counted = life.broker.decide(&id, &nonce, &digest, ALLOW, Surface::Dialog).is_ok();
        assert_eq!(counted, !forwards);
        assert_eq!(run.await.expect("a run").final_text, "done");
        let (runs, answer, expected) = if forwards {
            (0, "approval_expired", "intent · decision:deny(expired) · outcome:approval_expired")
        } else {
            (1, "succeeded", "intent · decision:allow(dialog) · start · outcome:succeeded")
        };
        assert_eq!((bench.probe.runs(), life.answer().as_str()), (runs, answer));
        assert_eq!(story(&bench), expected);
    }
}

/// R31: the dialog dies over the question.
#[tokio::test]
async fn a_dialog_that_dies_denies() {
    let (bench, model) = (bench(ToolEffect::Write), model());
    let mut life = Life::begin(&bench, &model, None);
    let run = life.say();
    let approval = life.shown().await;
    assert!(life.broker.unavailable(&approval, "The dialog closed by itself.").expect("the approvals"));
    assert_eq!(run.await.expect("a run").final_text, "done");
    assert_eq!((bench.probe.runs(), life.answer().as_str()), (0, "approval_unavailable"));
    assert_eq!(story(&bench), "intent · decision:deny(unavailable) · outcome:approval_unavailable");
}
