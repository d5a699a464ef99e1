//! The first minute of use, as a newcomer has it: pick a folder, send a message, deny one call, allow another.

use crate::app::App;
use crate::keys;
use crate::tree::Tree;

const WRITE: &str = "Write a file?";

/// R13, R16, R30, R40: Enter denies and nothing happens; the allow button allows exactly once; both are on record.
#[tokio::test]
async fn enter_denies_and_the_allow_button_allows_once() {
    let app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let before = Tree::of(&shop).unwrap();

    app.say("Show me around.").await.unwrap();
    keys::focused(&app.desktop, WRITE).await.unwrap();
    app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    let dialog = app.native.dialog(WRITE).await.unwrap();
    app.picture("dialog").unwrap();
    assert_eq!(dialog.buttons(), ["Deny", "Allow once", "Cancel"]);
    let deny = dialog.button("Deny").unwrap();
    assert!(deny.default && deny.focused, "{deny:?}");
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.page.see("you denied").await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before, "a denial changes nothing");
    app.end_of_run().await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
    app.picture("denied").unwrap();

    app.new_session().await.unwrap();
    app.say("Once more.").await.unwrap();
    let allow = app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    app.native.press(&allow).await.unwrap();
    app.end_of_run().await.unwrap();
    let after = Tree::of(&shop).unwrap();
    assert_eq!(after.added(&before).len(), 1, "{:?}", after.added(&before));
    assert!(!shop.parent().unwrap().join("assent-tour-outside.md").exists());
    app.picture("allowed").unwrap();

    let rows = app.audit_rows().await.unwrap();
    let asked: Vec<(&str, &str)> = rows
        .iter()
        .filter(|row| row["asked"] == true && row["tool"] == "write_file")
        .map(|row| (row["behavior"].as_str().unwrap(), row["surface"].as_str().unwrap()))
        .collect();
    assert_eq!(asked, [("allow", "dialog"), ("deny", "dialog")], "newest first");
}
