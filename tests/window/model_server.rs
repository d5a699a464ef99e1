//! A scripted model behind an OpenAI-compatible HTTP server.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

/// The running server.
pub struct ModelServer {
    address: String,
    served: JoinHandle<Vec<Value>>,
}

impl ModelServer {
    /// Answers one request after the other with `replies`, then ends.
    pub fn start(replies: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let served = std::thread::spawn(move || {
            let mut requests = Vec::new();
            let mut replies = replies.into_iter();
            while replies.len() > 0 {
                let (stream, _) = listener.accept().unwrap();
                if let Some((stream, request)) = read_post(stream) {
                    requests.push(request);
                    answer(stream, &replies.next().unwrap());
                }
            }
            requests
        });
        Self { address, served }
    }

    /// Settings with the tour and this server as the profile `served`.
    pub fn settings(&self) -> String {
        format!(
            "active_profile = \"tour\"\n\n[[profiles]]\nid = \"tour\"\nname = \"Tour\"\nkind = \"tour\"\nbase_url = \"\"\nmodel = \"tour\"\n\n\
             [[profiles]]\nid = \"served\"\nname = \"Served\"\nkind = \"chat_completions\"\nbase_url = \"http://{}/v1\"\nmodel = \"scripted\"\n",
            self.address
        )
    }

    /// What it was sent, once every reply was given.
    pub fn requests(self) -> Vec<Value> {
        self.served.join().unwrap()
    }
}

/// A reply that calls tools: id, name and arguments of each.
pub fn calls(calls: &[(&str, &str, Value)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (id, name, arguments))| {
            json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}})
        })
        .collect();
    stream(&json!({"tool_calls": calls}), "tool_calls")
}

/// A final reply.
pub fn text(words: &str) -> String {
    stream(&json!({"content": words}), "stop")
}

/// A body of server-sent events with one delta and its finish.
fn stream(delta: &Value, finish: &str) -> String {
    let chunk = |delta: &Value, finish: Value| {
        format!(
            "data: {}\n\n",
            json!({"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        )
    };
    format!("{}{}data: [DONE]\n\n", chunk(delta, Value::Null), chunk(&json!({}), json!(finish)))
}

/// The body of a POST; anything else (a list of models, say) is answered with 404.
fn read_post(stream: TcpStream) -> Option<(TcpStream, Value)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    if !head.starts_with("POST ") {
        let mut stream = reader.into_inner();
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
        return None;
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((reader.into_inner(), serde_json::from_slice(&body).ok()?))
}

fn answer(mut stream: TcpStream, body: &str) {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
}
