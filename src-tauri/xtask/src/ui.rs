//! The window's part: install, build, test.

use crate::run;
use anyhow::Result;
use std::path::Path;
use std::process::Command;

/// Installs the packages if the lock file is newer than what is there, then builds `ui/dist`.
pub fn build() -> Result<()> {
    let ui = run::root().join("ui");
    if !fresh(&ui) {
        run::must(npm(&["ci", "--no-audit", "--no-fund"]).env("CI", "true"))?;
    }
    run::must(&mut npm(&["run", "build"]))
}

/// One of `ui/package.json`'s scripts.
pub fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.args(arguments).current_dir(run::root().join("ui"));
    command
}

/// Whether the installed packages are those of the lock file.
fn fresh(ui: &Path) -> bool {
    let time = |path: &str| ui.join(path).metadata().and_then(|it| it.modified()).ok();
    match (time("node_modules/.package-lock.json"), time("package-lock.json")) {
        (Some(installed), Some(locked)) => installed >= locked,
        (None, Some(_)) | (Some(_), None) | (None, None) => false,
    }
}
