//! The sessions' figures: `cargo run --release -p assent-agent --example bench_sessions`.
//! Opening a session of 10,000 messages; words across 1,000 sessions.

use assent_agent::clock::SystemClock;
use assent_agent::model::{AssistantMessage, Message};
use assent_agent::session::{Filter, Item, SessionStore};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

const MESSAGES: usize = 10_000;
const SESSIONS: usize = 1_000;
const IN_EACH: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = std::env::args().any(|argument| argument == "--json");
    let folder = std::env::temp_dir().join(format!("assent-bench-sessions-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let store = SessionStore::open(&folder, Arc::new(SystemClock))?;
    store.create("long", "/w")?;
    for number in 0..MESSAGES {
        store.append("long", &message(number))?;
    }
    for session in 0..SESSIONS {
        let id = format!("s{session}");
        store.create(&id, "/w")?;
        for number in 0..IN_EACH {
            store.append(&id, &message(session * 31 + number))?;
        }
    }
    drop(store);

    let started = Instant::now();
    let store = SessionStore::open(&folder, Arc::new(SystemClock))?;
    let items = store.items("long", None, usize::MAX)?;
    say(json, "session_open_10000", started, "≤ 300");
    if items.len() != MESSAGES {
        return Err("messages are missing".into());
    }
    for (name, words) in [("session_search_rare", "checkout77"), ("session_search_common", "tax rate")] {
        let started = Instant::now();
        let found = store.search(words, 50)?;
        say(json, name, started, "≤ 100");
        if found.is_empty() {
            return Err(format!("{words} was not found").into());
        }
    }
    let started = Instant::now();
    store.list(&Filter { limit: SESSIONS, ..Filter::default() })?;
    say(json, "session_list_1000", started, "");
    drop(store);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn message(number: usize) -> Item {
    let text = format!(
        "The tax rate of checkout{number} assumes a locale; read src/tax.rs, then run the tests again. "
    )
    .repeat(6);
    Item::Message(if number.is_multiple_of(2) {
        Message::User { text, attachments: Vec::new() }
    } else {
        Message::Assistant(AssistantMessage { text, ..AssistantMessage::default() })
    })
}

#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn say(json: bool, name: &str, started: Instant, target: &str) {
    let value = started.elapsed().as_secs_f64() * 1e3;
    if json {
        println!("{}", json!({ "name": name, "value": value, "unit": "ms", "target": target }));
    } else {
        let target = if target.is_empty() { String::new() } else { format!(" (target {target})") };
        println!("{name} {value:.1} ms{target}");
    }
}
