//! A session's folder was moved while a run is on: Locate ends the run, and takes the session along with what it made.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::model_server::{ModelServer, calls, text};
use crate::processes::{below, names};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const WRITE: &str = "Write a file?";
const ALLOW: &str = "Allow once";

/// R52, R62: the command ends with every process it started before its folder is another one; the session goes on there,
/// and what it made can be taken back.
#[tokio::test]
async fn locating_a_folder_ends_the_run_and_takes_the_session_along() {
    let command = "touch started; setsid tail -f /dev/null & tail -f /dev/null";
    let write = |path: &str| json!({"path": path, "content": "new\n"});
    let server = ModelServer::start(vec![
        calls(&[("c1", "write_file", write("made.txt"))]),
        calls(&[("c2", "shell", json!({"command": command}))]),
        calls(&[("c3", "write_file", write("after.txt"))]),
        text("It went on."),
    ]);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    app.say("Go.").await.unwrap();
    allow(&app, WRITE, "made.txt").await;
    allow(&app, "Run a command", "tail").await;
    let count = || {
        let running = below(app.page.app_pid().unwrap());
        names(&running).iter().filter(|name| *name == "tail").count()
    };
    until("both processes to run", || async { Ok((count() == 2).then_some(())) }).await.unwrap();
    let store = moved(&app, &shop).await;
    assert_eq!(count(), 0, "they ended before the session was told to be there");
    let sessions = app.sessions().await.unwrap();
    assert_eq!((sessions.len(), &sessions[0]["running"]), (1, &json!(false)), "{sessions:?}");
    let rows = app.audit_rows().await.unwrap();
    let last = rows.iter().find(|row| row["tool"] == "shell").unwrap();
    assert_eq!(last["outcome"], "outcome_unknown", "{last}");
    app.picture("located").unwrap();

    app.say("Go on.").await.unwrap();
    allow(&app, WRITE, "after.txt").await;
    app.page.see("It went on.").await.unwrap();
    app.end_of_run().await.unwrap();
    assert!(store.join("after.txt").is_file() && !shop.exists());
    let changes = app.invoke("changes", json!({"sessionId": sessions[0]["sessionId"]})).await.unwrap();
    let listed: Vec<(&Value, &Value)> =
        changes.as_array().unwrap().iter().map(|change| (&change["path"], &change["state"])).collect();
    let undoable = json!("undoable");
    assert_eq!(listed, [(&json!("after.txt"), &undoable), (&json!("made.txt"), &undoable)]);
    let undo = json!({"changeId": changes[1]["changeId"], "evenIfChanged": false});
    assert_eq!(app.invoke("undo", undo).await.unwrap()["status"], "undone");
    assert!(!store.join("made.txt").exists());
}

/// Moves the folder, locates it in the window, and waits until the session is there; the folder by then.
async fn moved(app: &App, shop: &Path) -> PathBuf {
    let session = app.sessions().await.unwrap()[0].clone();
    assert_eq!(session["running"], true);
    let store = shop.with_file_name("store");
    std::fs::rename(shop, &store).unwrap();
    // What is sent is refused, and the window told.
    let message = json!({"sessionId": session["sessionId"], "text": "Go on.", "mentions": [], "attachments": [],
        "replaceFrom": null});
    let refused = app.page.invoke("send_message", json!({"message": message})).await.unwrap().unwrap_err();
    assert_eq!(refused["code"], "read_only", "{refused}");
    app.page.press("Locate").await.unwrap();
    app.pick(&store).await.unwrap();
    until("the session to be in the folder", || async {
        let sessions = app.sessions().await?;
        Ok((sessions[0]["workspace"] == json!(store) && sessions[0]["readOnly"].is_null()).then_some(()))
    })
    .await
    .unwrap();
    store
}

/// Allows the call whose question has `title` and speaks of `about`.
async fn allow(app: &App, title: &str, about: &str) {
    let button = until(&format!("a question about {about}"), || async {
        let dialog = app.native.find_dialog(title).await.filter(|dialog| dialog.says().contains(about));
        let button = dialog.and_then(|dialog| dialog.button(ALLOW).ok().cloned());
        Ok(button.filter(|button| button.sensitive))
    })
    .await
    .unwrap();
    app.native.press(&button).await.unwrap();
}
