//! A comment that sends its reader to a document names one that is here, and a section that it has.

use crate::{files, none, root};

/// Specifications of others, whose sections may be cited.
const PUBLISHED: &[&str] = &["HTML", "RFC"];

fn commented() -> Vec<(String, String)> {
    let mut all = files("src-tauri", &[".rs", ".mjs"]);
    all.extend(files("tests", &[".rs", ".mjs"]));
    all.extend(files("ui/src", &[".ts", ".svelte"]));
    all.extend(files("ui/e2e", &[".ts"]));
    all
}

/// The comment of a line, if it is one: `//` and what follows, or a line of a block.
fn comment(line: &str) -> Option<&str> {
    line.split_once("// ")
        .or(line.split_once("//! "))
        .or(line.split_once("/// "))
        .map(|(_, text)| text)
        .or_else(|| {
            let line = line.trim_start();
            line.strip_prefix("/*").or(line.strip_prefix("* ")).or(line.strip_prefix("<!--"))
        })
}

fn is_shouted(word: &str) -> bool {
    word.len() > 3 && word.chars().all(|letter| letter.is_ascii_uppercase())
}

/// `NAME §n`, `NAME: …` at the start of a comment or a bracket, and `NAME.md`: each document, and the rest of the line.
fn cited(comment: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    for (at, _) in comment.char_indices() {
        let (before, here) = comment.split_at(at);
        if before.ends_with(|letter: char| letter.is_ascii_alphanumeric() || "-_./{".contains(letter)) {
            continue;
        }
        let word = here.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
        let Some(rest) = here.strip_prefix(word).filter(|_| is_shouted(word)) else { continue };
        let opens = before.is_empty() || before.ends_with(['(', '[']) || before.ends_with(", ");
        let section = rest.strip_prefix(" §").or(rest.strip_prefix(": ").filter(|_| opens));
        if let Some(section) = section.or(rest.strip_prefix(".md")) {
            found.push((word.to_owned(), section));
        }
    }
    found
}

#[test]
fn what_a_comment_cites_is_read_off_it() {
    for (comment, documents) in [
        ("The table of modes (PLAN §4): what each asks", vec!["PLAN"]),
        ("bound to one digest (R32, PLAN §3).", vec!["PLAN"]),
        ("PLAN: a broken file denies", vec!["PLAN"]),
        ("as PLAN.md says", vec!["PLAN"]),
        ("RFC 3492 §6.3 with the parameters of §5", vec![]),
        ("To git `HEAD:src/a.rs` is no stream", vec![]),
        ("`REVISION:PATH`, `:STAGE:PATH`", vec![]),
    ] {
        let found: Vec<String> = cited(comment).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, documents, "{comment}");
    }
}

#[test]
fn no_comment_cites_a_document_that_is_not_here() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let headings: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches(['#', ' ']))
        .collect();
    let exists = |name: &str| {
        ["", "tests"].iter().any(|folder| root().join(folder).join(format!("{name}.md")).is_file())
            || PUBLISHED.contains(&name)
    };
    let mut findings = Vec::new();
    for (file, text) in commented() {
        if file == "tests/tidy/documents.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for (name, section) in comment(line).map(cited).unwrap_or_default() {
                let said = || format!("{file}:{}: {}", number + 1, line.trim());
                let section = section.split([')', ']', ',', '.']).next().unwrap_or_default();
                // `SAFETY:` and the like speak of the code below them.
                if name == "SAFETY" || name == "AGENTS" {
                    continue;
                }
                if !exists(&name) {
                    findings.push(said());
                } else if name == "README" && !section.is_empty() && !headings.contains(&section) {
                    findings.push(format!("{} (the README has no such section)", said()));
                }
            }
        }
    }
    none("cites a document that isn't here", findings);
}
