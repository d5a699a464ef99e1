//! Without a display nobody can be asked, so nothing happens.

use crate::app::{App, binary};
use crate::desktop::Desktop;
use crate::driver::until;
use crate::tree::Tree;
use std::process::Stdio;

/// R31: the app says what is missing, and what to use instead, and ends.
#[tokio::test]
async fn the_app_says_so_and_ends() {
    let desktop = Desktop::start().unwrap();
    for display in ["", ":4294967"] {
        let mut app = desktop.command(binary().unwrap());
        app.env("DISPLAY", display).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut app = app.spawn().unwrap();
        let status = until("the app to end", || {
            let ended = app.try_wait();
            async move { Ok(ended?) }
        })
        .await;
        if status.is_err() {
            app.kill().unwrap();
        }
        let said = app.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&said.stderr);
        assert!(!status.unwrap().success(), "{display:?}: {said}");
        assert!(said.contains("no display") && said.contains("assent exec"), "{display:?}: {said}");
    }
}

/// R31: a display that goes away while a dialog is open takes the app along; nothing was approved.
#[tokio::test]
async fn a_display_that_goes_away_approves_nothing() {
    for dialog in ["gtk", "rfd"] {
        let mut app = App::start_on(Desktop::start().unwrap(), &[("ASSENT_DIALOG", dialog)]).await.unwrap();
        let shop = app.workspace("shop").unwrap();
        app.first_run(&shop).await.unwrap();
        let before = Tree::of(&shop).unwrap();
        app.say("Show me around.").await.unwrap();
        app.native.dialog("Write a file?").await.unwrap();
        let process = std::path::Path::new("/proc").join(app.page.app_pid().unwrap().to_string()).join("exe");
        app.desktop.lose_the_display().unwrap();
        until("the app to be gone", || async { Ok((!process.exists()).then_some(())) }).await.unwrap();
        assert_eq!(Tree::of(&shop).unwrap(), before, "{dialog}");
    }
}
