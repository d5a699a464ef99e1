//! The whole path with a real language model on this machine: `cargo xtask local-model` fetches it and runs this.
//!
//! It has 135 million parameters, so nothing depends on its wording: only on what it called, what was asked about it
//! and what came of it.

use crate::app::App;
use crate::driver::until_within;
use crate::keys;
use crate::tree::Tree;
use anyhow::Context as _;
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const WRITE: &str = "Write a file?";
/// A loaded machine generates a few words a second.
const PATIENCE: Duration = Duration::from_secs(600);

struct LocalModel {
    server: Child,
    port: u16,
}

impl LocalModel {
    fn start() -> anyhow::Result<Self> {
        let folder = std::env::var_os("ASSENT_LOCAL_MODEL").map(PathBuf::from);
        let folder = folder.context("ASSENT_LOCAL_MODEL names no folder: run `cargo xtask local-model`")?;
        let mut server = Command::new("node")
            .args(["server.mjs", "model.gguf"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("start node")?;
        let mut line = String::new();
        BufReader::new(server.stdout.take().context("no output")?).read_line(&mut line)?;
        let port = line.trim().strip_prefix("listening ").and_then(|port| port.parse().ok());
        Ok(Self { server, port: port.context("the model didn't load")? })
    }

    /// Settings with one profile for each tool that the model is left to choose.
    fn settings(&self) -> String {
        let profile = |tool: &str| {
            format!(
                "[[profiles]]\nid = \"{tool}\"\nname = \"{tool}\"\nkind = \"chat_completions\"\n\
                 base_url = \"http://127.0.0.1:{}/only/{tool}/v1\"\nmodel = \"smollm2-135m\"\n\n",
                self.port
            )
        };
        format!("active_profile = \"tour\"\n\n{}{}", profile("read_file"), profile("write_file"))
    }
}

impl Drop for LocalModel {
    fn drop(&mut self) {
        if self.server.kill().is_ok() {
            drop(self.server.wait());
        }
    }
}

async fn end_of_run(app: &App) {
    until_within(PATIENCE, "the run to end", || async {
        let all = app.sessions().await?;
        Ok((!all.is_empty() && all.iter().all(|session| session["running"] == false)).then_some(()))
    })
    .await
    .unwrap();
}

async fn asked(app: &App) {
    until_within(PATIENCE, "the dialog", || async {
        Ok(app.native.find_dialog(WRITE).await.is_some().then_some(()))
    })
    .await
    .unwrap();
}

/// R1, R2, R13, R30: it reads a file and answers from it; its write is asked about, denied once and allowed once.
#[tokio::test]
async fn a_real_model_reads_and_writes_with_consent() {
    let model = LocalModel::start().unwrap();
    let app = App::start_with(&model.settings()).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    std::fs::write(shop.join("notes.txt"), "The kettle is in the kitchen.\n").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();

    app.invoke("select_model", json!({"profileId": "read_file", "model": "smollm2-135m"})).await.unwrap();
    app.say("Read notes.txt and tell me what it says.").await.unwrap();
    let read = until_within(PATIENCE, "the reading", || async {
        let rows = app.audit_rows().await?;
        Ok(rows.into_iter().find(|row| row["tool"] == "read_file" && !row["outcome"].is_null()))
    })
    .await
    .unwrap();
    assert_eq!((read["subject"].as_str(), read["outcome"].as_str()), (Some("notes.txt"), Some("succeeded")));
    end_of_run(&app).await;
    app.picture("local-model-read").unwrap();
    let answer = app.page.run("return [...document.querySelectorAll('article.assistant')].at(-1).innerText");
    let answer = answer.await.unwrap().as_str().unwrap().to_lowercase();
    println!("it answered: {answer}");
    assert!(answer.contains("kettle"), "{answer}");

    app.invoke("select_model", json!({"profileId": "write_file", "model": "smollm2-135m"})).await.unwrap();
    for (allowed, outcome) in [(false, "approval_denied"), (true, "succeeded")] {
        app.new_session().await.unwrap();
        app.say("Write the text hello world into the file out.txt.").await.unwrap();
        asked(&app).await;
        assert_eq!(Tree::of(&shop).unwrap(), before);
        let allow = app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
        if allowed {
            app.native.press(&allow).await.unwrap();
        } else {
            keys::focused(&app.desktop, WRITE).await.unwrap();
            keys::press(&app.desktop, &["Return"]).unwrap();
        }
        end_of_run(&app).await;
        let rows = app.audit_rows().await.unwrap();
        let write = rows.iter().find(|row| row["tool"] == "write_file").unwrap();
        assert_eq!((write["subject"].as_str(), write["outcome"].as_str()), (Some("out.txt"), Some(outcome)));
        assert_eq!(Tree::of(&shop).unwrap().added(&before).len(), usize::from(allowed));
    }
    app.picture("local-model-write").unwrap();
    let written = std::fs::read_to_string(shop.join("out.txt")).unwrap();
    println!("it wrote: {written}");
    assert!(written.to_lowercase().contains("hello"), "{written}");
}
