//! `cargo xtask soak`: the fuzz targets for minutes each, then the property tests, the model tests and the kill tests with far
//! more cases.

use crate::run;
use anyhow::Result;

/// Runs each fuzz target for `--minutes N` (default 10), one test thread a processor, then everything that reads
/// `PROPTEST_CASES` and `ASSENT_SOAK`.
pub fn soak(arguments: &[&str]) -> Result<bool> {
    let minutes = arguments
        .iter()
        .position(|argument| *argument == "--minutes")
        .and_then(|place| arguments.get(place + 1))
        .and_then(|text| text.parse::<u64>().ok())
        .unwrap_or(10);
    let fuzzed = run::succeeds(
        run::command("cargo", &["test", "-p", "e2e", "--test", "fuzz", "--", "--nocapture"])
            .env("ASSENT_FUZZ_SECONDS", (minutes * 60).to_string()),
    )?;
    let cases = (minutes * 5_000).to_string();
    let held = run::succeeds(
        run::command("cargo", &["test", "--workspace", "--exclude", "assent-desktop", "--tests"])
            .env("PROPTEST_CASES", &cases)
            .env("ASSENT_SOAK", "1"),
    )?;
    Ok(fuzzed && held)
}
