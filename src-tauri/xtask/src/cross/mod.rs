//! `cargo xtask cross`: type-checks the Windows and macOS code from another system.
//!
//! Nothing is linked, so neither system's libraries are needed; C code that comes with a dependency is compiled for
//! Windows and skipped for macOS. What can't be checked is said, and counts as failed.

mod toolchain;
mod wine;

use crate::run;
use anyhow::Result;
use toolchain::Toolchain;

/// A system whose code is checked.
struct System {
    name: &'static str,
    target: &'static str,
    /// What compiles the C code of dependencies: a program and the Debian package that brings it, or nothing.
    c: Option<(&'static str, &'static str)>,
}

const SYSTEMS: &[System] = &[
    System {
        name: "Windows",
        target: "x86_64-pc-windows-gnu",
        c: Some(("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32")),
    },
    System { name: "macOS", target: "aarch64-apple-darwin", c: None },
];

/// Everything that runs there.
const PACKAGES: &[&str] = &["assent-policy", "assent-sandbox", "assent-agent", "assent", "assent-desktop"];

/// Checks each system's code. With `run_tests` the sandbox's Windows tests also run, under wine.
pub fn cross(run_tests: bool) -> Result<bool> {
    let mut lines = Vec::new();
    let mut well = true;
    for system in SYSTEMS {
        let line = match check(system) {
            Ok(true) => format!("checked: {} ({}): {}", system.name, system.target, PACKAGES.join(" ")),
            Ok(false) => {
                well = false;
                format!(
                    "WRONG: the code for {} ({}); what the compiler said is above",
                    system.name, system.target
                )
            }
            Err(error) => {
                well = false;
                format!("NOT CHECKED: the code for {} ({}): {error:#}", system.name, system.target)
            }
        };
        lines.push(line);
    }
    if run_tests {
        match wine::run() {
            Ok(true) => lines.push("run under wine: the sandbox's Windows tests".to_owned()),
            Ok(false) => {
                well = false;
                lines.push("WRONG: the sandbox's Windows tests under wine".to_owned());
            }
            Err(error) => {
                well = false;
                lines.push(format!("NOT RUN: the sandbox's Windows tests under wine: {error:#}"));
            }
        }
    }
    println!();
    for line in lines {
        println!("{line}");
    }
    println!("Checked means type-checked: nothing was linked, and nothing ran on the system itself.");
    Ok(well)
}

fn check(system: &System) -> Result<bool> {
    let toolchain = Toolchain::find(system.target)?;
    let mut command = toolchain.check(system.target);
    for package in PACKAGES {
        command.args(["-p", package]);
    }
    match system.c {
        Some((program, package)) if !run::exists(program) => {
            anyhow::bail!("`{program}` was not found (Debian's package {package})")
        }
        Some(_) => {}
        None => {
            let stub = toolchain::stub_compiler()?;
            let word = system.target.replace('-', "_");
            for tool in ["CC", "CXX", "AR"] {
                command.env(format!("{tool}_{word}"), &stub);
            }
        }
    }
    if toolchain.lints() {
        command.args(["--", "-D", "warnings"]);
    }
    run::succeeds(&mut command)
}
