//! The window's commands, the capability file and the build's list are one and the same.

use super::names::COMMANDS;
use serde_json::Value;
use std::collections::BTreeSet;

const CAPABILITY: &str = include_str!("../../capabilities/main.json");
const WINDOW_SIDE: &str = include_str!("../../../ui/src/backend/tauri.ts");
const HANDLER: &str = include_str!("../app.rs");

/// R61: the window can call our own commands and nothing of the system (no files, shell, http, dialogs).
#[test]
fn the_capability_lists_exactly_our_commands() {
    let capability: Value = serde_json::from_str(CAPABILITY).unwrap();
    let listed: BTreeSet<&str> =
        capability["permissions"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let ours: BTreeSet<String> =
        COMMANDS.iter().map(|name| format!("allow-{}", name.replace('_', "-"))).collect();
    assert_eq!(listed, ours.iter().map(String::as_str).collect());
    assert_eq!(capability["windows"], serde_json::json!(["main"]));
    assert!(capability.get("remote").is_none());
}

#[test]
fn the_window_calls_exactly_our_commands() {
    let called: BTreeSet<&str> = ["invoke(\"", "ask(\""]
        .iter()
        .flat_map(|call| WINDOW_SIDE.split(call).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(called, COMMANDS.iter().copied().collect());
}

#[test]
fn every_command_is_handled() {
    let handled =
        HANDLER.split_once("generate_handler![").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
    let handled: BTreeSet<&str> = handled
        .split(',')
        .filter_map(|path| path.trim().rsplit("::").next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(handled, COMMANDS.iter().copied().collect());
}

/// A command that panics is answered by what it holds: one without it would leave the window waiting.
#[test]
fn every_command_sees_to_its_answer() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands");
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for command in text.split("#[tauri::command]\n").skip(1) {
            let (head, _) = command.split_once('{').unwrap();
            assert!(head.contains("Shared<'_>"), "{head}");
            seen += 1;
        }
    }
    assert_eq!(seen, COMMANDS.len());
}

/// R30: no command of the window can approve.
#[test]
fn no_command_is_named_like_an_approval() {
    for name in COMMANDS {
        for word in ["approve", "allow", "decide", "accept", "grant_"] {
            assert!(!name.contains(word), "{name} sounds like an approval");
        }
    }
}
