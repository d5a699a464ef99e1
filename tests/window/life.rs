//! The window's life: links to sessions, a folder that is renamed, a settings file that is damaged.

use crate::app::{App, binary};
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, text};
use crate::tree::Tree;
use serde_json::json;
use std::process::Stdio;

/// R62: a link shows a session and does nothing else; a renamed folder is read-only until it is located.
#[tokio::test]
async fn links_only_show_and_a_renamed_folder_is_located() {
    let app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    app.say("Show me around.").await.unwrap();
    keys::focused(&app.desktop, "Write a file?").await.unwrap();
    app.native.button_when_sensitive("Write a file?", "Allow once").await.unwrap();
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.end_of_run().await.unwrap();
    let before = (Tree::of(&shop).unwrap(), app.audit_rows().await.unwrap().len());
    let sessions = app.invoke("list_sessions", everything()).await.unwrap();
    let id = sessions[0]["sessionId"].as_str().unwrap().to_owned();
    app.new_session().await.unwrap();
    no_cards(&app).await;

    for hostile in [format!("assent://approve/{id}"), format!("assent://session/{id}?run=1"), "--help".into()]
    {
        second_start(&app, &hostile);
    }
    second_start(&app, &format!("assent://session/{}", "0".repeat(11) + "-" + &"0".repeat(20)));
    app.page.see("a session that isn't here").await.unwrap();
    no_cards(&app).await;
    second_start(&app, &format!("assent://session/{id}"));
    app.page.find("main [data-call]").await.unwrap();
    app.picture("link").unwrap();
    assert_eq!((Tree::of(&shop).unwrap(), app.audit_rows().await.unwrap().len()), before);

    let store = shop.with_file_name("store");
    std::fs::rename(&shop, &store).unwrap();
    let message =
        json!({"sessionId": id, "text": "Go on.", "mentions": [], "attachments": [], "replaceFrom": null});
    let refused = app.page.invoke("send_message", json!({"message": message})).await.unwrap().unwrap_err();
    assert_eq!(refused["code"], "read_only");
    app.page.see("is gone").await.unwrap();
    app.picture("folder-gone").unwrap();
    app.page.press("Locate").await.unwrap();
    app.pick(&store).await.unwrap();
    until("the session to be writable again", || async {
        let sessions = app.invoke("list_sessions", everything()).await?;
        Ok((sessions[0]["readOnly"].is_null() && sessions[0]["workspace"] == json!(store)).then_some(()))
    })
    .await
    .unwrap();
    // It is on screen still, and can be gone on with.
    app.page.find("main [data-call]").await.unwrap();
    until("the notice to go", || async {
        let text = app.page.run("return document.body.innerText").await?;
        Ok((!text.as_str().unwrap_or_default().contains("is gone")).then_some(()))
    })
    .await
    .unwrap();
    app.page.find("main [data-call]").await.unwrap();
}

/// A slip in the settings, made while the app runs, keeps nobody from tightening; the file is left alone, and what
/// was chosen is in it once it is mended.
#[tokio::test]
async fn what_the_settings_file_does_not_take_counts_all_the_same() {
    let app = App::start().await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    let file = app.desktop.path("config").join("assent/settings.toml");
    let before = std::fs::read_to_string(&file).unwrap();
    let slip = before.replace("theme = \"system\"", "theme = \"dusk\"");
    std::fs::write(&file, &slip).unwrap();
    app.invoke("set_mode", json!({"mode": "strict"})).await.unwrap();
    app.page.see("counts until Assent quits").await.unwrap();
    app.picture("unsaved-settings").unwrap();
    let permissions = app.invoke("permissions", json!({})).await.unwrap();
    assert_eq!(permissions["mode"], "strict");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), slip);

    std::fs::write(&file, before.replace("max_turns = 100", "max_turns = 50")).unwrap();
    app.invoke("set_setting", json!({"key": "theme", "value": "dark"})).await.unwrap();
    let now = std::fs::read_to_string(&file).unwrap();
    for line in ["mode = \"strict\"", "theme = \"dark\"", "max_turns = 50"] {
        assert!(now.contains(line), "{line} in {now}");
    }
}

/// R20: a rule file that breaks while the app runs is said, and no longer once it is mended, without a restart.
#[tokio::test]
async fn a_rule_file_is_told_of_as_it_is_by_now() {
    let server = ModelServer::start(vec![text("One."), text("Two.")]);
    let (app, _) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    let file = app.desktop.path("config").join("assent/policy.toml");
    let banner = "Every call is denied until";
    std::fs::write(&file, "version = 1\n[[rules]\n").unwrap();
    app.say("Go.").await.unwrap();
    app.page.see(banner).await.unwrap();
    app.end_of_run().await.unwrap();
    std::fs::write(&file, "version = 1\n").unwrap();
    app.say("Go on.").await.unwrap();
    until("the banner to go", || async {
        let shown = app.page.run("return document.body.innerText").await?;
        Ok((!shown.as_str().unwrap_or_default().contains(banner)).then_some(()))
    })
    .await
    .unwrap();
}

/// R43: a damaged file is said and left alone, the app works, and what is copied to report it names nobody.
#[tokio::test]
async fn a_damaged_settings_file_is_said_and_left_alone() {
    let desktop = Desktop::start().unwrap();
    let config = desktop.path("config").join("assent");
    let file = config.join("settings.toml");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(&file, "theme = \"dusk\"\n").unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    app.page.see("Defaults are used").await.unwrap();
    app.picture("damaged-settings").unwrap();
    app.invoke("set_setting", json!({"key": "theme", "value": "dark"})).await.unwrap();
    until("the theme to be dark", || async {
        Ok((app.page.run("return document.documentElement.dataset.theme").await? == "dark").then_some(()))
    })
    .await
    .unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "theme = \"dusk\"\n");

    let report = app.invoke("diagnostics", json!({})).await.unwrap();
    let report = report.as_str().unwrap();
    assert!(report.contains("settings.toml"), "{report}");
    assert!(!report.contains(&*app.desktop.home().to_string_lossy()), "{report}");
}

fn everything() -> serde_json::Value {
    json!({"query": {"workspace": null, "text": "", "archived": false, "limit": 10}})
}

/// The chat is the empty one of a new session.
async fn no_cards(app: &App) {
    until("the empty chat", || async {
        let cards = app.page.run("return document.querySelectorAll('main [data-call]').length").await?;
        Ok((cards == 0).then_some(()))
    })
    .await
    .unwrap();
}

/// Starts the app once more with `argument`; it hands over and ends.
fn second_start(app: &App, argument: &str) {
    let mut start = app.desktop.command(binary().unwrap());
    let status = start.arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{argument}: {status}");
}
