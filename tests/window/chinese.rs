//! The first minute in Chinese: the window, the dialog, the notification and the tray speak it.

use crate::app::App;
use crate::desktop::Desktop;
use crate::keys;
use crate::notification_server::{Manner, NotificationServer};
use crate::tray_host::TrayHost;
use crate::tree::Tree;

const WRITE: &str = "写入文件？";

/// R30, R40: everything a newcomer reads in the first minute is in the language they chose, on every surface; Enter
/// denies there too.
#[tokio::test]
async fn the_first_minute_is_in_chinese_on_every_surface() {
    let desktop = Desktop::start().unwrap();
    desktop.write_settings("language = \"zh-CN\"\nnotifications = \"always\"\n").unwrap();
    let tray = TrayHost::start(desktop.bus_address()).await.unwrap();
    let server = NotificationServer::start(desktop.bus_address(), Manner::Honest).await.unwrap();
    let app = App::start_on(desktop, &[]).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.page.see("一个在你选定的文件夹里工作的智能体。").await.unwrap();
    assert_eq!(app.page.run("return document.documentElement.lang").await.unwrap(), "zh-CN");
    assert_eq!(
        tray.menu_with("没有调用等待你确认").await.unwrap(),
        ["没有调用等待你确认", "打开 Assent", "退出"]
    );
    app.page.press("先看导览").await.unwrap();
    app.page.press("选择").await.unwrap();
    app.pick_in("选择工作文件夹", &shop).await.unwrap();
    app.page.see("shop").await.unwrap();
    let before = Tree::of(&shop).unwrap();

    app.say("带我看看。").await.unwrap();
    keys::focused(&app.desktop, WRITE).await.unwrap();
    app.native.button_when_sensitive(WRITE, "允许一次").await.unwrap();
    let dialog = app.native.dialog(WRITE).await.unwrap();
    assert_eq!(dialog.buttons(), ["拒绝", "允许一次", "取消"]);
    let deny = dialog.button("拒绝").unwrap();
    assert!(deny.default && deny.focused, "{deny:?}");
    let text = app.native.text_of(dialog.text().unwrap()).await.unwrap();
    app.picture("chinese-dialog").unwrap();
    for label in ["询问理由", "工作区", "路径", "内容", "沙箱", "校验码"] {
        assert!(text.lines().any(|line| line.starts_with(label)), "{label} in\n{text}");
    }
    let sentences = dialog.says();
    assert!(sentences.contains("Assent · 写入文件？"), "{sentences}");
    let english = ["Asked", "Workspace", "Content", "Check", "Writes", "Changes", "Deny"];
    let left = english.iter().find(|word| text.contains(**word) || sentences.contains(**word));
    assert_eq!(left, None, "{sentences}\n{text}");

    let note = server.question().await.unwrap();
    assert_eq!(note.summary, "Assent 等待你确认");
    assert_eq!(note.body, "shop 中的 write_file。打开即可查看完整的调用。");
    assert_eq!(note.actions, ["default", "查看", "review", "查看", "deny", "拒绝"]);
    assert_eq!(
        tray.menu_with("1 个调用等待你确认").await.unwrap(),
        ["1 个调用等待你确认", "查看第一个等待的调用", "拒绝第一个等待的调用", "退出"]
    );

    keys::press(&app.desktop, &["Return"]).unwrap();
    app.page.see("你已拒绝").await.unwrap();
    app.end_of_run().await.unwrap();
    app.picture("chinese-denied").unwrap();
    assert_eq!(Tree::of(&shop).unwrap(), before);
    tray.menu_with("没有调用等待你确认").await.unwrap();
    server.taken_back(note.id).await.unwrap();
}
