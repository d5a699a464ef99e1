//! Counts what ran, from what the test runners print, and holds each kind to its committed floor.

use crate::run;
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;

/// The lines of a failed runner's end that are shown again beneath everything.
const SHOWN_AGAIN: usize = 120;

/// What one runner did.
#[derive(Debug, Default)]
pub struct Ran {
    /// Tests.
    pub passed: u64,
    /// Tests.
    pub failed: u64,
    /// What it said of those that failed; empty where none did.
    pub said: String,
}

/// Passed and failed, per kind.
#[derive(Debug, Default)]
pub struct Tally {
    kinds: BTreeMap<String, (u64, u64)>,
    said: String,
    left_out: Vec<String>,
}

impl Tally {
    /// Adds one kind's result. A kind that failed as a whole without a count counts as one failure.
    pub fn add(&mut self, kind: &str, ran: Ran) {
        let entry = self.kinds.entry(kind.to_owned()).or_default();
        entry.0 += ran.passed;
        entry.1 += ran.failed;
        if !ran.said.is_empty() {
            self.said.push_str(&format!("\n{kind}, again:\n{}", ran.said));
        }
    }

    /// A check that either holds or not.
    pub fn check(&mut self, kind: &str, holds: bool) {
        self.add(kind, Ran { passed: u64::from(holds), failed: u64::from(!holds), said: String::new() });
    }

    /// Something that can't be tested on this machine, and why; named at the end.
    pub fn left_out(&mut self, what: &str) {
        self.left_out.push(what.to_owned());
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
                let said = format!("{passed} tests passed, the floor is {floor}\n");
                self.add(kind, Ran { passed: 0, failed: 1, said });
            }
        }
        Ok(self.close())
    }

    /// Prints what failed once more, where a long log ends, then the table and the closing line; whether all is well.
    pub fn close(&self) -> bool {
        let (mut passed, mut failed) = (0, 0);
        println!("{}", self.said);
        for (kind, (yes, no)) in &self.kinds {
            println!("{kind:<12} {yes:>6} passed {no:>4} failed");
            passed += yes;
            failed += no;
        }
        for what in &self.left_out {
            println!("NOT TESTED here: {what}");
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

/// What a runner's output says of its failures: from where it begins to list them, at most the last lines of it.
pub fn failures(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(strip_colour).collect();
    let starts = |line: &&String| {
        let line = line.trim_start();
        line.starts_with("FAIL ") || line.starts_with("TIMEOUT ") || line.starts_with("failures:")
    };
    let listed = lines.iter().position(|line| starts(&line)).unwrap_or(0);
    let first = listed.max(lines.len().saturating_sub(SHOWN_AGAIN));
    lines.iter().skip(first).fold(String::new(), |said, line| said + line + "\n")
}

/// `line` without the terminal's colours.
pub fn strip_colour(line: &str) -> String {
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
    use super::{SHOWN_AGAIN, counts, failures};

    #[test]
    fn failures_are_found_in_a_long_log() {
        let log = "test a ... ok\n\u{1b}[41m FAIL \u{1b}[49m e2e/flows.ts\nexpected 1 to be 2\n";
        assert_eq!(failures(log), " FAIL  e2e/flows.ts\nexpected 1 to be 2\n");
        assert_eq!(failures("error: could not compile\n"), "error: could not compile\n");
        assert_eq!(failures(&"FAIL [ 1 s] a\n".repeat(1_000)).lines().count(), SHOWN_AGAIN);
    }

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
