//! How the programs are built: which of `Cargo.toml`'s profiles, and where they end up.

use crate::run;
use std::path::PathBuf;
use std::process::Command;

/// One of the profiles that are handed to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// For somebody who waits for it: built soon, runs well enough.
    Start,
    /// What is packaged and measured.
    Release,
}

impl Profile {
    /// Builds the workspace packages `packages`, the window with its pages inside.
    pub fn build(self, packages: &[&str]) -> Command {
        let mut command = run::command("cargo", &["build", "--locked", "--profile", self.name()]);
        for package in packages {
            command.args(["-p", package]);
        }
        if packages.contains(&"assent-desktop") {
            command.args(["--features", "assent-desktop/custom-protocol"]);
        }
        command
    }

    /// Where the program `name` ends up.
    pub fn program(self, name: &str) -> PathBuf {
        run::target().join(self.name()).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Release => "release",
        }
    }
}
