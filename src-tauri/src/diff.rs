//! Differences of files, bounded, for cards and the Changes tab.

use crate::view::{DiffHunk, DiffKind, DiffLine, DiffOf, FileDiff, shown};
use assent_agent::facts::open_without_waiting;
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

/// Larger files, in bytes, aren't shown as a diff.
const FILE: u64 = 1024 * 1024;
/// Most lines of one diff.
const LINES: usize = 400;
/// Longest line, characters.
const LINE: usize = 2_000;
/// How long the shortest difference is looked for: the time grows with the square of what differs. After it, what is
/// left is told as taken out and put in.
const SEARCH: Duration = Duration::from_millis(200);

/// One side of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// No file is there.
    Nothing,
    /// A small text file.
    Text(String),
    /// Something that lines can't show: other bytes, a large file, no file at all but a device.
    Opaque,
}

impl Side {
    /// What lies at `path`; special files are never opened.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let meta = match path.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Nothing,
            Err(_) => return Self::Opaque,
        };
        if !meta.is_file() {
            return Self::Opaque;
        }
        text_of(path).map_or(Self::Opaque, Self::Text)
    }

    /// What a copy holds; `None` stands for no file. A copy that is gone can't be shown.
    #[must_use]
    pub fn of_copy(copy: Option<&Path>) -> Self {
        match copy.map(Self::read) {
            None => Self::Nothing,
            Some(Self::Nothing) => Self::Opaque,
            Some(held @ (Self::Text(_) | Self::Opaque)) => held,
        }
    }
}

/// The text of the small file at `path`. What runs beside us may put anything there since it was looked at: neither a
/// FIFO nor a file that grows keeps whoever reads waiting.
fn text_of(path: &Path) -> Option<String> {
    let file =
        open_without_waiting(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
    let mut bytes = Vec::new();
    file.take(FILE + 1).read_to_end(&mut bytes).ok().filter(|read| *read as u64 <= FILE)?;
    String::from_utf8(bytes).ok()
}

/// The difference from `old` to `new`.
#[must_use]
pub fn between(path: &str, old: &Side, new: &Side) -> FileDiff {
    let (kind, old, new) = match (old, new) {
        (Side::Opaque, _) | (_, Side::Opaque) => (DiffOf::Binary, "", ""),
        (Side::Nothing, Side::Nothing) => (DiffOf::Created, "", ""),
        (Side::Nothing, Side::Text(new)) => (DiffOf::Created, "", new.as_str()),
        (Side::Text(old), Side::Nothing) => (DiffOf::Deleted, old.as_str(), ""),
        (Side::Text(old), Side::Text(new)) => (DiffOf::Modified, old.as_str(), new.as_str()),
    };
    let diff = TextDiff::configure().timeout(SEARCH).diff_lines(old, new);
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
    let old = Side::read(&workspace.join(path));
    let new = match tool {
        "write_file" => text("content").map(str::to_owned),
        "edit_file" => match (&old, text("old_string"), text("new_string")) {
            (Side::Text(old), Some(from), Some(to)) if !from.is_empty() => {
                let all = arguments.get("replace_all").and_then(Value::as_bool).unwrap_or(false);
                Some(if all { old.replace(from, to) } else { old.replacen(from, to, 1) })
            }
            _ => None,
        },
        _ => None,
    };
    new.map(|new| between(path, &old, &Side::Text(new))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{FILE, LINES, Side, between, proposed, text_of};
    use crate::view::{DiffKind, DiffOf};
    use serde_json::json;
    use std::time::{Duration, Instant};

    fn text(text: &str) -> Side {
        Side::Text(text.to_owned())
    }

    /// What lines can't show is never told as a file that is not there.
    #[test]
    fn each_pair_of_sides_has_its_kind() {
        let (some, other) = (text("a\n"), text("b\n"));
        for (old, new, kind, counts) in [
            (&some, &other, DiffOf::Modified, (1, 1)),
            (&Side::Nothing, &some, DiffOf::Created, (1, 0)),
            (&some, &Side::Nothing, DiffOf::Deleted, (0, 1)),
            (&Side::Opaque, &some, DiffOf::Binary, (0, 0)),
            (&some, &Side::Opaque, DiffOf::Binary, (0, 0)),
            (&Side::Nothing, &Side::Opaque, DiffOf::Binary, (0, 0)),
        ] {
            let diff = between("a", old, new);
            assert_eq!((diff.kind, (diff.added, diff.removed)), (kind, counts), "{old:?} to {new:?}");
        }
    }

    #[test]
    fn a_side_is_read_as_far_as_lines_show_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!((Side::read(&path), Side::of_copy(Some(&path))), (Side::Nothing, Side::Opaque));
        for (bytes, side) in [(&b"x\n"[..], text("x\n")), (&[0xff, 0xfe][..], Side::Opaque)] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!((Side::read(&path), Side::of_copy(Some(&path))), (side.clone(), side));
        }
        assert_eq!(Side::read(folder.path()), Side::Opaque);
        assert_eq!(Side::of_copy(None), Side::Nothing);
    }

    #[test]
    fn a_side_is_read_up_to_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for (length, shown) in [(FILE, true), (FILE + 1, false)] {
            std::fs::File::create(&path).unwrap().set_len(length).unwrap();
            assert_eq!(text_of(&path).is_some(), shown, "{length}");
        }
    }

    /// What a command in the background put there after it was looked at: whoever reads it never waits for a writer.
    #[cfg(unix)]
    #[test]
    fn a_fifo_or_a_link_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::fs::write(folder.path().join("a"), "x").unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        for path in [pipe, link] {
            assert_eq!((text_of(&path), Side::read(&path)), (None, Side::Opaque), "{}", path.display());
        }
    }

    #[test]
    fn a_change_is_counted_and_numbered() {
        let diff = between("a.txt", &text("one\ntwo\nthree\n"), &text("one\n2\nthree\n"));
        assert_eq!((diff.kind, diff.added, diff.removed, diff.cut), (DiffOf::Modified, 1, 1, false));
        let lines: Vec<_> =
            diff.hunks[0].lines.iter().map(|line| (line.kind, line.text.as_str(), line.old_line)).collect();
        assert_eq!(lines[1], (DiffKind::Removed, "two", Some(2)));
        assert_eq!(lines[2], (DiffKind::Added, "2", None));
    }

    #[test]
    fn a_huge_change_is_cut_and_still_counted() {
        let new = "x\n".repeat(10 * LINES);
        let diff = between("a", &Side::Nothing, &text(&new));
        assert_eq!((diff.kind, diff.added, diff.cut), (DiffOf::Created, 10 * LINES, true));
        assert_eq!(diff.hunks.iter().map(|hunk| hunk.lines.len()).sum::<usize>(), LINES);
    }

    /// Two files that have no line in common: found out in a time that doesn't grow with the square of them.
    #[test]
    fn a_wholly_different_file_is_compared_soon() {
        let lines = |word: &str| (0..20_000).map(|line| format!("{word} {line}\n")).collect::<String>();
        let start = Instant::now();
        let diff = between("a", &text(&lines("old")), &text(&lines("new")));
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!((diff.added, diff.removed, diff.cut), (20_000, 20_000, true));
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
