//! What of a call is stored together, and what before somebody is consulted.

use assent_agent::advice::Advisor;
use assent_agent::approval::{Answer, Surface};
use assent_agent::audit::Phase::{Decision, Intent, Outcome, Start};
use assent_agent::model::ToolMessage;
use assent_policy::{Behavior, PreparedCall, Source, ToolEffect, Verdict};
use async_trait::async_trait;
use e2e::{MemoryAudit, bench, bench_with, call};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// R40: each phase is one append, durable before what follows it; intent and decision share one only where nobody is
/// consulted, and the mark that execution begins shares the decision's.
#[tokio::test]
async fn phases_share_an_append_only_where_nobody_is_consulted() {
    let allowed = Some(Answer::Allowed { surface: Surface::Dialog });
    let denied = Some(Answer::Denied { surface: Surface::Dialog, words: None });
    let table = [
        ("nobody", ToolEffect::Read, "a.txt", None, vec![vec![Intent, Decision, Start], vec![Outcome]]),
        ("policy", ToolEffect::Write, "../a.txt", None, vec![vec![Intent, Decision], vec![Outcome]]),
        (
            "a person",
            ToolEffect::Write,
            "a.txt",
            allowed,
            vec![vec![Intent], vec![Decision, Start], vec![Outcome]],
        ),
        ("a person", ToolEffect::Write, "a.txt", denied, vec![vec![Intent], vec![Decision], vec![Outcome]]),
    ];
    for (who, effect, path, answer, appends) in table {
        let bench = bench(effect);
        bench.world.write("a.txt", "x");
        if let Some(answer) = answer.clone() {
            bench.person.will(answer);
        }
        bench.gate.run(&call("c1", "probe", json!({"path": path})), &bench.run).await;
        assert_eq!(bench.audit.appends(), appends, "{who}: {answer:?}");
    }
}

/// Looks into the log while it is consulted.
#[derive(Default)]
struct Reader {
    log: Mutex<Option<MemoryAudit>>,
    seen: Mutex<Vec<usize>>,
}

impl Reader {
    fn look(&self) {
        let log = self.log.lock().expect("the log").clone().expect("a log");
        self.seen.lock().expect("the list").push(log.entries().len());
    }
}

#[async_trait]
impl Advisor for Reader {
    fn concerns(&self, _: &PreparedCall) -> bool {
        true
    }

    async fn before(&self, _: &PreparedCall, _: &str, _: &CancellationToken) -> Vec<Verdict> {
        self.look();
        vec![Verdict::new(Source::HOOKS, Behavior::Passthrough, "Nothing to say.")]
    }

    async fn after(&self, _: &PreparedCall, _: &ToolMessage, _: &CancellationToken) -> Vec<String> {
        self.look();
        Vec::new()
    }
}

/// R21 R40: a hook is asked once the intent is stored, and told of the end before the outcome is.
#[tokio::test]
async fn a_hook_is_consulted_between_the_phases() {
    let reader = Arc::new(Reader::default());
    let bench = bench_with(ToolEffect::Read, Arc::clone(&reader) as Arc<_>);
    *reader.log.lock().expect("the log") = Some(bench.audit.clone());
    let answered = bench.gate.run(&call("c1", "probe", json!({"path": "a.txt"})), &bench.run).await;
    assert!(!answered.message.is_error, "{}", answered.message.content);
    assert_eq!(bench.audit.appends(), [vec![Intent], vec![Decision, Start], vec![Outcome]]);
    assert_eq!(*reader.seen.lock().expect("the list"), [1, 3]);
}
