//! The same window against an OpenAI-compatible server over HTTP, with a copy of this repository as the workspace.

use crate::app::App;
use crate::desktop::Desktop;
use crate::tree::Tree;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

/// R11, R13, R30, R62: a forbidden command raises no dialog and does nothing; a write is asked about and runs once.
#[tokio::test]
async fn a_served_model_gets_the_same_treatment() {
    let replies = [
        stream(
            &json!({"tool_calls": [
                {"index": 0, "id": "c1", "type": "function", "function": {"name": "shell", "arguments": "{\"command\": \"sudo touch forbidden\"}"}},
                {"index": 1, "id": "c2", "type": "function", "function": {"name": "write_file", "arguments": "{\"path\": \"made.txt\", \"content\": \"made\\n\"}"}},
            ]}),
            "tool_calls",
        ),
        stream(&json!({"content": "That is all."}), "stop"),
    ];
    let (address, server) = serve(replies.into());
    let desktop = Desktop::start().unwrap();
    let config = desktop.path("config").join("assent");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.toml"), settings(&address)).unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    let shop = app.desktop.home().join("code/shop");
    copy_of_this_repository(&shop);
    app.first_run(&shop).await.unwrap();
    app.invoke("select_model", json!({"profileId": "served", "model": "scripted"})).await.unwrap();
    let before = Tree::of(&shop).unwrap();

    app.say("Go on.").await.unwrap();
    let allow = app.native.button_when_sensitive("Write a file?", "Allow once").await.unwrap();
    assert!(app.native.find_dialog("Run a command?").await.is_none(), "the forbidden command is asked about");
    assert_eq!(Tree::of(&shop).unwrap(), before, "nothing happened before the answer");
    app.native.press(&allow).await.unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("That is all.").await.unwrap();
    app.picture("over-http").unwrap();

    let after = Tree::of(&shop).unwrap();
    assert_eq!(after.added(&before), [shop.join("made.txt")]);
    let rows = app.audit_rows().await.unwrap();
    let forbidden = rows.iter().find(|row| row["tool"] == "shell").unwrap();
    assert_eq!((forbidden["behavior"].as_str(), forbidden["asked"].as_bool()), (Some("deny"), Some(false)));
    let requests = server.join().unwrap();
    assert_eq!(requests.len(), 2, "one request for each reply");
    let answers: Vec<&Value> =
        requests[1]["messages"].as_array().unwrap().iter().filter(|it| it["role"] == "tool").collect();
    assert_eq!(answers.len(), 2);
    assert!(answers[0]["content"].as_str().unwrap().starts_with("Error [permission_denied]"));
}

fn settings(address: &str) -> String {
    format!(
        "active_profile = \"tour\"\n\n[[profiles]]\nid = \"tour\"\nname = \"Tour\"\nkind = \"tour\"\nbase_url = \"\"\nmodel = \"tour\"\n\n\
         [[profiles]]\nid = \"served\"\nname = \"Served\"\nkind = \"chat_completions\"\nbase_url = \"http://{address}/v1\"\nmodel = \"scripted\"\n"
    )
}

fn copy_of_this_repository(to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let done =
        Command::new("git").args(["clone", "--quiet", "--no-hardlinks"]).arg(root).arg(to).status().unwrap();
    assert!(done.success());
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

/// Answers one request after the other with the replies, then ends; gives back what was sent.
fn serve(replies: Vec<String>) -> (String, std::thread::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || {
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
    (address, server)
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
