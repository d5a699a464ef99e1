//! `cargo xtask bench`: the figures the project promises, each beside its target, in one table.
//!
//! Every program under a crate's `examples/bench_*` prints one JSON object a line, with name, value, unit and target;
//! what else it prints is passed on. The window's own frame times come from a browser and are left out with `--json`.

mod figure;

use crate::profile::Profile;
use crate::{run, system, ui};
use anyhow::{Context as _, Result};
use figure::{Figure, table};
use std::path::Path;
use std::process::Stdio;

/// KiB of compressed JavaScript, as `ui/scripts/size.mjs` has it.
const SCRIPT_LIMIT: f64 = 120.0;

/// Builds and runs every benchmark of the workspace, optimised; whether no target was missed.
pub fn bench(json: bool) -> Result<bool> {
    system::ensure(system::Purpose::Test)?;
    ui::build()?;
    let hint = "What the compiler said is above";
    run::must(&mut Profile::Release.build(&["assent-sandbox", "assent", "assent-desktop"]), hint)?;
    let mut well = true;
    if !json {
        well &= run::succeeds(&mut ui::npm(&["run", "bench"]))?;
    }
    let mut figures = Vec::new();
    for (package, example) in examples()? {
        let mut build = Profile::Release.build(&[&package]);
        build.args(["--example", &example]);
        if example == "bench_window" {
            build.args(["--example", "bare"]);
        }
        run::must(&mut build, hint)?;
        well &= measure(&example, json, &mut figures)?;
    }
    figures.extend(script_size());
    match deb_size()? {
        Some(figure) => figures.push(figure),
        None => eprintln!("The .deb wasn't weighed: there is none yet (`cargo xtask package`)."),
    }
    if json {
        figures.iter().for_each(|figure| println!("{}", figure.line()));
    } else {
        print!("\n{}", table(&figures));
    }
    Ok(well && figures.iter().all(|figure| figure.met != Some(false)))
}

/// Runs one benchmark and keeps its figures; whether it ended well.
fn measure(example: &str, json: bool, figures: &mut Vec<Figure>) -> Result<bool> {
    let program = Profile::Release.program(&format!("examples/{example}"));
    eprintln!("$ {} --json", program.display());
    let done = run::command(&program.to_string_lossy(), &["--json"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("start {}", program.display()))?;
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        match Figure::parse(line) {
            Some(figure) => figures.push(figure),
            None if json => eprintln!("{line}"),
            None => println!("{line}"),
        }
    }
    Ok(done.status.success())
}

/// The compressed JavaScript of `ui/dist`.
fn script_size() -> Option<Figure> {
    let done = run::command("node", &["ui/scripts/size.mjs"]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let line = text.lines().find(|line| line.contains("JavaScript in all"))?;
    let kib = line.split_whitespace().next()?.parse().ok()?;
    Some(Figure::at_most("javascript_gzip", kib, SCRIPT_LIMIT, "KiB"))
}

/// The .deb that was made last.
fn deb_size() -> Result<Option<Figure>> {
    let folder = run::target().join("release/bundle/deb");
    let mut newest: Option<(std::time::SystemTime, u64)> = None;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "deb") {
            let about = entry.metadata()?;
            newest = newest.max(Some((about.modified()?, about.len())));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "megabytes")]
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    Ok(newest.map(|(_, bytes)| {
        Figure::at_most("package_deb", megabytes(bytes), megabytes(crate::package::DEB_LIMIT), "MB")
    }))
}

/// Package and name of each benchmark.
fn examples() -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for (package, folder) in [
        ("assent-policy", "src-tauri/crates/policy"),
        ("assent-sandbox", "src-tauri/crates/sandbox"),
        ("assent-agent", "src-tauri/crates/agent"),
        ("assent", "src-tauri/crates/cli"),
        ("assent-desktop", "src-tauri"),
    ] {
        let folder = run::root().join(folder).join("examples");
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))? {
            if let Some(name) = name(&entry?.path()).filter(|name| name.starts_with("bench_")) {
                found.push((package.to_owned(), name));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn name(path: &Path) -> Option<String> {
    Some(path.file_stem()?.to_string_lossy().into_owned())
}
