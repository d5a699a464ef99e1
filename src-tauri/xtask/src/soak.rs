//! `cargo xtask soak`: the fuzz targets for minutes each, then the property tests, the model tests and the kill tests with far
//! more cases.

use crate::{run, system};
use anyhow::{Context as _, Result, bail};
use std::time::{SystemTime, UNIX_EPOCH};

/// Minutes for each fuzz target, unless others are asked for.
const MINUTES: u64 = 10;

/// Cases of each property test for every such minute; by default a test tries 256.
const CASES_A_MINUTE: u64 = 5_000;

/// What a command's output is made to be, MiB: a usual test run makes it 32.
const OUTPUT_MIB: &str = "1024";

/// Runs each fuzz target for `--minutes N`, one test thread a processor, then everything that reads `PROPTEST_CASES`,
/// `PROPTEST_RNG_SEED` and `ASSENT_SOAK`. The window's tests are no part of it: nothing in them can be multiplied.
pub fn soak(arguments: &[&str]) -> Result<bool> {
    let minutes = number(arguments, "--minutes")?.unwrap_or(MINUTES);
    let seed = match number(arguments, "--seed")? {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH).context("read the clock")?.as_secs(),
    };
    system::ensure(system::Purpose::Test)?;
    let fuzzed = run::succeeds(
        run::command("cargo", &["test", "-p", "e2e", "--test", "fuzz", "--", "--nocapture"])
            .env("ASSENT_FUZZ_SECONDS", (minutes * 60).to_string()),
    )?;
    let cases = (minutes * CASES_A_MINUTE).to_string();
    let mut held = true;
    for step in STEPS {
        let mut command = run::command("cargo", step);
        command.envs([("PROPTEST_CASES", cases.as_str()), ("PROPTEST_RNG_SEED", &seed.to_string())]);
        command.envs([("ASSENT_SOAK", "1"), ("ASSENT_TEST_OUTPUT_MIB", OUTPUT_MIB)]);
        held &= run::succeeds(&mut command)?;
    }
    println!("The property tests drew from seed {seed}: `cargo xtask soak --seed {seed}` repeats them.");
    Ok(fuzzed && held)
}

/// The programs that the headless tests start, and everything that needs no window.
const STEPS: &[&[&str]] = &[
    &["build", "--workspace", "--exclude", "assent-desktop", "--bins"],
    &["test", "--no-fail-fast", "--workspace", "--exclude", "assent-desktop", "--exclude", "e2e", "--tests"],
    &["test", "-p", "e2e", "--test", "headless"],
];

/// The number after `name`, if it is there.
fn number(arguments: &[&str], name: &str) -> Result<Option<u64>> {
    let Some(place) = arguments.iter().position(|argument| *argument == name) else { return Ok(None) };
    match arguments.get(place + 1).map(|text| text.parse()) {
        Some(Ok(number)) => Ok(Some(number)),
        Some(Err(_)) | None => bail!("{name} takes a whole number"),
    }
}

#[cfg(test)]
mod tests {
    use super::{STEPS, number};

    #[test]
    fn numbers_are_read_or_refused() {
        for (arguments, expected) in [
            (&[][..], Some(None)),
            (&["--seed", "7"], Some(None)),
            (&["--minutes", "3"], Some(Some(3))),
            (&["--seed", "7", "--minutes", "3"], Some(Some(3))),
            (&["--minutes"], None),
            (&["--minutes", "ten"], None),
            (&["--minutes", "-1"], None),
        ] {
            assert_eq!(number(arguments, "--minutes").ok(), expected, "{arguments:?}");
        }
    }

    #[test]
    fn no_step_needs_a_window() {
        for step in STEPS {
            let everything = step.contains(&"--workspace");
            assert!(!everything || step.contains(&"assent-desktop"), "{step:?}");
            assert!(!everything || step.contains(&"e2e") || step.contains(&"--bins"), "{step:?}");
            assert!(!step.contains(&"window"), "{step:?}");
        }
    }
}
