//! What the web view may do: nothing but our own commands, none of which approves.

use crate::{files, none, root};
use serde_json::Value;

#[test]
fn the_web_view_has_no_power_of_its_own() {
    let mut findings = Vec::new();
    for (name, text) in files("src-tauri/capabilities", &[".json"]) {
        let capability: Value = serde_json::from_str(&text).expect("JSON");
        for permission in capability["permissions"].as_array().expect("permissions") {
            let word = permission.as_str().map_or_else(|| permission.to_string(), str::to_owned);
            let banned = [
                "fs:",
                "shell:",
                "http:",
                "dialog:",
                "opener:",
                "process:",
                "clipboard",
                "core:default",
                "core:webview",
                "core:path",
                "core:app:default",
            ];
            findings
                .extend(banned.iter().filter(|it| word.contains(**it)).map(|_| format!("{name}: {word}")));
        }
        if capability.get("remote").is_some() {
            findings.push(format!("{name}: remote pages"));
        }
    }
    none("powers of the web view", findings);
}

#[test]
fn no_command_approves() {
    let name = "src-tauri/src/commands/names.rs";
    let text = std::fs::read_to_string(root().join(name)).expect("the commands");
    let commands: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with('"')).collect();
    assert!(commands.len() > 50, "only {} commands were found: the search is broken", commands.len());
    let words = ["approve", "allow", "grant_", "accept", "trust_now", "confirm"];
    let findings = commands
        .into_iter()
        .filter(|command| words.iter().any(|word| command.contains(word)))
        .map(|command| format!("{name}: {command}"))
        .collect();
    none("commands that sound like an approval", findings);
}

/// R44: the audit's filter offers what these two lists hold, so no other source may be made elsewhere.
#[test]
fn every_source_of_a_decision_is_listed() {
    let made = concat!("Source::", "fixed(\"");
    let known = "src-tauri/crates/agent/src/gate/sources.rs";
    let mut findings: Vec<String> = files("src-tauri", &[".rs"])
        .into_iter()
        .filter(|(name, text)| name != known && text.contains(made))
        .map(|(name, _)| format!("{name} makes one of its own"))
        .collect();
    let policy = std::fs::read_to_string(root().join("src-tauri/crates/policy/src/behavior.rs"))
        .expect("the policy's sources");
    let own = policy.lines().filter_map(|line| {
        let (name, value) = line.trim().strip_prefix("pub const ")?.split_once(": Self = ")?;
        value.starts_with("Self::fixed(").then_some(name)
    });
    findings.extend(
        own.filter(|name| !policy.contains(&format!("        Self::{name},\n")))
            .map(|name| format!("Source::ALL lacks {name}")),
    );
    none("sources that nobody can filter by", findings);
}

#[test]
fn the_content_policy_is_strict() {
    let text = std::fs::read_to_string(root().join("src-tauri/tauri.conf.json")).expect("the configuration");
    let config: Value = serde_json::from_str(&text).expect("JSON");
    let security = &config["app"]["security"];
    let csp = security["csp"].to_string();
    assert!(csp.contains("'none'"), "{csp}");
    for banned in ["unsafe-inline", "unsafe-eval", "https:", "http://*", " * "] {
        assert!(!csp.contains(banned), "{banned} in {csp}");
    }
    assert_ne!(config["app"]["withGlobalTauri"], Value::Bool(true));
}
