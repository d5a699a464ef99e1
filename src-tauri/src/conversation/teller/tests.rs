//! One conversation, told in one language and then in another.

use super::Teller;
use crate::conversation::spending::Prices;
use crate::view::{RunOutcome, TranscriptItem};
use assent_agent::event::{Event, Outcome};
use assent_agent::model::Usage;
use assent_policy::ToolEffect;
use assent_policy::request::Language;
use e2e::{bench, call};
use serde_json::json;

/// Decision and end of a run, heard in one language and asked for in the other.
#[tokio::test]
async fn what_was_heard_is_said_again_in_another_language() {
    let bench = bench(ToolEffect::Write);
    bench.gate.run(&call("c", "probe", json!({"path": "a.txt"})), &bench.run).await;
    let events = bench.events.lock().unwrap().clone();
    let told = |first: Language| {
        let mut teller = Teller::new("s1", first, Prices::default());
        drop(teller.proposed(1, "c", "probe", None, None));
        for event in &events {
            drop(teller.take(2, event.clone()));
        }
        let stopped = Event::RunFinished {
            outcome: Outcome::Cancelled,
            error_code: None,
            message: Some("Stopped.".to_owned()),
            final_text: String::new(),
            turns: 1,
            usage: Usage::default(),
        };
        drop(teller.take(3, stopped));
        teller.retell_end(4, RunOutcome::Cancelled, None, Some("Stopped.".to_owned()), 1);
        teller
    };
    let mut teller = told(Language::English);
    assert!(teller.call("c").unwrap().decision.is_some());
    assert_ne!(teller.items(), told(Language::Chinese).items());
    teller.speak(Language::Chinese);
    assert_eq!(teller.items(), told(Language::Chinese).items());
    let end = teller.items().last().unwrap();
    let stopped = "已停止。";
    assert!(matches!(end, TranscriptItem::RunEnd { message: Some(said), .. } if said == stopped), "{end:?}");
    teller.speak(Language::English);
    assert_eq!(teller.items(), told(Language::English).items());
}
