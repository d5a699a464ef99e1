//! A model server on loopback that speaks either API. What it answers depends on the conversation alone: three
//! replies with calls, then a text.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    ChatCompletions,
    Messages,
}

/// The server, and every request that it got.
pub struct Server {
    pub base_url: String,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    /// Serves until the test ends; tells of each piece that it sends.
    pub fn start(api: Api, tell: Sender<()>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let bodies: Arc<Mutex<Vec<Value>>> = Arc::default();
        let log = Arc::clone(&bodies);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (log, tell) = (Arc::clone(&log), tell.clone());
                std::thread::spawn(move || answer(api, socket, &log, &tell));
            }
        });
        Self { base_url, bodies }
    }

    pub fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().clone()
    }
}

/// Each `write_file` call of a conversation: its path, and what the answer to it says.
pub fn writes(api: Api, body: &Value) -> Vec<(String, String)> {
    let messages = body["messages"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut calls = Vec::new();
    let mut answers = std::collections::HashMap::new();
    for message in messages {
        match api {
            Api::ChatCompletions => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let arguments =
                        serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
                    calls.push((text(&call["id"]), text(&call["function"]["name"]), arguments));
                }
                if message["role"] == "tool" {
                    answers.insert(text(&message["tool_call_id"]), text(&message["content"]));
                }
            }
            Api::Messages => {
                for block in message["content"].as_array().unwrap() {
                    if block["type"] == "tool_use" {
                        calls.push((text(&block["id"]), text(&block["name"]), block["input"].clone()));
                    } else if block["type"] == "tool_result" {
                        answers.insert(text(&block["tool_use_id"]), text(&block["content"]));
                    }
                }
            }
        }
    }
    calls
        .into_iter()
        .filter(|(_, name, _)| name == "write_file")
        .map(|(id, _, arguments): (String, String, Value)| (text(&arguments["path"]), answers[&id].clone()))
        .collect()
}

fn answer(api: Api, mut socket: TcpStream, log: &Mutex<Vec<Value>>, tell: &Sender<()>) {
    let Some(body) = read_request(&socket) else { return };
    let step = step(api, &body);
    log.lock().unwrap().push(body);
    let events = match api {
        Api::ChatCompletions => chat_events(step),
        Api::Messages => message_events(step),
    };
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
    let pieces = events.iter().flat_map(|event| {
        let (first, second) = event.split_at(event.len() / 2);
        [first, second]
    });
    for piece in std::iter::once(head).chain(pieces) {
        // The client may be dead, and so may the test.
        if socket.write_all(piece.as_bytes()).and_then(|()| socket.flush()).is_err() || tell.send(()).is_err()
        {
            return;
        }
    }
}

fn read_request(socket: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(socket);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// Replies since the person last spoke; past all of them where they said to go on.
fn step(api: Api, body: &Value) -> usize {
    let messages = body["messages"].as_array().unwrap();
    let words = |message: &Value| match api {
        Api::ChatCompletions => message["content"].as_str().map(str::to_owned),
        Api::Messages => message["content"]
            .as_array()?
            .iter()
            .rev()
            .find_map(|block| block["text"].as_str())
            .map(str::to_owned),
    };
    let mut replies = 0;
    for message in messages.iter().rev() {
        if message["role"] == "assistant" {
            replies += 1;
        } else if message["role"] == "user"
            && let Some(words) = words(message)
        {
            return if words.contains("go on") { usize::MAX } else { replies };
        }
    }
    replies
}

/// The calls of one reply: id, tool, arguments.
fn calls(step: usize) -> Vec<(String, &'static str, Value)> {
    let call = |name: &str, tool, arguments| (format!("call_{step}_{name}"), tool, arguments);
    let write = |name: &str| {
        let content = "x".repeat(3_000);
        call(name, "write_file", json!({"path": format!("{name}{step}.txt"), "content": content}))
    };
    match step {
        0 => vec![
            call("r", "read_file", json!({"path": "a.txt"})),
            write("b"),
            call("g", "glob", json!({"pattern": "*"})),
        ],
        1 => vec![
            write("c"),
            call("s", "shell", json!({"command": "ls"})),
            call("d", "shell", json!({"command": "rm a.txt"})),
            write("e"),
        ],
        2 => vec![write("f"), call("m", "read_file", json!({"path": "missing"}))],
        _ => Vec::new(),
    }
}

const WORDS: [&str; 6] = ["I ", "look ", "at ", "it, ", "step ", "by step. "];

fn chat_events(step: usize) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let mut events = vec![chunk(json!({"reasoning_content": "Hm."}), Value::Null)];
    events.extend(WORDS.map(|word| chunk(json!({"content": word}), Value::Null)));
    for (index, (id, tool, arguments)) in calls(step).into_iter().enumerate() {
        let head = json!({"index": index, "id": id, "type": "function", "function": {"name": tool, "arguments": ""}});
        events.push(chunk(json!({"tool_calls": [head]}), Value::Null));
        for part in halves(&arguments.to_string()) {
            let tail = json!({"index": index, "function": {"arguments": part}});
            events.push(chunk(json!({"tool_calls": [tail]}), Value::Null));
        }
    }
    let finish = if calls(step).is_empty() { "stop" } else { "tool_calls" };
    events.push(chunk(json!({}), json!(finish)));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn message_events(step: usize) -> Vec<String> {
    let event = |value: Value| format!("event: {}\ndata: {value}\n\n", value["type"].as_str().unwrap());
    let start = |index: usize, block: Value| {
        event(json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let delta = |index: usize, delta: Value| {
        event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let stop = |index: usize| event(json!({"type": "content_block_stop", "index": index}));
    let mut events = vec![event(json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}}))];
    events.push(start(0, json!({"type": "thinking", "thinking": "", "signature": ""})));
    events.push(delta(0, json!({"type": "thinking_delta", "thinking": "Hm."})));
    events.push(delta(0, json!({"type": "signature_delta", "signature": format!("sig{step}")})));
    events.push(stop(0));
    events.push(start(1, json!({"type": "text", "text": ""})));
    events.extend(WORDS.map(|word| delta(1, json!({"type": "text_delta", "text": word}))));
    events.push(stop(1));
    for (place, (id, tool, arguments)) in calls(step).into_iter().enumerate() {
        let index = place + 2;
        events.push(start(index, json!({"type": "tool_use", "id": id, "name": tool, "input": {}})));
        for part in halves(&arguments.to_string()) {
            events.push(delta(index, json!({"type": "input_json_delta", "partial_json": part})));
        }
        events.push(stop(index));
    }
    let reason = if calls(step).is_empty() { "end_turn" } else { "tool_use" };
    events.push(event(
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
    ));
    events.push(event(json!({"type": "message_stop"})));
    events
}

fn halves(text: &str) -> [&str; 2] {
    let (first, second) = text.split_at(text.len() / 2);
    [first, second]
}
