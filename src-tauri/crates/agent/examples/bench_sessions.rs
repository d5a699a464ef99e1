//! The sessions' figures: `cargo run --release -p assent-agent --example bench_sessions`.
//! Opening a session of 10,000 messages; words across 1,000 sessions.

use assent_agent::clock::SystemClock;
use assent_agent::model::{AssistantMessage, Message};
use assent_agent::session::{Filter, Item, SessionStore};
use assent_figure::Report;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

const MESSAGES: usize = 10_000;
const SESSIONS: usize = 1_000;
const IN_EACH: usize = 20;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
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

    let mut report = Report::from_arguments();
    let started = Instant::now();
    let store = SessionStore::open(&folder, Arc::new(SystemClock))?;
    let items = store.items("long", None, usize::MAX)?;
    report.promised("session_open_10000", ms(started));
    if items.len() != MESSAGES {
        return Err("messages are missing".into());
    }
    for (name, words) in [("session_search_rare", "checkout77"), ("session_search_common", "tax rate")] {
        let started = Instant::now();
        let found = store.search(words, 50)?;
        report.promised(name, ms(started));
        if found.is_empty() {
            return Err(format!("{words} was not found").into());
        }
    }
    let started = Instant::now();
    store.list(&Filter { limit: SESSIONS, ..Filter::default() })?;
    report.plain("session_list_1000", ms(started), "ms");
    drop(store);
    std::fs::remove_dir_all(&folder)?;
    Ok(report.end())
}

fn message(number: usize) -> Item {
    let text = format!(
        "The tax rate of checkout{number} assumes a locale; read src/tax.rs, then run the tests again. "
    )
    .repeat(6);
    Item::Message(if number.is_multiple_of(2) {
        Message::User { text, attachments: Vec::new(), by_hook: false }
    } else {
        Message::Assistant(AssistantMessage { text, ..AssistantMessage::default() })
    })
}

fn ms(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}
