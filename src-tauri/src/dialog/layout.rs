//! The text of a dialog, laid out: real lines behind a gutter where it scrolls, pages where it can't.
//!
//! Values arrive escaped, so none holds a newline or an invisible character (a value's own lines are its rows);
//! everything they could forge is a position, and the positions are ours: a value always stands right of its
//! label and the gutter.

use assent_policy::request::{Line, WRAPPED, wrap};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of a line, where a CJK character takes two.
pub const COLUMNS: usize = 90;
/// Lines of a dialog that can't scroll; with title and buttons it stays below 720 pixels.
pub const LINES: usize = 12;
/// The whole text for a scrolling view of fixed pitch; no line is wider than [`COLUMNS`].
#[cfg(any(test, target_os = "linux"))]
#[must_use]
pub fn sheet(lines: &[Line]) -> Vec<String> {
    assent_policy::request::sheet(lines, COLUMNS)
}

/// What a dialog shows that can't scroll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pages {
    /// At most [`LINES`] lines each; never empty.
    pub pages: Vec<String>,
}

/// The text for a dialog that can't scroll. Where everything fits, one page holds all of it. Else the first is a
/// summary with head and tail of what is long, and the following ones hold the whole text.
#[must_use]
pub fn pages(lines: &[Line]) -> Pages {
    let whole: Vec<String> = lines.iter().flat_map(plain).collect();
    if whole.len() <= LINES {
        return Pages { pages: vec![whole.join("\n")] };
    }
    let mut pages = vec![summary(lines).join("\n")];
    pages.extend(whole.chunks(LINES).map(|page| page.join("\n")));
    Pages { pages }
}

/// One labelled line, wrapped; what was wrapped stands behind a mark.
fn plain(line: &Line) -> Vec<String> {
    let text =
        if line.label.is_empty() { line.value.clone() } else { format!("{}: {}", line.label, line.value) };
    let mut rows = wrap(&text, COLUMNS.saturating_sub(WRAPPED.width()));
    for row in rows.iter_mut().skip(1) {
        row.insert_str(0, WRAPPED);
    }
    rows
}

/// Every line on one row, long values as head and tail; too many lines as the first and the last ones.
fn summary(lines: &[Line]) -> Vec<String> {
    let row = |line: &Line| {
        let label = if line.label.is_empty() { String::new() } else { format!("{}: ", line.label) };
        let room = COLUMNS.saturating_sub(label.width());
        format!("{label}{}", head_and_tail(&line.value, room))
    };
    if lines.len() <= LINES {
        return lines.iter().map(row).collect();
    }
    let tail = LINES / 3;
    let head = LINES - tail - 1;
    let skipped = lines.len() - head - tail;
    let mut rows: Vec<String> = lines.iter().take(head).map(row).collect();
    rows.push(format!("… {skipped} …"));
    rows.extend(lines.iter().skip(lines.len() - tail).map(row));
    rows
}

/// `text` in at most `room` columns; what is left out is counted in the middle, in characters.
fn head_and_tail(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let total = text.chars().count();
    let half = room.saturating_sub(12 + total.to_string().len()) / 2;
    let head = take_columns(text.chars(), half);
    let tail: String = take_columns(text.chars().rev(), half).chars().rev().collect();
    let left_out = total.saturating_sub(head.chars().count() + tail.chars().count());
    format!("{head} …[{left_out}]… {tail}")
}

fn take_columns(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    characters
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= columns
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, LINES, Line, pages, sheet};
    use unicode_width::UnicodeWidthStr as _;

    fn line(label: &str, value: &str) -> Line {
        Line::new(label, value)
    }

    fn request(command: &str) -> Vec<Line> {
        vec![
            line("", "Deletes files. Can't be undone by Assent."),
            line("Asked because", "shell commands that can write need you (shell-default)."),
            line("The agent says", "\"Remove the old build output.\""),
            line("Workspace", "~/code/shop"),
            line("Command", command),
            line("Touches", "build/old (214 files)"),
            line("Sandbox", "can write this workspace, no network"),
            line("Check", "7F3A-91C2"),
        ]
    }

    #[test]
    fn a_short_request_is_one_page_and_a_short_sheet() {
        insta::assert_snapshot!("short_sheet", sheet(&request("rm -r build/old")).join("\n"));
        let short = pages(&request("rm -r build/old"));
        assert_eq!(short.pages.len(), 1);
        insta::assert_snapshot!("short_page", short.pages[0]);
    }

    #[test]
    fn a_long_request_is_a_summary_and_then_everything() {
        let command = format!("echo {} | tee out", "参数".repeat(400));
        let long = pages(&request(&command));
        assert!(long.pages.len() > 2);
        insta::assert_snapshot!("summary_page", long.pages[0]);
        let whole: String = long.pages[1..].join("\n").replace("\n┆ ", "");
        assert!(whole.contains(&command), "the pages after the summary hold every character");
    }

    #[test]
    fn nothing_is_wider_or_longer_than_a_small_screen() {
        for value in ["x".repeat(2_000), "你好".repeat(1_000), "é\u{301}".repeat(500), "a ".repeat(524_288)]
        {
            for row in sheet(&request(&value)) {
                assert!(row.width() <= COLUMNS, "{row}");
            }
            for page in pages(&request(&value)).pages {
                assert!(page.lines().count() <= LINES);
                assert!(page.lines().all(|row| row.width() <= COLUMNS));
            }
        }
    }

    /// A value that imitates the next line stays behind the gutter.
    #[test]
    fn no_value_reaches_the_label_column() {
        let forged = format!("ls{}Sandbox          │ none", " ".repeat(COLUMNS - 21));
        let rows = sheet(&request(&forged));
        let starts = rows.iter().filter(|row| row.starts_with("Sandbox")).count();
        assert_eq!(starts, 1);
    }

    /// Line breaks of a value are real lines, each behind the gutter.
    #[test]
    fn a_script_keeps_its_lines() {
        let rows = sheet(&request("cd a\nSandbox │ none\n"));
        let gutter = rows.iter().filter(|row| row.contains("│ ")).count();
        assert_eq!(gutter, request("x").len() - 1 + 2);
        assert_eq!(rows.iter().filter(|row| row.starts_with("Sandbox")).count(), 1);
    }

    #[test]
    fn many_lines_keep_the_first_and_the_last() {
        let lines: Vec<Line> = (0..40).map(|n| line(&format!("Argument {n}"), "value")).collect();
        let page = pages(&lines).pages[0].clone();
        assert!(page.contains("Argument 0:") && page.contains("Argument 39:") && page.contains("… 29 …"));
    }
}
