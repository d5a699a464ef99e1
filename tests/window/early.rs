//! Keys and clicks that were on their way before a dialog could be read never allow.
//!
//! The reading time is made so long that every press in a test is early, however slow the machine is.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::tree::Tree;
use std::path::PathBuf;

const WRITE: &str = "Write a file?";

async fn asking(dialog: &str) -> (App, PathBuf, Tree) {
    let env = [("ASSENT_DIALOG", dialog), ("ASSENT_READING_MS", "3600000")];
    let app = App::start_on(Desktop::start().unwrap(), &env).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.dialog(WRITE).await.unwrap();
    keys::focused(&app.desktop, WRITE).await.unwrap();
    (app, shop, before)
}

/// R30, R31: GTK's allow button can't be pressed, neither by a screen reader nor by the keys that reach it later.
#[tokio::test]
async fn gtk_has_no_allow_yet() {
    let (app, shop, before) = asking("gtk").await;
    let dialog = app.native.dialog(WRITE).await.unwrap();
    let allow = dialog.button("Allow once").unwrap();
    assert!(!allow.sensitive);
    app.native.press(allow).await.unwrap();
    keys::press(&app.desktop, &["alt+a"]).unwrap();
    app.waiting(1).await.unwrap();
    app.native.dialog(WRITE).await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
    keys::press(&app.desktop, &["Tab", "Tab", "Tab", "Return"]).unwrap();
    app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
}

/// R30, R31: rfd can't hold its button back, so what is pressed early is dropped and the question stands again;
/// after a handful it could not be asked.
#[tokio::test]
async fn rfd_asks_again_and_gives_up() {
    let (app, shop, before) = asking("rfd").await;
    let mut pressed = None;
    for _ in 0..5 {
        let allow = until("the question to stand again", || async {
            let Some(dialog) = app.native.find_dialog(WRITE).await else { return Ok(None) };
            let allow = dialog.button("Allow once").ok().cloned();
            Ok(allow.filter(|allow| pressed.as_ref().is_none_or(|pressed| !allow.is(pressed))))
        })
        .await
        .unwrap();
        app.waiting(1).await.unwrap();
        assert_eq!(Tree::of(&shop).unwrap(), before);
        app.native.press(&allow).await.unwrap();
        pressed = Some(allow);
    }
    app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
    let rows = app.audit_rows().await.unwrap();
    let row = rows.iter().find(|row| row["tool"] == "write_file" && row["asked"] == true).unwrap();
    assert_eq!(row["outcome"], "approval_unavailable");
}
