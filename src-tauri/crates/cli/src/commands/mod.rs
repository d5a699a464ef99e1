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

/// Says on standard error what can't be done, where and why; exit code 2. An error says what was begun: `open the folder
/// /a: …`.
pub fn failed(error: &anyhow::Error, json: bool) -> ExitCode {
    // Only where the output goes is nobody's to name.
    let begun = if error.is::<std::io::Error>() && error.chain().count() == 1 { "go on: " } else { "" };
    let text = format!("can't {begun}{error:#}");
    let text = if json { json!({"error": text}).to_string() } else { format!("assent: {text}") };
    // With standard error gone there is nobody left to tell; the exit code still says it.
    let _ = writeln!(std::io::stderr(), "{text}");
    ExitCode::from(BAD_USAGE)
}
