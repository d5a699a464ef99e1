//! What a file tool would change, line by line, for the question about it.

use assent_policy::{Access, Evaluation, PreparedCall};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use std::fs;
use std::time::Duration;

/// Larger files and texts get no preview; the arguments are shown whole all the same (bytes).
const LARGEST: u64 = 512 * 1024;
/// Rows of a preview; the rest is counted.
const ROWS: usize = 400;
/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// The rows of the change that `call` would make (`+ new`, `- old`, `  same`); empty where there is nothing to compare.
#[must_use]
pub fn preview(call: &PreparedCall, evaluation: &Evaluation) -> Vec<String> {
    let Some(target) = evaluation.touches.iter().find(|touched| touched.access == Access::Write) else {
        return Vec::new();
    };
    let Some(before) = readable(&target.path) else { return Vec::new() };
    let argument = |name: &str| call.arguments.get(name).and_then(Value::as_str);
    let after = match call.tool.as_str() {
        "write_file" => argument("content").map(str::to_owned),
        "edit_file" => match (argument("old_string"), argument("new_string")) {
            (Some(old), Some(new)) if !old.is_empty() => {
                let all = call.arguments.get("replace_all") == Some(&Value::Bool(true));
                Some(if all { before.replace(old, new) } else { before.replacen(old, new, 1) })
            }
            _ => None,
        },
        _ => None,
    };
    after.map(|after| rows(&before, &after)).unwrap_or_default()
}

/// The file's text; `None` for what isn't a regular file of text of moderate size.
fn readable(path: &str) -> Option<String> {
    let known = fs::metadata(path).ok()?;
    if !known.is_file() || known.len() > LARGEST {
        return None;
    }
    fs::read_to_string(path).ok()
}

fn rows(before: &str, after: &str) -> Vec<String> {
    let diff = TextDiff::configure().timeout(Duration::from_millis(200)).diff_lines(before, after);
    let mut rows = Vec::new();
    for (number, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if number > 0 {
            rows.push("  …".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            rows.push(format!("{mark} {}", change.value().trim_end_matches(['\n', '\r'])));
        }
    }
    let more = rows.len().saturating_sub(ROWS);
    if more > 0 {
        rows.truncate(ROWS);
        rows.push(format!("  … {more}"));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{preview, rows};
    use crate::approval::fixture::question;
    use assent_policy::{Access, Touched};

    #[test]
    fn a_change_is_shown_with_its_surroundings() {
        let before: String = (0..40).map(|number| format!("line {number}\n")).collect();
        let after = before.replace("line 5\n", "LINE 5\n").replace("line 30\n", "");
        insta::assert_snapshot!(rows(&before, &after).join("\n"));
        let long: String = (0..1_000).map(|number| format!("{number}\n")).collect();
        let many = rows("", &long);
        assert_eq!((many.len(), many.last().map(String::as_str)), (401, Some("  … 600")));
    }

    #[test]
    fn only_an_existing_text_has_a_preview() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut asked = question("c", "new\n");
        let touched = |path: &std::path::Path| Touched {
            path: path.to_str().unwrap().to_owned(),
            access: Access::Write,
            protected: false,
            sensitive: false,
        };
        asked.evaluation.touches = vec![touched(&path)];
        assert!(preview(&asked.call, &asked.evaluation).is_empty());
        std::fs::write(&path, "old\n").unwrap();
        assert_eq!(preview(&asked.call, &asked.evaluation), ["- old", "+ new"]);
        std::fs::write(&path, [0xff, 0xfe, 0]).unwrap();
        assert!(preview(&asked.call, &asked.evaluation).is_empty());
        asked.evaluation.touches = vec![touched(folder.path())];
        assert!(preview(&asked.call, &asked.evaluation).is_empty());
    }
}
