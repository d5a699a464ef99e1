//! The app is killed while a call waits, and started again: the call is known, nothing was approved meanwhile, and
//! the person's answer counts once.

use crate::accessibility::Node;
use crate::app::App;
use crate::driver::until;
use crate::keys;
use crate::tree::Tree;
use serde_json::{Value, json};
use std::path::PathBuf;

const WRITE: &str = "Write a file?";

/// The app started again after it was killed while it asked, and asking again.
struct Again {
    app: App,
    shop: PathBuf,
    before: Tree,
    allow: Node,
}

async fn killed_while_it_asks() -> Again {
    let mut app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();

    app.kill_and_start_again().await.unwrap();
    let allow = app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    app.waiting(1).await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before, "nothing was approved");
    Again { app, shop, before, allow }
}

impl Again {
    /// Outcomes of the writes inside the workspace, newest first.
    async fn outcomes(&self) -> Vec<Value> {
        let rows = self.app.audit_rows().await.unwrap();
        let inside = rows
            .into_iter()
            .filter(|row| row["tool"] == "write_file" && row["outcome"] != "permission_denied");
        inside.map(|row| row["outcome"].clone()).collect()
    }

    fn added(&self) -> usize {
        Tree::of(&self.shop).unwrap().added(&self.before).len()
    }
}

/// R30, R35: asked again, Enter denies.
#[tokio::test]
async fn enter_denies_after_a_restart() {
    let again = killed_while_it_asks().await;
    keys::focused(&again.app.desktop, WRITE).await.unwrap();
    keys::press(&again.app.desktop, &["Return"]).unwrap();
    again.app.waiting(0).await.unwrap();
    again.app.page.see("you denied").await.unwrap();
    again.app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&again.shop).unwrap(), again.before);
    assert_eq!(again.outcomes().await, ["approval_denied"]);
}

/// R32, R35, R53: asked again, the allow button runs the call once; over another restart it is not run again.
#[tokio::test]
async fn the_allow_button_allows_once_after_a_restart() {
    let mut again = killed_while_it_asks().await;
    again.app.native.press(&again.allow).await.unwrap();
    again.app.waiting(0).await.unwrap();
    until("the file", || async { Ok((again.added() == 1).then_some(())) }).await.unwrap();
    again.app.end_of_run().await.unwrap();
    assert_eq!(again.added(), 1);
    assert_eq!(again.outcomes().await, ["succeeded"]);

    std::fs::remove_file(again.shop.join("assent-tour.md")).unwrap();
    again.app.kill_and_start_again().await.unwrap();
    again.app.page.see("Show me around.").await.unwrap();
    again.app.waiting(0).await.unwrap();
    assert!(again.app.native.find_dialog(WRITE).await.is_none());
    assert_eq!(Tree::of(&again.shop).unwrap(), again.before, "what ran once doesn't run again");
    assert_eq!(again.outcomes().await, ["succeeded"]);
}

/// R35: what is no message leaves the call to the person: it waits on, and their answer counts.
#[tokio::test]
async fn a_summary_leaves_the_waiting_call_alone() {
    let again = killed_while_it_asks().await;
    let session = again.app.sessions().await.unwrap()[0]["sessionId"].clone();
    for command in ["compact_session", "undo_compaction"] {
        let refused = again.app.page.invoke(command, json!({"sessionId": session})).await.unwrap();
        assert_eq!(refused.unwrap_err()["code"], "busy", "{command}");
    }
    again.app.waiting(1).await.unwrap();
    again.app.native.press(&again.allow).await.unwrap();
    until("the file", || async { Ok((again.added() == 1).then_some(())) }).await.unwrap();
    again.app.end_of_run().await.unwrap();
    assert_eq!(again.outcomes().await, ["succeeded"]);
}

/// R33, R35: the session goes another way: what waited is withdrawn, the new call is asked about by itself.
#[tokio::test]
async fn another_message_withdraws_what_waited() {
    let again = killed_while_it_asks().await;
    let session = again.app.sessions().await.unwrap()[0]["sessionId"].clone();
    let message = json!({"sessionId": session, "text": "The tour again, please.", "mentions": [],
        "attachments": [], "replaceFrom": null});
    again.app.invoke("send_message", json!({"message": message})).await.unwrap();
    let allow = until("another dialog", || async {
        let Some(dialog) = again.app.native.find_dialog(WRITE).await else { return Ok(None) };
        let allow =
            dialog.button("Allow once").ok().filter(|allow| allow.sensitive && !allow.is(&again.allow));
        Ok(allow.cloned())
    })
    .await
    .unwrap();
    assert_eq!(Tree::of(&again.shop).unwrap(), again.before);
    again.app.native.press(&allow).await.unwrap();
    until("the file", || async { Ok((again.added() == 1).then_some(())) }).await.unwrap();
    again.app.end_of_run().await.unwrap();
    assert_eq!(again.added(), 1);
    assert_eq!(again.outcomes().await, ["succeeded", "approval_withdrawn"]);
}
