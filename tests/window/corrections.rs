//! What was put on record before it was done and then failed: nothing was done, the person is told, and the next row says
//! so.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keychain::Keychain;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use crate::tree::Tree;
use assent_agent::session::SessionLock;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where the keys of models are in the keychain.
const MODELS: &str = "assent-model";
const WRITE: &str = "Write a file?";
const RULES: &str = "version = 1\n\n[[rules]]\nname = \"notes\"\nbehavior = \"allow\"\ntools = [\"write_file\"]\n\
    paths = [\"notes/**\"]\nreason = \"Notes are free.\"\n";
const BROKEN: &str = "version = 1\n[[rules]\n";

/// A session in `shop` that made `made.txt` and was not allowed to make `other.txt`.
async fn worked() -> (App, PathBuf) {
    let write = |path: &str| json!({"path": path, "content": "new\n"});
    let wanted = calls(&[("c1", "write_file", write("made.txt")), ("c2", "write_file", write("other.txt"))]);
    let server = ModelServer::start(vec![wanted, text("One of them.")]);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    app.say("Go.").await.unwrap();
    yes(&app, WRITE, "Allow once").await;
    app.page.see("made.txt").await.unwrap();
    until("the second question", || async {
        let dialog = app.native.find_dialog(WRITE).await;
        Ok(dialog.filter(|dialog| dialog.says().contains("other.txt")).map(|_| ()))
    })
    .await
    .unwrap();
    keys::focused(&app.desktop, WRITE).await.unwrap();
    keys::reading_time().await;
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.end_of_run().await.unwrap();
    assert!(shop.join("made.txt").is_file() && !shop.join("other.txt").exists());
    (app, shop)
}

/// R41, R42: a rule that the file doesn't take by then is no grant.
#[tokio::test]
async fn a_rule_that_cannot_be_added_is_on_record_as_not_granted() {
    let (app, _) = worked().await;
    let script = "return [...document.querySelectorAll('main [data-call]')].at(-1).dataset.call";
    let call = app.page.run(script).await.unwrap();
    let file = config(&app).join("policy.toml");
    let breaks = async {
        app.native.dialog("Add this grant?").await.unwrap();
        std::fs::write(&file, BROKEN).unwrap();
        yes(&app, "Add this grant?", "Add grant").await;
    };
    let asked = app.page.invoke("propose_rule", json!({"callId": call, "candidateId": "rule"}));
    let (granted, ()) = tokio::join!(asked, breaks);
    assert_eq!(granted.unwrap().unwrap()["status"], "impossible");
    corrected(&app, "grant_failed", "grant_added", "Grant not added").await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), BROKEN);
    assert!(!config(&app).join("grants.toml").exists());
    std::fs::remove_file(&file).unwrap();
    let permissions = app.invoke("permissions", json!({})).await.unwrap();
    assert_eq!(permissions["grants"], json!([]));
}

/// R12, R41: a project's policy file that is another one by then is not trusted, neither as it was nor as it is.
#[tokio::test]
async fn a_policy_file_that_changed_meanwhile_is_on_record_as_not_trusted() {
    let server = ModelServer::start(Vec::new());
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    std::fs::create_dir(shop.join(".assent")).unwrap();
    let file = shop.join(".assent/policy.toml");
    std::fs::write(&file, RULES).unwrap();
    let title = "Let this policy file count?";
    let changes = async {
        app.native.dialog(title).await.unwrap();
        std::fs::write(&file, RULES.replace("notes/**", "**")).unwrap();
        yes(&app, title, "Trust file").await;
    };
    let (trusted, ()) = tokio::join!(app.page.invoke("trust_project_policy", json!({})), changes);
    assert_eq!(trusted.unwrap().unwrap()["status"], "impossible");
    corrected(&app, "project_policy_kept", "project_policy_trusted", "Project rules not trusted").await;
    assert!(!config(&app).join("trusted-projects.json").exists());
}

/// R41, R51: a file that can't be written stays as it is, and counts as not taken back.
#[tokio::test]
async fn a_change_that_cannot_be_taken_back_is_on_record_as_kept() {
    let (app, shop) = worked().await;
    let session = app.sessions().await.unwrap()[0]["sessionId"].clone();
    let changes = app.invoke("changes", json!({"sessionId": session})).await.unwrap();
    let undo = json!({"changeId": changes[0]["changeId"], "evenIfChanged": false});
    let made = shop.join("made.txt");
    writable(&made, false);
    let before = Tree::of(&shop).unwrap();
    let refused = app.invoke("undo", undo.clone()).await.unwrap();
    assert_eq!(refused["status"], "failed", "{refused}");
    corrected(&app, "change_kept", "change_undone", "Undo failed").await;
    assert_eq!(Tree::of(&shop).unwrap(), before);
    writable(&made, true);
    assert_eq!(app.invoke("undo", undo).await.unwrap()["status"], "undone");
    assert_eq!(app.audit_rows().await.unwrap()[0]["tool"], "change_undone");
    assert!(!made.exists());
}

/// R12, R41: a server whose key can't come back doesn't, and the record says so.
#[tokio::test]
async fn a_server_that_cannot_come_back_is_on_record_as_such() {
    let desktop = Desktop::start().unwrap();
    let keychain = Keychain::start(desktop.bus_address()).await.unwrap();
    let server = ModelServer::start(Vec::new());
    let (app, _) = App::start_at_work(desktop, &server, &[]).await.unwrap();
    let question = "Send conversations to this server?";
    let profile = |id: Value, url: &str| {
        json!({"profile": {"profileId": id, "name": "Far", "kind": "chat_completions", "baseUrl": url, "model": "m",
            "contextWindow": null, "withoutTools": false, "proxy": "", "caFile": "", "headers": []}})
    };
    let added = app.page.invoke("save_profile", profile(Value::Null, "https://far.example/v1"));
    let (added, ()) = tokio::join!(added, yes(&app, question, "Use server"));
    assert_eq!(added.unwrap().unwrap()["status"], "done");
    let key = json!({"profileId": "far", "key": "sk-secret", "where": "keychain"});
    app.invoke("save_key", key).await.unwrap();
    let moved = app.invoke("save_profile", profile(json!("far"), "http://127.0.0.1:9/v1")).await.unwrap();
    assert!(keychain.names(MODELS).is_empty(), "it is for another server");

    keychain.shut(MODELS);
    let before = std::fs::read_to_string(config(&app).join("settings.toml")).unwrap();
    let back = json!({"change": moved["change"]});
    let restored = app.page.invoke("restore_profile", back.clone());
    let (restored, ()) = tokio::join!(restored, yes(&app, question, "Use server"));
    assert_eq!(restored.unwrap().unwrap_err()["code"], "keychain");
    corrected(&app, "provider_failed", "provider_added", "Provider not put back").await;
    assert_eq!(std::fs::read_to_string(config(&app).join("settings.toml")).unwrap(), before);
    app.native.gone(question).await.unwrap();

    keychain.open();
    let restored = app.page.invoke("restore_profile", back);
    let (restored, ()) = tokio::join!(restored, yes(&app, question, "Use server"));
    restored.unwrap().unwrap();
    assert_eq!(app.audit_rows().await.unwrap()[0]["tool"], "provider_added");
    assert_eq!(keychain.names(MODELS), ["far@far.example_443"]);
}

/// R35, R41: a session that another process runs stays whole, and its record says so; once that ended it can be deleted.
#[tokio::test]
async fn a_session_that_cannot_be_deleted_is_on_record_as_kept() {
    let (mut app, shop) = worked().await;
    let session = app.sessions().await.unwrap()[0]["sessionId"].as_str().unwrap().to_owned();
    // Taken up by nobody, and then by another process: this one.
    app.kill_and_start_again().await.unwrap();
    app.page.see("One of them.").await.unwrap();
    let scratch = app.desktop.path("data").join("assent/sessions").join(&session);
    let lock = SessionLock::take(&scratch).unwrap();
    let kept = Tree::of(&scratch).unwrap();
    let refused = delete(&app, &session).await.unwrap_err();
    assert_eq!(refused["code"], "read_only", "{refused}");
    corrected(&app, "session_kept", "session_deleted", "Session not deleted").await;
    assert_eq!(Tree::of(&scratch).unwrap(), kept);
    assert_eq!(app.sessions().await.unwrap().len(), 1);
    drop(lock);
    assert_eq!(delete(&app, &session).await.unwrap()["status"], "done");
    assert_eq!(app.audit_rows().await.unwrap()[0]["tool"], "session_deleted");
    assert!(app.sessions().await.unwrap().is_empty() && !scratch.exists());
    assert!(shop.join("made.txt").is_file(), "what it made is the person's");
}

/// The newest row corrects the one before it, is about the same, and shows in the window as `words`.
async fn corrected(app: &App, correction: &str, effect: &str, words: &str) {
    app.page.see(words).await.unwrap();
    let rows = app.audit_rows().await.unwrap();
    assert_eq!((&rows[0]["tool"], &rows[1]["tool"]), (&json!(correction), &json!(effect)), "{rows:?}");
    assert_eq!(rows[0]["surface"], rows[1]["surface"]);
    assert_ne!(rows[0]["reason"], rows[1]["reason"]);
    let details = async |row: &Value| {
        let detail = app.invoke("audit_detail", json!({"seq": row["seq"]})).await.unwrap();
        detail["arguments"].clone()
    };
    assert_eq!(details(&rows[0]).await, details(&rows[1]).await);
    let verified = app.invoke("verify_audit", json!({})).await.unwrap();
    assert_eq!(verified["ok"], true, "{verified}");
}

async fn delete(app: &App, session: &str) -> Result<Value, Value> {
    let asked = app.page.invoke("delete_session", json!({"sessionId": session}));
    let (reply, ()) = tokio::join!(asked, yes(app, "Delete this session?", "Delete"));
    reply.unwrap()
}

/// Presses the affirmative button of the question `title`.
async fn yes(app: &App, title: &str, label: &str) {
    let button = app.native.button_when_sensitive(title, label).await.unwrap();
    keys::reading_time().await;
    app.native.press(&button).await.unwrap();
}

fn config(app: &App) -> PathBuf {
    app.desktop.path("config").join("assent")
}

fn writable(path: &Path, writable: bool) {
    let mode = if writable { 0o644 } else { 0o444 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
