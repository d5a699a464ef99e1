//! Starting the command itself: the last steps, in a process of its own.

use super::seatbelt;
use crate::command::Limits;
use crate::setup_error::SetupError;
use crate::unix::exec::{self, Prepared};
use crate::wire::Order;
use std::ffi::CStr;
use std::io::{self, Read, Write};

/// Why the program itself did not start, or a step before it failed.
const STEP_SETUP: u8 = b's';
const STEP_RULES: u8 = b'r';
const STEP_START: u8 = b'x';

/// Starts the command, under a profile if there is one. Comes back once the program runs, or with what prevented it.
pub fn start(order: &Order, profile: Option<&str>) -> Result<libc::pid_t, SetupError> {
    let prepared = Prepared::new(&order.command)?;
    let profile = profile.map(seatbelt::prepare).transpose()?;
    let (mut reports, report) = io::pipe().map_err(SetupError::because("make a pipe"))?;
    // SAFETY: this process has one thread, so the child may use everything.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(SetupError::Step { what: "start a process", error: io::Error::last_os_error() });
    }
    if pid == 0 {
        become_command(order, profile.as_deref(), &prepared, report);
    }
    drop(report);
    let mut text = Vec::new();
    reports.read_to_end(&mut text).map_err(SetupError::because("hear from the command's process"))?;
    // Silence means that the program replaced the process.
    let Some((step, why)) = text.split_first() else { return Ok(pid) };
    let mut status = 0;
    // SAFETY: `status` is writable; the child is about to end.
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    let why = String::from_utf8_lossy(why).into_owned();
    Err(match *step {
        STEP_START => SetupError::Program(why),
        STEP_RULES => SetupError::Rules(why),
        _ => SetupError::Refused(why),
    })
}

/// The new process: never comes back.
fn become_command(order: &Order, profile: Option<&CStr>, prepared: &Prepared, report: io::PipeWriter) -> ! {
    let mut report = report;
    let (step, text) = match set_up(order, profile) {
        Ok(()) => (STEP_START, prepared.execute()),
        Err(SetupError::Rules(why)) => (STEP_RULES, why),
        Err(error) => (STEP_SETUP, error.to_string()),
    };
    // If even this can't be told, the missing start is.
    let _untold = report.write_all(&[&[step], text.as_bytes()].concat());
    // SAFETY: takes a number, never returns.
    unsafe { libc::_exit(126) }
}

fn set_up(order: &Order, profile: Option<&CStr>) -> Result<(), SetupError> {
    // SAFETY: takes nothing.
    if unsafe { libc::setsid() } < 0 {
        let error = io::Error::last_os_error();
        return Err(SetupError::Step { what: "start a session of its own", error });
    }
    limit_resources(&order.command.limits).map_err(SetupError::because("set limits"))?;
    std::env::set_current_dir(&order.command.cwd).map_err(SetupError::at(&order.command.cwd))?;
    close_the_rest().map_err(SetupError::because("close inherited descriptors"))?;
    exec::plain_signals().map_err(SetupError::because("reset signals"))?;
    profile.map_or(Ok(()), seatbelt::apply)
}

/// What the kernel counts by itself. Processes it counts per person, not per tree, and memory not at all: those the
/// supervisor sums up.
fn limit_resources(limits: &Limits) -> io::Result<()> {
    let set = |resource, most: u64| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: `limit` is writable.
        if unsafe { libc::getrlimit(resource, &raw mut limit) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // Never above what we were given.
        limit.rlim_max = limit.rlim_max.min(most);
        limit.rlim_cur = limit.rlim_cur.min(most);
        // SAFETY: `limit` is a valid structure.
        if unsafe { libc::setrlimit(resource, &raw const limit) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    };
    set(libc::RLIMIT_CORE, 0)?;
    limits.file_bytes.map_or(Ok(()), |bytes| set(libc::RLIMIT_FSIZE, bytes))
}

/// Everything beyond the three standard streams closes when the program starts.
fn close_the_rest() -> io::Result<()> {
    let open: Vec<libc::c_int> = std::fs::read_dir("/dev/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in open {
        // SAFETY: plain numbers. The one that listed the others is closed by now, which is no error.
        unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    Ok(())
}
