//! The program `assent-sandbox`: applies the limits, starts the command, stays its supervisor.
//!
//! It takes its order as JSON over standard input, which is a socket; nobody starts it by hand.

use std::process::ExitCode;

/// The program's entry.
#[must_use]
pub fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == "run" => run(),
        Some(word) if word == "probe" => probe(args.next()),
        Some(_) | None => ExitCode::from(126),
    }
}

#[cfg(target_os = "linux")]
fn run() -> ExitCode {
    crate::linux::run()
}

/// Tries what the self-test wants tried, and prints what came of it.
fn probe(targets: Option<std::ffi::OsString>) -> ExitCode {
    let targets = targets.and_then(|text| serde_json::from_str(text.to_str()?).ok());
    let findings = targets.and_then(|targets| serde_json::to_string(&crate::probe::run(&targets)).ok());
    match findings.map(|text| std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(_)) | None => ExitCode::from(126),
    }
}
