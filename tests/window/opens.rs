//! The window opens, shows our own page, and can't be led away from it.

use crate::app::App;

/// R61
#[tokio::test]
async fn the_page_is_ours_and_has_no_power_of_the_system() {
    let app = App::start().await.unwrap();
    let address = app.page.run("return location.href").await.unwrap();
    assert_eq!(address, "tauri://localhost");
    for command in [
        "plugin:shell|open",
        "plugin:fs|read_file",
        "plugin:dialog|open",
        "plugin:http|fetch",
        "plugin:window|close",
        "approve",
        "decide",
    ] {
        assert!(app.page.invoke(command, serde_json::json!({})).await.unwrap().is_err(), "{command}");
    }
    app.page.run("location.href = 'https://example.org/'").await.unwrap();
    app.page.run("window.open('https://example.org/')").await.unwrap();
    let address = app.page.run("return location.href").await.unwrap();
    assert_eq!(address, "tauri://localhost");
    app.picture("opens").unwrap();
}
