//! Labelled lines for a view of fixed pitch: labels left, values right of a gutter that no value can forge.

use super::Line;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Before each row of a value.
const GUTTER: &str = "│ ";
/// Before what was wrapped.
pub const WRAPPED: &str = "┆ ";
/// Labels longer than this push their own value to the right.
const LABEL_COLUMNS: usize = 16;

/// The whole text; no row is wider than `columns`, where a CJK character takes two.
#[must_use]
pub fn sheet(lines: &[Line], columns: usize) -> Vec<String> {
    let column = lines.iter().map(|line| line.label.width()).max().unwrap_or(0).min(LABEL_COLUMNS);
    let mut out = Vec::new();
    for line in lines {
        if line.label.is_empty() {
            out.extend(wrap(&line.value, columns));
            continue;
        }
        let room = columns.saturating_sub(column.max(line.label.width()) + 1 + GUTTER.width());
        for (number, row) in line.rows.iter().enumerate() {
            for (piece, part) in wrap(row, room).into_iter().enumerate() {
                let label = if number == 0 && piece == 0 { line.label.as_str() } else { "" };
                let mark = if piece == 0 { GUTTER } else { WRAPPED };
                let pad = column.max(line.label.width()).saturating_sub(label.width());
                out.push(format!("{label}{} {mark}{part}", " ".repeat(pad)));
            }
        }
    }
    out
}

/// `text` in rows of at most `room` columns (8 at least); an empty text is one empty row.
#[must_use]
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(8);
    let mut rows = Vec::new();
    let mut row = String::new();
    let mut used = 0;
    for character in text.chars() {
        let width = character.width().unwrap_or(0);
        if used + width > room {
            rows.push(std::mem::take(&mut row));
            used = 0;
        }
        used += width;
        row.push(character);
    }
    rows.push(row);
    rows
}

#[cfg(test)]
mod tests {
    use super::{Line, sheet};
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr as _;

    #[test]
    fn values_stand_right_of_the_gutter() {
        let lines = [
            Line::new("", "Deletes build/old. Assent can't undo this."),
            Line::new("Workspace", "~/code/shop"),
            Line::new("Command", "cd build\nrm -r old # 删除旧的构建产物"),
            Line::new("Check", "7F3A-91C2"),
        ];
        insta::assert_snapshot!(sheet(&lines, 34).join("\n"), @r"
        Deletes build/old. Assent can't un
        do this.
        Workspace │ ~/code/shop
        Command   │ cd build
                  │ rm -r old # 删除旧的构
                  ┆ 建产物
        Check     │ 7F3A-91C2
        ");
    }

    proptest! {
        /// Whatever a value holds, only our own labels stand at the left edge.
        #[test]
        fn no_value_reaches_the_label_column(value in any::<String>(), columns in 30_usize..120) {
            let rows = sheet(&[Line::new("Command", &value), Line::new("Check", "1")], columns);
            let labelled = rows.iter().filter(|row| !row.starts_with("        ")).count();
            prop_assert_eq!(labelled, 2);
            prop_assert!(rows.iter().all(|row| row.width() <= columns));
        }
    }
}
