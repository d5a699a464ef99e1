//! Every way to answer a dialog or not to: deny, except the one explicit allow. Both implementations.

use crate::app::App;
use crate::desktop::Desktop;
use crate::keys;
use crate::tree::Tree;

const WRITE: &str = "Write a file?";

/// Presses `answer` in the dialog of a `write_file` call; whether the file was written.
async fn written_after(dialog: &str, answer: &[&str]) -> bool {
    let app = App::start_on(Desktop::start().unwrap(), &[("ASSENT_DIALOG", dialog)]).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    let window = keys::focused(&app.desktop, WRITE).await.unwrap();
    let (_, height) = keys::size(&app.desktop, &window).unwrap();
    assert!(height < crate::desktop::SCREEN.1, "{height}");
    // rfd can't hold its button back: an answer within the reading time would be dropped.
    keys::reading_time().await;
    keys::press(&app.desktop, answer).unwrap();
    app.end_of_run().await.unwrap();
    app.picture(&format!("matrix-{dialog}-{}", answer.join("-"))).unwrap();
    Tree::of(&shop).unwrap() != before
}

/// R30, R31
#[tokio::test]
async fn gtk_enter_denies() {
    assert!(!written_after("gtk", &["Return"]).await);
}

/// R30, R31
#[tokio::test]
async fn gtk_space_denies() {
    assert!(!written_after("gtk", &["space"]).await);
}

/// R30, R31
#[tokio::test]
async fn gtk_escape_denies() {
    assert!(!written_after("gtk", &["Escape"]).await);
}

/// R30, R31
#[tokio::test]
async fn gtk_closing_denies() {
    assert!(!written_after("gtk", &["alt+F4"]).await);
}

/// R30, R31: Tab and Enter typed in a hurry land on Cancel.
#[tokio::test]
async fn gtk_tab_and_enter_denies() {
    assert!(!written_after("gtk", &["Tab", "Return"]).await);
}

/// R30: the keyboard's one deliberate way to allow.
#[tokio::test]
async fn gtk_the_allow_button_by_keyboard_allows() {
    assert!(written_after("gtk", &["Tab", "Tab", "Tab", "Return"]).await);
}

/// R30, R31
#[tokio::test]
async fn rfd_enter_denies() {
    assert!(!written_after("rfd", &["Return"]).await);
}

/// R30, R31
#[tokio::test]
async fn rfd_space_denies() {
    assert!(!written_after("rfd", &["space"]).await);
}

/// R30, R31
#[tokio::test]
async fn rfd_escape_denies() {
    assert!(!written_after("rfd", &["Escape"]).await);
}

/// R30, R31
#[tokio::test]
async fn rfd_closing_denies() {
    assert!(!written_after("rfd", &["alt+F4"]).await);
}

/// R30, R31: two steps on is the third button.
#[tokio::test]
async fn rfd_tab_tab_and_enter_denies() {
    assert!(!written_after("rfd", &["Tab", "Tab", "Return"]).await);
}

/// R30: the keyboard's one deliberate way to allow.
#[tokio::test]
async fn rfd_the_allow_button_by_keyboard_allows() {
    assert!(written_after("rfd", &["Tab", "Return"]).await);
}

/// R31, R35: an app that is killed while it asks has done nothing; started again, nothing was approved meanwhile.
#[tokio::test]
async fn a_killed_app_has_done_nothing() {
    let app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();
    app.say("Show me around.").await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    app.kill().await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
}
