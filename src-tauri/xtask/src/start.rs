//! `cargo xtask start`: from a fresh clone to the open window.

use crate::{run, system, ui};
use anyhow::Result;

/// Sets up, builds and opens the app; with no display, takes the tour in the terminal.
pub fn start() -> Result<bool> {
    if !display() {
        println!(
            "There is no display here, so the window can't open. The same first task runs in this terminal instead."
        );
        println!("Each question is answered with y or Enter; Enter denies.\n");
        run::must(&mut run::command(
            "cargo",
            &["build", "--release", "-p", "assent", "-p", "assent-sandbox"],
        ))?;
        return tour();
    }
    system::ensure(system::Purpose::Run)?;
    ui::build()?;
    let packages = ["-p", "assent-desktop", "-p", "assent", "-p", "assent-sandbox"];
    run::must(run::command("cargo", &["build", "--release"]).args(packages))?;
    let binary = run::target().join("release").join(if cfg!(windows) {
        "assent-desktop.exe"
    } else {
        "assent-desktop"
    });
    println!("Opening {}", binary.display());
    run::succeeds(&mut run::command(&binary.to_string_lossy(), &[]))
}

/// The tour in a folder of its own, so that the first yes harms nothing.
fn tour() -> Result<bool> {
    let folder = run::target().join("tour");
    std::fs::create_dir_all(&folder)?;
    let welcome = folder.join("README.md");
    if !welcome.exists() {
        std::fs::write(&welcome, "# A folder to try things in\n\nNothing in here matters.\n")?;
    }
    let binary = run::target().join("release/assent");
    let folder = folder.to_string_lossy();
    run::succeeds(&mut run::command(
        &binary.to_string_lossy(),
        &["exec", "--provider", "tour", "--workspace", &folder, "Show me what you can do."],
    ))
}

fn display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux")) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
