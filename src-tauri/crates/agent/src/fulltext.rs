//! Full-text search for texts in any language: SQLite's FTS5 finds words, and Chinese, Japanese and Korean
//! writing has none between spaces, so each of its characters becomes a word of its own.

/// `text` as it goes into an FTS5 table with the `unicode61` tokenizer.
#[must_use]
pub fn indexed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if stands_alone(character) {
            out.push(' ');
            out.push(character);
            out.push(' ');
        } else {
            out.push(character);
        }
    }
    out
}

/// The FTS5 query for what a person typed: every word must occur, the last letters of each may be missing.
/// `None` where there is nothing to look for. No character of it is an operator.
#[must_use]
pub fn query(typed: &str) -> Option<String> {
    let mut phrases = Vec::new();
    for word in typed.split(|character: char| !(character.is_alphanumeric() || stands_alone(character))) {
        if word.is_empty() {
            continue;
        }
        let text = indexed(word);
        let ends_open = word.chars().next_back().is_some_and(|character| !stands_alone(character));
        phrases.push(format!("\"{}\"{}", text.trim(), if ends_open { "*" } else { "" }));
    }
    (!phrases.is_empty()).then(|| phrases.join(" "))
}

/// Whether a script writes without spaces (Han, kana, Hangul).
fn stands_alone(character: char) -> bool {
    matches!(u32::from(character),
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::{indexed, query};
    use rusqlite::{Connection, params};

    fn finds(text: &str, typed: &str) -> bool {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE VIRTUAL TABLE t USING fts5(body)").unwrap();
        connection.execute("INSERT INTO t VALUES (?1)", params![indexed(text)]).unwrap();
        connection
            .query_row("SELECT COUNT(*) FROM t WHERE t MATCH ?1", params![query(typed)], |row| {
                row.get::<_, i64>(0)
            })
            .unwrap()
            == 1
    }

    #[test]
    fn words_prefixes_paths_and_chinese_are_found() {
        for (text, typed) in [
            ("cargo test checkout", "check"),
            ("cargo test checkout", "CARGO check"),
            ("src/tax/rate.rs", "tax/rate"),
            ("approval_denied", "approval_denied"),
            ("允许在沙箱中运行 cargo", "沙箱"),
            ("允许在沙箱中运行 cargo", "运行 car"),
            ("a \"quoted\" text", "\"quoted\""),
        ] {
            assert!(finds(text, typed), "{typed:?} in {text:?}");
        }
        for (text, typed) in [("cargo test", "argo"), ("沙漠的箱子", "沙箱"), ("a b", "a NOT b")] {
            assert!(!finds(text, typed), "{typed:?} in {text:?}");
        }
    }

    #[test]
    fn nothing_to_look_for_is_none() {
        assert_eq!(query("  \"* -"), None);
    }
}
