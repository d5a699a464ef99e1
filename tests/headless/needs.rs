//! What a command asks for beyond its profile: the person sees exactly that, and it gets exactly that, or nothing runs.

use assent_agent::approval::{Answer, Surface};
use assent_policy::Mode;
use e2e::{Desk, ScriptedModel, World, call, calls, text};
use serde_json::{Value, json};
use std::net::TcpListener;

const ALLOW: Answer = Answer::Allowed { surface: Surface::Dialog };
const DENY: Answer = Answer::Denied { surface: Surface::Dialog, words: None };

struct Case {
    needs: Value,
    /// With `$ELSEWHERE` for a folder outside, `$PORT` for a free port.
    command: &'static str,
    /// The lines that the answer holds where it was allowed.
    says: &'static str,
    /// What is in the file outside afterwards.
    outside: &'static str,
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            needs: json!({"read": ["$ELSEWHERE/file"]}),
            command: "cat $ELSEWHERE/file; echo x >> $ELSEWHERE/file || echo unwritten",
            says: "before\nunwritten",
            outside: "before\n",
        },
        Case {
            needs: json!({"read": [".env"]}),
            command: "cat .env; echo x >> $ELSEWHERE/file || echo unwritten",
            says: "TOKEN\nunwritten",
            outside: "before\n",
        },
        Case {
            needs: json!({"write": ["$ELSEWHERE"]}),
            command: "echo after > $ELSEWHERE/file; cat $ELSEWHERE/file",
            says: "after",
            outside: "after\n",
        },
        Case {
            needs: json!({"hosts": ["example.org"]}),
            command: "test -n \"$HTTPS_PROXY\" && echo through a proxy; echo x >> $ELSEWHERE/file || echo unwritten",
            says: "through a proxy\nunwritten",
            outside: "before\n",
        },
        Case {
            needs: json!({"listen": ["$PORT"]}),
            command: "perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(LocalAddr => \"127.0.0.1:$PORT\", Listen => 1) ? \"listens\\n\" : \"no\\n\"'; echo x >> $ELSEWHERE/file || echo unwritten",
            says: "listens\nunwritten",
            outside: "before\n",
        },
        Case {
            needs: json!({"unsandboxed": true}),
            command: "cat .env; echo after > $ELSEWHERE/file",
            says: "TOKEN",
            outside: "after\n",
        },
    ]
}

/// R50, R17, R30: each need asks, is shown, and opens just what it names; refused, nothing of the command happens.
#[tokio::test]
async fn each_need_is_asked_for_and_gives_just_what_it_names() {
    for case in cases() {
        let world = World::new();
        world.write(".env", "TOKEN\n");
        let file = world.folder("elsewhere").join("file");
        std::fs::write(&file, "before\n").expect("a file outside");
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let fill = |text: &str| {
            let elsewhere = world.folder("elsewhere").to_string_lossy().into_owned();
            text.replace("\"$PORT\"", &port.to_string())
                .replace("$PORT", &port.to_string())
                .replace("$ELSEWHERE", &elsewhere)
        };
        let command = fill(case.command);
        let needs: Value = serde_json::from_str(&fill(&case.needs.to_string())).expect("needs");
        let wanting = |command: &str| json!({"command": command, "needs": needs});
        let model = ScriptedModel::new([
            calls([
                call("refused", "shell", wanting(&format!("true; {command}"))),
                call("allowed", "shell", wanting(&command)),
            ]),
            text("Done."),
        ]);
        let untouched = world.folder("elsewhere").join("file");
        let desk = Desk::new(world, Mode::Sandboxed, "", model);
        desk.person.will(DENY);
        desk.person.will_after(
            move |_| assert_eq!(std::fs::read_to_string(untouched).expect("the file"), "before\n"),
            ALLOW,
        );
        desk.say("go").await;

        let asked = desk.person.asked();
        let shown: Vec<Value> = asked
            .iter()
            .map(|question| serde_json::to_value(&question.request.needs).expect("needs"))
            .collect();
        assert_eq!(shown.len(), 2, "{needs}");
        for shown in &shown {
            for (kind, wanted) in needs.as_object().expect("an object") {
                assert_eq!(shown.get(kind), Some(wanted), "{shown}");
            }
        }
        assert_eq!(desk.answer("refused").error_code.as_deref(), Some("approval_denied"), "{needs}");
        let answer = desk.answer("allowed").content;
        assert!(case.says.lines().all(|said| answer.lines().any(|line| line == said)), "{needs}: {answer}");
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), case.outside, "{needs}");
    }
}
