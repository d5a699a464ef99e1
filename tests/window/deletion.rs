//! "Delete my data" as a whole: what goes, what stays, what can't go, and what the log says of it.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::keychain::Keychain;
use crate::keys;
use crate::model_server::{ModelServer, calls, text};
use crate::tree::Tree;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const QUESTION: &str = "Delete all data?";
const WRITE: &str = "Write a file?";
const UNREAD: &str = "The settings file can't be read";
/// Where the keys of models are in the keychain, and that of the log.
const MODELS: &str = "assent-model";
const LOG: &str = "assent-audit";
/// In what was said, written and replaced. Nowhere else.
const MARK: &str = "violets";
const RULES: &str = "version = 1\n\n[[rules]]\nname = \"no-push\"\nbehavior = \"deny\"\ntools = [\"shell\"]\n\
    commands = [\"git push *\"]\nreason = \"Pushing is done by hand.\"\n";
const PROJECT_RULES: &str = "version = 1\n\n[[rules]]\nname = \"notes\"\nbehavior = \"allow\"\ntools = [\"write_file\"]\n\
    paths = [\"notes/**\"]\nreason = \"Notes are free.\"\n";

/// The app of somebody who has used all of it.
struct Used {
    app: App,
    shop: PathBuf,
    keychain: Keychain,
    sessions: Vec<Value>,
}

impl Used {
    /// Two sessions, one of them archived; a file that was replaced; a key in the keychain and one in a file; prices,
    /// rules and hooks; a trusted folder with a trusted policy file; a draft.
    async fn start() -> Self {
        let desktop = Desktop::start().unwrap();
        let keychain = Keychain::start(desktop.bus_address()).await.unwrap();
        let write = json!({"path": "README.md", "content": format!("{MARK}, written\n")});
        let replies =
            vec![calls(&[("c1", "write_file", write)]), text(&format!("{MARK}, told")), text("The second.")];
        let server = ModelServer::start(replies);
        let (app, shop) = App::start_at_work(desktop, &server, &[]).await.unwrap();
        let config = app.desktop.path("config").join("assent");
        for (name, content) in
            [("policy.toml", RULES), ("hooks.json", "{\"hooks\": {}}"), ("AGENTS.md", "Brief.\n")]
        {
            std::fs::write(config.join(name), content).unwrap();
        }
        std::fs::write(shop.join("README.md"), format!("{MARK}, replaced\n")).unwrap();
        std::fs::create_dir(shop.join(".assent")).unwrap();
        std::fs::write(shop.join(".assent/policy.toml"), PROJECT_RULES).unwrap();

        app.say(&format!("{MARK}, said")).await.unwrap();
        allow(&app, WRITE, "Allow once").await;
        app.page.see("told").await.unwrap();
        app.end_of_run().await.unwrap();
        let first = app.sessions().await.unwrap()[0]["sessionId"].clone();
        app.invoke("archive_session", json!({"sessionId": first, "archived": true})).await.unwrap();
        app.new_session().await.unwrap();
        app.say("Another.").await.unwrap();
        app.page.see("The second.").await.unwrap();
        app.end_of_run().await.unwrap();

        let key = |id: &str, place: &str| json!({"profileId": id, "key": "sk-secret", "where": place});
        app.invoke("save_key", key("served", "keychain")).await.unwrap();
        let local = json!({"profileId": null, "name": "Local", "kind": "chat_completions",
            "baseUrl": "http://127.0.0.1:9/v1", "model": "m", "contextWindow": null, "withoutTools": false,
            "proxy": "", "caFile": "", "headers": []});
        app.invoke("save_profile", json!({"profile": local})).await.unwrap();
        app.invoke("save_key", key("local", "file")).await.unwrap();
        let price = json!({"model": "m", "input": 1.0, "output": 2.0});
        app.invoke("save_prices", json!({"rows": [price]})).await.unwrap();
        let trusting = app.page.invoke("trust_project_policy", json!({}));
        let (trusted, ()) = tokio::join!(trusting, allow(&app, "Let this policy file count?", "Trust file"));
        assert_eq!(trusted.unwrap().unwrap()["status"], "done");
        app.invoke("set_mode", json!({"mode": "strict"})).await.unwrap();
        app.page.type_into("textarea[aria-autocomplete]", "half a thought").await.unwrap();
        drafts(&app, 1).await;
        let sessions = all_sessions(&app).await;
        assert_eq!(sessions.len(), 2, "{sessions:?}");
        assert_eq!((keychain.names(MODELS).len(), keychain.names(LOG).len()), (1, 1));
        Self { app, shop, keychain, sessions }
    }

    fn config(&self) -> PathBuf {
        self.app.desktop.path("config").join("assent")
    }

    /// What Assent may have put somewhere, but for the log and the folder one works in.
    fn holding(&self, words: &str) -> Vec<PathBuf> {
        let places = ["config", "data", "state", "cache", "tmp"].map(|name| self.app.desktop.path(name));
        let mut found: Vec<PathBuf> = places.iter().flat_map(|place| files_with(place, words)).collect();
        found.retain(|path| !path.file_name().unwrap().to_string_lossy().starts_with("audit"));
        found
    }
}

/// R35, R42, R43: no leaves everything; yes leaves what the question says, and nothing of what was said or written.
#[tokio::test]
async fn every_kind_of_data_goes_and_the_log_rules_and_hooks_stay() {
    let mut used = Used::start().await;
    let config = used.config();
    assert!(!used.holding(MARK).is_empty());
    let before = (Tree::of(&config).unwrap(), Tree::of(&used.shop).unwrap());
    let log = used.app.audit_rows().await.unwrap();
    let declined = delete(&used.app, deny(&used.app)).await.unwrap();
    assert_eq!(declined["status"], "declined");
    assert_eq!((Tree::of(&config).unwrap(), Tree::of(&used.shop).unwrap()), before);
    assert_eq!(all_sessions(&used.app).await, used.sessions);
    assert_eq!(used.app.audit_rows().await.unwrap(), log);
    assert_eq!(used.keychain.names(MODELS).len(), 1);
    drafts(&used.app, 1).await;

    let deleted = delete(&used.app, allow(&used.app, QUESTION, "Delete")).await.unwrap();
    assert_eq!(deleted["status"], "done");
    assert_eq!(all_sessions(&used.app).await, [Value::Null; 0]);
    assert_eq!((used.keychain.names(MODELS).len(), used.keychain.names(LOG).len()), (0, 1));
    let left: Vec<String> = Tree::of(&config)
        .unwrap()
        .added(&Tree::of(&used.app.desktop.path("services")).unwrap())
        .into_iter()
        .map(|path| path.strip_prefix(&config).unwrap().display().to_string())
        .collect();
    let stays = ["AGENTS.md", "folders.toml", "hooks.json", "policy.toml", "settings.toml"];
    assert_eq!(left.iter().filter(|name| *name != ".lock").collect::<Vec<_>>(), stays);
    assert!(!std::fs::read_to_string(config.join("folders.toml")).unwrap().contains("shop"));
    assert_eq!(std::fs::read_to_string(config.join("policy.toml")).unwrap(), RULES);
    let settings: toml::Table =
        toml::from_str(&std::fs::read_to_string(config.join("settings.toml")).unwrap()).unwrap();
    assert_eq!(settings["profiles"].as_array().unwrap().len(), 1, "only the tour: {settings}");
    assert_eq!(
        (settings["mode"].as_str(), settings["first_run_done"].as_bool()),
        (Some("strict"), Some(false))
    );
    assert_eq!(Tree::of(&used.shop).unwrap(), before.1, "what was made is the person's");
    assert_eq!(used.holding(MARK), Vec::<PathBuf>::new());
    drafts(&used.app, 0).await;
    used.app.page.see("Take the tour").await.unwrap();
    used.app.picture("data-deleted").unwrap();

    let rows = used.app.audit_rows().await.unwrap();
    assert_eq!(rows[0]["tool"], "data_deleted", "{}", rows[0]);
    assert_eq!(rows[0]["reason"], "Sessions, undo copies, settings and keys were deleted.");
    assert_eq!(rows[1..], log, "the log stays");
    let verified = used.app.invoke("verify_audit", json!({})).await.unwrap();
    assert_eq!(verified["ok"], true, "{verified}");

    // As at the first start, and nothing comes back with the next.
    used.app.kill_and_start_again().await.unwrap();
    used.app.page.see("Take the tour").await.unwrap();
    drafts(&used.app, 0).await;
    assert_eq!(all_sessions(&used.app).await, [Value::Null; 0]);
    assert_eq!(used.holding(MARK), Vec::<PathBuf>::new());
}

/// R35, R42: what can't be deleted is told and recorded, and everything else goes all the same.
#[tokio::test]
async fn what_cannot_be_deleted_is_told_and_keeps_nothing_else() {
    let used = Used::start().await;
    let (app, config) = (&used.app, used.config());
    used.keychain.shut(MODELS);
    // Not even root deletes a folder as a file.
    for name in ["folders.toml", "prices.toml"] {
        std::fs::remove_file(config.join(name)).unwrap();
        std::fs::create_dir(config.join(name)).unwrap();
    }
    let error = delete(app, allow(app, QUESTION, "Delete")).await.unwrap_err();
    assert_eq!(error["code"], "io", "{error}");
    app.page.see("A key is still in the keychain").await.unwrap();
    app.picture("data-kept").unwrap();

    assert_eq!(all_sessions(app).await, [Value::Null; 0]);
    assert_eq!(used.holding(MARK), Vec::<PathBuf>::new());
    assert_eq!(used.keychain.names(MODELS).len(), 1);
    assert!(!config.join("keys").exists(), "the key in a file goes");
    assert!(!config.join("trusted-projects.json").exists());
    let rows = app.audit_rows().await.unwrap();
    let tools: Vec<&Value> = rows.iter().take(2).map(|row| &row["tool"]).collect();
    assert_eq!(tools, ["data_kept", "data_deleted"]);
    let detail = app.invoke("audit_detail", json!({"seq": rows[0]["seq"]})).await.unwrap().to_string();
    for what in ["folders.toml", "prices.toml", "A key is still in the keychain"] {
        assert!(detail.contains(what), "{what} in {detail}");
    }
}

/// R42, R43: where the settings can't be read the keychain isn't looked through, and the question, the window and the log
/// say so; nothing is asked less afterwards.
#[tokio::test]
async fn keys_that_a_damaged_file_named_are_said_to_stay() {
    let desktop = Desktop::start().unwrap();
    let keychain = Keychain::start(desktop.bus_address()).await.unwrap();
    let server = ModelServer::start(vec![text("Here.")]);
    let (mut app, _) = App::start_at_work(desktop, &server, &[]).await.unwrap();
    let key = json!({"profileId": "served", "key": "sk-secret", "where": "keychain"});
    app.invoke("save_key", key).await.unwrap();
    let file = app.desktop.path("config").join("assent/settings.toml");
    std::fs::write(&file, "theme = \"dusk\"\n").unwrap();
    app.kill_and_start_again().await.unwrap();
    app.page.see("Defaults are used").await.unwrap();

    let said = async {
        let dialog = app.native.dialog(QUESTION).await.unwrap();
        assert!(dialog.says().contains(UNREAD), "{}", dialog.says());
        allow(&app, QUESTION, "Delete").await;
    };
    assert_eq!(delete(&app, said).await.unwrap()["status"], "done");
    app.page.see(UNREAD).await.unwrap();
    assert_eq!(keychain.names(MODELS).len(), 1);
    let rows = app.audit_rows().await.unwrap();
    assert_eq!(rows[0]["tool"], "data_deleted", "{}", rows[0]);
    assert!(rows[0]["reason"].as_str().unwrap().contains("keys may be left in the keychain"), "{}", rows[0]);
    let settings: toml::Table = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(settings["mode"].as_str(), Some("strict"));
    assert_eq!(app.invoke("permissions", json!({})).await.unwrap()["mode"], "strict");
}

/// What the window's wish to delete everything came to, its question answered by `answer`.
async fn delete(app: &App, answer: impl Future<Output = ()>) -> Result<Value, Value> {
    let (reply, ()) = tokio::join!(app.page.invoke("delete_data", json!({})), answer);
    reply.unwrap()
}

async fn allow(app: &App, title: &str, label: &str) {
    let yes = app.native.button_when_sensitive(title, label).await.unwrap();
    keys::reading_time().await;
    app.native.press(&yes).await.unwrap();
}

async fn deny(app: &App) {
    keys::focused(&app.desktop, QUESTION).await.unwrap();
    keys::reading_time().await;
    keys::press(&app.desktop, &["Return"]).unwrap();
}

/// The archived ones, too.
async fn all_sessions(app: &App) -> Vec<Value> {
    let mut sessions = Vec::new();
    for archived in [false, true] {
        let query = json!({"query": {"workspace": null, "text": "", "archived": archived, "limit": 10}});
        let listed = app.invoke("list_sessions", query).await.unwrap();
        sessions.extend(listed.as_array().unwrap().iter().cloned());
    }
    sessions
}

/// Waits until the window keeps so many drafts for the next start.
async fn drafts(app: &App, count: usize) {
    let script = "return Object.keys(localStorage).filter((key) => key.startsWith('assent.draft.')).length";
    until(&format!("{count} drafts"), || async {
        Ok((app.page.run(script).await? == json!(count)).then_some(()))
    })
    .await
    .unwrap();
}

/// The files below `folder` that hold `words`.
fn files_with(folder: &Path, words: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                let content = std::fs::read(entry.path()).unwrap();
                if content.windows(words.len()).any(|part| part == words.as_bytes()) {
                    found.push(entry.path());
                }
            }
        }
    }
    found.sort();
    found
}
