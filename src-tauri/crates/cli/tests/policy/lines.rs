//! The lines that scripts read, the words that people read, and the exit codes.

use crate::world::World;
use serde_json::{Value, json};
use std::fs;

/// R63
#[test]
fn one_line_an_answer() {
    let world = World::new().unwrap();
    let calls = [
        json!({"id": 1, "tool": "read_file", "arguments": {"path": "README.md"}}),
        json!({"id": "b", "tool": "write_file", "arguments": {"path": "../outside.txt", "content": "x"}}),
        json!({"id": null, "tool": "read_file", "arguments": {"path": "../../.ssh/id_rsa"}}),
        json!({"id": "d", "tool": "shell", "arguments": {"command": "ls", "env": {}}}),
        json!({"id": "e", "tool": "no_such_tool", "arguments": {}}),
        json!({"id": "f", "tool": "shell", "arguments": "ls"}),
        json!({"id": "g", "tool": "shell", "arguments": {"command": "sudo reboot"}}),
        json!({"id": "h", "tool": "shell", "arguments": {"command": "cargo test"}}),
        json!({"id": "i", "tool": "task", "arguments": {"name": "find callers", "prompt": "Find them."}}),
        json!({"id": "j", "tool": "task", "arguments": {"name": "find callers", "prompt": " "}}),
    ];
    let input: String = calls.iter().map(|line| format!("{line}\n")).collect();
    let done = world.assent(&["policy", "check", "--sandbox", "available"], &input).unwrap();
    assert!(done.status.success());
    let answers: Vec<Value> = String::from_utf8(done.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |place: usize| {
        let text = |key: &str| answers[place][key].as_str().unwrap_or("-").to_owned();
        (answers[place]["id"].clone(), [text("behavior"), text("source"), text("error_code")])
    };
    for (place, (id, expected)) in [
        (json!(1), ["allow", "default", "-"]),
        (json!("b"), ["deny", "workspace-boundary", "permission_denied"]),
        (json!(null), ["deny", "workspace-boundary", "path_escape"]),
        (json!("d"), ["deny", "validation", "invalid_arguments"]),
        (json!("e"), ["deny", "validation", "unknown_tool"]),
        (json!("f"), ["deny", "validation", "invalid_json"]),
        (json!("g"), ["deny", "hard-deny", "permission_denied"]),
        (json!("h"), ["ask", "shell-default", "-"]),
        (json!("i"), ["allow", "effect-default", "-"]),
        (json!("j"), ["deny", "validation", "invalid_arguments"]),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(of(place), (id, expected.map(str::to_owned)), "{place}");
    }
    for answer in &answers {
        let keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = ["id", "behavior", "source", "reason", "risk", "error_code", "verdicts", "display"];
        assert_eq!(keys, expected);
    }
    assert_eq!(answers[1]["reason"], "Writing outside the workspace is forbidden");
    assert!(answers[7]["display"].as_array().is_some_and(|lines| !lines.is_empty()));
    assert!(!world.workspace().join("../outside.txt").exists());
}

/// R17: what holds on another system isn't seen from here, and on Windows no profile is in force: the shell asks, unless it
/// is judged as if one were.
#[test]
fn another_system_asks_unless_a_sandbox_is_assumed() {
    let world = World::new().unwrap();
    let call = "{\"id\":1,\"tool\":\"shell\",\"arguments\":{\"command\":\"Get-ChildItem\"}}\n";
    for (sandbox, expected) in
        [(None, "ask"), (Some("detected"), "ask"), (Some("none"), "ask"), (Some("available"), "allow")]
    {
        let mut arguments = vec!["policy", "check", "--os", "windows", "--shell", "powershell"];
        arguments.extend(sandbox.into_iter().flat_map(|sandbox| ["--sandbox", sandbox]));
        let done = world.assent(&arguments, call).unwrap();
        let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(answer["behavior"], expected, "{sandbox:?}: {answer}");
    }
}

/// R10: the whole answer to "why?".
#[test]
fn an_explanation_names_everything() {
    let world = World::new().unwrap();
    fs::write(world.workspace().join(".env"), "A=1\n").unwrap();
    let done =
        world.assent(&["policy", "explain", "--sandbox", "available", "read_file", ".env"], "").unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    for part in
        ["ask (sensitive-reads)", "may hold secrets", "Risk: high", "reads ", "(sensitive)", "Policy files:"]
    {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
}

/// R12: a broken file of one's own ends with 2; a project's broken file denies every call there.
#[test]
fn broken_files() {
    let world = World::new().unwrap();
    let call = "{\"id\":1,\"tool\":\"read_file\",\"arguments\":{\"path\":\"a\"}}\n";
    fs::write(world.user_policy(), "version = 1\n[[rules]]\nnmae = \"x\"\n").unwrap();
    let done = world.assent(&["policy", "check"], call).unwrap();
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("line 3, column 1") && said.contains("nmae"), "{said}");

    fs::remove_file(world.user_policy()).unwrap();
    fs::create_dir(world.workspace().join(".assent")).unwrap();
    fs::write(world.workspace().join(".assent/policy.toml"), "version = 2\n").unwrap();
    let done = world.assent(&["policy", "check"], call).unwrap();
    let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((answer["behavior"].as_str(), answer["source"].as_str()), (Some("deny"), Some("rules")));
    assert!(answer["reason"].as_str().unwrap().contains("line 1, column 11"), "{answer}");

    let done = world.assent(&["policy", "check", "--policy", "missing.toml"], call).unwrap();
    assert_eq!(done.status.code(), Some(2));
}

/// What can't be done, where, why, and what to do, in one line after the program's name.
#[test]
fn an_error_says_what_cannot_be_done() {
    let world = World::new().unwrap();
    let example = "{\"id\":1,\"tool\":\"shell\",\"arguments\":{\"command\":\"ls\"}}";
    let no_call =
        format!("can't read the call in line 2: it is no call, such as {example}: missing field `tool`");
    let table: [(&[&str], &str, &str); 6] = [
        (&["policy", "check", "none.jsonl"], "", "can't open none.jsonl: No such file"),
        (&["policy", "check"], "\n{}\n", &no_call),
        (
            &["policy", "check", "--policy", "none.toml"],
            "",
            "can't read the policy file none.toml: no such file",
        ),
        (&["policy", "check", "--workspace", "none"], "", "can't open the folder "),
        (&["exec", "--provider", "openai", "go"], "", "can't tell which model: name it with --model"),
        (&["exec", "--session", "none", "go on"], "", "can't find the session none"),
    ];
    for (arguments, input, told) in table {
        let done = world.assent(arguments, input).unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(said.starts_with(&format!("assent: {told}")), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let done = world.assent(&[arguments, &["--json"]].concat(), input).unwrap();
        let said: Value = serde_json::from_slice(&done.stderr).unwrap();
        assert!(said["error"].as_str().unwrap().starts_with(told), "{said}");
    }
}
