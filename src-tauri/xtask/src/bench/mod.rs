//! `cargo xtask bench`: the figures the project promises, each beside its target, in one table.
//!
//! Every program under a crate's `examples/bench_*`, the sandbox's `benches/start.rs` and the pages' frame times in a
//! browser print one JSON object a line (`assent_figure`); what else they print is passed on.

mod table;

use crate::profile::Profile;
use crate::tally::strip_colour;
use crate::{run, system, ui};
use anyhow::{Context as _, Result};
use assent_figure::Figure;
use std::path::Path;
use std::process::{Command, Stdio};
use table::{complete, none_missed, table};

/// Builds and runs every benchmark of the workspace, optimised; whether all ran and no target was missed.
pub fn bench(json: bool) -> Result<bool> {
    system::ensure(system::Purpose::Test)?;
    ui::build()?;
    let hint = "What the compiler said is above";
    run::must(&mut Profile::Release.build(&["assent-sandbox", "assent", "assent-desktop"]), hint)?;
    let mut all = Vec::new();
    let mut failed = Vec::new();
    let mut measure = |name: &str, command: &mut Command| -> Result<()> {
        let (figures, ended_well) = figures_of(command, json)?;
        if !ended_well && none_missed(&figures) {
            failed.push(name.to_owned());
        }
        all.extend(figures);
        Ok(())
    };
    measure("the frame times", &mut ui::npm(&["run", "bench"]))?;
    let start = ["bench", "--locked", "-p", "assent-sandbox", "--bench", "start", "--", "--json"];
    measure("the sandbox's start", &mut run::command("cargo", &start))?;
    for (package, example) in examples()? {
        let mut build = Profile::Release.build(&[&package]);
        build.args(["--example", &example]);
        if example == "bench_window" {
            build.args(["--example", "bare"]);
        }
        run::must(&mut build, hint)?;
        let program = Profile::Release.program(&format!("examples/{example}"));
        measure(&example, &mut run::command(&program.to_string_lossy(), &["--json"]))?;
    }
    all.push(script_size());
    all.push(deb_size()?);

    let all = complete(all);
    if json {
        all.iter().for_each(|figure| println!("{}", figure.line()));
    } else {
        print!("\n{}", table(&all));
    }
    for name in &failed {
        eprintln!("{name}: failed; what it said is above");
    }
    Ok(failed.is_empty() && none_missed(&all))
}

/// Runs one benchmark: its figures, and whether it ended well.
fn figures_of(command: &mut Command, json: bool) -> Result<(Vec<Figure>, bool)> {
    eprintln!("$ {command:?}");
    let done = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("start {command:?}"))?;
    let mut figures = Vec::new();
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        match Figure::parse(&strip_colour(line)) {
            Some(figure) => figures.push(figure),
            None if json => eprintln!("{line}"),
            None => println!("{line}"),
        }
    }
    Ok((figures, done.status.success()))
}

/// The compressed JavaScript of `ui/dist`.
fn script_size() -> Figure {
    const NAME: &str = "javascript_gzip";
    let output = run::command("node", &["ui/scripts/size.mjs"]).stdin(Stdio::null()).output();
    let text = output.map(|done| String::from_utf8_lossy(&done.stdout).into_owned()).unwrap_or_default();
    match script_kib(&text) {
        Some(kib) => Figure::measured(NAME, kib, "KiB"),
        None => Figure::not_measured(NAME, "ui/scripts/size.mjs printed no sum"),
    }
}

/// KiB, out of what `ui/scripts/size.mjs` prints.
fn script_kib(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains("JavaScript in all"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The .deb that was made last.
fn deb_size() -> Result<Figure> {
    const NAME: &str = "package_deb";
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
    Ok(match newest {
        Some((_, bytes)) => Figure::measured(NAME, megabytes(bytes), "MB"),
        None => Figure::not_measured(NAME, "there is none yet (`cargo xtask package`)"),
    })
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

#[cfg(test)]
mod tests {
    use super::{Figure, figures_of, script_kib};
    use crate::run;
    use assent_figure::{Limit, PROMISES};

    #[test]
    fn the_size_of_all_scripts_is_read() {
        for (text, kib) in [
            ("   70.1 KiB  a.js\n  119.5 KiB  JavaScript in all, gzip (limit 120)\n", Some(119.5)),
            ("   70.1 KiB  a.js\n", None),
            ("JavaScript in all\n", None),
            ("", None),
        ] {
            assert_eq!(script_kib(text), kib, "{text:?}");
        }
    }

    #[test]
    fn the_sizes_are_held_to_one_limit_wherever_they_are_looked_at() {
        let limit = |name: &str| PROMISES.iter().find(|promise| promise.name == name).map(|it| it.limit);
        #[expect(clippy::cast_precision_loss, reason = "megabytes")]
        let deb = crate::package::DEB_LIMIT as f64 / 1e6;
        assert_eq!(limit("package_deb"), Some(Limit::AtMost(deb)));
        let script = std::fs::read_to_string(run::root().join("ui/scripts/size.mjs")).unwrap();
        assert!(script.contains("const LIMIT_KIB = 120;"));
        assert_eq!(limit("javascript_gzip"), Some(Limit::AtMost(120.0)));
    }

    #[cfg(unix)]
    #[test]
    fn figures_are_taken_out_of_whatever_a_benchmark_prints() {
        let figure = Figure::measured("panel_open", 412.0, "");
        let line = figure.line();
        let script = format!("printf '%b%s\\n' '\\033[22m\\033[39m' '{line}'; echo '{line}'; echo 1; exit 3");
        let (figures, ended_well) = figures_of(&mut run::command("sh", &["-c", &script]), false).unwrap();
        assert_eq!((figures, ended_well), (vec![figure.clone(), figure], false));
    }
}
