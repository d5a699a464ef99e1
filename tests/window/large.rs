//! Questions about very large arguments: asked soon, allowed only when their end was seen, and the window answers
//! meanwhile.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

const RUN: &str = "Run a command?";
const WRITE: &str = "Write a file?";
const ALLOW: &str = "Allow once";
const MIB: usize = 1024 * 1024;
const ROWS: usize = 512 * 1024;
/// The least that all of [`ROWS`] take, pixels: no row is lower in any font.
const ALL: f64 = ROWS as f64 * 12.0;

/// `bytes` of numbered comments, each with `word` in it.
fn comments(bytes: usize, word: &str) -> String {
    let mut text = String::new();
    for number in 0.. {
        writeln!(text, "# {word} {number}: sells what the shop has, and nothing that it has not").unwrap();
        if text.len() >= bytes {
            break;
        }
    }
    text.truncate(bytes);
    text
}

/// The app, its folder `shop` with `large.txt` in it where there is an `old` one, and a call that is about to be asked.
async fn proposed(tool: &str, arguments: Value, old: Option<&str>) -> (App, PathBuf) {
    let server = ModelServer::start(vec![calls(&[("c1", tool, arguments)]), text("Done.")]);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    if let Some(old) = old {
        std::fs::write(shop.join("large.txt"), old).unwrap();
    }
    app.say("Go.").await.unwrap();
    (app, shop)
}

/// Waits for the dialog `title`, which comes while the window answers.
async fn asked(app: &App, title: &str) {
    until(&format!("the dialog {title:?}"), || async {
        answers(app).await;
        let focused = app.desktop.command("xdotool").args(["getwindowfocus", "getwindowname"]).output()?;
        Ok(String::from_utf8_lossy(&focused.stdout).contains(title).then_some(()))
    })
    .await
    .unwrap();
}

/// Goes to the end again and again, while the window answers, until Allow can be pressed; then presses it.
async fn read_and_allow(app: &App, title: &str) {
    until("the allow button to answer", || async {
        keys::press(&app.desktop, &["End"])?;
        answers(app).await;
        Ok(app.native.dialog(title).await?.button(ALLOW)?.sensitive.then_some(()))
    })
    .await
    .unwrap();
    let (now, end) = app.native.scrolled(title, false).await.unwrap().unwrap();
    assert!(now + 1.0 >= end, "{now} of {end}");
    let allow = app.native.button_when_sensitive(title, ALLOW).await.unwrap();
    app.native.press(&allow).await.unwrap();
    app.end_of_run().await.unwrap();
}

/// Has the window do something.
async fn answers(app: &App) {
    app.sessions().await.unwrap();
}

/// How much text of the dialog `title` is laid out, pixels.
async fn laid_out(app: &App, title: &str) -> f64 {
    app.native.scrolled(title, false).await.unwrap().map_or(0.0, |(_, end)| end)
}

async fn can_be_allowed(app: &App, title: &str) -> bool {
    app.native.dialog(title).await.unwrap().button(ALLOW).unwrap().sensitive
}

/// R30, R32: a mebibyte in the place of a file that has no line in common with it.
#[tokio::test]
async fn a_large_file_is_asked_about_soon_and_read_to_its_end() {
    let (old, new) = (comments(MIB, "old"), comments(MIB, "new"));
    let arguments = json!({"path": "large.txt", "content": new});
    let (app, shop) = proposed("write_file", arguments, Some(&old)).await;
    asked(&app, WRITE).await;
    keys::reading_time().await;
    assert!(!can_be_allowed(&app, WRITE).await);
    assert!(std::fs::read_to_string(shop.join("large.txt")).unwrap() == old);
    read_and_allow(&app, WRITE).await;
    assert!(std::fs::read_to_string(shop.join("large.txt")).unwrap() == new);
}

/// R30, R32
#[tokio::test]
async fn a_large_command_is_asked_about_soon_and_read_to_its_end() {
    let command = format!("printf 'made\\n' >> large.txt\n{}", comments(100 * 1024, "then"));
    let (app, shop) = proposed("shell", json!({ "command": command }), None).await;
    asked(&app, RUN).await;
    keys::reading_time().await;
    assert!(!can_be_allowed(&app, RUN).await);
    assert!(!shop.join("large.txt").exists());
    read_and_allow(&app, RUN).await;
    assert_eq!(std::fs::read_to_string(shop.join("large.txt")).unwrap(), "made\n");
}

/// R30, R31: half a million lines take long to lay out; the window answers meanwhile, they can be denied at any time,
/// and not allowed before the last of them is there.
#[tokio::test]
async fn half_a_million_lines_hold_nothing_up() {
    let arguments = json!({"path": "large.txt", "content": "x\n".repeat(ROWS)});
    let (app, shop) = proposed("write_file", arguments, None).await;
    asked(&app, WRITE).await;
    // The window was asked after the first row was there, and answered before the last.
    answers(&app).await;
    let end = laid_out(&app, WRITE).await;
    assert!(end < ALL, "the answer came after {end} pixels of text");
    keys::reading_time().await;
    for _ in 0..10 {
        keys::press(&app.desktop, &["End"]).unwrap();
        answers(&app).await;
        let end = laid_out(&app, WRITE).await;
        if can_be_allowed(&app, WRITE).await {
            assert!(end >= ALL, "allowed with {end} pixels of text");
            let end = laid_out(&app, WRITE).await;
            answers(&app).await;
            assert_eq!(laid_out(&app, WRITE).await, end, "there was more to read");
        }
    }
    app.picture("large-lines").unwrap();
    keys::press(&app.desktop, &["Return"]).unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("you denied").await.unwrap();
    assert!(!shop.join("large.txt").exists());
}
