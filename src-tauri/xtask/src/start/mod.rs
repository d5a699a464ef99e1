//! `cargo xtask start`: from a fresh clone to the open window, or to the tour in the terminal.

mod display;

use crate::profile::Profile;
use crate::{run, system, ui};
use anyhow::Result;
use std::io::IsTerminal as _;
use std::time::Instant;

/// What a step that fetches from a registry says when it fails.
const OFFLINE: &str = "What it said is above. Without a network nothing can be fetched the first time: connect and run \
                       `cargo xtask start` again; it goes on where it stopped";

/// Sets up, builds and opens the app; with no display, takes the tour in the terminal.
pub fn start() -> Result<bool> {
    if let Some(problem) = display::problem() {
        println!("{problem}");
        println!("The tour runs in this terminal instead: the same model, tools, policy, sandbox and log.\n");
        return in_terminal();
    }
    step(1, 4, "what the system has to have");
    system::ensure(system::Purpose::Run)?;
    step(2, 4, "the window's pages");
    ui::pages(OFFLINE)?;
    step(3, 4, "the programs");
    build(&["assent-desktop", "assent", "assent-sandbox"])?;
    step(4, 4, "the window");
    let app = Profile::Start.program("assent-desktop");
    println!("Opening {}", app.display());
    run::succeeds(&mut run::command(&app.to_string_lossy(), &[]))
}

fn in_terminal() -> Result<bool> {
    step(1, 2, "the programs");
    build(&["assent", "assent-sandbox"])?;
    step(2, 2, "the tour");
    if std::io::stdin().is_terminal() {
        println!("Each question is answered with y or Enter; Enter denies.\n");
    } else {
        println!("Standard input is no terminal, so nobody can be asked and every question is denied.\n");
    }
    let folder = run::target().join("tour");
    std::fs::create_dir_all(&folder)?;
    let welcome = folder.join("README.md");
    if !welcome.exists() {
        std::fs::write(&welcome, "# A folder to try things in\n\nNothing in here matters.\n")?;
    }
    let assent = Profile::Start.program("assent");
    let folder = folder.to_string_lossy();
    run::succeeds(&mut run::command(
        &assent.to_string_lossy(),
        &["exec", "--provider", "tour", "--workspace", &folder, "Show me what you can do."],
    ))
}

fn build(packages: &[&str]) -> Result<()> {
    if !Profile::Start.program("assent").exists() {
        println!("The first build compiles everything and takes some minutes; later ones take seconds.");
    }
    let begun = Instant::now();
    let mut fetch = run::command("cargo", &["fetch", "--locked"]);
    if let Some(host) = run::host() {
        fetch.args(["--target", &host]);
    }
    run::must(&mut fetch, OFFLINE)?;
    run::must(
        &mut Profile::Start.build(packages),
        "What the compiler said is above. `rustup update` brings a newer Rust where it asks for one; a linker that \
         wasn't found comes with gcc or clang; `no space left` means that about 3 GB are needed",
    )?;
    println!("Built in {} s.", begun.elapsed().as_secs());
    Ok(())
}

fn step(number: usize, of: usize, what: &str) {
    println!("\n[{number}/{of}] {what}");
}
