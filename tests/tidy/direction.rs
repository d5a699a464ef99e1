//! Who may depend on whom.

use crate::{files, none, root};
use std::collections::BTreeSet;
use std::process::Command;

/// Every package that `package` is built from, development excluded.
fn dependencies(package: &str) -> BTreeSet<String> {
    let done = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "-p",
            package,
            "-e",
            "normal",
            "--prefix",
            "none",
            "--target",
            "all",
        ])
        .current_dir(root())
        .output()
        .expect("cargo tree");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8_lossy(&done.stdout);
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn policy_and_sandbox_depend_on_nothing_of_ours() {
    for package in ["assent-policy", "assent-sandbox"] {
        let ours: Vec<String> = dependencies(package)
            .into_iter()
            .filter(|it| it.starts_with("assent") && it != package)
            .collect();
        none(&format!("{package} depends on"), ours);
    }
}

/// R61: the core knows no window.
#[test]
fn the_engine_knows_no_window() {
    let forbidden = ["tauri", "rfd", "notify-rust", "gtk", "wry", "tao"];
    for package in ["assent-agent", "assent", "assent-policy", "assent-sandbox"] {
        let tree = dependencies(package);
        none(
            &format!("{package} depends on"),
            forbidden.iter().filter(|it| tree.contains(**it)).map(|it| (*it).to_owned()).collect(),
        );
    }
}

#[test]
fn policy_does_no_io() {
    let tree = dependencies("assent-policy");
    let heavy = ["tokio", "reqwest", "rusqlite", "rustix", "ureq", "mio"];
    none(
        "assent-policy depends on",
        heavy.iter().filter(|it| tree.contains(**it)).map(|it| (*it).to_owned()).collect(),
    );
    let banned = [
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "std::thread",
        "SystemTime",
        "Instant",
        "File::open",
        "async fn",
        "println!",
        "eprintln!",
    ];
    let mut findings = Vec::new();
    for (name, text) in files("src-tauri/crates/policy/src", &[".rs"]) {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            findings.extend(
                banned
                    .iter()
                    .filter(|word| code.contains(**word))
                    .map(|word| format!("{name}:{}: {word}", number + 1)),
            );
        }
    }
    none("assent-policy touches the world", findings);
}

/// R1: only the gate makes a permit.
#[test]
fn only_the_gate_makes_a_permit() {
    let mut findings = Vec::new();
    for (name, text) in files("src-tauri", &[".rs"]) {
        let gate = name == "src-tauri/crates/agent/src/gate.rs";
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let makes = code.contains("Permit {")
                && !code.contains("struct Permit")
                && !code.contains("impl")
                && !code.contains("-> Permit");
            if makes && !gate {
                findings.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none("a permit is made outside the gate", findings);
}

#[test]
fn unsafe_code_lives_in_the_sandbox_only() {
    let mut findings = Vec::new();
    for (name, text) in files("src-tauri", &[".rs"]) {
        if !name.starts_with("src-tauri/crates/sandbox/") {
            findings.extend(
                text.lines()
                    .enumerate()
                    .filter(|(_, line)| {
                        let code = line.split("//").next().unwrap_or_default();
                        code.contains("unsafe {")
                            || code.contains("unsafe fn")
                            || code.contains("unsafe impl")
                    })
                    .map(|(number, line)| format!("{name}:{}: {}", number + 1, line.trim())),
            );
        }
    }
    none("unsafe code outside the sandbox", findings);
}
