//! Another self-test of the sandbox counts for sessions that are open.

use assent_agent::approval::{Answer, Surface};
use assent_policy::Mode;
use e2e::{Desk, ScriptedModel, World, call, calls, text};
use serde_json::json;

/// R50: what ran by itself in the sandbox is asked once the sandbox is seen not to hold, and runs by itself again once
/// it holds again.
#[tokio::test]
async fn what_needed_the_sandbox_is_asked_without_it() {
    let make = |id, file| calls(vec![call(id, "shell", json!({"command": format!("touch {file}")}))]);
    let script = ScriptedModel::new(vec![
        make("held", "a"),
        text("done"),
        make("gone", "b"),
        text("done"),
        make("back", "c"),
        text("done"),
    ]);
    let desk = Desk::new(World::new(), Mode::Sandboxed, "", script);
    let there = |file: &str| desk.world.workspace().join(file).exists();

    desk.say("make a").await;
    assert!(there("a") && desk.person.asked().is_empty());

    desk.sandbox.tested(false);
    desk.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    desk.say("make b").await;
    assert_eq!(desk.person.asked().len(), 1);
    assert!(!there("b"), "denied, so it did not run");

    desk.sandbox.tested(true);
    desk.say("make c").await;
    assert!(there("c") && desk.person.asked().len() == 1);
}
