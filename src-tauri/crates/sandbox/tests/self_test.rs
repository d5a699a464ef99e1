//! The self-test on the machine that runs the tests, which must be one where the sandbox holds.

#![cfg(unix)]

use assent_sandbox::{Sandbox, Strength};

/// R50: both profiles are in force here, seen from the receiving side.
#[test]
fn both_profiles_are_in_force() {
    let report = Sandbox::with_helper(env!("CARGO_BIN_EXE_assent-sandbox")).self_test();
    assert_eq!(report.strength, Strength::Full, "{report:#?}");
    assert_eq!(report.attempts.len(), 20);
    assert!(report.in_force() && report.missing.is_empty());
}

/// R50: a helper that isn't there is no sandbox, said in words.
#[test]
fn without_its_helper_nothing_is_in_force() {
    let report = Sandbox::with_helper("/nonexistent/assent-sandbox").self_test();
    assert_eq!(report.strength, Strength::None);
    assert!(!report.in_force() && report.summary().starts_with("no sandbox: "), "{}", report.summary());
}
