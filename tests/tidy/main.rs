//! The repository's rules as tests: direction, invariants, and what must not be in the sources.

mod codes;
mod direction;
mod documents;
mod failures;
mod reasons;
mod requirements;
mod sources;
mod view;

use std::path::{Path, PathBuf};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a parent").to_path_buf()
}

/// Every file below `folder` whose name ends so, with its text; generated and installed folders left out.
fn files(folder: &str, ends: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, ends: &[&str], found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.map(|entry| entry.expect("an entry")) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if ["target", "node_modules", "dist", ".git", "generated", "gen"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                walk(&path, ends, found);
            } else if ends.iter().any(|end| name.ends_with(end)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), ends, &mut found);
    found.sort();
    assert!(!found.is_empty(), "{folder} holds none of {ends:?}");
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, text)
        })
        .collect()
}

/// Fails with every finding at once.
fn none(what: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{what}:\n  {}", findings.join("\n  "));
}
