//! What fails before permission: its code, its record, and that nobody was asked.

use assent_policy::ToolEffect;
use e2e::{bench, call};
use serde_json::{Value, json};

/// R5: unknown tools and bad arguments leave intent and outcome, no decision.
#[tokio::test]
async fn bad_calls_never_reach_the_decision() {
    let table: [(&str, Value, &str); 6] = [
        ("nope", json!({}), "unknown_tool"),
        ("probe", json!("text"), "invalid_json"),
        ("probe", json!({}), "invalid_arguments"),
        ("probe", json!({"path": 7}), "invalid_arguments"),
        ("probe", json!({"path": "a", "more": 1}), "invalid_arguments"),
        ("probe", json!({"path": "a", "n": [{"deep": 9_007_199_254_740_993_u64}]}), "invalid_arguments"),
    ];
    for (tool, arguments, code) in table {
        let bench = bench(ToolEffect::Write);
        let answered = bench.gate.run(&call("c1", tool, arguments.clone()), &bench.run).await;
        assert_eq!(answered.message.error_code.as_deref(), Some(code), "{tool} {arguments}");
        assert!(answered.message.content.starts_with(&format!("Error [{code}]: ")));
        assert_eq!(bench.audit.story("c1"), format!("intent · outcome:{code}"));
        assert_eq!((bench.probe.runs(), bench.person.asked().len()), (0, 0));
    }
}
