//! The start of `/bin/true`: bare, in each profile, under `bwrap` with like limits where it is installed, and under
//! other sandboxes named by `ASSENT_BENCH_PEERS` (`NAME=COMMAND LINE`, one a line; `/bin/true` is added).
//!
//! Everybody starts in turn, so that a busy machine meets all alike; the CPU time beside the wall time says what a
//! busy machine hides. Prints one JSON object, times in microseconds. Arguments: names, to run only these.

use assent_sandbox::{Command, Confinement, Level, Outcome, Replacement, Sandbox, Streams};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

const ROUNDS: usize = 200;

/// Starts of a peer: most are slow.
const PEER_ROUNDS: usize = 20;

struct Contestant<'a> {
    name: String,
    rounds: usize,
    start: Box<dyn Fn() -> bool + 'a>,
    wall: Vec<u128>,
    cpu: Vec<u128>,
}

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let helper =
        std::env::var_os("ASSENT_SANDBOX").unwrap_or_else(|| env!("CARGO_BIN_EXE_assent-sandbox").into());
    let sandbox = Sandbox::with_helper(helper);
    let Ok(folder) = tempfile::tempdir() else { return };
    let Ok(workspace) = folder.path().canonicalize() else { return };
    let mut contestants = Vec::new();
    let mut add = |name: &str, rounds, start: Box<dyn Fn() -> bool>| {
        if only.is_empty() || only.iter().any(|wanted| wanted == name) {
            let (wall, cpu) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
            contestants.push(Contestant { name: name.to_owned(), rounds, start, wall, cpu });
        }
    };
    add("bare", ROUNDS, Box::new(|| runs(std::process::Command::new("/bin/true"))));
    for level in [Level::Unsandboxed, Level::ReadOnly, Level::WorkspaceWrite] {
        let (sandbox, confinement) = (sandbox.clone(), Confinement::new(level, &workspace));
        add(level.as_str(), ROUNDS, Box::new(move || ours(&sandbox, &confinement)));
    }
    if let Some(confinement) = project(&workspace.join("project")) {
        add("project", ROUNDS, Box::new(move || ours(&sandbox, &confinement)));
    }
    if Path::new("/usr/bin/bwrap").exists() {
        let folder = workspace.clone();
        add("bwrap", ROUNDS, Box::new(move || runs(bwrap(&folder))));
    }
    for (name, words) in peers() {
        let folder = workspace.clone();
        add(&name, PEER_ROUNDS, Box::new(move || runs(peer(&words, &folder))));
    }
    for round in 0..ROUNDS {
        for contestant in contestants.iter_mut().filter(|contestant| round < contestant.rounds) {
            contestant.run();
        }
    }
    let lines: Vec<_> = contestants.iter_mut().map(Contestant::line).collect();
    println!("{{\"start_true_us\":{{{}}}}}", lines.join(","));
}

impl Contestant<'_> {
    fn run(&mut self) {
        let (since, before) = (Instant::now(), cpu_of_children());
        assert!((self.start)(), "{}: a start failed", self.name);
        self.wall.push(since.elapsed().as_micros());
        self.cpu.push(cpu_of_children().saturating_sub(before));
    }

    fn line(&mut self) -> String {
        let summary = |times: &mut Vec<u128>| {
            times.sort_unstable();
            let at = |place: usize| times.get(place).copied().unwrap_or_default();
            format!("\"min\":{},\"median\":{}", at(0), at(times.len() / 2))
        };
        let (wall, cpu) = (summary(&mut self.wall), summary(&mut self.cpu));
        format!("\"{}\":{{{wall},\"cpu\":{{{cpu}}}}}", self.name)
    }
}

/// CPU time of every process that was started and collected, by those in between too.
fn cpu_of_children() -> u128 {
    // SAFETY: all-zero is a valid value of this structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is writable.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let micros = |time: libc::timeval| {
        u128::try_from(time.tv_sec).unwrap_or_default() * 1_000_000
            + u128::try_from(time.tv_usec).unwrap_or_default()
    };
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

fn ours(sandbox: &Sandbox, confinement: &Confinement) -> bool {
    let command = Command::new("/bin/true", &confinement.workspace);
    match sandbox.start(command, confinement.clone(), Streams::Merged) {
        Ok(started) => started.running.wait(|_| {}).outcome == Outcome::Exited(0),
        Err(_) => false,
    }
}

/// A repository as the shell tool confines it: names that must not come to be, a secret, a sanitised configuration, a
/// toolchain, private caches.
fn project(workspace: &Path) -> Option<Confinement> {
    const NAMES: [&str; 32] = [
        ".gitconfig",
        ".gitmodules",
        ".husky",
        ".githooks",
        ".vscode",
        ".idea",
        ".cargo",
        ".devcontainer",
        ".devcontainer.json",
        ".mcp.json",
        ".cursor",
        ".claude",
        ".codex",
        ".gemini",
        ".assent",
        ".circleci",
        ".gitlab-ci.yml",
        ".pre-commit-config.yaml",
        ".envrc",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        ".bashrc",
        ".profile",
        ".vimrc",
        ".exrc",
        ".tool-versions",
        "mise.toml",
        ".mise.toml",
        "lefthook.yml",
        ".git",
    ];
    let home = workspace.join("home");
    for folder in ["ws/.git", "home/.cargo/bin", "home/.rustup"] {
        std::fs::create_dir_all(workspace.join(folder)).ok()?;
    }
    let workspace = workspace.join("ws");
    for file in [".env", ".git/config"] {
        std::fs::write(workspace.join(file), "x").ok()?;
    }
    let mut confinement = Confinement::new(Level::WorkspaceWrite, &workspace);
    confinement.protected = NAMES.iter().map(|name| workspace.join(name)).collect();
    confinement.hidden = vec![workspace.join(".env")];
    confinement.replaced =
        vec![Replacement { path: workspace.join(".git/config"), content: b"[core]\n".to_vec() }];
    confinement.toolchains = vec![home.join(".rustup")];
    confinement.overlays = [".cargo", ".cache", ".npm"].iter().map(|name| home.join(name)).collect();
    Some(confinement)
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

fn peers() -> Vec<(String, Vec<String>)> {
    let text = std::env::var("ASSENT_BENCH_PEERS").unwrap_or_default();
    let peers = text.lines().filter_map(|line| line.split_once('='));
    peers
        .map(|(name, words)| (name.to_owned(), words.split_whitespace().map(str::to_owned).collect()))
        .collect()
}

fn peer(words: &[String], folder: &Path) -> std::process::Command {
    let (program, arguments) =
        words.split_first().map_or(("false", words), |(first, rest)| (first.as_str(), rest));
    let mut command = std::process::Command::new(PathBuf::from(program));
    command.args(arguments).arg("/bin/true").current_dir(folder).stderr(Stdio::null());
    command
}
