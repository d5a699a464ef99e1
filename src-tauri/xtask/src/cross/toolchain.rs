//! A compiler that knows another system: the usual one with that system's standard library, which `rustup` brings, or
//! Debian's second one, which has the library's sources.

use crate::run;
use anyhow::{Context as _, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// Which compiler checks.
pub enum Toolchain {
    /// The one that builds the app.
    Usual,
    /// `rustc-web`, `cargo-web` and `rust-web-src`: the standard library is checked too, from its sources.
    Debian,
}

/// Debian's packages for the second one.
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

impl Toolchain {
    /// The first that knows `target`.
    ///
    /// # Errors
    /// None does; what would help.
    pub fn find(target: &str) -> Result<Self> {
        let installed = || {
            let library = run::output("rustc", &["--print", "target-libdir", "--target", target]);
            library.is_some_and(|folder| PathBuf::from(folder).is_dir())
        };
        if installed() {
            return Ok(Self::Usual);
        }
        if run::exists("rustup")
            && run::succeeds(&mut run::command("rustup", &["target", "add", target]))?
            && installed()
        {
            return Ok(Self::Usual);
        }
        let there = |package| {
            run::output("dpkg-query", &["-W", "-f", "${db:Status-Status}", package])
                .is_some_and(|state| state == "installed")
        };
        if DEBIAN.into_iter().all(there) {
            return Ok(Self::Debian);
        }
        bail!(
            "no compiler knows it. Either `rustup target add {target}`, or on Debian install {}",
            DEBIAN.join(" ")
        )
    }

    /// The command that checks, without packages.
    pub fn check(&self, target: &str) -> Command {
        match self {
            Self::Usual if self.lints() => run::command("cargo", &["clippy", "--target", target]),
            Self::Usual => run::command("cargo", &["check", "--target", target]),
            Self::Debian => {
                let words = ["check", "-Zbuild-std=std,panic_abort", "--target", target];
                let mut command = run::command("/usr/bin/cargo", &words);
                // Artefacts of two compilers don't mix.
                command
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("CARGO_TARGET_DIR", run::target().join("cross"));
                command
            }
        }
    }

    /// Whether it can lint too.
    pub fn lints(&self) -> bool {
        match self {
            Self::Usual => run::output("cargo", &["clippy", "--version"]).is_some(),
            Self::Debian => false,
        }
    }
}

/// A compiler that writes empty files: a check links nothing.
pub fn stub_compiler() -> Result<PathBuf> {
    const SCRIPT: &str = "#!/bin/sh
previous=
for word in \"$@\"; do
  [ \"$previous\" = -o ] && : > \"$word\"
  case $word in
    -E) echo clang; exit 0 ;;
    -v | --version) echo 'Apple clang version 16.0.0'; exit 0 ;;
    *.a) : > \"$word\" ;;
  esac
  previous=$word
done
";
    let folder = run::target().join("cross");
    std::fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let path = folder.join("stub-cc");
    std::fs::write(&path, SCRIPT).with_context(|| format!("write {}", path.display()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(path)
}
