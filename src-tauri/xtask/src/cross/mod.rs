//! `cargo xtask cross`: type-checks the Windows and macOS code from Linux.
//!
//! The toolchain of this machine has no other targets, but Debian ships a second one with the standard
//! library's sources (`rustc-web cargo-web rust-web-src`); with `-Zbuild-std` that is enough for a check.
//! Nothing is linked and nothing runs.

use crate::run;
use anyhow::Result;

const TARGETS: &[&str] = &["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// Crates with code of their own for other systems.
const PACKAGES: &[&str] = &["assent-policy", "assent-sandbox"];

/// Checks each target; says loudly when it can't.
pub fn cross() -> Result<bool> {
    let installed = |package| {
        run::output("dpkg-query", &["-W", "-f", "${db:Status-Status}", package])
            .is_some_and(|state| state == "installed")
    };
    let missing: Vec<&str> = ["rustc-web", "cargo-web", "rust-web-src", "gcc-mingw-w64-x86-64-win32"]
        .into_iter()
        .filter(|package| !installed(package))
        .collect();
    if !missing.is_empty() {
        println!("NOT CHECKED: the Windows and macOS code. Missing packages: {}", missing.join(" "));
        return Ok(false);
    }
    let mut well = true;
    for target in TARGETS {
        let mut command =
            run::command("/usr/bin/cargo", &["check", "-Zbuild-std=std,panic_abort", "--target", target]);
        for package in PACKAGES {
            command.args(["-p", package]);
        }
        let stub = stub_compiler()?;
        command
            .env("RUSTC", "/usr/bin/rustc")
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", run::target().join("cross"))
            .env("CC_aarch64_apple_darwin", &stub)
            .env("AR_aarch64_apple_darwin", &stub);
        well &= run::succeeds(&mut command)?;
    }
    Ok(well)
}

/// A compiler that writes empty files: a check links nothing.
fn stub_compiler() -> Result<std::path::PathBuf> {
    let folder = run::target().join("cross");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("stub-cc");
    let script = "#!/bin/sh\nprevious=\nfor word in \"$@\"; do\n  [ \"$previous\" = -o ] && : > \"$word\"\n  \
                  case $word in -E) echo clang; exit 0;; *.a) : > \"$word\";; esac\n  previous=$word\ndone\nexit 0\n";
    std::fs::write(&path, script)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(path)
}
