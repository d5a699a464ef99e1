//! One test per thing that an approval is bound to: changed between the answer and the start, nothing runs (R33).

use assent_agent::approval::{Answer, Surface};
use assent_policy::{Context, Mode, SandboxState, ToolEffect};
use e2e::{bench, call};
use serde_json::json;
use std::sync::Arc;

type Edit = fn(&mut Context);

/// R32 R33: each circumstance of the digest.
#[tokio::test]
async fn a_changed_circumstance_is_stale() {
    let table: [(&str, Edit); 6] = [
        ("policy version", |context| context.policy_version = "v2".to_owned()),
        ("user", |context| context.user = "other".to_owned()),
        ("workspace", |context| context.workspace = "/elsewhere".to_owned()),
        ("environment", |context| context.environment.push("LANG".to_owned())),
        ("search path", |context| context.search_path.reverse()),
        ("sandbox", |context| context.sandbox = SandboxState::NotInForce),
    ];
    for (what, edit) in table {
        let bench = bench(ToolEffect::Write);
        let before = bench.world.tree();
        let circumstances = Arc::clone(&bench.circumstances);
        bench
            .person
            .will_after(move |_| circumstances.change(edit), Answer::Allowed { surface: Surface::Dialog });
        let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
        assert_eq!(answered.message.error_code.as_deref(), Some("stale_or_revoked"), "{what}");
        assert_eq!(bench.probe.runs(), 0, "{what}");
        assert_eq!(bench.world.tree(), before, "{what}");
        assert_eq!(
            bench.audit.story("c1"),
            "intent · decision:deny(recheck) · outcome:stale_or_revoked",
            "{what}"
        );
    }
}

/// R33: the file that would be overwritten is not the one that was shown.
#[tokio::test]
async fn a_changed_target_is_stale() {
    type Swap = fn(&std::path::Path, &std::path::Path);
    let table: [(&str, Swap); 4] = [
        ("content", |file, _| std::fs::write(file, "other\n").expect("write")),
        ("another file of equal content", |file, _| {
            std::fs::write(file.with_extension("new"), "old\n").expect("write");
            std::fs::rename(file.with_extension("new"), file).expect("rename");
        }),
        ("removed", |file, _| std::fs::remove_file(file).expect("remove")),
        ("a link", |file, outside| {
            std::fs::remove_file(file).expect("remove");
            std::os::unix::fs::symlink(outside.join("t"), file).expect("link");
        }),
    ];
    for (what, swap) in table {
        let bench = bench(ToolEffect::Write);
        bench.world.write("a.txt", "old\n");
        let (file, outside) = (bench.world.workspace().join("a.txt"), bench.world.folder("elsewhere"));
        std::fs::write(outside.join("t"), "theirs\n").expect("write");
        bench.person.will_after(move |_| swap(&file, &outside), Answer::Allowed { surface: Surface::Dialog });
        let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
        assert_eq!(answered.message.error_code.as_deref(), Some("stale_or_revoked"), "{what}");
        assert_eq!(bench.probe.runs(), 0, "{what}");
        assert_eq!(
            std::fs::read_to_string(bench.world.folder("elsewhere").join("t")).expect("read"),
            "theirs\n"
        );
    }
}

/// R33: an approval is for what was shown, not for the name under which the model proposed it.
#[tokio::test]
async fn another_call_under_the_same_id_is_asked_for_anew() {
    let bench = bench(ToolEffect::Write);
    bench.person.will(Answer::Allowed { surface: Surface::Dialog });
    bench.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    let approved = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
    assert!(!approved.message.is_error, "{}", approved.message.content);
    let other = bench.gate.run(&call("c1", "probe", json!({"path": "b.txt"})), &bench.run).await;
    assert_eq!(other.message.error_code.as_deref(), Some("approval_denied"));
    assert_eq!((bench.person.asked().len(), bench.probe.runs()), (2, 1));
}

/// R33: circumstances that became unknown, or a mode that now forbids.
#[tokio::test]
async fn what_can_no_longer_be_judged_is_stale() {
    let bench = bench(ToolEffect::Write);
    let circumstances = Arc::clone(&bench.circumstances);
    bench.person.will_after(
        move |_| circumstances.break_with("policy.toml is broken"),
        Answer::Allowed { surface: Surface::Dialog },
    );
    let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
    assert_eq!(answered.message.error_code.as_deref(), Some("stale_or_revoked"));
    assert_eq!(bench.probe.runs(), 0);
}

/// The same world gives the same digest: an approval that nothing disturbed runs, also after a stricter mode
/// that asks for the same call anyway.
#[tokio::test]
async fn an_undisturbed_approval_runs() {
    let bench = bench(ToolEffect::Write);
    bench.world.write("a.txt", "old\n");
    let circumstances = Arc::clone(&bench.circumstances);
    bench.person.will_after(
        move |_| circumstances.change(|context| context.mode = Mode::Strict),
        Answer::Allowed { surface: Surface::Dialog },
    );
    let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
    assert!(!answered.message.is_error, "{}", answered.message.content);
    assert_eq!(bench.probe.runs(), 1);
}
