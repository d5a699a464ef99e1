//! Starts under bad circumstances: what keeps the app from starting is said on the screen, what doesn't is said in it.

use crate::accessibility::Accessibility;
use crate::app::{App, binary};
use crate::desktop::Desktop;
use crate::driver::until;
use std::process::Stdio;

const CHINESE: &str = "language = \"zh-CN\"\nfirst_run_done = true\n";

/// Whoever starts it from a menu sees no terminal: a box says what, where and what to do, and the app ends with it.
#[tokio::test]
async fn what_keeps_the_app_from_starting_is_said_in_a_box() {
    let desktop = Desktop::start().unwrap();
    desktop.write_settings(CHINESE).unwrap();
    let state = desktop.path("state").join("assent");
    std::fs::write(&state, "no folder").unwrap();
    let native = Accessibility::connect(desktop.bus_address()).await.unwrap();
    let mut app = desktop.command(binary().unwrap());
    let mut app = app.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let dialog = native.dialog("Assent 无法启动").await;
    let pressed = match &dialog {
        Ok(dialog) => native.press(dialog.button("关闭").unwrap()).await,
        Err(_) => app.kill().map_err(Into::into),
    };
    let status = until("the app to end", || {
        let ended = app.try_wait();
        async move { Ok(ended?) }
    })
    .await;
    let said = dialog.unwrap().says();
    assert!(said.contains("无法创建 ") && said.contains(&state.display().to_string()), "{said}");
    assert!(said.contains("重新启动 Assent"), "{said}");
    pressed.unwrap();
    assert!(!status.unwrap().success());
}

/// A log that can't be kept is no reason not to work; a window as large as a screen that is gone fits this one.
#[tokio::test]
async fn without_its_log_and_with_too_large_a_size_the_app_works() {
    let desktop = Desktop::start_with_screen((1280, 800)).unwrap();
    let size = "[window]\nwidth = 5000.0\nheight = 4000.0\nmaximized = false\n";
    desktop.write_settings(&format!("first_run_done = true\n{size}")).unwrap();
    let state = desktop.path("state").join("assent");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("logs"), "no folder").unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    app.page.see("The app's own log isn't kept: can't make ").await.unwrap();
    app.picture("without-a-log").unwrap();
    until("a window that fits the screen", || async {
        let shown = app.page.run("return [window.innerWidth, window.innerHeight]").await?;
        let [width, height] = [&shown[0], &shown[1]].map(|side| side.as_u64().unwrap_or_default());
        Ok(((480..=1280).contains(&width) && (420..=800).contains(&height)).then_some(()))
    })
    .await
    .unwrap();
}
