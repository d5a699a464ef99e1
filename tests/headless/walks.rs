//! The walks that the requirements tell, from the model's call to what is on the disk.

use assent_agent::approval::{Answer, Surface};
use assent_agent::event::Outcome;
use assent_policy::Mode;
use e2e::{Desk, ScriptedModel, World, call, calls, desk, text};
use serde_json::json;

const ALLOW: Answer = Answer::Allowed { surface: Surface::Dialog };
const DENY: Answer = Answer::Denied { surface: Surface::Dialog, words: None };

/// R10 R14 R16 R32 R40 R63: find, write twice, write outside, in one conversation.
#[tokio::test]
async fn find_write_and_escape() {
    let world = World::new();
    world.write("src/a.rs", "fn main() {}\n");
    let model = ScriptedModel::new([
        calls([call("a", "glob", json!({"pattern": "**/*.rs"}))]),
        calls([call("b1", "write_file", json!({"path": "notes.txt", "content": "one\n"}))]),
        calls([call("b2", "write_file", json!({"path": "notes.txt", "content": "two\n"}))]),
        calls([call("c", "write_file", json!({"path": "../outside.txt", "content": "x\n"}))]),
        text("Done."),
    ]);
    let rule = "version = 1\n[[rules]]\nname = \"ask-all\"\nbehavior = \"ask\"\ntools = [\"write_file\"]\nreason = \"Look twice.\"\n";
    let desk = Desk::new(world, Mode::Balanced, rule, model);
    desk.person.will(ALLOW);
    desk.person.will(DENY);
    let finished = desk.say("go").await;
    assert_eq!((finished.outcome, finished.final_text.as_str()), (Outcome::Completed, "Done."));

    assert_eq!(desk.audit.story("a"), "intent · decision:allow(default) · start · outcome:succeeded");
    assert!(desk.answer("a").content.contains("src/a.rs"));

    assert_eq!(desk.audit.story("b1"), "intent · decision:allow(dialog) · start · outcome:succeeded");
    assert_eq!(desk.audit.story("b2"), "intent · decision:deny(dialog) · outcome:approval_denied");
    assert_eq!(desk.world.read("notes.txt").as_deref(), Some("one\n"));

    assert_eq!(
        desk.audit.story("c"),
        "intent · decision:deny(workspace-boundary) · outcome:permission_denied"
    );
    assert_eq!(
        desk.answer("c").content,
        "Error [permission_denied]: Writing outside the workspace is forbidden"
    );
    let asked: Vec<String> = desk.person.asked().into_iter().map(|question| question.call_id).collect();
    assert_eq!(asked, ["b1", "b2"], "nobody was asked about the write outside");
    assert!(!desk.world.tree().keys().any(|name| name.contains("outside.txt")));
}

/// R11 R13 R15 R31: read inside, delete and be refused, a forbidden command, a key outside.
#[tokio::test]
async fn read_delete_and_forbidden() {
    let world = World::new();
    world.write("README.md", "# Hello\n");
    world.write("test.log", "log\n");
    let model = ScriptedModel::new([calls([
        call("read", "read_file", json!({"path": "README.md"})),
        call("rm", "shell", json!({"command": "rm test.log"})),
        call("sudo", "shell", json!({"command": "sudo reboot"})),
        call("key", "read_file", json!({"path": "../../.ssh/id_rsa"})),
    ])]);
    let desk = desk(world, model);
    let before = desk.world.tree();
    desk.person.will(DENY);
    desk.say("go").await;
    assert!(desk.answer("read").content.contains("# Hello"));
    assert_eq!(desk.answer("rm").error_code.as_deref(), Some("approval_denied"));
    assert_eq!(desk.audit.story("sudo"), "intent · decision:deny(hard-deny) · outcome:permission_denied");
    assert_eq!(desk.audit.story("key"), "intent · decision:deny(workspace-boundary) · outcome:path_escape");
    let asked: Vec<String> = desk.person.asked().into_iter().map(|question| question.call_id).collect();
    assert_eq!(asked, ["rm"]);
    assert_eq!(desk.world.tree(), before);
}

/// R17 R50: a command that is proven read-only runs unasked, in a sandbox that can't write; in strict it asks.
#[tokio::test]
async fn listing_runs_unasked_in_balanced_and_asks_in_strict() {
    for (mode, asked) in [(Mode::Balanced, 0), (Mode::Strict, 1)] {
        let world = World::new();
        world.write("a.txt", "x\n");
        let model = ScriptedModel::new([calls([call("ls", "shell", json!({"command": "ls -la"}))])]);
        let desk = Desk::new(world, mode, "", model);
        desk.person.will(ALLOW);
        desk.say("go").await;
        assert!(desk.answer("ls").content.contains("a.txt"), "{}", desk.answer("ls").content);
        assert_eq!(desk.person.asked().len(), asked, "{mode:?}");
    }
}

/// R34 R40 R62: refused by policy, refused by a person, not found, succeeded, revoked: each its code and its records.
#[tokio::test]
async fn five_ways_to_end() {
    let world = World::new();
    world.write("a.txt", "a\n");
    let model = ScriptedModel::new([calls([
        call("policy", "shell", json!({"command": "git push origin main"})),
        call("person", "shell", json!({"command": "touch b.txt"})),
        call("missing", "read_file", json!({"path": "none.txt"})),
        call("well", "edit_file", json!({"path": "a.txt", "old_string": "a", "new_string": "b"})),
        call("revoked", "shell", json!({"command": "touch c.txt"})),
    ])]);
    let policy = "version = 1\n[[rules]]\nname = \"no-push\"\nbehavior = \"deny\"\ntools = [\"shell\"]\ncommands = [\"git push *\"]\nreason = \"Pushing is done by hand.\"\n";
    let desk = Desk::new(world, Mode::Balanced, policy, model);
    desk.person.will(DENY);
    desk.person.will(ALLOW);
    let file = desk.world.folder("home").join(".config/assent/policy.toml");
    desk.person.will_after(
        move |_| {
            let stricter = "version = 1\n[[rules]]\nname = \"no-touch\"\nbehavior = \"deny\"\ntools = [\"shell\"]\nreason = \"No more commands.\"\n";
            std::fs::write(file, stricter).expect("write the policy");
        },
        ALLOW,
    );
    desk.say("go").await;
    let code = |call: &str| desk.answer(call).error_code;
    assert_eq!(code("policy").as_deref(), Some("permission_denied"));
    assert!(desk.answer("policy").content.contains("Pushing is done by hand."));
    assert_eq!(code("person").as_deref(), Some("approval_denied"));
    assert_eq!(code("missing").as_deref(), Some("file_not_found"));
    assert_eq!(code("well"), None, "{}", desk.answer("well").content);
    assert_eq!(code("revoked").as_deref(), Some("stale_or_revoked"));
    for (call, story) in [
        ("policy", "intent · decision:deny(rules:no-push) · outcome:permission_denied"),
        ("person", "intent · decision:deny(dialog) · outcome:approval_denied"),
        ("missing", "intent · decision:allow(default) · start · outcome:file_not_found"),
        ("well", "intent · decision:allow(dialog) · start · outcome:succeeded"),
        ("revoked", "intent · decision:deny(recheck) · outcome:stale_or_revoked"),
    ] {
        assert_eq!(desk.audit.story(call), story);
    }
    assert_eq!(desk.world.read("a.txt").as_deref(), Some("b\n"));
    assert!(desk.world.read("b.txt").is_none() && desk.world.read("c.txt").is_none());
}

/// The tour is a model like any other: the same conversation, its answers taken from a script, ends the same.
#[tokio::test]
async fn the_tour_shows_an_approval_a_denial_and_a_refusal() {
    let world = World::new();
    world.write("README.md", "# A project\n");
    let tour = assent_agent::model::Tour::new(assent_agent::model::TourLanguage::English);
    let desk = Desk::new(world, Mode::Balanced, "", tour);
    desk.person.will(ALLOW);
    desk.person.will(DENY);
    let finished = desk.say("Show me.").await;
    assert_eq!(finished.outcome, Outcome::Completed);
    assert!(desk.world.read("assent-tour.md").is_some(), "what was allowed is there");
    let decisions: Vec<String> = desk
        .audit
        .entries()
        .into_iter()
        .filter(|entry| entry.phase == assent_agent::audit::Phase::Decision)
        .map(|entry| format!("{} {}", entry.behavior, entry.source))
        .collect();
    assert!(decisions.contains(&"allow dialog".to_owned()), "{decisions:?}");
    assert!(decisions.contains(&"deny hard-deny".to_owned()), "{decisions:?}");
    assert!(decisions.contains(&"deny workspace-boundary".to_owned()), "{decisions:?}");
    assert!(!desk.world.tree().keys().any(|name| name.contains("outside")));
}

/// R12 R54: what a rule keeps from being read, a search over the folder leaves out and says so; a shell search asks.
#[tokio::test]
async fn a_search_leaves_out_what_a_rule_keeps() {
    let world = World::new();
    world.write("src/a.rs", "needle\n");
    world.write("src/plans.secret", "needle\n");
    let model = ScriptedModel::new([
        calls([call("a", "grep", json!({"pattern": "needle"}))]),
        calls([call("b", "glob", json!({"pattern": "**/*"}))]),
        calls([call("c", "read_file", json!({"path": "src/plans.secret"}))]),
        calls([call("d", "shell", json!({"command": "grep -rn needle ."}))]),
        calls([call("e", "shell", json!({"command": "grep -rn needle src"}))]),
        text("Done."),
    ]);
    let rule = "version = 1\n[[rules]]\nname = \"plans\"\nbehavior = \"deny\"\ntools = [\"read_file\"]\npaths = [\"**/*.secret\"]\nreason = \"Not for models.\"\n";
    let desk = Desk::new(world, Mode::Balanced, rule, model);
    desk.say("go").await;

    let note = "[1 file that a rule keeps from being read was left out: src/plans.secret]";
    assert_eq!(desk.answer("a").content, format!("src/a.rs:1: needle\n[1 line matches.]\n{note}"));
    assert_eq!(desk.answer("b").content, format!("src/a.rs\n{note}"));
    for refused in ["c", "d", "e"] {
        assert!(desk.answer(refused).is_error, "{refused}");
        assert!(!desk.answer(refused).content.contains("needle"), "{refused}");
    }
    assert!(desk.audit.story("c").contains("decision:deny(rules:plans)"));
    assert_eq!(desk.person.asked().len(), 2);
}
