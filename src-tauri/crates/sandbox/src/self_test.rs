//! Finds out by trying what the sandbox holds on this machine: writes outside, reads a secret, connects, and looks
//! from the receiving side at what arrived.

use crate::command::{Command, Limits};
use crate::confinement::{Confinement, Level};
use crate::outcome::Outcome;
use crate::probe::{Findings, Targets};
use crate::report::{Attempt, Mechanism, SandboxReport, Strength};
use crate::start::{Sandbox, Streams};
use std::fs;
use std::io::{self, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

const SECRET: &str = "a secret of the self-test";

impl Sandbox {
    /// Tries both profiles. Takes some ten milliseconds; do it off the threads that draw.
    #[must_use]
    pub fn self_test(&self) -> SandboxReport {
        let mut attempts = Vec::new();
        let mut missing = Vec::new();
        let mut strength = Strength::Full;
        for level in [Level::ReadOnly, Level::WorkspaceWrite] {
            match self.probe(level, false) {
                Ok(seen) if seen.strength == Some(Strength::Full) => attempts.extend(seen.attempts),
                Ok(seen) => missing.push(seen.why(level)),
                Err(error) => missing.push(format!("The self-test of {} failed to {error}.", level.as_str())),
            }
        }
        let open = attempts.iter().filter(|attempt| !attempt.held);
        missing.extend(open.map(|attempt| format!("Not held: {} ({}).", attempt.tried, attempt.seen)));
        if !missing.is_empty() {
            strength = match self.probe(Level::WorkspaceWrite, true) {
                Ok(seen) if seen.strength == Some(Strength::Floor) => Strength::Floor,
                Ok(_) | Err(_) => Strength::None,
            };
            missing.extend(platform::hints());
        }
        SandboxReport {
            backend: platform::BACKEND,
            strength,
            mechanisms: platform::mechanisms(),
            attempts,
            missing,
        }
    }

    fn probe(&self, level: Level, best_effort: bool) -> Result<Seen, ProbeError> {
        let range = Range::new()?;
        let mut confinement = Confinement::new(level, &range.workspace);
        confinement.best_effort = best_effort;
        confinement.protected.push(range.workspace.join(".git"));
        confinement.hidden.push(range.workspace.join(".env"));
        let helper = self.helper().canonicalize().map_err(ProbeError::Io)?;
        confinement.read.push(helper.clone());
        let targets =
            serde_json::to_string(&range.targets()?).map_err(|error| ProbeError::Io(error.into()))?;
        let mut command = Command::new(&helper, &range.workspace).arg("probe").arg(targets);
        command.limits = Limits { time_ms: Some(5_000), ..Limits::default() };
        let mut started = self.start(command, confinement, Streams::Separate)?;
        let mut text = String::new();
        started.output.read_to_string(&mut text).map_err(ProbeError::Io)?;
        let ended = started.running.wait(|_| {});
        let attempts = match serde_json::from_str::<Findings>(&text) {
            Ok(findings) => range.attempts(level, &findings)?,
            Err(_) => Vec::new(),
        };
        let complete = !attempts.is_empty();
        Ok(Seen { strength: ended.strength.filter(|_| complete), outcome: ended.outcome, attempts })
    }
}

struct Seen {
    strength: Option<Strength>,
    outcome: Outcome,
    attempts: Vec<Attempt>,
}

impl Seen {
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
    Start(#[from] crate::start::StartError),
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

    fn attempts(&self, level: Level, findings: &Findings) -> io::Result<Vec<Attempt>> {
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
        Ok(vec![
            inside,
            written("write outside the workspace", &targets.outside),
            written("write in a protected folder", &targets.protected),
            read("read a file outside the workspace", &findings.secret),
            read("read a sensitive file in the workspace", &findings.hidden),
            connected("connect over TCP", self.tcp.accept().is_ok()),
            connected("send over UDP", self.udp.recv(&mut [0; 16]).is_ok()),
            connected("connect to a unix socket", self.unix.accept().is_ok()),
            attempt("signal a process outside", findings.signalled, "it can", "it can't"),
            attempt("make a namespace", findings.unshared, "it can", "it can't"),
        ])
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

#[cfg(target_os = "linux")]
mod platform {
    use super::Mechanism;

    pub const BACKEND: &str = "Linux namespaces, Landlock, seccomp";

    pub fn mechanisms() -> Vec<Mechanism> {
        let landlock = crate::linux::landlock_abi();
        let switch =
            |path: &str| std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
        let most = switch("/proc/sys/user/max_user_namespaces");
        vec![
            Mechanism {
                name: "user namespaces",
                present: !matches!(most.as_str(), "" | "0"),
                detail: if most.is_empty() {
                    "the kernel has none".to_owned()
                } else {
                    format!("at most {most}")
                },
            },
            Mechanism {
                name: "Landlock",
                present: landlock > 0,
                detail: if landlock > 0 {
                    format!("ABI {landlock}")
                } else {
                    "the kernel has none, or it is off".to_owned()
                },
            },
            Mechanism {
                name: "seccomp",
                present: std::path::Path::new("/proc/sys/kernel/seccomp").exists(),
                detail: switch("/proc/sys/kernel/seccomp/actions_avail"),
            },
        ]
    }

    /// What usually stands in the way.
    pub fn hints() -> Vec<String> {
        let is =
            |path: &str, value: &str| std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value);
        let mut hints = Vec::new();
        if is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
            hints.push(
                "AppArmor restricts user namespaces here (kernel.apparmor_restrict_unprivileged_userns = 1): allow them for assent-sandbox with an AppArmor profile that has `userns,`."
                    .to_owned(),
            );
        }
        if is("/proc/sys/kernel/unprivileged_userns_clone", "0") {
            hints.push(
                "User namespaces are off for ordinary users (kernel.unprivileged_userns_clone = 0)."
                    .to_owned(),
            );
        }
        if is("/proc/sys/user/max_user_namespaces", "0") {
            hints.push("User namespaces are off (user.max_user_namespaces = 0).".to_owned());
        }
        hints
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::Mechanism;

    pub const BACKEND: &str = "Seatbelt";

    pub fn mechanisms() -> Vec<Mechanism> {
        let path = std::path::Path::new("/usr/bin/sandbox-exec");
        vec![Mechanism { name: "sandbox-exec", present: path.exists(), detail: path.display().to_string() }]
    }

    pub fn hints() -> Vec<String> {
        Vec::new()
    }
}
