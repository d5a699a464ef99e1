//! A server that follows a script, connection by connection, byte by byte.

use assent_agent::model::{
    Delta, HttpModel, HttpModelSettings, Message, ModelClient as _, ModelRequest, Reply, Timeouts, ToolSpec,
    Wire,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// One thing that the server does with a connection after it has read the request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends these bytes again and again until the client goes away.
    Flood(Vec<u8>),
    /// Says nothing more until the client goes away.
    Stall,
    /// Sends a comment every so often until the client goes away.
    KeepAlive(Duration),
    /// Breaks the connection.
    Reset,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub head: String,
    pub body: Value,
}

pub struct Server {
    pub base_url: String,
    pub received: Arc<Mutex<Vec<Received>>>,
    /// Fires when a client went away while the server had more to say.
    pub abandoned: Arc<tokio::sync::Notify>,
    /// What it received goes with it: a long run meets hundreds of servers.
    accepting: tokio::task::AbortHandle,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Server {
    /// Answers the n-th connection with the n-th script, the last one for all that follow.
    pub async fn start(scripts: Vec<Vec<Act>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let abandoned = Arc::new(tokio::sync::Notify::new());
        let (log, gone) = (Arc::clone(&received), Arc::clone(&abandoned));
        let accepting = tokio::spawn(async move {
            for number in 0.. {
                let Ok((socket, _)) = listener.accept().await else { return };
                let script = scripts.get(number).or(scripts.last()).cloned().unwrap_or_default();
                let (log, gone) = (Arc::clone(&log), Arc::clone(&gone));
                tokio::spawn(async move { answer(socket, script, &log, &gone).await });
            }
        });
        Self { base_url, received, abandoned, accepting: accepting.abort_handle() }
    }

    pub fn requests(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

async fn answer(
    mut socket: TcpStream,
    script: Vec<Act>,
    log: &Mutex<Vec<Received>>,
    gone: &tokio::sync::Notify,
) {
    let Some(request) = read_request(&mut socket).await else { return };
    log.lock().unwrap().push(request);
    for act in script {
        match act {
            Act::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    gone.notify_one();
                    return;
                }
            }
            Act::Flood(bytes) => {
                while socket.write_all(&bytes).await.is_ok() {}
                gone.notify_one();
                return;
            }
            Act::Stall => {
                let _ = socket.read(&mut [0; 1]).await;
                gone.notify_one();
                return;
            }
            Act::KeepAlive(every) => {
                while socket.write_all(b": alive\n\n").await.is_ok() {
                    tokio::time::sleep(every).await;
                }
                gone.notify_one();
                return;
            }
            Act::Reset => {
                socket.set_zero_linger().unwrap();
                return;
            }
        }
    }
    let _ = socket.shutdown().await;
}

async fn read_request(socket: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(place) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break place + 4;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(bytes.get(..head_end)?).to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .and_then(|text| text.trim().parse().ok());
    while bytes.len() < head_end + length.unwrap_or(0) {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = serde_json::from_slice(bytes.get(head_end..)?).unwrap_or(Value::Null);
    Some(Received { head, body })
}

/// A response without a length: it ends when the connection does.
pub fn response(status: &str, headers: &str, body: &str) -> Act {
    Act::Send(format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n{body}").into_bytes())
}

/// The head of an event stream.
pub fn stream(body: &str) -> Act {
    response("200 OK", "content-type: text/event-stream\r\n", body)
}

/// A chunk of a reply.
pub fn chunk(delta: Value, finish: Option<&str>) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
}

/// A whole reply.
pub fn hello() -> Act {
    stream(&format!("{}data: [DONE]\n\n", chunk(json!({"content": "hello"}), Some("stop"))))
}

pub fn settings(base_url: &str) -> HttpModelSettings {
    let mut settings = HttpModelSettings::new(Wire::ChatCompletions, base_url, "m");
    settings.connection.timeouts = Timeouts {
        connect: Duration::from_secs(60),
        first_byte: Duration::from_secs(60),
        idle: Duration::from_secs(60),
        fruitless: Duration::from_secs(60),
        after_finish: Duration::from_millis(200),
    };
    settings
}

pub fn request() -> ModelRequest {
    ModelRequest {
        system: "s".to_owned(),
        messages: vec![Message::User { text: "hi".to_owned(), attachments: Vec::new(), by_hook: false }],
        tools: vec![ToolSpec {
            name: "shell".to_owned(),
            description: String::new(),
            schema: json!({"type": "object"}),
        }],
    }
}

/// One request with these settings; what was shown, and the reply.
pub async fn ask(settings: HttpModelSettings) -> (Vec<Delta>, Reply) {
    ask_model(&HttpModel::new(settings).unwrap(), &request()).await
}

/// One request to a model that may have learned from earlier ones.
pub async fn ask_model(model: &HttpModel, request: &ModelRequest) -> (Vec<Delta>, Reply) {
    let shown = Mutex::new(Vec::new());
    let sink = |delta: Delta| shown.lock().unwrap().push(delta);
    let reply = model.complete(request, &sink, &CancellationToken::new()).await;
    (shown.into_inner().unwrap(), reply)
}
