//! `cargo xtask package`: the packages of this system by Tauri's own bundler, then what is in them and how large they
//! are.

mod contents;
mod deb;
mod entries;
mod glibc;
mod licences;
#[cfg(test)]
mod sources;

use crate::profile::Profile;
use crate::{run, system, ui};
use anyhow::{Context as _, Result};
use glibc::Version;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes that a .deb may have: 12 MB.
pub const DEB_LIMIT: u64 = 12_000_000;

/// Builds the release programs and, from them, the packages under `target/release/bundle`: those named in `wanted`, or
/// this system's own (`deb rpm`, `dmg`, `nsis`).
pub fn package(wanted: &[&str]) -> Result<bool> {
    let bundles = if wanted.is_empty() { usual().to_owned() } else { wanted.join(",") };
    let appimage = bundles.split(',').any(|bundle| bundle == "appimage");
    system::ensure(if appimage { system::Purpose::AppImage } else { system::Purpose::Package })?;
    ui::build()?;
    let listed = licences::write(&run::target().join("release/third-party-licences.txt"))?;
    println!("Licences of {listed} packages listed.");
    run::must(
        &mut Profile::Release.build(&["assent-desktop", "assent", "assent-sandbox"]),
        "What the compiler said is above",
    )?;
    put_beside(&["assent", "assent-sandbox"])?;
    let glibc = glibc()?;
    let asked = glibc.map_or_else(|| "{}".to_owned(), asking_for);
    let begun = std::time::SystemTime::now();
    let bundle = ["bundle", "--bundles", &bundles, "--config", "packaging/beside.json", "--config", &asked];
    run::must(&mut bundler(&bundle)?, BUNDLER)?;
    let made = made_since(&run::target().join("release/bundle"), begun)?;
    println!();
    let mut well = !made.is_empty();
    for path in &made {
        if is_deb(path) {
            deb::recompress(path)?;
        }
        well &= report(path, glibc)?;
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

/// The C library that the programs need, where it is GNU's.
fn glibc() -> Result<Option<Version>> {
    if !cfg!(target_env = "gnu") || cfg!(windows) {
        return Ok(None);
    }
    let programs = ["assent-desktop", "assent", "assent-sandbox"].map(|name| Profile::Release.program(name));
    glibc::needed_by(&programs).map(Some)
}

/// The bundler's configuration that has the packages ask for it; installed beside an older one, nothing starts.
fn asking_for(glibc: Version) -> String {
    let linux = serde_json::json!({"deb": {"depends": [glibc.deb()]}, "rpm": {"depends": [glibc.rpm()]}});
    serde_json::json!({"bundle": {"linux": linux}}).to_string()
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
fn report(path: &Path, glibc: Option<Version>) -> Result<bool> {
    let bytes = path.metadata()?.len();
    let deb = is_deb(path);
    let target = if deb { format!(" (target ≤ {})", megabytes(DEB_LIMIT)) } else { String::new() };
    println!("{} {}{target}", path.display(), megabytes(bytes));
    let mut problems = Vec::new();
    if deb && bytes > DEB_LIMIT {
        problems.push("it is too large".to_owned());
    }
    let checked = deb || path.extension().is_some_and(|extension| extension == "rpm");
    if let Some(glibc) = glibc.filter(|_| checked) {
        problems.extend(contents::problems(path, glibc)?);
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
