//! One file a command.

pub mod audit;
pub mod doctor;
pub mod exec;
pub mod policy;
pub mod sandbox;
mod setup;

use serde_json::json;
use std::io::Write as _;
use std::process::ExitCode;

/// Bad configuration or usage.
const BAD_USAGE: u8 = 2;

/// Says what went wrong on standard error; exit code 2.
pub fn failed(error: &anyhow::Error, json: bool) -> ExitCode {
    let text =
        if json { json!({"error": format!("{error:#}")}).to_string() } else { format!("assent: {error:#}") };
    // With standard error gone there is nobody left to tell; the exit code still says it.
    let _ = writeln!(std::io::stderr(), "{text}");
    ExitCode::from(BAD_USAGE)
}
