//! Everything in the window that loosens opens a native question whose default is no: pressed Enter, nothing has
//! changed; pressed the one affirmative button, it has.

use crate::app::App;
use crate::desktop::Desktop;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use serde_json::{Value, json};
use std::path::Path;

const RULES: &str = "version = 1\n\n[[rules]]\nname = \"notes\"\nbehavior = \"allow\"\ntools = [\"write_file\"]\n\
    paths = [\"notes/**\"]\nreason = \"Notes are free.\"\n";

const FAR: &str = "https://far.example/v1";
const FURTHER: &str = "https://further.example/v1";
/// Title and affirmative button of the question about a server.
const SERVER: (&str, &str) = ("Send conversations to this server?", "Use server");

/// One command of the window that loosens.
struct Loosening {
    command: &'static str,
    arguments: Value,
    /// The title of its question.
    title: &'static str,
    /// Its affirmative button.
    yes: &'static str,
    /// What can be read in [`everything`] once it counts, and not before.
    sign: &'static str,
}

/// In an order in which none makes another needless.
fn all(call_id: &str) -> Vec<Loosening> {
    let row = |command, arguments, title, yes, sign| Loosening { command, arguments, title, yes, sign };
    let grant = |candidate: &str| json!({"callId": call_id, "candidateId": candidate});
    let mode = |mode: &str| json!({"mode": mode});
    let (ask_server, use_server) = SERVER;
    vec![
        row("trust_workspace", json!({}), "Trust this folder?", "Trust", "trusted_ms ="),
        row(
            "set_shell_enabled",
            json!({"enabled": true}),
            "Allow commands here?",
            "Allow commands",
            "shell_off = false",
        ),
        row(
            "trust_project_policy",
            json!({}),
            "Let this policy file count?",
            "Trust file",
            "trusted-projects.json",
        ),
        row("propose_rule", grant("session"), "Add this grant?", "Add grant", "\"scope\":\"session\""),
        row("propose_rule", grant("rule"), "Add this grant?", "Add grant", "\"scope\":\"rule\""),
        row("save_profile", server(Value::Null, FAR, ""), ask_server, use_server, FAR),
        row("save_profile", server(json!("far"), FURTHER, ""), ask_server, use_server, FURTHER),
        row(
            "save_profile",
            server(json!("far"), FURTHER, "http://proxy.example:8080"),
            ask_server,
            use_server,
            "proxy.example",
        ),
        row("set_mode", mode("balanced"), "Change the mode?", "Change", "mode = \"balanced\""),
        row("set_mode", mode("sandboxed"), "Change the mode?", "Change", "mode = \"sandboxed\""),
    ]
}

/// What the window's form sends of a profile.
fn server(id: Value, url: &str, proxy: &str) -> Value {
    json!({"profile": {"profileId": id, "name": "Far", "kind": "chat_completions", "baseUrl": url,
        "model": "m", "contextWindow": null, "withoutTools": false, "proxy": proxy, "caFile": "", "headers": []}})
}

/// Whatever decides how much is asked: each of the app's own files, and the grants that live in no file.
async fn everything(app: &App) -> String {
    let mut files = Vec::new();
    read_all(&app.desktop.path("config").join("assent"), &mut files);
    files.sort();
    let permissions = app.invoke("permissions", json!({})).await.unwrap();
    format!("{}{}{}", files.concat(), permissions["mode"], permissions["grants"])
}

fn read_all(folder: &Path, into: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, into);
        } else {
            into.push(format!("{}\n{}\n", path.display(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// What the window's call of `loosening` gave, when the question it opens was answered by `answer`.
async fn asked(app: &App, loosening: &Loosening, answer: impl Future<Output = ()>) -> Value {
    let called = app.page.invoke(loosening.command, loosening.arguments.clone());
    let (reply, ()) = tokio::join!(called, answer);
    reply.unwrap().unwrap()["status"].clone()
}

async fn press_enter(app: &App, title: &str) {
    keys::focused(&app.desktop, title).await.unwrap();
    // rfd drops what is pressed sooner.
    keys::reading_time().await;
    keys::press(&app.desktop, &["Return"]).unwrap();
}

async fn press_yes(app: &App, loosening: &Loosening) {
    let yes = app.native.button_when_sensitive(loosening.title, loosening.yes).await.unwrap();
    keys::reading_time().await;
    app.native.press(&yes).await.unwrap();
}

/// No leaves everything as it was, yes changes it.
async fn refused_then_allowed(app: &App, loosening: &Loosening) {
    let (command, sign) = (loosening.command, loosening.sign);
    let before = everything(app).await;
    assert!(!before.contains(sign), "{command}: {sign} in {before}");
    let no = asked(app, loosening, press_enter(app, loosening.title)).await;
    assert_eq!(no, "declined", "{command} {}", loosening.arguments);
    assert_eq!(everything(app).await, before, "{command} {}", loosening.arguments);

    let yes = asked(app, loosening, press_yes(app, loosening)).await;
    assert_eq!(yes, "done", "{command} {}", loosening.arguments);
    let after = everything(app).await;
    assert!(after.contains(sign), "{command}: no {sign} in {after}");
    app.native.gone(loosening.title).await.unwrap();
}

/// A proxy, a host and a whole profile come back by Undo only as they came: after what tightened at once.
async fn what_comes_back_is_asked_too(app: &App) {
    let (title, yes) = SERVER;
    let back = |change: &Value, sign| {
        let arguments = json!({"change": change});
        Loosening { command: "restore_profile", arguments, title, yes, sign }
    };
    let changed = async |arguments| {
        let saved = app.invoke("save_profile", arguments).await.unwrap();
        assert_eq!(saved["status"], "done", "it was asked: {saved}");
        saved["change"].clone()
    };
    let plain = changed(server(json!("far"), FURTHER, "")).await;
    refused_then_allowed(app, &back(&plain, "proxy.example")).await;
    let moved = changed(server(json!("far"), "http://127.0.0.1:9/v1", "")).await;
    refused_then_allowed(app, &back(&moved, FURTHER)).await;
    let removed = app.invoke("remove_profile", json!({"profileId": "far"})).await.unwrap();
    refused_then_allowed(app, &back(&removed, FURTHER)).await;
}

/// R20, R30, R32: for every command that loosens, through either dialog.
async fn each_asks_first(dialog: &str) {
    let write = calls(&[("c1", "write_file", json!({"path": "a.txt", "content": "x\n"}))]);
    let server = ModelServer::start(vec![write, text("Then not.")]);
    let (app, shop) =
        App::start_at_work(Desktop::start().unwrap(), &server, &[("ASSENT_DIALOG", dialog)]).await.unwrap();
    std::fs::create_dir(shop.join(".assent")).unwrap();
    std::fs::write(shop.join(".assent/policy.toml"), RULES).unwrap();
    app.say("Go.").await.unwrap();
    press_enter(&app, "Write a file?").await;
    app.end_of_run().await.unwrap();
    let call = app.page.run("return document.querySelector('main [data-call]').dataset.call").await.unwrap();
    // What tightens counts at once, with no question.
    let tighten = [
        ("set_mode", json!({"mode": "strict"})),
        ("set_shell_enabled", json!({"enabled": false})),
        ("distrust_workspace", json!({"path": shop})),
    ];
    for (command, arguments) in tighten {
        app.invoke(command, arguments).await.unwrap();
    }

    for loosening in all(call.as_str().unwrap()) {
        refused_then_allowed(&app, &loosening).await;
    }
    what_comes_back_is_asked_too(&app).await;
    assert!(!shop.join("a.txt").exists());

    // The trust in a folder's rules is taken back by itself, and goes with the trust in the folder.
    let trusted =
        || std::fs::read_to_string(app.desktop.path("config").join("assent/trusted-projects.json")).unwrap();
    let again = all("").into_iter().find(|loosening| loosening.command == "trust_project_policy").unwrap();
    for (count, (command, arguments)) in
        [("distrust_project_policy", json!({})), ("distrust_workspace", json!({"path": shop}))]
            .into_iter()
            .enumerate()
    {
        if count > 0 {
            assert_eq!(asked(&app, &again, press_yes(&app, &again)).await, "done");
        }
        assert!(trusted().contains("policy.toml"), "{}", trusted());
        app.invoke(command, arguments).await.unwrap();
        assert!(!trusted().contains("policy.toml"), "{command}: {}", trusted());
        let rows = app.audit_rows().await.unwrap();
        let recorded = rows.iter().filter(|row| row["tool"] == "project_policy_distrusted").count();
        assert_eq!(recorded, count + 1, "{command}: {rows:?}");
    }
}

/// R20, R30
#[tokio::test]
async fn gtk_asks_before_anything_loosens() {
    each_asks_first("gtk").await;
}

/// R20, R30
#[tokio::test]
async fn rfd_asks_before_anything_loosens() {
    each_asks_first("rfd").await;
}
