//! What is dropped on the real window out of another program.

use crate::app::App;
use crate::desktop::Desktop;
use crate::drag::Drag;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use crate::tree::Tree;
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

const TRUST: &str = "Trust this folder?";
const WRITE: &str = "Write a file?";
/// A red dot.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\xdac\xf8\xcf\xc0\0\0\x03\x01\x01\0\xf7\x03AC\0\0\0\0IEND\xaeB`\x82";

/// The names of the attachments in the composer.
async fn attached(app: &App) -> Vec<String> {
    let script = "return [...document.querySelectorAll('.attachments .name')].map(name => name.innerText)";
    serde_json::from_value(app.page.run(script).await.unwrap()).unwrap()
}

async fn wait_for_attached(app: &App, count: usize) -> Vec<String> {
    until(&format!("{count} attachments"), || async {
        let names = attached(app).await;
        Ok((names.len() == count).then_some(names))
    })
    .await
    .unwrap()
}

async fn drag(app: &App, paths: &[PathBuf]) {
    Drag::of(&app.desktop, paths).await.unwrap().drop_when_taken().unwrap();
}

/// The folders that are known, and which of them are trusted.
fn folders(app: &App) -> String {
    std::fs::read_to_string(app.desktop.path("config").join("assent/folders.toml")).unwrap()
}

/// What is trusted in `folders`.
fn trusts(folders: &str) -> usize {
    folders.lines().filter(|line| line.starts_with("trusted_ms")).count()
}

/// A picture and a text are shown in the composer and go to the model with the message, as what they are.
#[tokio::test]
async fn files_go_along_with_the_message() {
    let server = ModelServer::start(vec![text("Seen.")]);
    let (app, _) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    let home = app.desktop.home();
    let files = [home.join("dot.png"), home.join("notes, 你好.txt")];
    std::fs::write(&files[0], PNG).unwrap();
    std::fs::write(&files[1], "The words of the notes.\n").unwrap();
    drag(&app, &files).await;
    assert_eq!(wait_for_attached(&app, 2).await, ["dot.png", "notes, 你好.txt"]);
    app.picture("drop-files").unwrap();
    app.say("Look.").await.unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("Seen.").await.unwrap();
    let sent = server.requests()[0]["messages"].to_string();
    assert!(sent.contains("The words of the notes."), "{sent}");
    assert!(sent.contains("data:image/png;base64,iVBORw0KGgo"), "{sent}");
    assert!(attached(&app).await.is_empty());
}

/// R20, R30: a folder opens and asks for its trust; Escape and Enter leave it restricted.
#[tokio::test]
async fn a_folder_opens_and_is_trusted_by_one_yes_only() {
    let server = ModelServer::start(vec![text("Unused.")]);
    let (app, _) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    for (name, key) in [("one", "Escape"), ("two", "Return")] {
        let folder = app.workspace(name).unwrap();
        drag(&app, std::slice::from_ref(&folder)).await;
        keys::focused(&app.desktop, TRUST).await.unwrap();
        let asked = app.native.dialog(TRUST).await.unwrap();
        let shown = app.native.text_of(asked.text().unwrap()).await.unwrap();
        assert!(shown.contains(&format!("~/code/{name}")), "{shown}");
        keys::reading_time().await;
        keys::press(&app.desktop, &[key]).unwrap();
        app.page.see(&format!("~/code/{name}")).await.unwrap();
        app.native.gone(TRUST).await.unwrap();
        let known = folders(&app);
        assert!(known.contains(&*folder.to_string_lossy()), "{known}");
        assert_eq!(trusts(&known), 1, "{known}");
        app.picture(&format!("drop-folder-{name}")).unwrap();
    }
    drop(server);
}

/// R30, R32: what is dropped while a call waits answers nothing and moves nothing.
#[tokio::test]
async fn a_drop_beside_a_question_answers_nothing() {
    let write = json!({"path": "made.txt", "content": "made\n"});
    let server = ModelServer::start(vec![calls(&[("c1", "write_file", write)]), text("Done.")]);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    let other = app.workspace("other").unwrap();
    let before = (Tree::of(&shop).unwrap(), Tree::of(&other).unwrap());
    app.say("Go.").await.unwrap();
    keys::focused(&app.desktop, WRITE).await.unwrap();
    keys::reading_time().await;
    for dropped in [&other, &other.join("README.md")] {
        drag(&app, std::slice::from_ref(dropped)).await;
        app.page.see("Nothing was taken along: a question is open.").await.unwrap();
        app.page.run("document.querySelector('.notice .icon-button').click()").await.unwrap();
    }
    assert!(attached(&app).await.is_empty());
    app.waiting(1).await.unwrap();
    app.picture("drop-beside").unwrap();
    let known = folders(&app);
    assert!(!known.contains("other") && trusts(&known) == 1, "{known}");
    assert!(app.native.find_dialog(TRUST).await.is_none());
    assert_eq!((Tree::of(&shop).unwrap(), Tree::of(&other).unwrap()), before);
    let allow = app.native.button_when_sensitive(WRITE, "Allow once").await.unwrap();
    app.native.press(&allow).await.unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("Done.").await.unwrap();
    assert!(shop.join("made.txt").exists());
    assert_eq!(Tree::of(&other).unwrap(), before.1);
}

/// R15: what can't or mustn't go along is refused in words, and nothing of it reaches the composer.
#[tokio::test]
async fn what_is_not_taken_is_said() {
    let server = ModelServer::start(vec![text("Unused.")]);
    let (app, _) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    let home = app.desktop.home();
    let large = home.join("large.bin");
    std::fs::File::create(&large).unwrap().set_len(200 * 1024 * 1024).unwrap();
    let pipe = home.join("pipe.txt");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let link = home.join("holiday.txt");
    std::os::unix::fs::symlink("/etc/shadow", &link).unwrap();
    let own = app.desktop.path("config").join("assent/settings.toml");
    for (path, words) in [
        (large, "large.bin can't be taken along: it is no file, can't be read, or is larger than 5 MiB."),
        (pipe, "pipe.txt can't be taken along: it is no file,"),
        (link, "holiday.txt can't be taken along: /etc/shadow may hold secrets"),
        (own, "settings.toml can't be taken along: /"),
    ] {
        drag(&app, &[path]).await;
        app.page.see(words).await.unwrap();
    }
    app.picture("drop-refused").unwrap();
    assert!(attached(&app).await.is_empty());

    let many: Vec<PathBuf> = (1..=50).map(|number| home.join(format!("{number}.txt"))).collect();
    for path in &many {
        std::fs::write(path, "x").unwrap();
    }
    drag(&app, &many).await;
    app.page.see("At most 20 files are taken along at once; 30 more were left out.").await.unwrap();
    assert_eq!(wait_for_attached(&app, 20).await.len(), 20);
    app.picture("drop-many").unwrap();
    drop(server);
}
