//! `cargo xtask bench`: the figures the project promises, each beside its target.
//!
//! Every program under a crate's `examples/bench_*.rs` prints lines `NAME VALUE UNIT (target …)`; with
//! `--json` it prints one JSON object a line instead, and leaves the window's own figures out.

use crate::profile::Profile;
use crate::{run, ui};
use anyhow::{Context as _, Result};

/// Builds and runs every benchmark of the workspace, optimised.
pub fn bench(json: bool) -> Result<bool> {
    run::must(&mut Profile::Release.build(&["assent-sandbox", "assent"]), "What the compiler said is above")?;
    let mut well = true;
    if !json {
        ui::build()?;
        well &= run::succeeds(&mut ui::npm(&["run", "bench"]))?;
    }
    for (package, example) in examples()? {
        let mut command = run::command(
            "cargo",
            &["run", "--release", "--quiet", "-p", &package, "--example", &example, "--"],
        );
        if json {
            command.arg("--json");
        }
        well &= run::succeeds(&mut command)?;
    }
    Ok(well)
}

/// Package and name of each benchmark.
fn examples() -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for (package, folder) in [
        ("assent-policy", "policy"),
        ("assent-sandbox", "sandbox"),
        ("assent-agent", "agent"),
        ("assent", "cli"),
    ] {
        let folder = run::root().join("src-tauri/crates").join(folder).join("examples");
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))? {
            let path = entry?.path();
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            if name.starts_with("bench_") {
                found.push((package.to_owned(), name));
            }
        }
    }
    found.sort();
    Ok(found)
}
