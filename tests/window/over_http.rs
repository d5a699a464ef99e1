//! The same window against an OpenAI-compatible server over HTTP, with a copy of this repository as the workspace.

use crate::app::App;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use crate::tree::Tree;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const WRITE: &str = "Write a file?";

/// R11, R13, R30, R40, R62: Enter denies and nothing happens; asked again, the allow button runs it once; a forbidden
/// command raises no dialog; all of it is on record.
#[tokio::test]
async fn a_served_model_gets_the_same_treatment() {
    let write = |id| (id, "write_file", json!({"path": "made.txt", "content": "made\n"}));
    let server = ModelServer::start(vec![
        calls(&[("c1", "shell", json!({"command": "sudo touch forbidden"})), write("c2")]),
        text("So it is not written."),
        calls(&[write("c3")]),
        text("That is all."),
    ]);
    let app = App::start_with(&server.settings()).await.unwrap();
    let shop = app.desktop.home().join("code/shop");
    copy_of_this_repository(&shop);
    app.first_run(&shop).await.unwrap();
    app.invoke("select_model", json!({"profileId": "served", "model": "scripted"})).await.unwrap();
    let before = Tree::of(&shop).unwrap();

    app.say("Go on.").await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    assert!(app.native.find_dialog("Run a command?").await.is_none(), "the forbidden command is asked about");
    assert_eq!(Tree::of(&shop).unwrap(), before, "nothing happened before the answer");
    keys::focused(&app.desktop, WRITE).await.unwrap();
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.page.see("you denied").await.unwrap();
    app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before, "a denial changes nothing");

    app.say("Try once more.").await.unwrap();
    let allow = app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    app.native.press(&allow).await.unwrap();
    app.page.see("That is all.").await.unwrap();
    app.end_of_run().await.unwrap();
    app.picture("over-http").unwrap();
    let after = Tree::of(&shop).unwrap();
    assert_eq!(after.added(&before), [shop.join("made.txt")]);

    let rows = app.audit_rows().await.unwrap();
    let decided: Vec<(&str, &str, bool)> = rows
        .iter()
        .filter(|row| row["kind"] == "call")
        .map(|row| {
            let word = |name: &str| row[name].as_str().unwrap();
            (word("tool"), word("behavior"), row["asked"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(
        decided,
        [("write_file", "allow", true), ("write_file", "deny", true), ("shell", "deny", false)],
        "newest first"
    );
    let requests = server.requests();
    let answers: Vec<&Value> =
        requests[1]["messages"].as_array().unwrap().iter().filter(|it| it["role"] == "tool").collect();
    let answers: Vec<&str> = answers.iter().map(|answer| answer["content"].as_str().unwrap()).collect();
    assert!(answers[0].starts_with("Error [permission_denied]"), "{answers:?}");
    assert!(answers[1].starts_with("Error [approval_denied]"), "{answers:?}");
}

fn copy_of_this_repository(to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let done =
        Command::new("git").args(["clone", "--quiet", "--no-hardlinks"]).arg(root).arg(to).status().unwrap();
    assert!(done.success());
}
