//! Every reason that the policy can give is said in Chinese too.

use assent_policy::request::{Language, reason_in};
use std::path::{Path, PathBuf};

/// Every sentence that a participant, a rule or the reader of commands can give as its reason has a Chinese form:
/// found in the sources, so that a new one without it fails here.
#[test]
fn every_reason_is_translated() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri/crates/policy/src");
    let mut missing = Vec::new();
    let mut seen = 0;
    for file in files(&sources) {
        let text = std::fs::read_to_string(&file).unwrap();
        for sentence in sentences(&text) {
            seen += 1;
            let sample = with_samples(&sentence);
            if reason_in(Language::Chinese, &sample) == sample {
                missing.push(format!("{}: {sentence}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "no Chinese in ui/locales/request/zh-CN.json for:\n{}", missing.join("\n"));
    assert!(seen > 150, "only {seen} reasons were found: the search is broken");
}

/// The sources that give reasons: all but the words themselves and the tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("request") {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found
}

/// String literals that read as a sentence: a capital or a value first, a space, a full stop at the end.
fn sentences(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut out = Vec::new();
    let mut rest = code.join("\n");
    while let Some(start) = rest.find('"') {
        let tail = &rest[start + 1..];
        let mut end = 0;
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
        let literal = joined(&tail[..end]);
        let first = literal.chars().next().unwrap_or(' ');
        let opens = first.is_ascii_uppercase() || first == '{';
        if opens && literal.ends_with('.') && literal.contains(' ') {
            out.push(literal);
        }
        rest = tail[end + 1..].to_owned();
    }
    out
}

/// A literal that was continued on the next line.
fn joined(literal: &str) -> String {
    let mut lines = literal.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| all + line.trim_start())
}

fn with_samples(sentence: &str) -> String {
    let mut out = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push_str("sample");
        rest = after.split_once('}').unwrap().1;
    }
    out + rest
}
