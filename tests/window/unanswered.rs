//! Nobody answers: a call that waits runs out of time, and nothing happens.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::{until, until_within};
use crate::tree::Tree;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

const WRITE: &str = "Write a file?";
/// The shortest time that can be set is one minute.
const SETTINGS: &str = "approval_minutes = 1\n";
const PATIENCE: Duration = Duration::from_secs(150);

struct Asked {
    app: App,
    shop: PathBuf,
    before: Tree,
}

async fn asked(dialog: &str) -> Asked {
    let desktop = Desktop::start().unwrap();
    desktop.write_settings(SETTINGS).unwrap();
    let app = App::start_on(desktop, &[("ASSENT_DIALOG", dialog)]).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.dialog(WRITE).await.unwrap();
    Asked { app, shop, before }
}

impl Asked {
    async fn expired(&self) -> Value {
        until_within(PATIENCE, "the call to expire", || async {
            let rows = self.app.audit_rows().await?;
            Ok(rows.into_iter().find(|row| row["outcome"] == "approval_expired"))
        })
        .await
        .unwrap()
    }

    async fn gone(&self) {
        self.app.native.gone(WRITE).await.unwrap();
    }

    fn nothing_happened(&self) {
        assert_eq!(Tree::of(&self.shop).unwrap(), self.before);
    }
}

/// R31, R34: GTK's dialog goes by itself.
async fn gtk() {
    let asked = asked("gtk").await;
    let row = asked.expired().await;
    assert_eq!((row["tool"].as_str(), row["behavior"].as_str()), (Some("write_file"), Some("deny")));
    asked.gone().await;
    asked.app.end_of_run().await.unwrap();
    asked.app.page.see("expired").await.unwrap();
    asked.nothing_happened();
}

/// R31, R34: rfd's dialog stays, and what is pressed in it is only put on record.
async fn rfd() {
    let asked = asked("rfd").await;
    asked.expired().await;
    asked.app.end_of_run().await.unwrap();
    asked.nothing_happened();
    let dialog = asked.app.native.dialog(WRITE).await.unwrap();
    asked.app.native.press(dialog.button("Allow once").unwrap()).await.unwrap();
    let late = until("the late answer's row", || async {
        let rows = asked.app.audit_rows().await?;
        Ok(rows.into_iter().find(|row| row["tool"] == "late_answer"))
    })
    .await
    .unwrap();
    assert_eq!(late["surface"], "dialog");
    asked.nothing_happened();
}

/// R35: a call whose app was killed runs out of time all the same.
async fn killed() {
    let mut asked = asked("gtk").await;
    asked.app.kill_and_start_again().await.unwrap();
    asked.app.waiting(1).await.unwrap();
    asked.app.native.dialog(WRITE).await.unwrap();
    until_within(PATIENCE, "the call to end", || async {
        let sessions = asked.app.sessions().await?;
        Ok(sessions.iter().all(|session| session["waiting"] == 0).then_some(()))
    })
    .await
    .unwrap();
    asked.gone().await;
    asked.nothing_happened();
}

/// R31, R34, R35: both dialogs, and a restart. At once, since each takes its minute.
#[tokio::test]
async fn what_nobody_answers_expires() {
    tokio::join!(gtk(), rfd(), killed());
}
