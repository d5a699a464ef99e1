//! Namespaces of our own: users, mounts, processes, network, IPC, host name, cgroups.

use super::{SetupError, sys};
use std::io;
use std::os::fd::AsRawFd;

/// What the init has around it.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    /// Whether there is a user namespace of our own.
    pub user: bool,
}

/// How the init ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It told the caller how the command ended.
    Told,
    /// The namespaces could not be furnished; nothing ran, and the caller knows nothing yet.
    NotSetUp,
}

const NOT_SET_UP: libc::c_int = 3;

const NAMESPACES: libc::c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Runs `init` as process 1 of new namespaces and waits for its end, with which all of them end.
///
/// A user namespace is tried first, also as root: it leaves no capability over anything outside. Where the system
/// forbids it, root can do without.
pub fn run_inside(init: impl FnOnce(Inside) -> End) -> Result<End, SetupError> {
    let mut inside = Inside { user: true };
    // SAFETY: takes nothing.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let mut child = sys::fork_with(NAMESPACES | libc::CLONE_NEWUSER);
    if child.is_err() && user == 0 {
        inside.user = false;
        child = sys::fork_with(NAMESPACES);
    }
    match child.map_err(SetupError::because("make namespaces"))? {
        Some(pid) => wait_for(pid).map_err(SetupError::because("wait for the sandbox's init")),
        None => {
            let ready = sys::process_control(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
                .and_then(|()| if inside.user { map_user(user, group) } else { Ok(()) });
            sys::exit(match ready.map(|()| init(inside)) {
                Ok(End::Told) => 0,
                Ok(End::NotSetUp) | Err(_) => NOT_SET_UP,
            })
        }
    }
}

fn wait_for(pid: libc::pid_t) -> io::Result<End> {
    loop {
        let mut status = 0;
        // SAFETY: `status` is writable.
        match sys::check(libc::c_long::from(unsafe { libc::waitpid(pid, &raw mut status, 0) })) {
            Ok(_) if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == NOT_SET_UP => {
                return Ok(End::NotSetUp);
            }
            Ok(_) => return Ok(End::Told),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Keeps the caller's own ids, and no other (`user_namespaces(7)`).
fn map_user(user: libc::uid_t, group: libc::gid_t) -> io::Result<()> {
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1\n"))?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1\n"))
}

/// Brings up the loopback device of this network namespace.
pub fn raise_loopback() -> Result<(), SetupError> {
    let raise = || {
        // SAFETY: plain numbers.
        let raw = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
        sys::check(libc::c_long::from(raw))?;
        // SAFETY: the kernel just made this descriptor for us.
        let socket = unsafe { <std::os::fd::OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(raw) };
        // SAFETY: all-zero is a valid value of this structure.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (place, byte) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
            *place = byte.cast_signed() as libc::c_char;
        }
        request.ifr_ifru.ifru_flags =
            libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).map_err(io::Error::other)?;
        // SAFETY: the request is a valid structure of the kind this call takes.
        sys::check(libc::c_long::from(unsafe {
            libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)
        }))
    };
    raise().map(drop).map_err(SetupError::because("bring up the private loopback device"))
}
