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
        Some(_) | None => ExitCode::from(126),
    }
}

#[cfg(target_os = "linux")]
fn run() -> ExitCode {
    crate::linux::run()
}
