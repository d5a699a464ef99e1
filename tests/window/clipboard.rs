//! What is copied in the window can be pasted elsewhere.

use crate::app::App;
use crate::driver::until;
use crate::model_server::{ModelServer, text};
use serde_json::json;

const CODE: &str = "price = \"3 €\"  # 价格 <b>&amp;";

/// R44: code goes to the system's clipboard as it is, for every other program.
#[tokio::test]
async fn code_is_copied_as_it_is() {
    let server = ModelServer::start(vec![text(&format!("Here:\n\n```python\n{CODE}\n```\n"))]);
    let app = App::start_with(&server.settings()).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    app.invoke("select_model", json!({"profileId": "served", "model": "scripted"})).await.unwrap();
    app.say("Show me.").await.unwrap();
    app.end_of_run().await.unwrap();

    app.page.click("figure figcaption button").await.unwrap();
    until("the code in the clipboard", || async {
        let clipboard = app.desktop.command("xclip").args(["-selection", "clipboard", "-o"]).output()?;
        Ok((String::from_utf8_lossy(&clipboard.stdout) == CODE).then_some(()))
    })
    .await
    .unwrap();
}
