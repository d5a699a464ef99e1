//! `cargo xtask package`: the packages of this system, by Tauri's own bundler.

use crate::{run, system, ui};
use anyhow::Result;

/// Builds the release binaries and, from them, the packages under `target/release/bundle`.
pub fn package() -> Result<bool> {
    system::ensure(system::Purpose::Run)?;
    ui::build()?;
    run::must(&mut run::command("cargo", &["build", "--release", "-p", "assent", "-p", "assent-sandbox"]))?;
    let bundles = if cfg!(target_os = "macos") {
        "app,dmg"
    } else if cfg!(windows) {
        "nsis"
    } else {
        "deb,rpm"
    };
    let mut command =
        ui::npm(&["exec", "--yes", "--", "@tauri-apps/cli@2.12.5", "build", "--bundles", bundles]);
    command.current_dir(run::root().join("src-tauri"));
    run::succeeds(&mut command)
}
