//! `cargo xtask soak`: the property tests, the model tests and the kill tests, with far more cases.

use crate::run;
use anyhow::Result;

/// Runs everything that reads `PROPTEST_CASES` and `ASSENT_SOAK`, for about `--minutes N` (default 10).
pub fn soak(arguments: &[&str]) -> Result<bool> {
    let minutes = arguments
        .iter()
        .position(|argument| *argument == "--minutes")
        .and_then(|place| arguments.get(place + 1))
        .and_then(|text| text.parse::<u64>().ok())
        .unwrap_or(10);
    let cases = (minutes * 5_000).to_string();
    run::succeeds(
        run::command("cargo", &["test", "--workspace", "--exclude", "assent-desktop", "--tests"])
            .env("PROPTEST_CASES", &cases)
            .env("ASSENT_SOAK", "1"),
    )
}
