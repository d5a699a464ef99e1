//! Differences of files, bounded, for cards and the Changes tab.

use crate::view::{DiffHunk, DiffKind, DiffLine, DiffOf, FileDiff, shown};
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};
use std::path::Path;

/// Larger files, in bytes, aren't shown as a diff.
const FILE: u64 = 1024 * 1024;
/// Most lines of one diff.
const LINES: usize = 400;
/// Longest line, characters.
const LINE: usize = 2_000;

/// The difference from `old` to `new`; `None` on one side means no file there.
#[must_use]
pub fn between(path: &str, old: Option<&str>, new: Option<&str>) -> FileDiff {
    let kind = match (old, new) {
        (None, _) => DiffOf::Created,
        (Some(_), None) => DiffOf::Deleted,
        (Some(_), Some(_)) => DiffOf::Modified,
    };
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let diff = TextDiff::from_lines(old, new);
    let mut out = FileDiff { path: shown(path), kind, added: 0, removed: 0, hunks: Vec::new(), cut: false };
    let mut left = LINES;
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        let mut lines = Vec::new();
        for change in hunk.iter_changes() {
            let kind = match change.tag() {
                ChangeTag::Equal => DiffKind::Context,
                ChangeTag::Insert => DiffKind::Added,
                ChangeTag::Delete => DiffKind::Removed,
            };
            out.added += usize::from(kind == DiffKind::Added);
            out.removed += usize::from(kind == DiffKind::Removed);
            if left == 0 {
                out.cut = true;
                continue;
            }
            left -= 1;
            let text = change.value().trim_end_matches(['\n', '\r']);
            lines.push(DiffLine {
                kind,
                text: text.chars().take(LINE).collect(),
                old_line: change.old_index().map(|line| line + 1),
                new_line: change.new_index().map(|line| line + 1),
            });
        }
        if !lines.is_empty() {
            out.hunks.push(DiffHunk { header: hunk.header().to_string().trim().to_owned(), lines });
        }
    }
    out
}

/// What a `write_file` or `edit_file` call would do to the file as it is; nothing where that can't be told.
#[must_use]
pub fn proposed(workspace: &Path, tool: &str, arguments: &Map<String, Value>) -> Vec<FileDiff> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let Some(path) = text("path") else { return Vec::new() };
    let old = read(&workspace.join(path));
    let new = match tool {
        "write_file" => text("content").map(str::to_owned),
        "edit_file" => match (&old, text("old_string"), text("new_string")) {
            (Some(old), Some(from), Some(to)) if !from.is_empty() => {
                let all = arguments.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
                Some(if all { old.replace(from, to) } else { old.replacen(from, to, 1) })
            }
            _ => None,
        },
        _ => None,
    };
    new.map(|new| between(path, old.as_deref(), Some(&new))).into_iter().collect()
}

/// A small text file; special files are never opened.
pub fn read(path: &Path) -> Option<String> {
    let meta = path.symlink_metadata().ok()?;
    if !meta.is_file() || meta.len() > FILE {
        return None;
    }
    String::from_utf8(std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{LINES, between, proposed};
    use crate::view::{DiffKind, DiffOf};
    use serde_json::json;

    #[test]
    fn a_change_is_counted_and_numbered() {
        let diff = between("a.txt", Some("one\ntwo\nthree\n"), Some("one\n2\nthree\n"));
        assert_eq!((diff.kind, diff.added, diff.removed, diff.cut), (DiffOf::Modified, 1, 1, false));
        let lines: Vec<_> =
            diff.hunks[0].lines.iter().map(|line| (line.kind, line.text.as_str(), line.old_line)).collect();
        assert_eq!(lines[1], (DiffKind::Removed, "two", Some(2)));
        assert_eq!(lines[2], (DiffKind::Added, "2", None));
    }

    #[test]
    fn a_huge_change_is_cut_and_still_counted() {
        let new = "x\n".repeat(10 * LINES);
        let diff = between("a", None, Some(&new));
        assert_eq!((diff.kind, diff.added, diff.cut), (DiffOf::Created, 10 * LINES, true));
        assert_eq!(diff.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>(), LINES);
    }

    #[test]
    fn a_proposal_is_compared_with_the_file_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "x = 1\nx = 1\n").unwrap();
        let arguments = json!({"path": "a", "old_string": "1", "new_string": "2"});
        let once = proposed(folder.path(), "edit_file", arguments.as_object().unwrap());
        assert_eq!((once[0].added, once[0].removed), (1, 1));
        let written = json!({"path": "new", "content": "hi\n"});
        assert_eq!(
            proposed(folder.path(), "write_file", written.as_object().unwrap())[0].kind,
            DiffOf::Created
        );
        let shell = json!({"command": "ls", "path": "a"});
        assert!(proposed(folder.path(), "shell", shell.as_object().unwrap()).is_empty());
    }
}
