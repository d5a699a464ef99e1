//! A script that is rewritten while the question about it stands does not run (R33).

use assent_agent::approval::{Answer, Surface};
use assent_policy::Mode;
use e2e::{Desk, ScriptedModel, World, call, calls, text};
use serde_json::json;

const ALLOW: Answer = Answer::Allowed { surface: Surface::Dialog };

/// Ways to run `deploy` or `lib/setup.sh`, and the one of them that changes meanwhile.
const WAYS: &[(&str, &str)] = &[
    ("bash deploy", "deploy"),
    ("bash -e ./deploy", "deploy"),
    ("bash -o errexit deploy", "deploy"),
    ("bash -eo pipefail deploy", "deploy"),
    ("bash --posix deploy now", "deploy"),
    ("env -i bash deploy", "deploy"),
    ("cd lib && bash setup.sh", "lib/setup.sh"),
    ("bash -c 'bash deploy'", "deploy"),
    ("source deploy", "deploy"),
    (". lib/setup.sh", "lib/setup.sh"),
    ("bash --rcfile lib/setup.sh deploy", "lib/setup.sh"),
    ("bash < deploy", "deploy"),
    ("bash -s now < deploy", "deploy"),
    ("cat deploy | bash", "deploy"),
    ("cat deploy | sed s/a/a/ | sh -x", "deploy"),
    ("perl -w deploy", "deploy"),
    ("perl5.36 -Ilib deploy", "deploy"),
    ("python3 -W ignore deploy", "deploy"),
    ("node --conditions dev deploy", "deploy"),
    ("make -f deploy all", "deploy"),
    ("awk -f deploy lib/data", "deploy"),
    ("./link", "deploy"),
    ("bash link", "deploy"),
];

const HARMLESS: &str = "echo harmless > made\n";

fn world() -> World {
    let world = World::new();
    world.write("deploy", HARMLESS);
    world.write("lib/setup.sh", HARMLESS);
    world.write("lib/data", "data\n");
    std::os::unix::fs::symlink("deploy", world.workspace().join("link")).expect("a link");
    world
}

#[tokio::test]
async fn a_rewritten_script_is_stale() {
    for (command, script) in WAYS {
        let world = world();
        let path = world.workspace().join(script);
        let model =
            ScriptedModel::new([calls([call("c1", "shell", json!({ "command": command }))]), text("Done.")]);
        let desk = Desk::new(world, Mode::Balanced, "", model);
        desk.person.will_after(move |_| std::fs::write(path, "echo evil > made\n").expect("rewrite"), ALLOW);
        desk.say("go").await;
        assert_eq!(desk.person.asked().len(), 1, "{command}");
        assert_eq!(desk.answer("c1").error_code.as_deref(), Some("stale_or_revoked"), "{command}");
        assert_eq!(desk.world.read("made"), None, "{command}");
    }
}

/// The control: the same question about a script that nobody touched, beside a log that grows.
#[tokio::test]
async fn an_untouched_script_runs() {
    let world = world();
    let log = world.workspace().join("lib/data");
    let command = "bash -e deploy lib/data";
    let model =
        ScriptedModel::new([calls([call("c1", "shell", json!({ "command": command }))]), text("Done.")]);
    let desk = Desk::new(world, Mode::Balanced, "", model);
    desk.person.will_after(move |_| std::fs::write(log, "data\nmore\n").expect("grow"), ALLOW);
    desk.say("go").await;
    assert_eq!(desk.answer("c1").error_code, None);
    assert_eq!(desk.world.read("made").as_deref(), Some("harmless\n"));
}
