//! `cargo xtask package`: the packages of this system, by Tauri's own bundler.

use crate::profile::Profile;
use crate::{run, system, ui};
use anyhow::Result;

/// Builds the release binaries and, from them, the packages under `target/release/bundle`.
pub fn package() -> Result<bool> {
    system::ensure(system::Purpose::Package)?;
    ui::build()?;
    run::must(&mut Profile::Release.build(&["assent", "assent-sandbox"]), "What the compiler said is above")?;
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
