//! A whole conversation against a server that resets, stalls, floods, lies and sends garbage: every run ends, memory
//! stays bounded, and each request that goes out is one that both APIs accept.

use crate::server::{Act, Server, chunk, response, stream};
use crate::strict_api::{check_chat_completions, check_messages};
use assent_agent::advice::NoAdvisor;
use assent_agent::approval::{Answer, Approver, Question};
use assent_agent::audit::{AuditError, AuditLog, Entry, Standing};
use assent_agent::clock::SystemClock;
use assent_agent::event::Event;
use assent_agent::gate::{Circumstances, Gate, Parts, Run};
use assent_agent::model::{HttpModel, HttpModelSettings, Message, Timeouts, Wire, history};
use assent_agent::session::{SessionStore, StoredHistory};
use assent_agent::tools::{Glob, Registry, Tool};
use assent_agent::turn::{History as _, Limits, Turn};
use assent_agent::workspace::Workspace;
use assent_policy::{Context, Mode, Origin, Os, ProgramLookup, Rules, SandboxState, ShellKind, ShellTrust};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The faults that the messages of a session meet: each once but for the largest floods, which have tests of their
/// own, or many times under `cargo xtask soak`.
fn faults() -> Vec<usize> {
    if std::env::var_os("ASSENT_SOAK").is_some() {
        (0..300).collect()
    } else {
        (0..FAULTS).filter(|fault| ![5, 7].contains(fault)).collect()
    }
}

/// R2 R3 R5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn chat_completions_from_a_hostile_server() {
    survive(Wire::ChatCompletions).await;
}

/// R2 R3 R5
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_from_a_hostile_server() {
    survive(Wire::Messages).await;
}

async fn survive(wire: Wire) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "a").unwrap();
    let store = Arc::new(SessionStore::open(&folder.path().join("data"), Arc::new(SystemClock)).unwrap());
    store.create("s", "/w").unwrap();
    let gate = gate(&folder.path().canonicalize().unwrap());
    for number in faults() {
        let server = Server::start(vec![fault(wire, number), vec![good(wire)]]).await;
        let base_url = match wire {
            Wire::ChatCompletions => server.base_url.clone(),
            Wire::Messages => server.base_url.trim_end_matches("/v1").to_owned(),
        };
        let history = Arc::new(StoredHistory::new(Arc::clone(&store), "s"));
        let turn = Turn {
            model: Arc::new(HttpModel::new(settings(wire, &base_url)).unwrap()),
            gate: Arc::clone(&gate),
            history: Arc::clone(&history) as Arc<_>,
            observer: Arc::new(|_: Event| {}),
            system: "You are a test.".to_owned(),
            hidden: Arc::new(|_| false),
            limits: Limits { turns: 4, ..Limits::default() },
        };
        let run = Run::new("s", &format!("r{number}"), Origin::Task, CancellationToken::new());
        let message =
            Message::User { text: format!("message {number}"), attachments: Vec::new(), by_hook: false };
        let ended = tokio::time::timeout(Duration::from_secs(170), turn.run(message, &run)).await;
        assert!(ended.is_ok(), "{wire:?}, fault {number}: the run never ends");
        history::check(&history.messages().unwrap()).unwrap();
        for request in server.requests() {
            let checked = match wire {
                Wire::ChatCompletions => check_chat_completions(&request.body),
                Wire::Messages => check_messages(&request.body),
            };
            assert_eq!(checked, Ok(()), "{wire:?}, fault {number}");
        }
    }
    assert!(peak_mib().is_none_or(|peak| peak < 700), "{:?} MiB at the most", peak_mib());
}

/// The most memory that this process ever had, MiB, where the system tells.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok().map(|kib| kib / 1024)
}

const FAULTS: usize = 17;

/// What the server does at the first connection of message `number`.
fn fault(wire: Wire, number: usize) -> Vec<Act> {
    let half = stream(&text(wire, "half"));
    let call = |id: &str, name: &str, arguments: &str| call(wire, 0, id, name, arguments);
    let ended = |events: String| vec![stream(&format!("{events}{}", end(wire, true)))];
    match number % FAULTS {
        0 => vec![Act::Reset],
        1 => vec![half, Act::Reset],
        2 => vec![stream(&call("c", "glob", "{\"pattern\":")), Act::Reset],
        3 => vec![half, Act::Stall],
        4 => vec![half, Act::Flood(b": alive\n\n".repeat(100))],
        5 => vec![half, Act::Flood(text(wire, &"x".repeat(200_000)).into_bytes())],
        6 => vec![half, Act::Flood(b"data: {oops\n\n".repeat(50))],
        7 => vec![stream(""), Act::Flood(b"data: xxxxxxxxxxxxxxxx".repeat(20_000))],
        8 => ended(call("big", "glob", &"x".repeat(10 << 20))),
        9 => ended(
            (0..1_000).map(|index| self::call(wire, index, &format!("c{index}"), "glob", "{}")).collect(),
        ),
        10 => vec![response("200 OK", "content-type: text/html\r\n", "<html>Log in</html>")],
        11 => vec![response("500 Internal Server Error", "retry-after-ms: 1\r\n", "oops")],
        12 => {
            let mut bytes =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}", text(wire, "né")).into_bytes();
            let cut = bytes.iter().position(|byte| *byte == 0xc3).unwrap_or(bytes.len());
            bytes.truncate(cut + 1);
            vec![Act::Send(bytes)]
        }
        // The same id in each message, none at all, and one that no API accepts.
        13 => ended(
            ["same", "", "é !"]
                .iter()
                .enumerate()
                .map(|(place, id)| self::call(wire, place, id, "glob", "{\"pattern\":\"*\"}"))
                .collect(),
        ),
        14 => ended(call("c", "no such tool!", "{}")),
        15 => ended(format!("{}{}", text(wire, "so: "), call("c", "glob", "{\"pattern\":\"*\""))),
        _ => ended(String::new()),
    }
}

/// A whole, plain reply.
fn good(wire: Wire) -> Act {
    stream(&format!("{}{}", text(wire, "hello"), end(wire, false)))
}

fn text(wire: Wire, words: &str) -> String {
    match wire {
        Wire::ChatCompletions => chunk(json!({"content": words}), None),
        Wire::Messages => {
            let delta = json!({"type": "content_block_delta", "index": 90, "delta": {"type": "text_delta", "text": words}});
            event(&delta)
        }
    }
}

fn call(wire: Wire, index: usize, id: &str, name: &str, arguments: &str) -> String {
    match wire {
        Wire::ChatCompletions => chunk(
            json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}),
            None,
        ),
        Wire::Messages => {
            let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
            let start = json!({"type": "content_block_start", "index": index, "content_block": block});
            let pieces = json!({"type": "input_json_delta", "partial_json": arguments});
            let delta = json!({"type": "content_block_delta", "index": index, "delta": pieces});
            format!("{}{}", event(&start), event(&delta))
        }
    }
}

fn end(wire: Wire, calls: bool) -> String {
    match wire {
        Wire::ChatCompletions => {
            let label = if calls { "tool_calls" } else { "stop" };
            format!("{}data: [DONE]\n\n", chunk(json!({}), Some(label)))
        }
        Wire::Messages => {
            let label = if calls { "tool_use" } else { "end_turn" };
            let delta = json!({"type": "message_delta", "delta": {"stop_reason": label}});
            format!("{}{}", event(&delta), event(&json!({"type": "message_stop"})))
        }
    }
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// Short waits: a server that stalls is to be left soon. A slow machine makes more failures, which are as good.
fn settings(wire: Wire, base_url: &str) -> HttpModelSettings {
    let mut settings = HttpModelSettings::new(wire, base_url, "m");
    settings.retries = 1;
    settings.connection.timeouts = Timeouts {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(5),
        idle: Duration::from_millis(500),
        fruitless: Duration::from_secs(3),
        after_finish: Duration::from_millis(200),
    };
    settings
}

struct Nobody;

#[async_trait]
impl Approver for Nobody {
    async fn ask(&self, _question: Question, _cancel: &CancellationToken) -> Answer {
        Answer::Unavailable { why: "Nobody is there.".to_owned() }
    }
}

struct Forgetful;

impl AuditLog for Forgetful {
    fn append(&self, _entries: &[Entry]) -> Result<(), AuditError> {
        Ok(())
    }

    fn standing(&self, _session: &str, _call: &str) -> Result<Option<Standing>, AuditError> {
        Ok(None)
    }
}

struct Fixed(Context);

impl Circumstances for Fixed {
    fn current(&self) -> Result<(Context, Arc<Rules>), String> {
        Ok((self.0.clone(), Arc::new(Rules::default())))
    }
}

fn gate(root: &Path) -> Arc<Gate> {
    let context = Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: root.to_string_lossy().into_owned(),
        workspace_aliases: Vec::new(),
        home: "/nowhere".to_owned(),
        own_paths: Vec::new(),
        read_folders: Vec::new(),
        sandbox: SandboxState::NotInForce,
        shell_trust: ShellTrust::Untrusted,
        search_path: Vec::new(),
        programs: ProgramLookup::Search,
        environment: Vec::new(),
        user: "tester".to_owned(),
        session: "s".to_owned(),
        policy_version: "v".to_owned(),
    };
    let tools = [Arc::new(Glob::default()) as Arc<dyn Tool>];
    Arc::new(Gate::new(Parts {
        registry: Arc::new(Registry::new(tools).unwrap()),
        audit: Arc::new(Forgetful),
        approver: Arc::new(Nobody),
        advisor: Arc::new(NoAdvisor),
        circumstances: Arc::new(Fixed(context)),
        workspace: Arc::new(Workspace::open(root).unwrap()),
        scratch: root.join("data"),
        observer: Arc::new(|_: Event| {}),
    }))
}
