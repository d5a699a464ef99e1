//! The window's part: install, build, test.

use crate::run;
use anyhow::Result;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// What the built pages are made from, below `ui/`.
const SOURCES: &[&str] =
    &["src", "locales", "index.html", "svelte.config.js", "vite.config.ts", "package-lock.json"];

/// Installs the packages if the lock file is newer than what is there, then checks and builds `ui/dist`.
pub fn build() -> Result<()> {
    install("is there a network?")?;
    run::must(&mut npm(&["run", "build"]), "what it said is above")
}

/// The pages alone, unchecked, and only if a source is newer than they are.
pub fn pages(offline: &str) -> Result<()> {
    install(offline)?;
    let ui = run::root().join("ui");
    if built_after(&ui, newest(&ui)) {
        println!("Already built.");
        return Ok(());
    }
    run::must(&mut npm(&["exec", "--no", "--", "vite", "build"]), "what the bundler said is above")
}

/// One of `ui/package.json`'s scripts.
pub fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.args(arguments).current_dir(run::root().join("ui"));
    command
}

fn install(hint: &str) -> Result<()> {
    let ui = run::root().join("ui");
    if fresh(&ui) {
        return Ok(());
    }
    run::must(npm(&["ci", "--no-audit", "--no-fund"]).env("CI", "true"), hint)
}

/// Whether the installed packages are those of the lock file.
fn fresh(ui: &Path) -> bool {
    match (modified(&ui.join("node_modules/.package-lock.json")), modified(&ui.join("package-lock.json"))) {
        (Some(installed), Some(locked)) => installed >= locked,
        (None, Some(_)) | (Some(_), None) | (None, None) => false,
    }
}

/// Whether real pages, not the placeholder, were built after `source`.
fn built_after(ui: &Path, source: Option<SystemTime>) -> bool {
    let dist = ui.join("dist");
    dist.join("assets").is_dir()
        && modified(&dist.join("index.html")).is_some_and(|built| Some(built) >= source)
}

fn newest(ui: &Path) -> Option<SystemTime> {
    SOURCES.iter().filter_map(|name| newest_below(&ui.join(name))).max()
}

fn newest_below(path: &Path) -> Option<SystemTime> {
    let below = std::fs::read_dir(path).into_iter().flatten().flatten();
    below.filter_map(|entry| newest_below(&entry.path())).chain(modified(path)).max()
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|it| it.modified()).ok()
}
