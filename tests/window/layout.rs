//! What opens in the window is of a real size, whole, and has the focus in sight: in the engine that people see it in.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, text};
use serde_json::json;

/// The same rules as in the browser tests.
const RULES: &str = include_str!("../../ui/e2e/layout_rules.js");

/// Width and height of the window: as it opens the first time, as drawers, and the least there is.
const SIZES: [(u32, u32); 3] = [(1180, 700), (800, 600), (480, 420)];

/// How one comes to each thing by keys, and what is there then.
const BY_KEYS: [(&str, &str); 9] = [
    ("ctrl+k", "dialog[aria-label='All commands'] [role=option]"),
    ("ctrl+slash", "dialog[aria-label='Keyboard shortcuts'] dl"),
    ("ctrl+comma", "dialog[aria-label='Settings'] .page"),
    ("ctrl+f", "[role=search] input"),
    ("ctrl+b", ".sidebar"),
    ("ctrl+1", "#tab-audit[aria-selected=true]"),
    ("ctrl+2", "#tab-approvals[aria-selected=true]"),
    ("ctrl+3", "#tab-permissions[aria-selected=true]"),
    ("ctrl+4", "#tab-changes[aria-selected=true]"),
];

/// Every opener of a menu that can be seen.
const OPENERS: &str =
    "[...document.querySelectorAll('[aria-haspopup]')].filter((opener) => opener.checkVisibility())";

/// Waits until nothing is wrong with `what` as it is laid out.
async fn is_whole(app: &App, what: &str) {
    let nothing = json!([]);
    let whole =
        until("a whole window", || async { Ok((app.page.run(RULES).await? == nothing).then_some(())) }).await;
    assert!(whole.is_ok(), "{what}: {:#}", app.page.run(RULES).await.unwrap());
}

async fn has(app: &App, css: &str) -> bool {
    app.page.run(&format!("return document.querySelector({}) !== null", json!(css))).await.unwrap() == true
}

async fn is_gone(app: &App, css: &str) {
    until(&format!("{css} to be gone"), || async { Ok((!has(app, css).await).then_some(())) }).await.unwrap();
}

async fn resize(app: &App, id: &str, (width, height): (u32, u32)) {
    let size = [width.to_string(), height.to_string()];
    let done = app.desktop.command("xdotool").args(["windowsize", id]).args(size).status().unwrap();
    assert!(done.success(), "xdotool ended with {done}");
    until(&format!("a window of {width} x {height}"), || async {
        Ok((app.page.run("return [innerWidth, innerHeight]").await? == json!([width, height])).then_some(()))
    })
    .await
    .unwrap();
}

async fn look_at_all_by_keys(app: &App, size: &str) {
    for (keys, css) in BY_KEYS {
        if !has(app, css).await {
            keys::press(&app.desktop, &[keys]).unwrap();
            app.page.find(css).await.unwrap();
        }
        is_whole(app, &format!("{keys} in {size}")).await;
        if has(app, "dialog[open], .veil, [role=search] input").await {
            keys::press(&app.desktop, &["Escape"]).unwrap();
            is_gone(app, "dialog[open], .veil, [role=search] input").await;
        }
    }
}

async fn look_at_all_settings(app: &App, size: &str) {
    keys::press(&app.desktop, &["ctrl+comma"]).unwrap();
    for section in 1..=7 {
        app.page.click(&format!("dialog .section:nth-child({section})")).await.unwrap();
        app.page.find(&format!("dialog .section:nth-child({section})[aria-current]")).await.unwrap();
        is_whole(app, &format!("section {section} of the settings in {size}")).await;
    }
    keys::press(&app.desktop, &["Escape"]).unwrap();
    is_gone(app, "dialog[open]").await;
}

async fn look_at_all_menus(app: &App, size: &str) {
    keys::press(&app.desktop, &["ctrl+1"]).unwrap();
    app.page.find("aside [aria-haspopup]").await.unwrap();
    let count = app.page.run(&format!("return {OPENERS}.length")).await.unwrap().as_u64().unwrap();
    assert!(count >= 6, "{count} menus in {size}");
    for index in 0..count {
        let opener = app
            .page
            .run(&format!("const opener = {OPENERS}[{index}]; opener.click(); return opener.ariaLabel"))
            .await;
        app.page.find(".pop").await.unwrap();
        is_whole(app, &format!("the menu {} in {size}", opener.unwrap())).await;
        keys::press(&app.desktop, &["Escape"]).unwrap();
        is_gone(app, ".pop").await;
    }
    if has(app, ".veil").await {
        keys::press(&app.desktop, &["Escape"]).unwrap();
        is_gone(app, ".veil").await;
    }
}

/// R40: palette, shortcuts, settings, panels, drawers and menus can be seen and read, in a window of any size and
/// with letters of any.
#[tokio::test]
async fn everything_that_opens_is_whole_and_has_the_focus_in_sight() {
    let server = ModelServer::start(vec![text(
        "Look:\n\n```python\nprint('a line that is longer than the column is wide, whatever it is')\n```\n\nThat is all.",
    )]);
    let (app, _) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    app.say("Show me.").await.unwrap();
    app.end_of_run().await.unwrap();
    let id = keys::focused(&app.desktop, "Assent").await.unwrap();
    for (letters, sizes) in [(14, &SIZES[..]), (20, &SIZES[1..2])] {
        app.invoke("set_setting", json!({"key": "fontSize", "value": letters})).await.unwrap();
        for size in sizes {
            resize(&app, &id, *size).await;
            let size = format!("{size:?} with letters of {letters}");
            look_at_all_by_keys(&app, &size).await;
            look_at_all_settings(&app, &size).await;
            look_at_all_menus(&app, &size).await;
        }
    }
}
