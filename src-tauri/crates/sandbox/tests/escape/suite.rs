//! Makes every attack in every profile, and counts what got out.

use crate::attacks::{self, Attack, Real};
use crate::range::Range;
use assent_sandbox::{Command, Confinement, Level, Limits, Outcome, Sandbox, Streams};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Names the attack, in the process that carries it out.
pub const ATTACK: &str = "ESCAPE_ATTACK";
/// Where it aims, as JSON.
pub const AIM: &str = "ESCAPE_AIM";
/// The helper, for a run as another user.
pub const HELPER: &str = "ESCAPE_HELPER";

pub fn find(name: &OsStr) -> Option<&'static Attack> {
    attacks::all().find(|attack| name == attack.name)
}

pub fn suite(helper: &Path, program: &Path) {
    let mut open = Vec::new();
    for attack in attacks::all() {
        let real = match attack.real {
            Real::Always => true,
            Real::ForRoot => is_root(),
            Real::Elsewhere => false,
        };
        if real && !got_out(helper, program, attack, Level::Unsandboxed) {
            open.push(format!("{}: failed without the sandbox too, so it proves nothing", attack.name));
        }
        for level in [Level::ReadOnly, Level::WorkspaceWrite] {
            if got_out(helper, program, attack, level) {
                open.push(format!("{}: NOT HELD in {}", attack.name, level.as_str()));
            }
        }
    }
    assert!(
        open.is_empty(),
        "as {}:\n{}",
        if is_root() { "root" } else { "an ordinary user" },
        open.join("\n")
    );
}

/// Makes one attack, and looks whether anything came of it.
fn got_out(helper: &Path, program: &Path, attack: &Attack, level: Level) -> bool {
    let range = Range::new();
    let mut confinement = Confinement::new(level, range.workspace());
    confinement.protected = vec![range.workspace().join(".git"), range.workspace().join(".vscode")];
    confinement.hidden = [".env", "sub/.env"].map(|name| range.workspace().join(name)).to_vec();
    confinement.read = vec![program.to_owned()];
    let command = Command {
        limits: Limits { time_ms: Some(20_000), ..Limits::default() },
        ..Command::new(program, range.workspace())
            .arg("--exact")
            .arg("attacker")
            .arg("--nocapture")
            .var(ATTACK, attack.name)
            .var(AIM, serde_json::to_string(&range.aim()).unwrap())
            .var("PATH", "/usr/bin:/bin")
    };
    let mut started = Sandbox::with_helper(helper).start(command, confinement, Streams::Merged).unwrap();
    let mut output = Vec::new();
    std::io::Read::read_to_end(&mut started.output, &mut output).unwrap();
    let output = String::from_utf8_lossy(&output).into_owned();
    let ended = started.running.wait(|_| {});
    assert!(
        !matches!(ended.outcome, Outcome::SetupFailed(_) | Outcome::NotStarted(_) | Outcome::Lost),
        "{}: {ended:?}\n{output}",
        attack.name
    );
    let claims = output.contains("escape: succeeded");
    claims || range.was_reached()
}

pub fn own_program() -> PathBuf {
    std::env::current_exe().unwrap().canonicalize().unwrap()
}

pub fn is_root() -> bool {
    // SAFETY: takes nothing.
    unsafe { libc::geteuid() == 0 }
}
