//! From the moment a model server writes its first token to the frame that shows it.

use crate::desktop::Desktop;
use crate::driver::{Driver, until};
use anyhow::Context as _;
use serde_json::json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ROUNDS: usize = 9;

/// The token; nothing else in the window contains it.
const TOKEN: &str = "Zyzzyva";

/// In the page: resolves with the time, Unix milliseconds, of the first task after the frame that shows one more token
/// than before.
const WATCH: &str = "
    const seen = () => document.body.textContent.split(token).length;
    window.firstToken = new Promise((resolve) => {
      const before = seen();
      const observer = new MutationObserver(() => {
        if (seen() === before) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now()), 0));
      });
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    return true;";

/// The median of several messages, milliseconds.
pub async fn median_ms(desktop: &Desktop, app: &Path) -> anyhow::Result<f64> {
    let (sent, times) = channel();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that went away is not answered; the measurement ends by its own patience then.
            drop(answer(stream, &sent));
        }
    });
    let workspace = desktop.home().join("shop").to_string_lossy().into_owned();
    std::fs::create_dir_all(&workspace)?;
    let config = desktop.path("config").join("assent");
    std::fs::create_dir_all(&config)?;
    std::fs::write(
        config.join("settings.toml"),
        format!(
            "first_run_done = true\nactive_profile = \"served\"\n\n[[profiles]]\nid = \"served\"\nname = \"Served\"\n\
             kind = \"chat_completions\"\nbase_url = \"http://{address}/v1\"\nmodel = \"scripted\"\n"
        ),
    )?;
    std::fs::write(
        config.join("folders.toml"),
        format!("[[folders]]\npath = {workspace:?}\nlast_used_ms = 1\ntrusted_ms = 1\n"),
    )?;

    let page = Driver::start(desktop, app, &[], &[]).await?;
    page.invoke("open_workspace", json!({ "path": workspace }))
        .await?
        .map_err(|error| anyhow::anyhow!("open the folder: {error}"))?;
    let mut all = Vec::new();
    for round in 0..=ROUNDS {
        page.find("textarea[aria-autocomplete]").await?;
        page.run(&format!("const token = {};{WATCH}", json!(TOKEN))).await?;
        page.type_into("textarea[aria-autocomplete]", "Go on.\u{e007}").await?;
        let sent_ms = until("the server to be asked", || async { Ok(times.try_recv().ok()) }).await?;
        let shown = page.run("return window.firstToken").await?.as_f64().context("no time")?;
        if round > 0 {
            all.push(shown - sent_ms);
        }
        until("the run to end", || async {
            let query = json!({"query": {"workspace": null, "text": "", "archived": false, "limit": 10}});
            let sessions = page.invoke("list_sessions", query).await?.unwrap_or_default();
            let idle = sessions
                .as_array()
                .is_some_and(|all| all.iter().all(|one| one.get("running") == Some(&json!(false))));
            Ok(idle.then_some(()))
        })
        .await?;
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().context("nothing was measured")
}

/// Answers one request: the head at once, the token a moment later, when the window waits for nothing else.
fn answer(stream: TcpStream, sent: &Sender<f64>) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let mut stream = reader.into_inner();
    if !head.starts_with("POST ") {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")?;
        return Ok(());
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    std::thread::sleep(Duration::from_millis(500));
    let chunk = |delta: serde_json::Value, finish: serde_json::Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let token = chunk(json!({ "content": TOKEN }), json!(null));
    sent.send(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1e3)?;
    stream.write_all(token.as_bytes())?;
    std::thread::sleep(Duration::from_millis(500));
    stream.write_all(format!("{}data: [DONE]\n\n", chunk(json!({}), json!("stop"))).as_bytes())?;
    Ok(())
}
