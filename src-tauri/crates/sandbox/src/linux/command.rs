//! Starting the command itself: the last steps, in a process of its own.

use super::{SetupError, filter, privileges, rules, sys};
use crate::unix::exec::{self, Prepared};
use crate::wire::Order;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;

/// What is applied right before the program.
#[derive(Debug)]
pub enum Setting<'a> {
    /// Nothing.
    Open,
    /// Landlock and seccomp.
    Confined {
        /// Where reading is possible.
        readable: &'a [PathBuf],
        /// Where writing is possible.
        writable: &'a [PathBuf],
        /// Whether internet sockets may talk over the private loopback.
        loopback: bool,
        /// Whether processes are counted in a user namespace of their own.
        own_users: bool,
    },
}

/// A command that runs.
#[derive(Debug)]
pub struct Started {
    /// Its process id, as this process sees it.
    pub pid: libc::pid_t,
    /// Where it asks the supervisor; `None` where refusals can't be reported.
    pub questions: Option<OwnedFd>,
}

/// Why the program itself did not start, or the last steps failed.
const STEP_SETUP: u8 = b's';
const STEP_START: u8 = b'x';
const STEP_READY: u8 = b'r';

/// Starts the command. Comes back once the program runs, or with what prevented it.
pub fn start(order: &Order, setting: &Setting<'_>) -> Result<Started, SetupError> {
    let prepared = Prepared::new(&order.command)?;
    let (read, write) = sys::pipe().map_err(SetupError::because("make a pipe"))?;
    // The table of descriptors is shared until the filter stands, so that its listener is in ours.
    let shared = libc::CLONE_FILES;
    match sys::fork_with(shared).map_err(SetupError::because("start a process"))? {
        None => become_command(order, setting, &prepared, write),
        Some(pid) => follow(pid, read, write),
    }
}

/// The new process: never comes back.
fn become_command(order: &Order, setting: &Setting<'_>, prepared: &Prepared, report: OwnedFd) -> ! {
    let mut report = std::fs::File::from(report);
    let (step, text) = match set_up(order, setting, &mut report) {
        Err(error) => (STEP_SETUP, error.to_string()),
        Ok(()) => (STEP_START, prepared.execute().to_string()),
    };
    // If even this can't be told, the missing start is.
    let _untold = report.write_all(&[&[step], text.as_bytes()].concat());
    sys::exit(126)
}

fn set_up(order: &Order, setting: &Setting<'_>, report: &mut std::fs::File) -> Result<(), SetupError> {
    let limits = &order.command.limits;
    privileges::become_session_leader()?;
    let listener = match setting {
        Setting::Open => {
            privileges::limit_resources(limits, false).map_err(SetupError::because("set limits"))?;
            sys::process_control(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
                .map_err(SetupError::because("tie the command to its supervisor"))?;
            None
        }
        Setting::Confined { readable, writable, loopback, own_users } => {
            privileges::limit_resources(limits, *own_users).map_err(SetupError::because("set limits"))?;
            rules::apply(readable, writable, *loopback)?;
            filter::apply(filter::Network { internet: *loopback })
                .map_err(SetupError::because("apply the system call filter"))?
        }
    };
    let listener_number = listener.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    // Stays open in the shared table; closes itself when the program starts.
    std::mem::forget(listener);
    // SAFETY: plain numbers. From here on the table of descriptors is this process's own.
    sys::check(libc::c_long::from(unsafe { libc::unshare(libc::CLONE_FILES) }))
        .map_err(SetupError::because("separate the descriptors"))?;
    let ready = [&[STEP_READY][..], &listener_number.to_ne_bytes()].concat();
    report.write_all(&ready).map_err(SetupError::because("report to the supervisor"))?;
    std::env::set_current_dir(&order.command.cwd).map_err(SetupError::at(&order.command.cwd))?;
    close_the_rest().map_err(SetupError::because("close inherited descriptors"))?;
    exec::plain_signals().map_err(SetupError::because("reset signals"))
}

/// Everything beyond the three standard streams closes when the program starts.
fn close_the_rest() -> io::Result<()> {
    // SAFETY: plain numbers.
    sys::check(unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    })
    .map(drop)
}

/// The supervisor's side of the start.
fn follow(pid: libc::pid_t, read: OwnedFd, write: OwnedFd) -> Result<Started, SetupError> {
    let mut reports = std::fs::File::from(read);
    let mut step = [0; 1];
    let told = reports.read_exact(&mut step);
    drop(write);
    told.map_err(SetupError::because("hear from the command's process"))?;
    let rest = |mut reports: std::fs::File| {
        let mut text = String::new();
        match reports.read_to_string(&mut text) {
            Ok(_) => text,
            Err(error) => error.to_string(),
        }
    };
    if step != [STEP_READY] {
        return Err(SetupError::Refused(rest(reports)));
    }
    let mut number = [0; 4];
    reports.read_exact(&mut number).map_err(SetupError::because("hear from the command's process"))?;
    let number = libc::c_int::from_ne_bytes(number);
    // SAFETY: the child made this descriptor in the shared table and forgot it; it is ours alone since.
    let questions = (number >= 0).then(|| unsafe { OwnedFd::from_raw_fd(number) });
    // Silence means that the program replaced the process.
    let text = rest(reports);
    match text.as_bytes().split_first() {
        None => Ok(Started { pid, questions }),
        Some((&STEP_START, why)) => Err(SetupError::Program(String::from_utf8_lossy(why).into_owned())),
        Some((_, why)) => Err(SetupError::Refused(String::from_utf8_lossy(why).into_owned())),
    }
}
