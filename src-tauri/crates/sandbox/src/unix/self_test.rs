//! Finds out by trying what the profiles hold on this machine: writes outside, reads a secret, connects, and looks
//! from the receiving side at what arrived.

use crate::command::{Command, Limits};
use crate::confinement::{Confinement, Level};
use crate::outcome::Outcome;
use crate::report::{Attempt, Mechanism, SandboxReport, Strength};
use crate::start::{Sandbox, StartError, Streams};
use crate::unix::probe::{Findings, Targets};
use std::fs;
use std::io::{self, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

const SECRET: &str = "a secret of the self-test";

/// What differs between the platforms.
#[derive(Debug)]
pub struct Platform {
    /// The mechanism's name.
    pub backend: &'static str,
    /// What it is made of.
    pub mechanisms: fn() -> Vec<Mechanism>,
    /// What usually stands in the way.
    pub hints: fn() -> Vec<String>,
    /// What is tried here beyond files, the network and other processes.
    pub further: &'static [Further],
}

/// One more thing that nothing confined may do.
#[derive(Debug)]
pub struct Further {
    /// What it is.
    pub tried: &'static str,
    /// Whether it can be done; asked inside.
    pub possible: fn() -> bool,
}

/// Tries both profiles.
pub fn run(sandbox: &Sandbox, platform: &Platform) -> SandboxReport {
    let mut attempts = Vec::new();
    let mut missing = Vec::new();
    let mut strength = Strength::Full;
    for level in [Level::ReadOnly, Level::WorkspaceWrite] {
        match probe(sandbox, platform, level, false) {
            Ok(seen) if seen.strength == Some(Strength::Full) => attempts.extend(seen.attempts),
            Ok(seen) => missing.push(seen.why(level)),
            Err(error) => missing.push(format!("The self-test of {} failed to {error}.", level.as_str())),
        }
    }
    let open = attempts.iter().filter(|attempt| !attempt.held);
    missing.extend(open.map(|attempt| format!("Not held: {} ({}).", attempt.tried, attempt.seen)));
    if !missing.is_empty() {
        strength = match probe(sandbox, platform, Level::WorkspaceWrite, true) {
            Ok(seen) if seen.strength == Some(Strength::Floor) && seen.holds_the_floor() => Strength::Floor,
            Ok(_) | Err(_) => Strength::None,
        };
        missing.extend((platform.hints)());
    }
    SandboxReport {
        backend: platform.backend,
        strength,
        mechanisms: (platform.mechanisms)(),
        attempts,
        missing,
    }
}

fn probe(
    sandbox: &Sandbox,
    platform: &Platform,
    level: Level,
    best_effort: bool,
) -> Result<Seen, ProbeError> {
    let range = Range::new()?;
    let mut confinement = Confinement::new(level, &range.workspace);
    confinement.best_effort = best_effort;
    confinement.protected.push(range.workspace.join(".git"));
    confinement.hidden.push(range.workspace.join(".env"));
    let helper = sandbox.helper().canonicalize().map_err(ProbeError::Io)?;
    confinement.read.push(helper.clone());
    let targets = serde_json::to_string(&range.targets()?).map_err(|error| ProbeError::Io(error.into()))?;
    let mut command = Command::new(&helper, &range.workspace).arg("probe").arg(targets);
    command.limits = Limits { time_ms: Some(5_000), ..Limits::default() };
    let mut started = sandbox.start(command, confinement, Streams::Separate)?;
    let mut text = String::new();
    started.output.read_to_string(&mut text).map_err(ProbeError::Io)?;
    let ended = started.running.wait(|_| {});
    let attempts = match serde_json::from_str::<Findings>(&text) {
        Ok(findings) => range.attempts(platform, level, &findings)?,
        Err(_) => Vec::new(),
    };
    let complete = !attempts.is_empty();
    Ok(Seen { strength: ended.strength.filter(|_| complete), outcome: ended.outcome, attempts })
}

struct Seen {
    strength: Option<Strength>,
    outcome: Outcome,
    attempts: Vec<Attempt>,
}

/// What can't be held where no mount namespace can be made; all else must be.
const BEYOND_THE_FLOOR: [&str; 2] = [PROTECTED, HIDDEN];
const PROTECTED: &str = "write in a protected folder";
const HIDDEN: &str = "read a sensitive file in the workspace";

impl Seen {
    fn holds_the_floor(&self) -> bool {
        let held = |attempt: &Attempt| attempt.held || BEYOND_THE_FLOOR.contains(&attempt.tried);
        !self.attempts.is_empty() && self.attempts.iter().all(held)
    }

    fn why(&self, level: Level) -> String {
        let level = level.as_str();
        match &self.outcome {
            Outcome::SetupFailed(why) => format!("The profile {level} can't be set up: failed to {why}."),
            Outcome::NotStarted(why) => format!("Nothing can be started in the profile {level}: {why}."),
            Outcome::Exited(_) | Outcome::Signalled(_) | Outcome::Stopped(_) | Outcome::Lost => {
                format!("The self-test of {level} ended before its end ({:?}).", self.outcome)
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ProbeError {
    #[error("make its files and listeners: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// What is aimed at, and where arrivals are seen.
struct Range {
    folder: PathBuf,
    workspace: PathBuf,
    tcp: TcpListener,
    udp: UdpSocket,
    unix: UnixListener,
}

impl Range {
    fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().canonicalize()?.join(unique_name());
        fs::create_dir(&folder)?;
        let workspace = folder.join("workspace");
        fs::create_dir_all(workspace.join(".git"))?;
        fs::create_dir(folder.join("outside"))?;
        fs::write(folder.join("outside/secret"), SECRET)?;
        fs::write(workspace.join(".env"), SECRET)?;
        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let udp = UdpSocket::bind("127.0.0.1:0")?;
        let unix = UnixListener::bind(workspace.join("socket"))?;
        tcp.set_nonblocking(true)?;
        udp.set_nonblocking(true)?;
        unix.set_nonblocking(true)?;
        Ok(Self { folder, workspace, tcp, udp, unix })
    }

    fn targets(&self) -> io::Result<Targets> {
        Ok(Targets {
            outside: self.folder.join("outside/written"),
            inside: self.workspace.join("written"),
            protected: self.workspace.join(".git/written"),
            secret: self.folder.join("outside/secret"),
            hidden: self.workspace.join(".env"),
            tcp: self.tcp.local_addr()?.port(),
            udp: self.udp.local_addr()?.port(),
            unix: self.workspace.join("socket"),
            process: std::process::id(),
        })
    }

    fn attempts(&self, platform: &Platform, level: Level, findings: &Findings) -> io::Result<Vec<Attempt>> {
        let targets = self.targets()?;
        let attempt = |tried, arrived: bool, seen: &str, none: &str| Attempt {
            level,
            tried,
            seen: if arrived { seen } else { none }.to_owned(),
            held: !arrived,
        };
        let written = |tried, path: &Path| attempt(tried, path.exists(), "the file is there", "no file");
        let read = |tried, text: &Option<String>| {
            attempt(tried, text.as_deref() == Some(SECRET), "it was read", "nothing was read")
        };
        let may_write = level == Level::WorkspaceWrite;
        let inside = Attempt {
            held: targets.inside.exists() == may_write,
            tried: if may_write {
                "write in the workspace, which is allowed"
            } else {
                "write in the workspace"
            },
            ..written("", &targets.inside)
        };
        let connected = |tried, arrived| attempt(tried, arrived, "it arrived", "nothing arrived");
        // What wasn't answered counts as possible.
        let answers = findings.further.iter().copied().chain(std::iter::repeat(true));
        let further = platform.further.iter().zip(answers);
        let mut attempts = vec![
            inside,
            written("write outside the workspace", &targets.outside),
            written(PROTECTED, &targets.protected),
            read("read a file outside the workspace", &findings.secret),
            read(HIDDEN, &findings.hidden),
            connected("connect over TCP", self.tcp.accept().is_ok()),
            connected("send over UDP", self.udp.recv(&mut [0; 16]).is_ok()),
            connected("connect to a unix socket", self.unix.accept().is_ok()),
            attempt("signal a process outside", findings.signalled, "it can", "it can't"),
        ];
        attempts.extend(
            further.map(|(further, possible)| attempt(further.tried, possible, "it can", "it can't")),
        );
        Ok(attempts)
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        // What can't be removed is the system's to clean.
        let _left = fs::remove_dir_all(&self.folder);
    }
}

fn unique_name() -> String {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
    format!("assent-self-test-{}-{count}-{now:x}", std::process::id())
}
