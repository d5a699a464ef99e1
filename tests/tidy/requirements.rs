//! Every requirement is named by at least one test.

use crate::{files, root};

#[test]
fn every_requirement_has_a_test() {
    let table = std::fs::read_to_string(root().join("tests/REQUIREMENTS.md")).expect("the requirements");
    let ids: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| R"))
        .filter_map(|rest| rest.split(' ').next())
        .collect();
    assert!(ids.len() >= 40, "only {} requirements", ids.len());
    let mut comments = String::new();
    for (folder, ends) in [("src-tauri", ".rs"), ("tests", ".rs"), ("ui/src", ".ts"), ("ui/e2e", ".ts")] {
        if !root().join(folder).is_dir() {
            continue;
        }
        for (_, text) in files(folder, &[ends]) {
            let test = text.contains("#[test]")
                || text.contains("::test]")
                || text.contains("test(")
                || text.contains("proptest!");
            if test {
                for line in text.lines().filter(|line| line.trim_start().starts_with("//")) {
                    comments.push_str(line);
                    comments.push('\n');
                }
            }
        }
    }
    let named: Vec<&str> = comments.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let missing: Vec<String> =
        ids.iter().map(|id| format!("R{id}")).filter(|id| !named.contains(&id.as_str())).collect();
    assert!(missing.is_empty(), "no test names {}", missing.join(" "));
}
