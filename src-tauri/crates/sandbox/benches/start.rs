//! The start of `/bin/true`: bare, in each profile, under `bwrap` with like limits, under other sandboxes that are
//! installed, and under those named by `ASSENT_BENCH_PEERS` (`NAME=COMMAND LINE`, one a line; `/bin/true` is added).
//!
//! Everybody starts in turn, so that a busy machine meets all alike; the CPU time beside the wall time says what a
//! busy machine hides. Medians. Arguments: names, to run only these; `--json`.

use assent_figure::{Report, median};
use assent_sandbox::{Command, Confinement, Level, Outcome, Replacement, Sandbox, Streams};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Instant;

const ROUNDS: usize = 200;

const BWRAP: &str = "/usr/bin/bwrap";

/// Starts of a peer: most are slow.
const PEER_ROUNDS: usize = 20;

/// Other sandboxes: what stands before the command.
const PEERS: &[(&str, &[&str])] = &[("codex", &["codex", "sandbox", "--"]), ("srt", &["srt"])];

struct Contestant<'a> {
    name: String,
    rounds: usize,
    start: Box<dyn Fn() -> bool + 'a>,
    /// Milliseconds.
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let only: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let helper =
        std::env::var_os("ASSENT_SANDBOX").unwrap_or_else(|| env!("CARGO_BIN_EXE_assent-sandbox").into());
    let sandbox = Sandbox::with_helper(helper);
    let folder = tempfile::tempdir()?;
    let workspace = folder.path().canonicalize()?;
    let mut contestants = ours(&sandbox, &workspace)?;
    contestants.extend(others(&workspace));
    contestants.retain(|contestant| only.is_empty() || only.contains(&contestant.name));
    for round in 0..ROUNDS {
        for contestant in contestants.iter_mut().filter(|contestant| round < contestant.rounds) {
            contestant.run()?;
        }
    }
    let mut report = Report::from_arguments();
    for contestant in &contestants {
        report.plain(&format!("sandbox_start_{}", contestant.name), median(contestant.wall.clone()), "ms");
        report.plain(&format!("sandbox_start_{}_cpu", contestant.name), median(contestant.cpu.clone()), "ms");
    }
    let of = |name: &str| {
        let found = contestants.iter().find(|contestant| contestant.name == name);
        found.map(|contestant| median(contestant.wall.clone()))
    };
    for name in ["read_only", "workspace_write"] {
        let promise = format!("sandbox_start_{name}_over_bwrap");
        match (of(name), of("bwrap")) {
            (Some(ours), Some(theirs)) => report.promised(&promise, ours - theirs),
            (Some(_), None) => {
                report.not_measured(&promise, "`bwrap` isn't here, or can't start anything here")
            }
            (None, _) => report.not_measured(&promise, "it was left out"),
        }
    }
    Ok(report.end())
}

/// Bare, and in each profile: what can't start ends the benchmark.
fn ours<'a>(sandbox: &'a Sandbox, workspace: &Path) -> Result<Vec<Contestant<'a>>, Box<dyn Error>> {
    let mut all =
        vec![Contestant::new("bare", ROUNDS, Box::new(|| runs(std::process::Command::new("/bin/true"))))];
    for level in [Level::Unsandboxed, Level::ReadOnly, Level::WorkspaceWrite] {
        let confinement = Confinement::new(level, workspace);
        let start = Box::new(move || started(sandbox, &confinement));
        all.push(Contestant::new(&level.as_str().replace('-', "_"), ROUNDS, start));
    }
    let confinement = project(&workspace.join("project"))?;
    all.push(Contestant::new("project", ROUNDS, Box::new(move || started(sandbox, &confinement))));
    Ok(all)
}

/// `bwrap` and the peers that are here: one that can't start is said and left out.
fn others<'a>(workspace: &Path) -> Vec<Contestant<'a>> {
    let folder = workspace.to_owned();
    let mut all = Vec::new();
    if Path::new(BWRAP).exists() {
        all.push(Contestant::new("bwrap", ROUNDS, Box::new(move || runs(bwrap(&folder)))));
    }
    for (name, words) in peers() {
        let folder = workspace.to_owned();
        all.push(Contestant::new(&name, PEER_ROUNDS, Box::new(move || runs(peer(&words, &folder)))));
    }
    all.retain(|contestant| {
        let starts = (contestant.start)();
        if !starts {
            eprintln!("{} can't start anything here", contestant.name);
        }
        starts
    });
    all
}

impl<'a> Contestant<'a> {
    fn new(name: &str, rounds: usize, start: Box<dyn Fn() -> bool + 'a>) -> Self {
        let (wall, cpu) = (Vec::with_capacity(rounds), Vec::with_capacity(rounds));
        Self { name: name.to_owned(), rounds, start, wall, cpu }
    }

    fn run(&mut self) -> Result<(), String> {
        let (since, before) = (Instant::now(), cpu_of_children());
        if !(self.start)() {
            return Err(format!("{}: a start failed", self.name));
        }
        self.wall.push(since.elapsed().as_secs_f64() * 1e3);
        self.cpu.push(cpu_of_children() - before);
        Ok(())
    }
}

/// CPU time, ms, of every process that was started and collected, by those in between too.
fn cpu_of_children() -> f64 {
    // SAFETY: all-zero is a valid value of this structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is writable.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    #[expect(clippy::cast_precision_loss, reason = "a benchmark's seconds fit")]
    let millis = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    millis(usage.ru_utime) + millis(usage.ru_stime)
}

fn started(sandbox: &Sandbox, confinement: &Confinement) -> bool {
    let command = Command::new("/bin/true", &confinement.workspace);
    match sandbox.start(command, confinement.clone(), Streams::Merged) {
        Ok(started) => started.running.wait(|_| {}).outcome == Outcome::Exited(0),
        Err(_) => false,
    }
}

/// A repository as the shell tool confines it: names that must not come to be, a secret, a sanitised configuration, a
/// toolchain, private caches.
fn project(workspace: &Path) -> std::io::Result<Confinement> {
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
        std::fs::create_dir_all(workspace.join(folder))?;
    }
    let workspace = workspace.join("ws");
    for file in [".env", ".git/config"] {
        std::fs::write(workspace.join(file), "x")?;
    }
    let mut confinement = Confinement::new(Level::WorkspaceWrite, &workspace);
    confinement.protected = NAMES.iter().map(|name| workspace.join(name)).collect();
    confinement.hidden = vec![workspace.join(".env")];
    confinement.replaced =
        vec![Replacement { path: workspace.join(".git/config"), content: b"[core]\n".to_vec() }];
    confinement.toolchains = vec![home.join(".rustup")];
    confinement.overlays = [".cargo", ".cache", ".npm"].iter().map(|name| home.join(name)).collect();
    Ok(confinement)
}

fn runs(mut command: std::process::Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn bwrap(workspace: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(BWRAP);
    command.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind"]);
    command.args([workspace, workspace]).args(["--unshare-all", "--die-with-parent", "--", "/bin/true"]);
    command
}

/// The sandboxes of `PEERS` that are on `PATH`, and those of the environment.
fn peers() -> Vec<(String, Vec<String>)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = |program: &str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let own = PEERS.iter().filter(|(_, words)| words.first().is_some_and(|program| here(program)));
    let mut all: Vec<(String, Vec<String>)> = own
        .map(|(name, words)| ((*name).to_owned(), words.iter().map(|word| (*word).to_owned()).collect()))
        .collect();
    let text = std::env::var("ASSENT_BENCH_PEERS").unwrap_or_default();
    all.extend(
        text.lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, words)| (name.to_owned(), words.split_whitespace().map(str::to_owned).collect())),
    );
    all
}

fn peer(words: &[String], folder: &Path) -> std::process::Command {
    let (program, arguments) =
        words.split_first().map_or(("false", words), |(first, rest)| (first.as_str(), rest));
    let mut command = std::process::Command::new(PathBuf::from(program));
    command.args(arguments).arg("/bin/true").current_dir(folder).stderr(Stdio::null());
    command
}
