//! The app is killed while a call waits, and started again: the call is known, and nothing was approved meanwhile.

use crate::app::App;
use crate::driver::until;
use crate::tree::Tree;
use serde_json::json;

const WRITE: &str = "Write a file?";

/// R35: it waits again, it can be denied, and the effect never comes.
#[tokio::test]
async fn a_call_that_waited_waits_again_and_can_be_denied() {
    let mut app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();

    app.kill_and_start_again().await.unwrap();
    app.waiting(1).await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before, "nothing was approved");
    app.invoke("deny_all", json!({})).await.unwrap();
    app.waiting(0).await.unwrap();
    assert!(app.native.find_dialog(WRITE).await.is_none());
    assert_eq!(Tree::of(&shop).unwrap(), before);
}

/// R33, R35: the session goes on, and asks anew; the effect comes once.
#[tokio::test]
async fn a_session_that_goes_on_asks_anew() {
    let mut app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();

    app.kill_and_start_again().await.unwrap();
    app.waiting(1).await.unwrap();
    let session = app.sessions().await.unwrap()[0]["sessionId"].clone();
    let message = json!({"sessionId": session, "text": "Once more, the tour again.", "mentions": [],
        "attachments": [], "replaceFrom": null});
    app.invoke("send_message", json!({"message": message})).await.unwrap();
    let allow = app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
    app.native.press(&allow).await.unwrap();
    until("the file", || async { Ok((Tree::of(&shop)? != before).then_some(())) }).await.unwrap();
    app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap().added(&before).len(), 1);
    let rows = app.audit_rows().await.unwrap();
    let allowed = rows.iter().filter(|row| row["tool"] == "write_file" && row["behavior"] == "allow").count();
    assert_eq!(allowed, 1, "{rows:#?}");
}
