//! What fails means that nothing runs, and the history stays paired.

use assent_agent::approval::{Answer, Surface};
use assent_agent::audit::Phase;
use assent_agent::event::{Event, Outcome};
use assent_policy::ToolEffect;
use e2e::{ScriptedModel, bench, call, calls};
use serde_json::json;

/// R41 R62: the log fails at each phase: what ran, what the model reads.
#[tokio::test]
async fn without_a_record_nothing_runs() {
    let table = [
        (Phase::Intent, 0, 0, "permission_evaluation_error"),
        (Phase::Decision, 1, 0, "permission_evaluation_error"),
        (Phase::Start, 1, 0, "permission_evaluation_error"),
        (Phase::Outcome, 1, 1, "outcome_unknown"),
    ];
    for (phase, asked, runs, code) in table {
        let bench = bench(ToolEffect::Write);
        bench.person.will(Answer::Allowed { surface: Surface::Dialog });
        bench.audit.fail_on(Some(phase));
        let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
        assert_eq!(answered.message.error_code.as_deref(), Some(code), "{phase:?}");
        assert_eq!((bench.person.asked().len(), bench.probe.runs()), (asked, runs), "{phase:?}");
        assert_eq!(answered.halt, phase == Phase::Outcome);
    }
}

/// After an outcome that could not be recorded nothing new runs until the log writes again.
#[tokio::test]
async fn an_unrecorded_outcome_halts_until_the_log_writes_again() {
    let bench = bench(ToolEffect::Write);
    for _ in 0..3 {
        bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    }
    bench.audit.fail_on(Some(Phase::Outcome));
    let model = ScriptedModel::new([calls([
        call("c1", "probe", json!({"path": "a"})),
        call("c2", "probe", json!({"path": "b"})),
    ])]);
    let finished = bench.turn(model.clone()).await;
    assert_eq!(
        (finished.outcome, finished.error_code.as_deref()),
        (Outcome::ProviderError, Some("outcome_unknown"))
    );
    assert_eq!(
        (bench.probe.runs(), model.requests().len()),
        (1, 1),
        "the second call and a second request never began"
    );

    bench.audit.fail_on(Some(Phase::Event));
    let refused = bench.gate.run(&call("c3", "probe", json!({"path": "c"})), &bench.run).await;
    assert_eq!(refused.message.error_code.as_deref(), Some("permission_evaluation_error"));
    assert_eq!(bench.probe.runs(), 1);

    bench.audit.fail_on(None);
    let ran = bench.gate.run(&call("c4", "probe", json!({"path": "d"})), &bench.run).await;
    assert!(!ran.message.is_error, "{}", ran.message.content);
    assert_eq!(bench.probe.runs(), 2);
}

/// R12: circumstances that can't be known deny, with no question.
#[tokio::test]
async fn unknown_circumstances_deny() {
    let bench = bench(ToolEffect::Write);
    bench.circumstances.break_with("policy.toml, line 3: not a behavior");
    let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a"})), &bench.run).await;
    assert_eq!(
        answered.message.content,
        "Error [permission_evaluation_error]: policy.toml, line 3: not a behavior"
    );
    assert_eq!((bench.probe.runs(), bench.person.asked().len()), (0, 0));
    assert_eq!(
        bench.audit.story("c1"),
        "intent · decision:deny(rules) · outcome:permission_evaluation_error"
    );
}

/// R6: a handler's known failure, its panic and its malformed result each have their code.
#[tokio::test]
async fn a_failing_tool_fails_its_call_only() {
    let table = [
        ("fail", "Error [file_not_found]: as asked"),
        ("panic", "Error [tool_execution_error]: The tool failed in an unexpected way."),
        ("nul", "Error [invalid_tool_result]: The tool's result holds a NUL character."),
    ];
    for (path, text) in table {
        let bench = bench(ToolEffect::Write);
        bench.person.will(Answer::Allowed { surface: Surface::Dialog });
        let answered = bench.gate.run(&call("c1", "probe", json!({"path": path})), &bench.run).await;
        assert_eq!(answered.message.content, text);
        assert_eq!(bench.probe.runs(), 1);
    }
}

/// Stop while a call waits behind another: it never begins, and it is answered.
#[tokio::test]
async fn stop_answers_what_has_not_begun() {
    let bench = bench(ToolEffect::Write);
    let cancel = bench.run.cancel.clone();
    bench.person.will_after(move |_| cancel.cancel(), Answer::Withdrawn);
    let model = ScriptedModel::new([calls([
        call("c1", "probe", json!({"path": "a"})),
        call("c2", "probe", json!({"path": "b"})),
    ])]);
    let finished = bench.turn(model).await;
    assert_eq!(finished.outcome, Outcome::Cancelled);
    assert_eq!((bench.probe.runs(), bench.person.asked().len()), (0, 1));
    assert_eq!(bench.audit.story("c2"), "intent · outcome:cancelled");
    let answered = bench
        .events
        .lock()
        .expect("events")
        .iter()
        .filter(|it| matches!(it, Event::ToolResult { .. }))
        .count();
    assert_eq!(answered, 2);
}
