//! What was granted beyond once: it counts for exactly that call, and no longer than it stands.

use assent_agent::approval::{Answer, Surface};
use assent_agent::gate::prepare;
use assent_agent::tools::{Registry, Tool, WriteFile};
use assent_policy::Origin;
use assent_policy::rule::Grant;
use e2e::{ScriptedModel, World, call, calls, desk};
use serde_json::json;
use std::sync::Arc;

/// R20, R33: a grant for the session spares the question about exactly its call, and decides in its own name. Taken
/// back while another call waits, it counts at once: what waited was judged under other rules and is stale, and the
/// granted call asks again.
#[tokio::test]
async fn a_grant_that_is_taken_back_counts_no_more_at_once() {
    let write = |id: &str, path: &str| call(id, "write_file", json!({ "path": path, "content": "x\n" }));
    let tool: Arc<dyn Tool> = Arc::new(WriteFile::default());
    let registry = Registry::new([tool]).expect("a registry");
    let (_, prepared) = prepare(&registry, &write("c", "a.txt"), &Origin::Task).expect("a call");
    let grant = Grant::of(&prepared).expect("a grant");

    let replies = [calls([write("c1", "a.txt"), write("c2", "b.txt"), write("c3", "a.txt")])];
    let desk = desk(World::new(), ScriptedModel::new(replies));
    desk.layers.grant(grant.clone());
    let (layers, taken) = (Arc::clone(&desk.layers), grant.clone());
    desk.person.will_after(move |_| layers.revoke(&taken), Answer::Allowed { surface: Surface::Dialog });
    desk.person.will(Answer::Denied { surface: Surface::Dialog, words: None });
    desk.say("write").await;

    let asked: Vec<String> = desk.person.asked().into_iter().map(|question| question.call_id).collect();
    assert_eq!(asked, ["c2", "c3"]);
    assert_eq!(
        desk.audit.story("c1"),
        format!("intent · decision:allow({}) · start · outcome:succeeded", grant.source())
    );
    assert_eq!(desk.answer("c2").error_code.as_deref(), Some("stale_or_revoked"));
    assert_eq!(desk.answer("c3").error_code.as_deref(), Some("approval_denied"));
    assert_eq!(desk.world.read("b.txt"), None);
    assert_eq!(desk.world.read("a.txt").as_deref(), Some("x\n"));
}
