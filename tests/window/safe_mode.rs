//! `--safe` passes over the settings. What tightens stays: rules and hooks deny as ever.

use crate::app::App;
use crate::desktop::Desktop;
use crate::driver::until;
use crate::tree::Tree;
use serde_json::Value;

const HOOK: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "write_file",
    "hooks": [{"type": "command", "command": "echo 'nothing is written today' >&2; exit 2"}]}]}}"#;
const RULE: &str = "version = 1\n\n[[rules]]\nname = \"nothing-written\"\nbehavior = \"deny\"\ntools = [\"write_file\"]\n\
    paths = [\"**\"]\nreason = \"Nothing is written today.\"\n";
/// Looser than the default, and in another language.
const SETTINGS: &str = "mode = \"sandboxed\"\nlanguage = \"zh-CN\"\n";

/// R20, R21: in safe mode a hook and a rule that deny still deny, with no question; the settings file doesn't count and
/// stays as it is.
#[tokio::test]
async fn what_denies_still_denies_in_safe_mode() {
    for (name, content) in [("hooks.json", HOOK), ("policy.toml", RULE)] {
        let desktop = Desktop::start().unwrap();
        desktop.write_settings(SETTINGS).unwrap();
        let shop = desktop.open_before("shop", false).unwrap();
        std::fs::write(desktop.path("config").join("assent").join(name), content).unwrap();
        let app = App::start_with_arguments(desktop, &[], &["--safe"]).await.unwrap();
        app.page.see("Rules and hooks count as ever.").await.unwrap();
        let before = Tree::of(&shop).unwrap();

        app.say("Show me around.").await.unwrap();
        let inside = |row: &Value| {
            row["tool"] == "write_file" && !row["subject"].as_str().is_some_and(|path| path.starts_with(".."))
        };
        let row = until("the write to be judged", || async {
            Ok(app.audit_rows().await?.into_iter().find(|row| inside(row) && !row["outcome"].is_null()))
        })
        .await
        .unwrap();
        app.end_of_run().await.unwrap();
        assert_eq!((&row["behavior"], &row["asked"]), (&"deny".into(), &false.into()), "{row}");
        assert!(row["reason"].as_str().unwrap().contains("othing is written today"), "{row}");
        assert!(app.native.find_dialog("Write a file?").await.is_none());
        assert_eq!(Tree::of(&shop).unwrap(), before);
        let settings = app.desktop.path("config").join("assent/settings.toml");
        assert_eq!(std::fs::read_to_string(settings).unwrap(), SETTINGS);
    }
}
