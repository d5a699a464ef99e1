//! `cargo xtask …`: set up, run, test, measure and package Assent. No C dependencies, so that it builds anywhere.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

mod bench;
mod cross;
mod local_model;
mod package;
mod profile;
mod run;
mod soak;
mod start;
mod system;
mod tally;
mod test;
mod ui;

use std::process::ExitCode;

const USAGE: &str = "cargo xtask COMMAND

  start     install what is missing, build, open the window (no display: the tour in the terminal)
  test      everything that CI runs; ends with `N passed, N failed`
  soak      fuzzing, kills and interleavings, for long   [--minutes N] [--seed N]
  bench     the figures the project promises             [--json]
  cross     type-check the Windows and macOS code from Linux      [--wine: and run the sandbox's tests]
  local-model  one run with a real, tiny language model           [downloads some 130 MB, once]
  package   build the packages for this system           [deb rpm appimage dmg nsis]
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest: Vec<&str> = arguments.iter().skip(1).map(String::as_str).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("start") => start::start(),
        Some("test") => test::test(),
        Some("soak") => soak::soak(&rest),
        Some("bench") => bench::bench(rest.contains(&"--json")),
        Some("local-model") => local_model::local_model(),
        Some("cross") => cross::cross(rest.contains(&"--wine")),
        Some("package") => package::package(&rest),
        Some("help" | "--help" | "-h") => {
            print!("{USAGE}");
            Ok(true)
        }
        Some(_) | None => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
