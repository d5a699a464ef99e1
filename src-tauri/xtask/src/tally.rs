//! Counts what ran, from what the test runners print, and holds each kind to its committed floor.

use crate::run;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;

/// Passed and failed, per kind.
#[derive(Debug, Default)]
pub struct Tally {
    kinds: BTreeMap<String, (u64, u64)>,
}

impl Tally {
    /// Adds one kind's result. A kind that failed as a whole without a count counts as one failure.
    pub fn add(&mut self, kind: &str, passed: u64, failed: u64) {
        let entry = self.kinds.entry(kind.to_owned()).or_default();
        entry.0 += passed;
        entry.1 += failed;
    }

    /// A check that either holds or not.
    pub fn check(&mut self, kind: &str, holds: bool) {
        self.add(kind, u64::from(holds), u64::from(!holds));
    }

    /// Compares with `tests/floors.toml`, then closes.
    pub fn finish(mut self) -> Result<bool> {
        let path = run::root().join("tests/floors.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let floors: BTreeMap<String, u64> =
            toml::from_str(&text).with_context(|| format!("parse {}", path.display()))?;
        for (kind, floor) in &floors {
            let passed = self.kinds.get(kind).map_or(0, |counts| counts.0);
            if passed < *floor {
                println!("{kind}: {passed} tests passed, the floor is {floor}");
                self.add(kind, 0, 1);
            }
        }
        Ok(self.close())
    }

    /// Prints the table and the closing line; whether all is well.
    pub fn close(&self) -> bool {
        let (mut passed, mut failed) = (0, 0);
        println!();
        for (kind, (yes, no)) in &self.kinds {
            println!("{kind:<12} {yes:>6} passed {no:>4} failed");
            passed += yes;
            failed += no;
        }
        println!("{passed} passed, {failed} failed");
        failed == 0
    }
}

/// Reads `cargo test`'s or nextest's summary lines out of `text`.
pub fn counts(text: &str) -> (u64, u64) {
    let before = |line: &str, word: &str| -> u64 {
        let words: Vec<&str> = line.split([' ', ',', ';']).filter(|part| !part.is_empty()).collect();
        words
            .windows(2)
            .find(|pair| pair.last() == Some(&word))
            .and_then(|pair| pair.first()?.parse().ok())
            .unwrap_or(0)
    };
    let mut total = (0, 0);
    for line in text.lines() {
        let line = strip_colour(line);
        // A failed test's own output comes indented and may look like a summary.
        let own = line.starts_with("test result:");
        let line = line.trim();
        let summary = own || (line.starts_with("Summary [") && line.contains("run:"));
        if summary {
            total.0 += before(line, "passed");
            total.1 += before(line, "failed") + before(line, "timed");
        } else if line.starts_with("Tests ") && (line.contains("passed") || line.contains("failed")) {
            total.0 += before(line, "passed");
            total.1 += before(line, "failed");
        }
    }
    total
}

fn strip_colour(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            for next in characters.by_ref() {
                if next.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn the_summaries_of_all_runners_are_read() {
        assert_eq!(counts("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured"), (12, 0));
        assert_eq!(counts("     Summary [   1.2s] 7 tests run: 5 passed, 2 failed, 0 skipped"), (5, 2));
        assert_eq!(
            counts("     Summary [   1.2s] 7/9 tests run: 5 passed, 1 failed, 1 timed out, 0 skipped"),
            (5, 2)
        );
        assert_eq!(counts("\u{1b}[2m      Tests \u{1b}[22m \u{1b}[32m41 passed\u{1b}[39m (41)"), (41, 0));
        assert_eq!(counts("      Tests  1 failed | 41 passed (42)"), (41, 1));
        assert_eq!(
            counts("    test result: FAILED. 0 passed; 1 failed"),
            (0, 0),
            "what a failed test printed"
        );
    }
}
