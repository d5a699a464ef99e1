//! Finds out by trying what the limits hold on this machine. No profile is among them, so none counts as in force.

use super::desktop::Desktop;
use super::job::Job;
use super::job_plan;
use super::sys::{check, owned, size_of_u32, wide};
use super::token::{self, is_member, own_privileges};
use super::token_plan::TOKEN;
use crate::command::{Command, Limits};
use crate::confinement::{Confinement, Level};
use crate::outcome::Outcome;
use crate::report::{Attempt, Mechanism, SandboxReport, Strength};
use crate::start::{Sandbox, Streams};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use windows_sys::Win32::System::JobObjects::IsProcessInJob;
use windows_sys::Win32::System::Threading::{
    CREATE_BREAKAWAY_FROM_JOB, CREATE_SUSPENDED, CreateProcessW, GetCurrentProcess, PROCESS_INFORMATION,
    STARTUPINFOW, TerminateProcess,
};

const ADMINISTRATORS: &str = "S-1-5-32-544";

/// What was seen from inside.
#[derive(Debug, Serialize, Deserialize)]
struct Findings {
    in_job: bool,
    left_job: bool,
    privileges: u32,
    administrator: bool,
}

/// Tries the limits and says what is not among them.
pub fn run(sandbox: &Sandbox) -> SandboxReport {
    let mut missing = vec![
        "Windows limits a command (its end, number of processes, memory, privileges, other programs' windows) but \
         doesn't confine its files and network, so no profile is in force and every command is asked about."
            .to_owned(),
    ];
    let attempts = match findings(sandbox) {
        Ok(found) => attempts(&found),
        Err(why) => {
            missing.push(format!("The self-test failed to {why}."));
            Vec::new()
        }
    };
    let open = attempts.iter().filter(|attempt| !attempt.held);
    missing.extend(open.map(|attempt| format!("Not held: {} ({}).", attempt.tried, attempt.seen)));
    SandboxReport {
        backend: "job object, restricted token (limits only)",
        strength: Strength::None,
        mechanisms: mechanisms(),
        attempts,
        missing,
    }
}

/// Runs inside: looks at itself. There is nothing to aim at.
pub fn probe(_targets: &str) -> Option<String> {
    let findings = Findings {
        in_job: is_in_a_job().ok()?,
        left_job: can_leave_its_job(),
        privileges: own_privileges().ok()?,
        administrator: is_member(ADMINISTRATORS).ok()?,
    };
    serde_json::to_string(&findings).ok()
}

fn findings(sandbox: &Sandbox) -> Result<Findings, String> {
    let folder = std::env::temp_dir();
    let mut confinement = Confinement::new(Level::WorkspaceWrite, &folder);
    confinement.best_effort = true;
    let helper = sandbox.helper().canonicalize().map_err(|error| format!("find the helper: {error}"))?;
    let mut command = Command::new(helper, &folder).arg("probe").arg("limits");
    command.env.extend(std::env::var_os("SystemRoot").map(|root| ("SystemRoot".into(), root)));
    command.limits = Limits { time_ms: Some(5_000), ..Limits::default() };
    let mut started =
        sandbox.start(command, confinement, Streams::Separate).map_err(|error| error.to_string())?;
    let mut text = String::new();
    started.output.read_to_string(&mut text).map_err(|error| format!("read what it found: {error}"))?;
    let ended = started.running.wait(|_| {});
    match ended.outcome {
        Outcome::Exited(0) => {
            serde_json::from_str(&text).map_err(|error| format!("understand what it found: {error}"))
        }
        Outcome::SetupFailed(why) | Outcome::NotStarted(why) => Err(why),
        Outcome::Exited(_) | Outcome::Signalled(_) | Outcome::Stopped(_) | Outcome::Lost => {
            Err(format!("come to its end ({:?})", ended.outcome))
        }
    }
}

fn attempts(found: &Findings) -> Vec<Attempt> {
    let attempt = |tried, seen: String, held| Attempt { level: Level::WorkspaceWrite, tried, seen, held };
    let yes_no = |yes: bool| if yes { "it can" } else { "it can't" }.to_owned();
    vec![
        attempt(
            "run outside the job",
            if found.in_job { "it is inside" } else { "it is outside" }.to_owned(),
            found.in_job,
        ),
        attempt("start a process that leaves the job", yes_no(found.left_job), !found.left_job),
        attempt(
            "use a privilege",
            format!("it has {} of them, of which one is everybody's", found.privileges),
            found.privileges <= 1,
        ),
        attempt("act as an administrator", yes_no(found.administrator), !found.administrator),
    ]
}

fn mechanisms() -> Vec<Mechanism> {
    let mechanism = |name, tried: io::Result<()>| Mechanism {
        name,
        present: tried.is_ok(),
        detail: tried.map_or_else(|error| error.to_string(), |()| "it can be made".to_owned()),
    };
    let plan = job_plan::plan(Level::WorkspaceWrite, &Limits::default());
    vec![
        mechanism("job object", Job::new(&plan).map(drop)),
        mechanism("restricted token", token::restricted(&TOKEN).map(drop)),
        mechanism("private desktop", Desktop::new().map(drop)),
    ]
}

fn is_in_a_job() -> io::Result<bool> {
    let mut found = 0;
    // SAFETY: this process, no job for "any job", and a writable place.
    check(unsafe { IsProcessInJob(GetCurrentProcess(), std::ptr::null_mut(), &raw mut found) })?;
    Ok(found != 0)
}

/// Starts this very program outside its job, suspended, and ends it at once.
fn can_leave_its_job() -> bool {
    let start = || -> io::Result<()> {
        let program = std::env::current_exe()?;
        let program = wide(program.to_str().ok_or(io::ErrorKind::InvalidInput)?)?;
        let startup = STARTUPINFOW { cb: size_of_u32::<STARTUPINFOW>(), ..STARTUPINFOW::default() };
        let mut made = PROCESS_INFORMATION::default();
        let nothing = std::ptr::null();
        // SAFETY: a valid name; the start-up information is of the size it says, and the last place is writable.
        check(unsafe {
            CreateProcessW(
                program.as_ptr(),
                std::ptr::null_mut(),
                nothing,
                nothing,
                0,
                CREATE_BREAKAWAY_FROM_JOB | CREATE_SUSPENDED,
                std::ptr::null(),
                std::ptr::null(),
                &raw const startup,
                &raw mut made,
            )
        })?;
        // SAFETY: the call just made both for us; the process has run nothing.
        unsafe {
            TerminateProcess(made.hProcess, 0);
            owned(made.hProcess)?;
            owned(made.hThread)?;
        }
        Ok(())
    };
    start().is_ok()
}
