//! The tray icon as the desktop's panel sees it.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::tray_host::TrayHost;
use crate::tree::Tree;
use std::path::Path;

/// R32, R34: the icon shows how many calls wait and can deny them; it has no way to allow one; it brings the window
/// back from the tray and quits.
#[tokio::test]
async fn the_tray_counts_denies_opens_and_quits() {
    let desktop = Desktop::start().unwrap();
    let tray = TrayHost::start(desktop.bus_address()).await.unwrap();
    desktop.write_settings("close_to_tray = true\n").unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    assert_eq!(
        tray.menu_with("Nothing waits for you").await.unwrap(),
        ["Nothing waits for you", "Open Assent", "Quit"]
    );
    let before = Tree::of(&shop).unwrap();

    app.say("Show me around.").await.unwrap();
    let menu = tray.menu_with("1 call waits for you").await.unwrap();
    assert_eq!(
        menu,
        ["1 call waits for you", "Review the first waiting call", "Deny the first waiting call", "Quit"]
    );
    tray.label_is("1").await.unwrap();
    tray.pick("Deny the first waiting call").await.unwrap();
    app.page.see("you denied").await.unwrap();
    app.end_of_run().await.unwrap();
    tray.menu_with("Nothing waits for you").await.unwrap();
    tray.label_is("").await.unwrap();
    app.native.gone("Write a file?").await.unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
    let rows = app.audit_rows().await.unwrap();
    let denied: Vec<_> = rows.iter().filter(|row| row["surface"] == "tray").collect();
    assert_eq!(denied.len(), 1, "{rows:?}");

    app.activate().unwrap();
    crate::keys::press(&app.desktop, &["alt+F4"]).unwrap();
    shown(&app, false).await;
    tray.pick("Open Assent").await.unwrap();
    shown(&app, true).await;

    let process = Path::new("/proc").join(app.page.app_pid().unwrap().to_string()).join("exe");
    tray.pick("Quit").await.unwrap();
    until("the app to be gone", || async { Ok((!process.exists()).then_some(())) }).await.unwrap();
}

/// Where the desktop has no place for tray icons the window goes to where minimised windows go, not away.
#[tokio::test]
async fn closing_where_nobody_shows_icons_leaves_a_way_back() {
    let desktop = Desktop::start().unwrap();
    desktop.write_settings("close_to_tray = true\n").unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    app.first_run(&app.workspace("shop").unwrap()).await.unwrap();
    app.activate().unwrap();
    crate::keys::press(&app.desktop, &["alt+F4"]).unwrap();
    shown(&app, false).await;
    // A hidden window is in nobody's list.
    let listed = app.desktop.command("xdotool").args(["search", "--name", "Assent"]).output().unwrap();
    let ids = String::from_utf8(listed.stdout).unwrap();
    let states = ids.lines().map(|id| {
        let state = app.desktop.command("xprop").args(["-id", id, "WM_STATE"]).output().unwrap();
        String::from_utf8(state.stdout).unwrap()
    });
    let states: Vec<String> = states.collect();
    assert!(states.iter().any(|state| state.contains("Iconic")), "{states:?}");
}

/// Waits until the window is on the screen, or off it.
async fn shown(app: &App, wanted: bool) {
    until(&format!("the window to be shown: {wanted}"), || async {
        let mut search = app.desktop.command("xdotool");
        let found = search.args(["search", "--onlyvisible", "--name", "Assent"]).output()?.status.success();
        Ok((found == wanted).then_some(()))
    })
    .await
    .unwrap();
}
