//! The files of a workspace by name, for `@`: ignore files honoured, no link followed.

use ignore::WalkBuilder;
use std::path::Path;

/// Entries looked at before the search gives up.
const MOST: usize = 50_000;

/// Up to `limit` paths below `root` that hold the letters of `query` in order, best first: relative, with `/`,
/// and whether each is a folder.
#[must_use]
pub fn search(root: &Path, query: &str, limit: usize) -> Vec<(String, bool)> {
    let wanted: Vec<char> = query.to_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let mut found: Vec<(usize, String, bool)> = walk
        .take(MOST)
        .filter_map(Result::ok)
        .filter(|entry| entry.depth() > 0)
        .filter_map(|entry| {
            let relative = entry.path().strip_prefix(root).ok()?.to_string_lossy().replace('\\', "/");
            let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            Some((score(&relative, &wanted)?, relative, folder))
        })
        .collect();
    found.sort();
    found.into_iter().take(limit).map(|(_, path, folder)| (path, folder)).collect()
}

/// Lower is better: letters apart cost, letters before the file's own name cost more.
fn score(path: &str, wanted: &[char]) -> Option<usize> {
    let lower: Vec<char> = path.to_lowercase().chars().collect();
    let name = lower.iter().rposition(|letter| *letter == '/').map_or(0, |slash| slash + 1);
    let from = |start: usize| {
        let mut at = start;
        let mut cost = 0;
        for letter in wanted {
            let gap = lower.iter().skip(at).position(|other| other == letter)?;
            cost += gap;
            at += gap + 1;
        }
        Some(cost)
    };
    from(name).or_else(|| from(0).map(|cost| cost + 1_000)).map(|cost| cost * 16 + lower.len())
}

#[cfg(test)]
mod tests {
    use super::search;

    #[test]
    fn names_come_before_folders_and_ignored_files_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["src/tax.rs", "tax/readme.md", "target/tax.o", "docs/text.md", ".git/tax"] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        std::fs::write(folder.path().join(".ignore"), "target\n").unwrap();
        let found: Vec<String> = search(folder.path(), "tax", 10).into_iter().map(|(path, _)| path).collect();
        assert_eq!(found[..2], ["tax", "src/tax.rs"]);
        assert!(
            !found.iter().any(|path| path.starts_with("target") || path.starts_with(".git/")),
            "{found:?}"
        );
        assert_eq!(search(folder.path(), "t x", 1).len(), 1);
    }
}
