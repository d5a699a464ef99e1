//! Starting programs, and where things are.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default()
}

/// The workspace's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A command in the repository's root.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// A command whose program is the first word.
pub fn words(words: &[&str]) -> Result<Command> {
    let (program, arguments) = words.split_first().context("no command")?;
    Ok(command(program, arguments))
}

/// Runs it with the terminal's streams; whether it ended with 0.
pub fn succeeds(command: &mut Command) -> Result<bool> {
    let shown = show(command);
    println!("$ {shown}");
    Ok(command.status().with_context(|| format!("start `{shown}`"))?.success())
}

/// Runs it and fails, with what to do, unless it ended with 0.
pub fn must(command: &mut Command, hint: &str) -> Result<()> {
    if succeeds(command)? {
        return Ok(());
    }
    bail!("`{}` failed. {hint}", show(command))
}

/// Its standard output, if it ended with 0.
pub fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let done = command(program, arguments).stderr(Stdio::null()).stdin(Stdio::null()).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).trim().to_owned())
}

/// The target triple of the compiler's own machine.
pub fn host() -> Option<String> {
    output("rustc", &["-vV"])?.lines().find_map(|line| Some(line.strip_prefix("host: ")?.to_owned()))
}

/// Whether a program of that name is on `PATH`.
pub fn exists(program: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn show(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}
