//! A .deb as Debian packs its own: xz, which the bundler doesn't do.

use crate::run;
use anyhow::{Context as _, Result};
use std::path::Path;

/// Packs the .deb at `path` anew, smaller; control files, contents and modes stay as they are.
///
/// # Errors
/// When `dpkg-deb` isn't there or fails, or the folder beside the package can't be written.
pub fn recompress(path: &Path) -> Result<()> {
    let folder = path.with_extension("unpacked");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("remove {}", folder.display()))?;
    }
    let (package, unpacked) = (path.to_string_lossy(), folder.to_string_lossy());
    let hint = "is there room on the disk?";
    run::must(&mut run::command("dpkg-deb", &["--raw-extract", &package, &unpacked]), hint)?;
    let pack = ["--root-owner-group", "-Zxz", "--build", &unpacked, &package];
    run::must(&mut run::command("dpkg-deb", &pack), hint)?;
    std::fs::remove_dir_all(&folder).with_context(|| format!("remove {}", folder.display()))
}
