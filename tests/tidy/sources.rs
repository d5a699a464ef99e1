//! What every source file has, and what none has.

use crate::{files, none};

/// Rust, script and style sources of the project.
fn sources() -> Vec<(String, String)> {
    let mut all = files("src-tauri", &[".rs"]);
    all.extend(files("tests", &[".rs"]));
    all
}

#[test]
fn every_file_says_what_it_is() {
    let missing =
        sources().into_iter().filter(|(_, text)| !text.starts_with("//!")).map(|(name, _)| name).collect();
    none("files without a module comment", missing);
}

#[test]
fn a_file_holds_one_idea() {
    const LIMIT: usize = 600;
    let long = sources()
        .into_iter()
        .filter(|(_, text)| text.lines().count() > LIMIT)
        .map(|(name, text)| format!("{name}: {} lines", text.lines().count()))
        .collect();
    none("files too long to hold one idea", long);
}

#[test]
fn nothing_is_muted_or_left_undone() {
    let words = [
        concat!("#[", "ignore"),
        concat!("#[", "allow("),
        concat!("#![", "allow("),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("TO", "DO:"),
        concat!("// TO", "DO"),
        concat!("FIX", "ME:"),
    ];
    let mut findings = Vec::new();
    for (name, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            findings.extend(
                words
                    .iter()
                    .filter(|word| line.contains(**word))
                    .map(|word| format!("{name}:{}: {word}", number + 1)),
            );
        }
    }
    none("muted or unfinished", findings);
}

/// Playwright evaluates such a string anew at each look, which the page's policy refuses once the first look
/// is over: on a quick machine the test passes, on a busy one it fails.
#[test]
fn browser_tests_wait_with_functions() {
    let strings = [
        concat!("waitForFunction", "(\""),
        concat!("waitForFunction", "('"),
        concat!("waitForFunction", "(`"),
    ];
    let mut findings = Vec::new();
    for (name, text) in files("ui/e2e", &[".ts"]) {
        for (number, line) in text.lines().enumerate() {
            if strings.iter().any(|it| line.contains(it)) {
                findings.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    none("waits that the page's policy refuses", findings);
}

#[test]
fn names_say_what_a_thing_is() {
    let empty = ["Manager", "Helper", "Utils", "Util "];
    let mut findings = Vec::new();
    for (name, text) in sources() {
        let file = name.rsplit('/').next().unwrap_or_default();
        if ["utils.rs", "util.rs", "helpers.rs", "helper.rs", "common.rs", "misc.rs"].contains(&file) {
            findings.push(name.clone());
        }
        for line in text
            .lines()
            .filter(|line| line.contains("struct ") || line.contains("enum ") || line.contains("trait "))
        {
            let code = line.split("//").next().unwrap_or_default();
            findings.extend(
                empty.iter().filter(|word| code.contains(**word)).map(|word| format!("{name}: {word}")),
            );
        }
    }
    none("names that say nothing", findings);
}

/// R30: the dialog library's two-button and synchronous forms, where Escape can mean allow or the app dead-locks.
#[test]
fn dialogs_are_asynchronous_and_have_three_buttons() {
    let banned = [
        "OkCancelCustom",
        "MessageButtons::YesNo,",
        "MessageButtons::OkCancel",
        "rfd::MessageDialog::new",
        "rfd::FileDialog",
    ];
    // Says why the app can't start: it asks nothing, and no other window is there to freeze.
    let tells = ("src-tauri/src/cannot_start.rs", "rfd::MessageDialog::new");
    let mut findings = Vec::new();
    for (name, text) in files("src-tauri/src", &[".rs"]) {
        let text = if name == tells.0 { text.replacen(tells.1, "", 1) } else { text };
        findings
            .extend(banned.iter().filter(|word| text.contains(**word)).map(|word| format!("{name}: {word}")));
    }
    none("dialogs that can allow by accident or freeze", findings);
}
