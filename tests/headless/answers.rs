//! Anything but one explicit allow is a deny, and each end has its own code, record and text.

use assent_agent::approval::{Answer, Surface};
use assent_agent::audit::Phase;
use assent_agent::event::Event;
use assent_agent::model::Message;
use assent_policy::ToolEffect;
use e2e::{ScriptedModel, bench, call, calls};
use serde_json::json;

/// R31 R34 R62: every way a question can end, and what ran.
#[tokio::test]
async fn only_an_explicit_allow_from_a_native_surface_runs() {
    let denied =
        |words: Option<&str>| Answer::Denied { surface: Surface::Dialog, words: words.map(str::to_owned) };
    let table = [
        (Answer::Allowed { surface: Surface::Dialog }, None, 1),
        (Answer::Allowed { surface: Surface::Terminal }, None, 1),
        (Answer::Allowed { surface: Surface::Window }, Some("approval_denied"), 0),
        (Answer::Allowed { surface: Surface::Notification }, Some("approval_denied"), 0),
        (Answer::Allowed { surface: Surface::Tray }, Some("approval_denied"), 0),
        (denied(None), Some("approval_denied"), 0),
        (denied(Some("Use a branch.")), Some("approval_denied"), 0),
        (Answer::Expired, Some("approval_expired"), 0),
        (Answer::Withdrawn, Some("approval_withdrawn"), 0),
        (Answer::Unavailable { why: "No display.".to_owned() }, Some("approval_unavailable"), 0),
    ];
    for (answer, code, runs) in table {
        let bench = bench(ToolEffect::Write);
        let before = bench.world.tree();
        bench.person.will(answer.clone());
        let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
        assert_eq!(answered.message.error_code.as_deref(), code, "{answer:?}");
        assert_eq!(bench.probe.runs(), runs, "{answer:?}");
        assert_eq!(bench.person.asked().len(), 1, "{answer:?}");
        assert_eq!(answered.message.call_id, "c1");
        assert_eq!(bench.world.tree(), before, "{answer:?}");
        let story = bench.audit.story("c1");
        assert!(story.starts_with("intent · decision:"), "{story}");
        assert!(story.ends_with(&format!("outcome:{}", code.unwrap_or("succeeded"))), "{story}");
        assert_eq!(story.contains("start"), runs == 1, "{story}");
    }
}

/// R63: what the model reads about a denial, to the letter.
#[tokio::test]
async fn the_texts_of_refusals() {
    let table = [
        (
            Answer::Denied { surface: Surface::Dialog, words: Some(" Use a branch. ".to_owned()) },
            "Error [approval_denied]: The user denied this call. It did not run. The user says: Use a branch.",
        ),
        (
            Answer::Denied { surface: Surface::Window, words: None },
            "Error [approval_denied]: The user denied this call. It did not run. Choose another way or ask the user.",
        ),
        (Answer::Expired, "Error [approval_expired]: Nobody answered in time. The call did not run."),
        (
            Answer::Withdrawn,
            "Error [approval_withdrawn]: The run was stopped while this call waited for the user. It did not run.",
        ),
        (
            Answer::Unavailable { why: "there is no display.".to_owned() },
            "Error [approval_unavailable]: There is nobody to ask: there is no display. The call did not run.",
        ),
        (
            Answer::Unavailable { why: "the dialog vanished".to_owned() },
            "Error [approval_unavailable]: There is nobody to ask: the dialog vanished. The call did not run.",
        ),
    ];
    for (answer, text) in table {
        let bench = bench(ToolEffect::Write);
        bench.person.will(answer);
        let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
        assert_eq!(answered.message.content, text);
    }
}

/// R32: an approval covers one call; the next one asks again.
#[tokio::test]
async fn an_approval_covers_one_call() {
    let bench = bench(ToolEffect::Write);
    bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    bench.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    let first = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
    let second = bench.gate.run(&call("c2", "probe", json!({"path": "a.txt"})), &bench.run).await;
    assert!(!first.message.is_error);
    assert_eq!(second.message.error_code.as_deref(), Some("approval_denied"));
    assert_eq!((bench.probe.runs(), bench.person.asked().len()), (1, 2));
}

/// The card and the audit log say the same of how long a call ran: a person's time to answer is none of it.
#[tokio::test]
async fn how_long_a_call_ran_is_what_the_log_says() {
    let bench = bench(ToolEffect::Write);
    bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    bench.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    for id in ["c1", "c2"] {
        bench.gate.run(&call(id, "probe", json!({"path": "a.txt"})), &bench.run).await;
    }
    let told: Vec<Option<u64>> = bench
        .events
        .lock()
        .expect("events")
        .iter()
        .filter_map(
            |event| if let Event::ToolResult { duration_ms, .. } = event { Some(*duration_ms) } else { None },
        )
        .collect();
    let recorded = bench
        .audit
        .entries()
        .iter()
        .find(|entry| entry.call == "c1" && entry.phase == Phase::Outcome)
        .map(|entry| entry.duration_ms);
    assert!(recorded.is_some());
    assert_eq!(told, [recorded, None], "what never began has no duration");
}

/// An equal operation that a person denied is refused again in the same run with no new question.
#[tokio::test]
async fn an_equal_operation_is_not_asked_twice_after_a_denial() {
    let bench = bench(ToolEffect::Write);
    bench.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    let run = |id: &'static str, path: &'static str| call(id, "probe", json!({"path": path}));
    assert!(bench.gate.run(&run("c1", "a.txt"), &bench.run).await.denied);
    let again = bench.gate.run(&run("c2", "a.txt"), &bench.run).await;
    assert_eq!(again.message.error_code.as_deref(), Some("approval_denied"));
    assert_eq!((bench.probe.runs(), bench.person.asked().len()), (0, 1));
    assert_eq!(bench.audit.story("c2"), "intent · decision:deny(denied-before) · outcome:approval_denied");
    let other = bench.gate.run(&run("c3", "b.txt"), &bench.run).await;
    assert!(!other.message.is_error, "another operation is asked about as usual");
}

/// R2 R37: several calls in one reply are asked one at a time, in order, each with its own answer.
#[tokio::test]
async fn several_calls_are_answered_one_by_one() {
    let bench = bench(ToolEffect::Write);
    bench.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    bench.person.will(Answer::Expired);
    let model = ScriptedModel::new([calls([
        call("c1", "probe", json!({"path": "a"})),
        call("c2", "probe", json!({"path": "b"})),
        call("c3", "probe", json!({"path": "c"})),
    ])]);
    bench.turn(model.clone()).await;
    let answers: Vec<(String, Option<String>)> = model.requests()[1]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool(answer) => Some((answer.call_id.clone(), answer.error_code.clone())),
            Message::User { .. } | Message::Assistant(_) => None,
        })
        .collect();
    let expected = [("c1", Some("approval_denied")), ("c2", None), ("c3", Some("approval_expired"))];
    assert_eq!(answers, expected.map(|(id, code)| (id.to_owned(), code.map(str::to_owned))));
    let asked: Vec<String> = bench.person.asked().iter().map(|question| question.call_id.clone()).collect();
    assert_eq!(asked, ["c1", "c2", "c3"]);
}
