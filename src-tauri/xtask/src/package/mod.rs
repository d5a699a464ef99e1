//! `cargo xtask package`: the packages of this system by Tauri's own bundler, then what is in them and how large they
//! are.

mod contents;
mod deb;
mod licences;
#[cfg(test)]
mod sources;

use crate::profile::Profile;
use crate::{run, system, ui};
use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes that a .deb may have: 12 MB.
pub const DEB_LIMIT: u64 = 12_000_000;

/// Builds the release programs and, from them, the packages under `target/release/bundle`: those named in `wanted`, or
/// this system's own (`deb rpm`, `dmg`, `nsis`).
pub fn package(wanted: &[&str]) -> Result<bool> {
    system::ensure(system::Purpose::Package)?;
    ui::build()?;
    let listed = licences::write(&run::target().join("release/third-party-licences.txt"))?;
    println!("Licences of {listed} packages listed.");
    run::must(
        &mut Profile::Release.build(&["assent-desktop", "assent", "assent-sandbox"]),
        "What the compiler said is above",
    )?;
    put_beside(&["assent", "assent-sandbox"])?;
    let bundles = if wanted.is_empty() { usual().to_owned() } else { wanted.join(",") };
    let begun = std::time::SystemTime::now();
    run::must(
        &mut bundler(&["bundle", "--bundles", &bundles, "--config", "packaging/beside.json"])?,
        BUNDLER,
    )?;
    let made = made_since(&run::target().join("release/bundle"), begun)?;
    println!();
    let mut well = !made.is_empty();
    for path in &made {
        if is_deb(path) {
            deb::recompress(path)?;
        }
        well &= report(path)?;
    }
    Ok(well)
}

const BUNDLER: &str = "What the bundler said is above. AppImage, dmg and NSIS need tools that it downloads, and each \
                       is built on its own system";

fn usual() -> &'static str {
    if cfg!(target_os = "macos") {
        "dmg"
    } else if cfg!(windows) {
        "nsis"
    } else {
        "deb,rpm"
    }
}

/// The app looks for the other programs beside itself; the bundler takes them under their name and triple.
fn put_beside(programs: &[&str]) -> Result<()> {
    let host = run::host().context("`rustc -vV` names no host")?;
    let folder = run::target().join("release/beside");
    std::fs::create_dir_all(&folder)?;
    for program in programs {
        let from = Profile::Release.program(program);
        let to = folder.join(format!("{program}-{host}{}", std::env::consts::EXE_SUFFIX));
        std::fs::copy(&from, &to).with_context(|| format!("copy {}", from.display()))?;
    }
    Ok(())
}

/// Tauri's command line at the version of `packaging/package-lock.json`.
fn bundler(arguments: &[&str]) -> Result<Command> {
    let app = run::root().join("src-tauri");
    let script = app.join("packaging/node_modules/@tauri-apps/cli/tauri.js");
    if !script.exists() {
        let mut install = ui::npm(&["ci", "--no-audit", "--no-fund"]);
        run::must(install.current_dir(app.join("packaging")).env("CI", "true"), "is there a network?")?;
    }
    let mut command = run::command("node", &[&script.to_string_lossy()]);
    command.args(arguments).current_dir(app);
    Ok(command)
}

/// The finished packages, by name.
fn made_since(folder: &Path, begun: std::time::SystemTime) -> Result<Vec<PathBuf>> {
    const KINDS: &[&str] = &["deb", "rpm", "AppImage", "dmg", "exe"];
    let mut made = Vec::new();
    for kind in std::fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        for entry in std::fs::read_dir(kind?.path()).into_iter().flatten().flatten() {
            let path = entry.path();
            let finished = path
                .extension()
                .is_some_and(|extension| KINDS.iter().any(|kind| extension.eq_ignore_ascii_case(kind)));
            if finished && entry.metadata()?.modified()? >= begun {
                made.push(path);
            }
        }
    }
    made.sort();
    Ok(made)
}

/// Size beside its target and contents; whether both are as they should be.
fn report(path: &Path) -> Result<bool> {
    let bytes = path.metadata()?.len();
    let deb = is_deb(path);
    let target = if deb { format!(" (target ≤ {})", megabytes(DEB_LIMIT)) } else { String::new() };
    println!("{} {}{target}", path.display(), megabytes(bytes));
    let mut problems = Vec::new();
    if deb && bytes > DEB_LIMIT {
        problems.push("it is too large".to_owned());
    }
    if deb || path.extension().is_some_and(|extension| extension == "rpm") {
        problems.extend(contents::problems(path)?);
    }
    for problem in &problems {
        println!("  {problem}");
    }
    Ok(problems.is_empty())
}

fn is_deb(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "deb")
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{:02} MB", bytes / 1_000_000, bytes % 1_000_000 / 10_000)
}
