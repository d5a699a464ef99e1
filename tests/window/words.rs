//! The window speaks the person's language, also where something can't be done.

use crate::app::App;
use crate::desktop::Desktop;
use serde_json::json;

const CHINESE: &str = "language = \"zh-CN\"\nfirst_run_done = true\n";

/// A refusal of a command and a damaged file, in either language, and at once in the other when that is chosen.
#[tokio::test]
async fn what_cannot_be_done_is_said_in_the_language_of_the_window() {
    let desktop = Desktop::start().unwrap();
    desktop.write_settings(CHINESE).unwrap();
    std::fs::write(desktop.path("config").join("assent/folders.toml"), "folders = 1").unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    for (language, damaged, refused) in [
        ("zh-CN", "无法读懂 ", "没有打开文件夹，请先选择一个文件夹。"),
        ("en", "Can't understand ", "No folder is open. Choose one first."),
    ] {
        app.invoke("set_setting", json!({"key": "language", "value": language})).await.unwrap();
        app.page.see(damaged).await.unwrap();
        let said = app.page.invoke("import_session", json!({})).await.unwrap().unwrap_err();
        assert_eq!(said["message"], refused, "{said}");
        app.picture(&format!("words-{language}")).unwrap();
    }
}

/// A server that isn't there: the end of the run says so, and what to do.
#[tokio::test]
async fn a_server_that_is_gone_is_told_in_the_language_of_the_window() {
    // Nobody listens there any more.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let profile = format!(
        "first_run_done = true\nactive_profile = \"local\"\n[[profiles]]\nid = \"local\"\nname = \"Local\"\n\
         kind = \"chat_completions\"\nbase_url = \"http://{gone}/v1\"\nmodel = \"m\"\n"
    );
    let app = App::start_with(&profile).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.page.click("main .button.primary").await.unwrap();
    app.pick(&shop).await.unwrap();
    app.page.see("~/code/shop").await.unwrap();
    app.invoke("set_setting", json!({"key": "language", "value": "zh-CN"})).await.unwrap();
    app.say("你好").await.unwrap();
    app.end_of_run().await.unwrap();
    app.page.see(&format!("无法连接 http://{gone}（连接被拒绝）。服务器在运行吗？")).await.unwrap();
    app.picture("offline-zh").unwrap();
    // What stands there is said again when another language is chosen.
    app.invoke("set_setting", json!({"key": "language", "value": "en"})).await.unwrap();
    app.page.see(&format!("Can't reach http://{gone} (connection refused")).await.unwrap();
}
