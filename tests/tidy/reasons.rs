//! What a person reads of the policy and the engine is said in Chinese too: found in the sources, so that a new
//! sentence without its Chinese fails here.

use crate::{none, root};
use assent_policy::request::{Language, reason_in};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where the engine says something to a person: why a call was refused, why a hook failed, how a run ended, what an
/// event of the audit was. Folders and files below `src-tauri`.
const ENGINE: &[&str] = &[
    "crates/agent/src/gate.rs",
    "crates/agent/src/gate",
    "crates/agent/src/approval/mod.rs",
    "crates/agent/src/approval/broker.rs",
    "crates/agent/src/approval/broker",
    "crates/agent/src/hooks",
    "crates/agent/src/reviewer",
    "crates/agent/src/turn.rs",
    "crates/agent/src/turn",
    "crates/agent/src/circumstances.rs",
    "crates/agent/src/engine.rs",
    "crates/agent/src/audit/store.rs",
];

/// Where phrases are made that end up in such a sentence.
const PHRASES: &[&str] = &[
    "crates/agent/src/hooks",
    "crates/agent/src/reviewer",
    "crates/agent/src/attachments.rs",
    "crates/agent/src/workspace/undo.rs",
    "src/changes.rs",
    "src/dialog",
];

/// Sentences there that nobody but the model reads, or the command line, which speaks English: their beginnings.
const NOT_FOR_THE_WINDOW: &[&str] = &[
    "There is no tool of that name.",
    "The arguments are no JSON object:",
    "The run was stopped before this call began.",
    "The audit log can't be written, so nothing runs.",
    "The tool failed in an unexpected way.",
    "The call ran, but what came of it could not be recorded.",
    "The tool's result holds a NUL character.",
    "Nothing ran: ",
    "Error [",
    "You review the tool calls of a coding agent",
];

/// Every sentence that a participant, a rule or the reader of commands can give as its reason.
#[test]
fn every_reason_is_translated() {
    let found = sentences_in(&files(&source("crates/policy/src")));
    let missing = found.iter().filter(|(_, sentence)| !is_translated(sentence)).map(told);
    none("no Chinese in ui/locales/request/zh-CN.json", missing.collect());
    assert!(found.len() > 150, "only {} reasons were found: the search is broken", found.len());
}

/// R34: every sentence with which the engine refuses, fails or ends something.
#[test]
fn every_refusal_and_failure_is_translated() {
    let found = sentences_in(&ENGINE.iter().flat_map(|path| files(&source(path))).collect::<Vec<_>>());
    let not_shown = |sentence: &str| NOT_FOR_THE_WINDOW.iter().any(|start| sentence.starts_with(start));
    let missing =
        found.iter().filter(|(_, sentence)| !not_shown(sentence) && !is_translated(sentence)).map(told);
    none("no Chinese in ui/locales/request/zh-CN.json", missing.collect());
    assert!(found.len() > 50, "only {} sentences were found: the search is broken", found.len());
    let stale = NOT_FOR_THE_WINDOW
        .iter()
        .filter(|start| !found.iter().any(|(_, sentence)| sentence.starts_with(**start)))
        .map(|start| (*start).to_owned());
    none("an exception that nothing needs", stale.collect());
}

/// The phrases inside such sentences, shown as the reason of one.
#[test]
fn every_phrase_of_a_failure_is_translated() {
    let mut seen = 0;
    let mut missing = Vec::new();
    for file in PHRASES.iter().flat_map(|path| files(&source(path))) {
        for literal in literals(&std::fs::read_to_string(&file).unwrap()) {
            if ["it ", "its ", "the ", "there ", "every "].iter().any(|start| literal.starts_with(start)) {
                seen += 1;
                let phrase = with_samples(&literal);
                let said = reason_in(Language::Chinese, &format!("The hooks can't be read: {phrase}."));
                if said.contains(&phrase) {
                    missing.push(told(&(file.clone(), literal)));
                }
            }
        }
    }
    none("no Chinese in ui/locales/request/zh-CN.json", missing);
    assert!(seen > 15, "only {seen} phrases were found: the search is broken");
}

/// R44: every event that is recorded has its name in the window's catalogues, and its sentence in Chinese.
#[test]
fn every_event_of_the_audit_has_its_words() {
    let catalogue = std::fs::read_to_string(root().join("ui/locales/en.json")).unwrap();
    let catalogue: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&catalogue).unwrap();
    let named: BTreeSet<&str> = catalogue.keys().filter_map(|key| key.strip_prefix("event.")).collect();
    let mut recorded = BTreeSet::new();
    let mut missing = Vec::new();
    for file in files(&source("src")).into_iter().chain(files(&source("crates/agent/src"))) {
        let text = std::fs::read_to_string(&file).unwrap();
        let text = code(&text);
        for start in ["Entry::event(", ".record(", " record("] {
            for call in text.split(start).skip(1) {
                let Some((name, rest)) =
                    call.trim_start().strip_prefix('"').and_then(|it| it.split_once("\","))
                else {
                    continue;
                };
                recorded.insert(name.to_owned());
                // A reason that is no literal is checked where it is made.
                if rest.trim_start().starts_with('"') {
                    missing
                        .extend(literals(rest).into_iter().take(1).filter(|reason| !is_translated(reason)));
                }
            }
        }
    }
    none("no Chinese in ui/locales/request/zh-CN.json", missing);
    let recorded: BTreeSet<&str> = recorded.iter().map(String::as_str).collect();
    assert_eq!(named, recorded, "the events that have a name, and those that are recorded");
}

pub fn source(path: &str) -> PathBuf {
    root().join("src-tauri").join(path)
}

pub fn told((file, sentence): &(PathBuf, String)) -> String {
    format!("{}: {sentence}", file.strip_prefix(root()).unwrap_or(file).display())
}

/// Whether it has a Chinese form, which keeps each of its values.
fn is_translated(sentence: &str) -> bool {
    let sample = with_samples(sentence);
    let chinese = reason_in(Language::Chinese, &sample);
    chinese != sample && chinese.matches("sample").count() == sample.matches("sample").count()
}

pub fn sentences_in(files: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let of = |file: &PathBuf| {
        let found = sentences(&std::fs::read_to_string(file).unwrap());
        found.into_iter().map(|sentence| (file.clone(), sentence)).collect::<Vec<_>>()
    };
    files.iter().flat_map(of).collect()
}

/// The sources that say something: all but the words themselves and the tests.
pub fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "request" && name != "tests" {
            found.extend(files(&path));
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "fixture.rs" {
            found.push(path);
        }
    }
    found
}

/// String literals that read as a sentence: a capital or a value first, a space, at the end a full stop or a value.
fn sentences(source: &str) -> Vec<String> {
    let reads = |literal: &String| {
        let first = literal.chars().next().unwrap_or(' ');
        let ends = literal.ends_with('.') || first.is_ascii_uppercase() && literal.ends_with('}');
        (first.is_ascii_uppercase() || first == '{') && ends && literal.contains(' ')
    };
    literals(source).into_iter().filter(reads).collect()
}

/// The source without its comments, its tests and what it tells the log of the program.
pub fn code(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let said = |line: &&str| !line.trim_start().starts_with("//") && !line.contains("tracing::");
    let lines: Vec<&str> = code.lines().filter(said).collect();
    lines.join("\n")
}

/// Every string literal outside comments and tests, joined where it goes on in the next line.
pub fn literals(source: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = code(source).replace("'\"'", "' '").replace("'\\\"'", "' '");
    while let Some(start) = rest.find('"') {
        let tail = &rest[start + 1..];
        let mut end = tail.len().saturating_sub(1);
        let mut bytes = tail.bytes().enumerate();
        while let Some((place, byte)) = bytes.next() {
            match byte {
                b'\\' => drop(bytes.next()),
                b'"' => {
                    end = place;
                    break;
                }
                _ => {}
            }
        }
        out.push(joined(&tail[..end]).replace("\\\"", "\""));
        rest = tail.get(end + 1..).unwrap_or_default().to_owned();
    }
    out
}

/// A literal that was continued on the next line.
fn joined(literal: &str) -> String {
    let mut lines = literal.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| all + line.trim_start())
}

pub fn with_samples(sentence: &str) -> String {
    let mut out = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push_str("sample");
        rest = after.split_once('}').unwrap().1;
    }
    out + rest
}
