//! The loop's typed ends, and a history that is valid at each request.

use assent_agent::advice::Advisor;
use assent_agent::approval::{Answer, Surface};
use assent_agent::event::{Event, Outcome};
use assent_agent::hooks::Stopping;
use assent_agent::model::history::check;
use assent_agent::model::{Message, ModelError, Reply, StopReason, ToolMessage};
use assent_agent::turn::{History as _, Limits, STOP_HOOK};
use assent_policy::{PreparedCall, ToolEffect, Verdict};
use async_trait::async_trait;
use e2e::{Bench, ScriptedModel, World, bench, bench_with, call, calls, desk, text};
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn probe_call(id: &str, path: &str) -> Reply {
    calls([call(id, "probe", json!({"path": path}))])
}

fn assert_paired(bench: &Bench) {
    check(&bench.history.messages().expect("messages")).expect("a valid history");
}

/// R3: each end is its own outcome; a cut reply is never an answer.
#[tokio::test]
async fn each_end_is_typed() {
    let cut = |stop| Reply { text: "half".to_owned(), stop, ..probe_call("c1", "a") };
    let failed = Reply {
        stop: StopReason::Error,
        error: Some(ModelError {
            code: "overloaded",
            message: "busy".to_owned(),
            retryable: true,
            retry_after_ms: None,
        }),
        ..text("half")
    };
    let table = [
        (text("All good."), Outcome::Completed, "All good.", None),
        (text("  "), Outcome::Incomplete, "", Some("empty_reply")),
        (cut(StopReason::Length), Outcome::Incomplete, "", Some("length")),
        (cut(StopReason::ContentFilter), Outcome::Incomplete, "", Some("content_filter")),
        (failed, Outcome::ProviderError, "", Some("overloaded")),
    ];
    for (reply, outcome, answer, code) in table {
        let bench = bench(ToolEffect::Write);
        let finished = bench.turn(ScriptedModel::new([reply])).await;
        assert_eq!((finished.outcome, finished.final_text.as_str()), (outcome, answer));
        assert_eq!(finished.error_code.as_deref(), code);
        assert_eq!(
            (bench.probe.runs(), bench.person.asked().len()),
            (0, 0),
            "a call of a cut reply never runs"
        );
        assert_paired(&bench);
    }
}

/// R3: a denial doesn't end the run; the model reads why and goes on.
#[tokio::test]
async fn a_denial_goes_back_to_the_model() {
    let bench = bench(ToolEffect::Write);
    bench.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    let model = ScriptedModel::new([probe_call("c1", "a"), text("Then not.")]);
    let finished = bench.turn(model.clone()).await;
    assert_eq!((finished.outcome, finished.final_text.as_str()), (Outcome::Completed, "Then not."));
    assert_eq!(model.requests().len(), 2);
    assert_paired(&bench);
}

/// R22: three denials in a row of one operation, or ten in a run, end it.
#[tokio::test]
async fn the_circuit_breaker_trips() {
    let bench1 = bench(ToolEffect::Write);
    bench1.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    let model = ScriptedModel::new((0..5).map(|n| probe_call(&format!("c{n}"), "same")));
    let finished = bench1.turn(model.clone()).await;
    assert_eq!(
        (finished.outcome, finished.error_code.as_deref()),
        (Outcome::CircuitBreaker, Some("repeated_denial"))
    );
    assert_eq!((model.requests().len(), bench1.person.asked().len()), (3, 1));
    assert_paired(&bench1);

    let bench2 = bench(ToolEffect::Write);
    for _ in 0..12 {
        bench2.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    }
    let model = ScriptedModel::new((0..12).map(|n| probe_call(&format!("c{n}"), &format!("f{n}"))));
    let finished = bench2.turn(model.clone()).await;
    assert_eq!(
        (finished.outcome, finished.error_code.as_deref()),
        (Outcome::CircuitBreaker, Some("too_many_denials"))
    );
    assert_eq!(model.requests().len(), 10);
    assert_eq!(bench2.probe.runs(), 0);
}

/// Calls that can't be read three times in a row end the run instead of looping.
#[tokio::test]
async fn unreadable_calls_end_the_run() {
    let bench = bench(ToolEffect::Write);
    let model = ScriptedModel::new((0..5).map(|n| calls([call(&format!("c{n}"), "probe", json!("cut"))])));
    let finished = bench.turn(model.clone()).await;
    assert_eq!(finished.error_code.as_deref(), Some("malformed_tool_call"));
    assert_eq!(model.requests().len(), 3);
    assert_paired(&bench);
}

/// R3: the turn limit.
#[tokio::test]
async fn the_turn_limit_ends_the_run() {
    let bench = bench(ToolEffect::Write);
    for _ in 0..200 {
        bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    }
    let model = ScriptedModel::new((0..200).map(|n| probe_call(&format!("c{n}"), &format!("f{n}"))));
    let finished = bench.turn(model).await;
    assert_eq!((finished.outcome, finished.turns), (Outcome::TurnLimit, 100));
    assert_eq!(bench.probe.runs(), 100);
    assert_paired(&bench);
}

/// R4: effect, risk and handler never go to the model.
#[tokio::test]
async fn the_model_sees_name_description_and_schema_only() {
    let bench = bench(ToolEffect::Write);
    let model = ScriptedModel::new([text("hi")]);
    bench.turn(model.clone()).await;
    let offered = serde_json::to_value(&model.requests()[0].tools).expect("json");
    let keys: Vec<&String> = offered[0].as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["name", "description", "schema"]);
}

/// R2 R53: an answer that could not be stored doesn't end the session: the next words come behind one that says what is
/// known. So do they where an earlier build stored them in front of it.
#[tokio::test]
async fn a_session_goes_on_after_its_store_failed() {
    let bench = bench(ToolEffect::Read);
    bench.history.refuse_answers(true);
    let finished = bench.turn(ScriptedModel::new([probe_call("c1", "a")])).await;
    assert_eq!((finished.error_code.as_deref(), bench.probe.runs()), (Some("history"), 1));
    let finished = bench.turn(ScriptedModel::new([text("Not asked.")])).await;
    assert_eq!(finished.error_code.as_deref(), Some("history"), "still full");
    bench.history.refuse_answers(false);
    let finished = bench.turn(ScriptedModel::new([text("On we go.")])).await;
    assert_eq!(finished.final_text, "On we go.");
    assert_paired(&bench);
    let messages = bench.history.messages().expect("messages");
    let Message::Tool(answer) = &messages[2] else { panic!("{messages:?}") };
    assert_eq!(answer.error_code.as_deref(), Some("outcome_unknown"));

    let out_of_place = bench_of_old(&messages);
    let model = ScriptedModel::new([text("On we go.")]);
    assert_eq!(out_of_place.turn(model.clone()).await.final_text, "On we go.");
    check(&model.requests()[0].messages).expect("a valid request");
}

/// The same conversation, the person's words in front of the answer.
fn bench_of_old(messages: &[Message]) -> Bench {
    let bench = bench(ToolEffect::Read);
    for place in [0, 1, 3, 2] {
        bench.history.append(&messages[place]).expect("stored");
    }
    bench
}

/// R42 R52: an id that comes twice in a session gets another: outputs and records are kept by it.
#[tokio::test]
async fn an_id_that_comes_twice_is_replaced() {
    let bench = bench(ToolEffect::Read);
    let model = ScriptedModel::new([probe_call("c1", "a"), probe_call("c1", "b"), text("Done.")]);
    let finished = bench.turn(model).await;
    assert_eq!((finished.outcome, bench.probe.runs()), (Outcome::Completed, 2));
    assert_paired(&bench);
    assert_eq!(bench.audit.story("c1").matches("start").count(), 1);
}

/// A session lives for days, and its settings change meanwhile: each run has the model, the limits and the date of its
/// beginning.
#[tokio::test]
async fn a_run_begins_with_what_holds_by_then() {
    let desk = desk(World::new(), ScriptedModel::default());
    desk.say("hello").await;
    let listing = |id| calls([call(id, "list_dir", json!({"path": "."}))]);
    let model = ScriptedModel::new([listing("c1"), listing("c2")]);
    let limits = Limits { turns: 1, ..Limits::default() };
    desk.session.begin_with(Arc::new(model.clone()), None, limits, "2026-12-01".to_owned());
    assert_eq!(desk.say("list").await.outcome, Outcome::TurnLimit);
    let requests = model.requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].system.contains("Date: 2026-12-01."), "{}", requests[0].system);
}

/// R23: a session that is open already has the reviewer of the settings from its next run on.
#[tokio::test]
async fn a_changed_reviewer_counts_from_the_next_run_on() {
    let writing = |id| calls([call(id, "write_file", json!({"path": "a.txt", "content": "x"}))]);
    let desk = desk(World::new(), ScriptedModel::default());
    desk.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    let says = |verdict: &str| {
        ScriptedModel::new([text(&format!("{{\"verdict\": \"{verdict}\", \"reason\": \"R.\"}}"))])
    };
    let (first, second) = (says("deny"), says("deny"));
    for (id, reviewer, asked) in
        [("c1", Some(&first), [1, 0]), ("c2", Some(&second), [1, 1]), ("c3", None, [1, 1])]
    {
        let model = ScriptedModel::new([writing(id), text("Then not.")]);
        let reviewer = reviewer.map(|reviewer| Arc::new(reviewer.clone()) as Arc<_>);
        desk.session.begin_with(Arc::new(model), reviewer, Limits::default(), "2026-12-01".to_owned());
        desk.say("write").await;
        let code = if id == "c3" { "approval_denied" } else { "permission_denied" };
        assert_eq!(desk.answer(id).error_code.as_deref(), Some(code), "{id}");
        assert_eq!([first.requests().len(), second.requests().len()], asked, "{id}");
    }
    assert!(!desk.world.workspace().join("a.txt").exists());
}

/// Keeps each run going once.
struct OnceMore;

#[async_trait]
impl Advisor for OnceMore {
    fn concerns(&self, _call: &PreparedCall) -> bool {
        false
    }

    async fn before(&self, _: &PreparedCall, _: &str, _: &CancellationToken) -> Vec<Verdict> {
        Vec::new()
    }

    async fn after(&self, _: &PreparedCall, _: &ToolMessage, _: &CancellationToken) -> Vec<String> {
        Vec::new()
    }

    async fn stopping(&self, again: bool, _: &CancellationToken) -> Stopping {
        let go_on = (!again).then(|| "Hook `check`: Test it.".to_owned());
        Stopping { go_on, failures: Vec::new() }
    }
}

/// R21: what a hook says to keep a run going is told and stored as the hook's, never as the person's.
#[tokio::test]
async fn what_keeps_a_run_going_is_the_hooks() {
    let bench = bench_with(ToolEffect::Read, Arc::new(OnceMore));
    let finished = bench.turn(ScriptedModel::new([text("Done."), text("Tested.")])).await;
    assert_eq!(finished.final_text, "Tested.");
    let said: Vec<(String, bool)> = bench
        .history
        .messages()
        .unwrap()
        .into_iter()
        .filter_map(|message| match message {
            Message::User { text, by_hook, .. } => Some((text, by_hook)),
            Message::Assistant(_) | Message::Tool(_) => None,
        })
        .collect();
    let words = "Hook `check`: Test it.".to_owned();
    assert_eq!(said, [("hello".to_owned(), false), (words.clone(), true)]);
    let events = bench.events.lock().unwrap();
    let told = events.iter().filter_map(|event| match event {
        Event::Warning { code: STOP_HOOK, message } => Some(message),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), [&words]);
}
