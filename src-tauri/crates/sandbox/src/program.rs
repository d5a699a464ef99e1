//! The program `assent-sandbox`: applies the limits, starts the command, stays its supervisor.
//!
//! It takes its order as JSON over standard input; nobody starts it by hand.

use crate::backend::{Backend, Native};
use std::io::Write as _;

/// The exit code where the helper could not do its work.
const FAILED: i32 = 126;

/// The program's entry; gives its exit code.
#[must_use]
pub fn main() -> i32 {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == "run" => Native::carry_out(),
        Some(word) if word == "probe" => probe(args.next()),
        Some(_) | None => FAILED,
    }
}

/// Tries what the self-test wants tried, and prints what came of it.
fn probe(targets: Option<std::ffi::OsString>) -> i32 {
    let findings = targets.and_then(|targets| Native::probe(targets.to_str()?));
    let written = findings.map(|text| {
        let mut out = std::io::stdout();
        // Nothing flushes at this program's end.
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    });
    match written {
        Some(Ok(())) => 0,
        Some(Err(_)) | None => FAILED,
    }
}
