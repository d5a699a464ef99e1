//! A session leaves through the native save dialog and comes back through the native file picker; a file that holds none
//! changes nothing.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use crate::tree::Tree;
use serde_json::{Value, json};
use std::path::Path;

const SAVE: &str = "Export the session";
const PICKER: &str = "Choose an exported session";
const WRITE: &str = "Write a file?";

/// Names `file` in the native file dialog `title`, and presses `button` once that answers.
async fn name_in(app: &App, title: &str, file: &Path, button: &str) {
    keys::focused(&app.desktop, title).await.unwrap();
    // A save dialog has the name selected; a picker needs its field opened.
    let open: &[&str] = if title == SAVE { &["ctrl+a"] } else { &["ctrl+l", "ctrl+a"] };
    keys::press(&app.desktop, open).unwrap();
    keys::type_text(&app.desktop, &file.to_string_lossy()).unwrap();
    keys::press(&app.desktop, &["Delete"]).unwrap();
    // Not by Return: the list of completions may take it.
    let button = app.native.button_when_sensitive(title, button).await.unwrap();
    app.native.press(&button).await.unwrap();
    app.native.gone(title).await.unwrap();
}

/// Saves the shown session as JSON in `file`.
async fn export(app: &App, file: &Path) {
    app.page.press("More: ").await.unwrap();
    app.page.press("Export as JSON").await.unwrap();
    name_in(app, SAVE, file, "Save").await;
    app.page.see("The session was exported.").await.unwrap();
}

async fn import(app: &App, file: &Path) {
    app.page.press("Import a session").await.unwrap();
    name_in(app, PICKER, file, "Open").await;
}

/// A session in the folder `shop` whose call was denied, exported: the app, the folder, the file's text.
async fn exported(file: &str) -> (App, std::path::PathBuf, String) {
    let write = json!({"path": "made.txt", "content": "made\n"});
    let server = ModelServer::start(vec![calls(&[("c1", "write_file", write)]), text("Then not.")]);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    app.say("Make it.").await.unwrap();
    keys::focused(&app.desktop, WRITE).await.unwrap();
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("Then not.").await.unwrap();
    let file = app.desktop.home().join(file);
    export(&app, &file).await;
    let text = std::fs::read_to_string(&file).unwrap();
    (app, shop, text)
}

/// R35: what comes in is shown under its name, is on record, and runs nothing.
#[tokio::test]
async fn a_session_that_was_exported_is_imported_and_runs_nothing() {
    let (app, shop, kept) = exported("kept.json").await;
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept["format"], "assent-session/1");
    assert!(kept["items"].to_string().contains("Then not."), "{kept}");
    let before = Tree::of(&shop).unwrap();

    import(&app, &app.desktop.home().join("kept.json")).await;
    app.page.see("Nothing in it runs by itself.").await.unwrap();
    let sessions = until("two sessions", || async {
        let sessions = app.sessions().await?;
        Ok((sessions.len() == 2).then_some(sessions))
    })
    .await
    .unwrap();
    app.page.see("Then not.").await.unwrap();
    app.picture("imported").unwrap();
    assert_eq!(sessions[0]["title"], sessions[1]["title"]);
    assert!(sessions.iter().all(|session| session["running"] == false && session["waiting"] == 0));
    let rows = app.audit_rows().await.unwrap();
    assert_eq!(rows[0]["tool"], "session_imported", "{}", rows[0]);
    assert!(app.native.find_dialog(WRITE).await.is_none());
    assert_eq!(Tree::of(&shop).unwrap(), before);
}

/// Whatever else the picked file holds: the window says what is wrong with it, and nothing came of it.
#[tokio::test]
async fn a_file_that_is_no_session_changes_nothing() {
    let (app, shop, kept) = exported("kept.json").await;
    let everything = async || {
        let rows = app.audit_rows().await.unwrap();
        (app.sessions().await.unwrap(), rows, Tree::of(&shop).unwrap())
    };
    let before = everything().await;
    let version = kept.replace("assent-session/1", "assent-session/2");
    let cut = kept.get(..kept.len() / 2).unwrap().to_owned();
    let rubbish = vec![0xfe; 50 * 1024 * 1024];
    let cases: [(&str, &[u8], &str); 5] = [
        ("empty.json", b"", "Can't import the session: it is empty."),
        (
            "words.json",
            b"These are no sessions.\n",
            "Can't import the session: it is no JSON from line 1, column 1 on.",
        ),
        (
            "cut.json",
            cut.as_bytes(),
            "Can't import the session: it ends in the middle of something, at line ",
        ),
        ("version.json", version.as_bytes(), "`assent-session/2`, not `assent-session/1`"),
        ("rubbish.json", &rubbish, "rubbish.json: it is no text."),
    ];
    for (name, content, words) in cases {
        let file = app.desktop.home().join(name);
        std::fs::write(&file, content).unwrap();
        import(&app, &file).await;
        app.page.see(words).await.unwrap();
        assert_eq!(everything().await, before, "{name}");
    }
    app.picture("import-refused").unwrap();
}
