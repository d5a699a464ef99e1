//! A person in another window: a notification says that a call waits, opens its dialog or denies, and can't allow.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::notification_server::{Manner, Note, NotificationServer, forge};
use crate::tree::Tree;
use serde_json::{Value, json};
use std::path::PathBuf;

const WRITE: &str = "Write a file?";

/// The app behind another window, with a write that waits.
struct Away {
    app: App,
    server: Option<NotificationServer>,
    shop: PathBuf,
    before: Tree,
}

impl Away {
    async fn with(manner: Option<Manner>, settings: &str) -> Self {
        let desktop = Desktop::start().unwrap();
        desktop.write_settings(settings).unwrap();
        let server = match manner {
            Some(manner) => Some(NotificationServer::start(desktop.bus_address(), manner).await.unwrap()),
            None => None,
        };
        let mut app = App::start_on(desktop, &[]).await.unwrap();
        let shop = app.workspace("shop").unwrap();
        app.first_run(&shop).await.unwrap();
        let before = Tree::of(&shop).unwrap();
        app.desktop.open_another_window().unwrap();
        keys::focused(&app.desktop, "elsewhere").await.unwrap();
        let message =
            json!({"sessionId": null, "text": "Go.", "mentions": [], "attachments": [], "replaceFrom": null});
        app.invoke("send_message", json!({"message": message})).await.unwrap();
        app.waiting(1).await.unwrap();
        Self { app, server, shop, before }
    }

    async fn new(manner: Manner) -> Self {
        Self::with(Some(manner), "").await
    }

    fn server(&self) -> &NotificationServer {
        self.server.as_ref().unwrap()
    }

    async fn question(&self) -> Note {
        self.server().question().await.unwrap()
    }

    fn nothing_happened(&self) {
        assert_eq!(Tree::of(&self.shop).unwrap(), self.before);
    }

    /// The write as it stands in the audit, once it has its outcome.
    async fn row(&self) -> Value {
        until("the write's row", || async {
            let rows = self.app.audit_rows().await?;
            let row = rows.into_iter().find(|row| row["tool"] == "write_file" && row["asked"] == true);
            Ok(row.filter(|row| !row["outcome"].is_null()))
        })
        .await
        .unwrap()
    }
}

/// R13, R30: the notification says what waits, and nothing that the model wrote; Review opens the dialog, and the
/// dialog's allow runs the call once.
#[tokio::test]
async fn review_opens_the_dialog_and_the_dialog_allows_once() {
    let away = Away::new(Manner::Honest).await;
    let note = away.question().await;
    assert_eq!(note.actions, ["default", "Review", "review", "Review", "deny", "Deny"]);
    let text = format!("{} {}", note.summary, note.body);
    assert!(text.contains("write_file") && text.contains("shop"), "{text}");
    assert!(!text.contains("assent-tour"), "an argument is in {text}");
    assert!(away.app.native.find_dialog(WRITE).await.is_none());
    away.nothing_happened();

    away.server().invoke(note.id, "review").await.unwrap();
    let allow = away.app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    away.app.picture("review-from-a-notification").unwrap();
    away.nothing_happened();
    away.app.native.press(&allow).await.unwrap();
    away.app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&away.shop).unwrap().added(&away.before).len(), 1);
    let row = away.row().await;
    assert_eq!((row["behavior"].as_str(), row["surface"].as_str()), (Some("allow"), Some("dialog")));
    away.server().taken_back(note.id).await.unwrap();
}

/// R30, R36: Deny on the notification denies, with no dialog.
#[tokio::test]
async fn deny_denies_without_a_dialog() {
    let away = Away::new(Manner::Honest).await;
    let note = away.question().await;
    away.server().invoke(note.id, "deny").await.unwrap();
    let row = away.row().await;
    assert_eq!((row["behavior"].as_str(), row["surface"].as_str()), (Some("deny"), Some("notification")));
    assert!(away.app.native.find_dialog(WRITE).await.is_none());
    away.app.end_of_run().await.unwrap();
    away.nothing_happened();
}

/// R31: closing the notification answers nothing; the dialog comes with the window.
#[tokio::test]
async fn a_closed_notification_answers_nothing() {
    let away = Away::new(Manner::Honest).await;
    let note = away.question().await;
    away.server().dismiss(note.id).await.unwrap();
    away.app.waiting(1).await.unwrap();
    away.app.activate().unwrap();
    keys::focused(&away.app.desktop, WRITE).await.unwrap();
    away.app.waiting(1).await.unwrap();
    away.nothing_happened();
    keys::press(&away.app.desktop, &["Return"]).unwrap();
    let row = away.row().await;
    assert_eq!((row["behavior"].as_str(), row["surface"].as_str()), (Some("deny"), Some("dialog")));
    away.nothing_happened();
}

/// R31: no server, one without buttons, one that says nothing: the dialog opens by itself, and Enter denies.
#[tokio::test]
async fn where_a_notification_reaches_nobody_the_dialog_opens() {
    for manner in [None, Some(Manner::WithoutActions), Some(Manner::Mute)] {
        let away = Away::with(manner, "").await;
        away.app.native.dialog(WRITE).await.unwrap();
        keys::focused(&away.app.desktop, WRITE).await.unwrap();
        keys::press(&away.app.desktop, &["Return"]).unwrap();
        assert_eq!(away.row().await["behavior"], "deny", "{manner:?}");
        away.nothing_happened();
    }
}

/// R31: the server ends while a call waits.
#[tokio::test]
async fn a_server_that_dies_leaves_the_dialog() {
    let mut away = Away::new(Manner::Honest).await;
    away.question().await;
    assert!(away.app.native.find_dialog(WRITE).await.is_none());
    away.server.take().unwrap().die().await.unwrap();
    away.app.native.dialog(WRITE).await.unwrap();
    keys::focused(&away.app.desktop, WRITE).await.unwrap();
    keys::press(&away.app.desktop, &["Escape"]).unwrap();
    assert_eq!(away.row().await["behavior"], "deny");
    away.nothing_happened();
}

/// R31: other people's notifications, words nobody offered, and noise: nothing is answered.
#[tokio::test]
async fn a_server_that_lies_answers_nothing() {
    let away = Away::new(Manner::Honest).await;
    let note = away.question().await;
    for (id, action) in [(note.id + 1, "review"), (0, "default"), (u32::MAX, "deny")] {
        away.server().invoke(id, action).await.unwrap();
    }
    away.server().babble().await.unwrap();
    away.server().dismiss(note.id + 1).await.unwrap();
    away.server().invoke(note.id, "allow").await.unwrap();
    // The last word was about our notification, so that one is gone; the call waits on.
    away.server().taken_back(note.id).await.unwrap();
    for action in ["approve", "yes", "Allow once", ""] {
        away.server().invoke(note.id, action).await.unwrap();
    }
    away.app.waiting(1).await.unwrap();
    assert!(away.app.native.find_dialog(WRITE).await.is_none());
    away.nothing_happened();
    away.app.activate().unwrap();
    keys::focused(&away.app.desktop, WRITE).await.unwrap();
    keys::press(&away.app.desktop, &["Return"]).unwrap();
    assert_eq!(away.row().await["surface"], "dialog");
    away.nothing_happened();
}

/// R31, R34: an answer that comes when the call has ended changes nothing and is on record.
#[tokio::test]
async fn a_late_answer_is_on_record() {
    let away = Away::new(Manner::LateDeny).await;
    let note = away.question().await;
    away.app.invoke("deny_all", json!({})).await.unwrap();
    away.server().taken_back(note.id).await.unwrap();
    assert_eq!(away.row().await["surface"], "window");
    until("the late answer's row", || async {
        let rows = away.app.audit_rows().await?;
        Ok(rows.into_iter().find(|row| row["tool"] == "late_answer" && row["surface"] == "notification"))
    })
    .await
    .unwrap();
    away.nothing_happened();
}

/// R30, R31: any program of the session can pretend to be the server; the most it gets is the dialog, or a denial.
#[tokio::test]
async fn a_forged_answer_never_allows() {
    let away = Away::new(Manner::Honest).await;
    let note = away.question().await;
    let (address, app) = (away.app.desktop.bus_address().to_owned(), away.app.page.app_pid().unwrap());
    for id in 0..=note.id + 1 {
        for action in ["allow", "approve", "Allow once", "yes", "default", "review"] {
            forge(&address, app, id, action).await.unwrap();
        }
    }
    away.app.waiting(1).await.unwrap();
    away.nothing_happened();
    forge(&address, app, note.id, "deny").await.unwrap();
    away.app.invoke("deny_all", json!({})).await.unwrap();
    assert_eq!(away.row().await["behavior"], "deny");
    away.app.end_of_run().await.unwrap();
    away.nothing_happened();
}

/// R30: switched off, the dialog opens at once; always, there are both.
#[tokio::test]
async fn the_setting_counts() {
    let off = Away::with(Some(Manner::Honest), "notifications = \"off\"\n").await;
    off.app.native.dialog(WRITE).await.unwrap();
    assert_eq!(off.server().notes(), []);
    keys::focused(&off.app.desktop, WRITE).await.unwrap();
    keys::press(&off.app.desktop, &["Return"]).unwrap();
    assert_eq!(off.row().await["behavior"], "deny");
    off.nothing_happened();
    assert_eq!(off.server().notes(), []);

    let desktop = Desktop::start().unwrap();
    desktop.write_settings("notifications = \"always\"\n").unwrap();
    let server = NotificationServer::start(desktop.bus_address(), Manner::Honest).await.unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Go.").await.unwrap();
    app.native.dialog(WRITE).await.unwrap();
    let note = server.question().await.unwrap();
    server.invoke(note.id, "deny").await.unwrap();
    app.end_of_run().await.unwrap();
    app.native.gone(WRITE).await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
}
