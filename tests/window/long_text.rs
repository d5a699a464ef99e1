//! Long and hostile text in real dialogs: readable whole, harmless, never taller than a small screen, and no allow
//! while a part of it is out of sight.

use crate::accessibility::Node;
use crate::app::App;
use crate::desktop::{Desktop, SCREEN};
use crate::driver::until;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use crate::tree::Tree;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const RUN: &str = "Run a command?";
const WRITE: &str = "Write a file?";
const ALLOW: &str = "Allow once";
const LINES: usize = 200;
const COLUMNS: usize = 2_000;
/// What toolkits read as formats, markup or a direction.
const HOSTILE: &str = "%s %n %1$s <b>&amp; \u{202e}";
const SHOWN: &str = "%s %n %1$s <b>&amp; \\u{202e}";

/// A command that adds a line to `made.txt` each time it runs, and has [`LINES`] lines, every `wide`th of
/// [`COLUMNS`] columns.
fn script(wide: usize) -> Value {
    let comment = |number: usize| {
        let more = if number.is_multiple_of(wide) { "x".repeat(COLUMNS) } else { String::new() };
        format!("# {number} {HOSTILE} {more}")
    };
    let first = std::iter::once("printf 'made\\n' >> made.txt".to_owned());
    json!({"command": first.chain((2..=LINES).map(comment)).collect::<Vec<_>>().join("\n")})
}

/// Whether `shown` holds every line of [`script`].
fn is_whole(shown: &str) -> bool {
    (2..=LINES).all(|number| shown.contains(&format!("# {number} {SHOWN}")))
}

/// How often the command has run.
fn runs(shop: &Path) -> usize {
    std::fs::read_to_string(shop.join("made.txt")).unwrap_or_default().lines().count()
}

async fn allow_button(app: &App, title: &str) -> Node {
    app.native.dialog(title).await.unwrap().button(ALLOW).unwrap().clone()
}

/// Waits for the focus on the dialog `title`, which has to have room on a small screen.
async fn on_screen(app: &App, title: &str) {
    let window = keys::focused(&app.desktop, title).await.unwrap();
    let (_, height) = keys::size(&app.desktop, &window).unwrap();
    assert!(height > 0 && height < SCREEN.1, "{height}");
}

/// Presses `key` until the dialog is scrolled to its end, down or to the right.
async fn scroll_to_the_end(app: &App, key: &str, horizontal: bool) {
    until("the end of the text to be in view", || async {
        keys::press(&app.desktop, &[key])?;
        let (now, end) = app.native.scrolled(RUN, horizontal).await?.unwrap_or_default();
        Ok((end > 0.0 && now + 1.0 >= end).then_some(()))
    })
    .await
    .unwrap();
}

/// R30, R32: the allow button of a long text can't be pressed before its end was in view, and then runs it once.
#[tokio::test]
async fn gtk_allows_what_was_read_to_its_end() {
    let server = ModelServer::start(vec![calls(&[("c1", "shell", script(20))]), text("Done.")]);
    let (app, shop) = App::start_at_work(Desktop::start().unwrap(), &server, &[]).await.unwrap();
    app.say("Go.").await.unwrap();
    on_screen(&app, RUN).await;
    let dialog = app.native.dialog(RUN).await.unwrap();
    let shown = app.native.text_of(dialog.text().unwrap()).await.unwrap();
    assert!(is_whole(&shown), "{shown}");

    keys::reading_time().await;
    let until_read = "Scroll to the end to allow.";
    assert!(app.native.dialog(RUN).await.unwrap().says().contains(until_read));
    let allow = allow_button(&app, RUN).await;
    assert!(!allow.sensitive);
    app.native.press(&allow).await.unwrap();
    keys::press(&app.desktop, &["Page_Down", "Page_Down"]).unwrap();
    until("the text to scroll", || async {
        let (now, _) = app.native.scrolled(RUN, false).await?.unwrap_or_default();
        Ok((now > 0.0).then_some(()))
    })
    .await
    .unwrap();
    assert!(!allow_button(&app, RUN).await.sensitive);
    app.waiting(1).await.unwrap();
    assert_eq!(runs(&shop), 0);

    until("the allow button to answer", || async {
        keys::press(&app.desktop, &["End"])?;
        Ok(allow_button(&app, RUN).await.sensitive.then_some(()))
    })
    .await
    .unwrap();
    on_screen(&app, RUN).await;
    app.picture("long-text-gtk").unwrap();
    assert_eq!(runs(&shop), 0);
    keys::press(&app.desktop, &["Tab", "Tab", "Tab", "Return"]).unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("Done.").await.unwrap();
    assert_eq!(runs(&shop), 1);
}

/// R30, R32: on a screen that is narrower than the lines both ends have to be seen, in either order.
#[tokio::test]
async fn gtk_wants_both_ends_seen() {
    let call = |id| calls(&[(id, "shell", script(100))]);
    let server = ModelServer::start(vec![call("c1"), text("Once."), call("c2"), text("Twice.")]);
    let desktop = Desktop::start_with_screen((640, SCREEN.1)).unwrap();
    let (app, shop) = App::start_at_work(desktop, &server, &[]).await.unwrap();
    let (down, right) = (("End", false), ("Right", true));
    for (number, [first, second]) in [[right, down], [down, right]].into_iter().enumerate() {
        app.say("Go.").await.unwrap();
        on_screen(&app, RUN).await;
        keys::reading_time().await;
        // The text, which the arrow keys scroll, comes after Deny and Cancel.
        keys::press(&app.desktop, &["Tab", "Tab"]).unwrap();
        scroll_to_the_end(&app, first.0, first.1).await;
        // The other end is out of sight, and stays so however the view is measured meanwhile.
        let (now, end) = app.native.scrolled(RUN, second.1).await.unwrap().unwrap();
        assert!(now + 1.0 < end, "{now} of {end}");
        keys::press(&app.desktop, &[first.0]).unwrap();
        assert!(!allow_button(&app, RUN).await.sensitive, "{} was enough", first.0);
        app.picture(&format!("long-text-narrow-{}", first.0)).unwrap();
        assert_eq!(runs(&shop), number);
        until("the allow button to answer", || async {
            keys::press(&app.desktop, &[second.0])?;
            Ok(allow_button(&app, RUN).await.sensitive.then_some(()))
        })
        .await
        .unwrap();
        assert_eq!(runs(&shop), number);
        app.native.press(&allow_button(&app, RUN).await).await.unwrap();
        app.end_of_run().await.unwrap();
        assert_eq!(runs(&shop), number + 1);
    }
}

/// The dialog through rfd with a command of many pages; how many.
async fn paged() -> (App, PathBuf, usize) {
    let server = ModelServer::start(vec![calls(&[("c1", "shell", script(100))]), text("Done.")]);
    let desktop = Desktop::start().unwrap();
    let (app, shop) = App::start_at_work(desktop, &server, &[("ASSENT_DIALOG", "rfd")]).await.unwrap();
    app.say("Go.").await.unwrap();
    let first = app.native.dialog(&format!("{RUN} (1/")).await.unwrap();
    let title = first.nodes.iter().find_map(|node| node.name.split_once(&format!("{RUN} (1/")));
    let last = title.unwrap().1.split_once(')').unwrap().0.parse().unwrap();
    assert!(last > 2, "{last}");
    (app, shop, last)
}

/// Waits for page `number`, which can be read and offers `middle` between Deny and Cancel; what it says.
async fn page(app: &App, number: usize, last: usize, middle: &str) -> String {
    let title = format!("{RUN} ({number}/{last})");
    on_screen(app, &title).await;
    let dialog = app.native.dialog(&title).await.unwrap();
    let mut buttons = dialog.buttons();
    buttons.sort_unstable();
    let mut wanted = ["Cancel", "Deny", middle];
    wanted.sort_unstable();
    assert_eq!(buttons, wanted, "{title}");
    // rfd can't hold its button back: an answer within the reading time would be dropped.
    keys::reading_time().await;
    let labels = dialog.nodes.iter().filter(|node| node.role == "label" && !node.name.contains(RUN));
    labels.map(|node| node.name.as_str()).collect::<Vec<_>>().join("\n")
}

/// R30, R32: rfd's dialog shows the whole text page by page, and offers allow on the last one only.
#[tokio::test]
async fn rfd_offers_allow_on_the_last_page() {
    let (app, shop, last) = paged().await;
    let mut shown = String::new();
    for number in 1..last {
        let says = page(&app, number, last, "Next").await;
        // The first one is a summary.
        if number > 1 {
            shown.push_str(&says);
            shown.push('\n');
        }
        assert_eq!(runs(&shop), 0);
        keys::press(&app.desktop, &["Tab", "Return"]).unwrap();
    }
    shown.push_str(&page(&app, last, last, ALLOW).await);
    app.picture("long-text-rfd").unwrap();
    assert!(is_whole(&shown.replace("\n┆ ", "")), "{shown}");
    app.waiting(1).await.unwrap();
    assert_eq!(runs(&shop), 0);
    keys::press(&app.desktop, &["Tab", "Return"]).unwrap();
    app.end_of_run().await.unwrap();
    app.page.see("Done.").await.unwrap();
    assert_eq!(runs(&shop), 1);
}

/// R30, R31: whoever pages on with Enter or Space denies, on a later page too.
#[tokio::test]
async fn rfd_enter_and_space_deny_on_a_later_page() {
    for key in ["Return", "space"] {
        let (app, shop, last) = paged().await;
        let before = Tree::of(&shop).unwrap();
        page(&app, 1, last, "Next").await;
        keys::press(&app.desktop, &["Tab", "Return"]).unwrap();
        page(&app, 2, last, "Next").await;
        keys::press(&app.desktop, &[key]).unwrap();
        app.end_of_run().await.unwrap();
        app.page.see("you denied").await.unwrap();
        assert_eq!(Tree::of(&shop).unwrap(), before, "{key}");
    }
}

/// R30, R31: 96 KiB with NULs in it, into a file whose name is a format and markup: no allow before it was read, Enter
/// denies, and the app goes on.
#[tokio::test]
async fn a_long_file_with_nuls_is_harmless() {
    const NAME: &str = "100%s %n<b>&amp;.txt";
    let row = format!("\0 {HOSTILE} {}\n", "x".repeat(COLUMNS));
    let content = row.repeat(96 * 1024 / row.len());
    for dialog in ["gtk", "rfd"] {
        let write = json!({"path": NAME, "content": content});
        let server = ModelServer::start(vec![calls(&[("c1", "write_file", write)]), text("So be it.")]);
        let desktop = Desktop::start().unwrap();
        let (app, shop) = App::start_at_work(desktop, &server, &[("ASSENT_DIALOG", dialog)]).await.unwrap();
        let before = Tree::of(&shop).unwrap();
        app.say("Go.").await.unwrap();
        on_screen(&app, WRITE).await;
        keys::reading_time().await;
        let shown = app.native.dialog(WRITE).await.unwrap();
        let allow = shown.button(ALLOW).ok().filter(|allow| allow.sensitive);
        assert!(allow.is_none(), "{dialog}: {allow:?}");
        let text = match shown.text() {
            Ok(view) => app.native.text_of(view).await.unwrap(),
            Err(_) => shown.says(),
        };
        // rfd's first page is a summary.
        assert!(text.contains(NAME) && text.contains("\\u{0} %s %n %1$s <b>"), "{dialog}: {text}");
        app.picture(&format!("long-text-nuls-{dialog}")).unwrap();
        keys::press(&app.desktop, &["Return"]).unwrap();
        app.end_of_run().await.unwrap();
        app.page.see("So be it.").await.unwrap();
        assert_eq!(Tree::of(&shop).unwrap(), before, "{dialog}");
    }
}
