//! A sub-agent works through the same gate, with the same rules, under a name that every dialog shows.

use assent_agent::approval::{Answer, Surface};
use assent_agent::audit::Phase;
use assent_agent::event::{Event, Outcome};
use assent_agent::model::Message;
use assent_policy::Origin;
use e2e::{Desk, ScriptedModel, World, call, calls, desk, text};
use serde_json::json;

const ALLOW: Answer = Answer::Allowed { surface: Surface::Dialog };
const DENY: Answer = Answer::Denied { surface: Surface::Dialog, words: None };

fn task(id: &str) -> assent_agent::model::ProposedCall {
    call(id, "task", json!({"name": "find notes", "prompt": "Look into a.txt and write notes."}))
}

/// R1 R30 R40: each call of a sub-agent is judged, asked about by name, and recorded as any other.
#[tokio::test]
async fn its_calls_go_through_the_gate() {
    let world = World::new();
    world.write("a.txt", "secret word: plum\n");
    let model = ScriptedModel::new([
        calls([task("t1")]),
        calls([call("x", "read_file", json!({"path": "a.txt"}))]),
        calls([
            call("x", "write_file", json!({"path": "notes.txt", "content": "plum\n"})),
            call("y", "write_file", json!({"path": "../outside.txt", "content": "plum\n"})),
        ]),
        text("It says plum."),
        text("Done."),
    ]);
    let desk = desk(world, model.clone());
    desk.person.will(ALLOW);
    let finished = desk.say("go").await;
    assert_eq!((finished.outcome, finished.final_text.as_str()), (Outcome::Completed, "Done."));
    assert_eq!(desk.world.read("notes.txt").as_deref(), Some("plum\n"));
    assert!(desk.answer("t1").content.ends_with("It says plum."), "{}", desk.answer("t1").content);

    let asked = desk.person.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].call.origin, Origin::SubAgent { name: "find notes".to_owned() });
    assert!(
        asked[0].request.display().join("\n").contains("find notes"),
        "{}",
        asked[0].request.display().join("\n")
    );

    assert_eq!(desk.audit.story("t1-1"), "intent · decision:allow(default) · start · outcome:succeeded");
    assert_eq!(desk.audit.story("t1-2"), "intent · decision:allow(dialog) · start · outcome:succeeded");
    assert_eq!(
        desk.audit.story("t1-3"),
        "intent · decision:deny(workspace-boundary) · outcome:permission_denied"
    );
    let requests = model.requests();
    let of_child = &requests[1];
    assert_eq!(of_child.messages.len(), 1, "it starts from its prompt alone");
    assert!(of_child.tools.iter().all(|tool| tool.name != "task"), "it can't start others");
    assert!(requests[0].tools.iter().any(|tool| tool.name == "task"));
    let shown: Vec<Option<String>> = desk
        .events
        .lock()
        .expect("the events")
        .iter()
        .filter_map(|event| match event {
            Event::ToolCall { agent, .. } => Some(agent.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(shown.iter().filter(|agent| agent.as_deref() == Some("find notes")).count(), 3);
}

/// R32 R62: what a person denied the parent is denied its sub-agent, with no new question.
#[tokio::test]
async fn a_denial_holds_for_it_too() {
    let write = |id| call(id, "write_file", json!({"path": "b.txt", "content": "b\n"}));
    let model = ScriptedModel::new([
        calls([write("w")]),
        calls([task("t1")]),
        calls([write("w")]),
        text("It was denied."),
        text("Done."),
    ]);
    let desk = desk(World::new(), model);
    let before = desk.world.tree();
    desk.person.will(DENY);
    desk.person.will(ALLOW);
    desk.say("go").await;
    assert_eq!(desk.person.asked().len(), 1);
    assert_eq!(desk.audit.story("t1-1"), "intent · decision:deny(denied-before) · outcome:approval_denied");
    assert_eq!(desk.world.tree(), before);
}

/// R3 R53: a sub-agent that fails is an answer that says so, and the run goes on.
#[tokio::test]
async fn its_failure_is_an_answer() {
    let model = ScriptedModel::new([calls([task("t1")]), text("  "), text("Done.")]);
    let desk = desk(World::new(), model.clone());
    let finished = desk.say("go").await;
    assert_eq!(finished.outcome, Outcome::Completed);
    let answer = desk.answer("t1");
    assert_eq!(answer.error_code.as_deref(), Some("tool_execution_error"));
    assert!(answer.content.contains("did not finish"), "{}", answer.content);
    assert!(matches!(model.requests().last().expect("a request").messages.last(), Some(Message::Tool(_))));
}

/// R41: what a sub-agent's call did could not be recorded: the whole run stops, though the log writes again.
#[tokio::test]
async fn an_unrecorded_outcome_stops_the_whole_run() {
    let write = call("x", "write_file", json!({"path": "b.txt", "content": "b\n"}));
    let model =
        ScriptedModel::new([calls([task("t1")]), calls([write]), text("Not asked."), text("Not asked.")]);
    let desk = desk(World::new(), model.clone());
    desk.person.will(ALLOW);
    desk.audit.fail_once(Phase::Outcome);
    let finished = desk.say("go").await;
    assert_eq!(
        (finished.outcome, finished.error_code.as_deref()),
        (Outcome::ProviderError, Some("outcome_unknown"))
    );
    assert_eq!(model.requests().len(), 2, "nobody was asked to go on");
}

/// R5: a name that would not fit a dialog's line, or no task at all.
#[tokio::test]
async fn bad_tasks_are_refused_before_anything() {
    for arguments in [
        json!({}),
        json!({"name": "", "prompt": "x"}),
        json!({"name": "a\nb", "prompt": "x"}),
        json!({"name": "n".repeat(41), "prompt": "x"}),
        json!({"name": "a", "prompt": " "}),
        json!({"name": "a", "prompt": "x", "more": 1}),
        json!({"name": 7, "prompt": "x"}),
    ] {
        let model = ScriptedModel::new([calls([call("t", "task", arguments.clone())]), text("Done.")]);
        let desk: Desk = desk(World::new(), model);
        desk.say("go").await;
        assert_eq!(desk.answer("t").error_code.as_deref(), Some("invalid_arguments"), "{arguments}");
        assert_eq!(desk.audit.story("t"), "intent · outcome:invalid_arguments");
    }
}
