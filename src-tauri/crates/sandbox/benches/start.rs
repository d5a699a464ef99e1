//! The start of `/bin/true`: bare, in each profile, and under `bwrap` with like limits where it is installed. Each pair
//! is run in turn, so that a busy machine meets all of them alike. Prints one JSON object; times in microseconds.

use assent_sandbox::{Command, Confinement, Level, Outcome, Sandbox, Streams};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

const ROUNDS: usize = 100;

fn main() {
    let helper =
        std::env::var_os("ASSENT_SANDBOX").unwrap_or_else(|| env!("CARGO_BIN_EXE_assent-sandbox").into());
    let sandbox = Sandbox::with_helper(helper);
    let Ok(folder) = tempfile::tempdir() else { return };
    let workspace = folder.path();
    type Start<'a> = Box<dyn Fn() -> bool + 'a>;
    let confined = |level| -> Start<'_> {
        Box::new({
            let sandbox = sandbox.clone();
            move || ours(&sandbox, workspace, level)
        })
    };
    let mut contestants: Vec<(&str, Start<'_>)> = vec![
        ("bare", Box::new(|| runs(std::process::Command::new("/bin/true")))),
        ("unsandboxed", confined(Level::Unsandboxed)),
        ("read-only", confined(Level::ReadOnly)),
        ("workspace-write", confined(Level::WorkspaceWrite)),
    ];
    if Path::new("/usr/bin/bwrap").exists() {
        contestants.push(("bwrap", Box::new(|| runs(bwrap(workspace)))));
    }
    let mut times = vec![Vec::with_capacity(ROUNDS); contestants.len()];
    for _ in 0..ROUNDS {
        for ((_, start), times) in contestants.iter().zip(&mut times) {
            let since = Instant::now();
            assert!(start(), "a start failed");
            times.push(since.elapsed().as_micros());
        }
    }
    let lines = contestants.iter().zip(&mut times).map(|((name, _), times)| {
        times.sort_unstable();
        let at = |place: usize| times.get(place).copied().unwrap_or_default();
        format!("\"{name}\":{{\"min\":{},\"median\":{},\"max\":{}}}", at(0), at(ROUNDS / 2), at(ROUNDS - 1))
    });
    println!("{{\"start_true_us\":{{{}}}}}", lines.collect::<Vec<_>>().join(","));
}

fn ours(sandbox: &Sandbox, workspace: &Path, level: Level) -> bool {
    let Ok(workspace) = workspace.canonicalize() else { return false };
    let command = Command::new("/bin/true", &workspace);
    match sandbox.start(command, Confinement::new(level, &workspace), Streams::Merged) {
        Ok(started) => started.running.wait(|_| {}).outcome == Outcome::Exited(0),
        Err(_) => false,
    }
}

fn runs(mut command: std::process::Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn bwrap(workspace: &Path) -> std::process::Command {
    let mut command = std::process::Command::new("/usr/bin/bwrap");
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind"]);
    command.args([workspace, workspace]).args(["--unshare-all", "--die-with-parent", "--", "/bin/true"]);
    command
}
