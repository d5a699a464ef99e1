//! Starting the command itself: the last steps, in a process of its own.

use super::{SetupError, filter, privileges, rules, sys};
use crate::unix::exec::{self, Prepared};
use crate::wire::Order;
use std::io;
use std::os::fd::OwnedFd;
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
        /// Whether no namespace holds behind Landlock: without it nothing may start.
        alone: bool,
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

/// Starts the command. Comes back once the program runs, or with what prevented it.
pub fn start(order: &Order, setting: &Setting<'_>) -> Result<Started, SetupError> {
    let mut last_steps =
        LastSteps { order, setting, prepared: Prepared::new(&order.command)?, questions: None, failed: None };
    let pid =
        sys::run_beside(&mut last_steps, LastSteps::take).map_err(SetupError::because("start a process"))?;
    match last_steps.failed {
        None => Ok(Started { pid, questions: last_steps.questions }),
        Some(error) => Err(error),
    }
}

/// What the new process does in the memory of the one that started it.
struct LastSteps<'a> {
    order: &'a Order,
    setting: &'a Setting<'a>,
    prepared: Prepared,
    questions: Option<OwnedFd>,
    failed: Option<SetupError>,
}

impl LastSteps<'_> {
    /// Comes back only where the program did not start.
    fn take(&mut self) {
        self.failed = Some(match self.set_up() {
            Err(error) => error,
            Ok(()) => SetupError::Program(self.prepared.execute()),
        });
    }

    fn set_up(&mut self) -> Result<(), SetupError> {
        let limits = &self.order.command.limits;
        privileges::become_session_leader()?;
        match self.setting {
            Setting::Open => {
                privileges::limit_resources(limits, false).map_err(SetupError::because("set limits"))?;
                sys::process_control(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
                    .map_err(SetupError::because("tie the command to its supervisor"))?;
            }
            Setting::Confined { readable, writable, loopback, own_users, alone } => {
                privileges::limit_resources(limits, *own_users).map_err(SetupError::because("set limits"))?;
                if !rules::apply(readable, writable, *loopback)? && *alone {
                    return Err(SetupError::Rules("this kernel has none, or they are off".to_owned()));
                }
                // The table of descriptors is shared, so that the listener is the supervisor's.
                self.questions = filter::apply(filter::Network { internet: *loopback })
                    .map_err(SetupError::because("apply the system call filter"))?;
            }
        }
        let cwd = &self.order.command.cwd;
        std::env::set_current_dir(cwd).map_err(SetupError::at(cwd))?;
        close_the_rest().map_err(SetupError::because("close inherited descriptors"))?;
        exec::plain_signals().map_err(SetupError::because("reset signals"))
    }
}

/// Everything beyond the three standard streams closes when the program starts, in its own copy of the table.
fn close_the_rest() -> io::Result<()> {
    // SAFETY: plain numbers.
    sys::check(unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    })
    .map(drop)
}
