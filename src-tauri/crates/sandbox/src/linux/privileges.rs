//! Giving up what a command must not have.

use super::{SetupError, sys};
use crate::command::Limits;
use std::io;

/// A session of its own: no controlling terminal, a process group that is nobody else's.
pub fn become_session_leader() -> Result<(), SetupError> {
    // SAFETY: takes nothing.
    match sys::check(libc::c_long::from(unsafe { libc::setsid() })) {
        Ok(_) => Ok(()),
        // Already the leader.
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => Ok(()),
        Err(error) => Err(SetupError::Step { what: "start a session of its own", error }),
    }
}

/// Drops every capability from every set, for good, and hides this process's memory from its children.
pub fn drop_all() -> Result<(), SetupError> {
    let drop_them = || {
        for capability in 0..64 {
            // The kernel ends the list of those it knows by refusing.
            if sys::process_control(libc::PR_CAPBSET_DROP, capability).is_err() {
                break;
            }
        }
        sys::process_control(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as libc::c_ulong)?;
        let header = CapabilityHeader { version: 0x2008_0522, pid: 0 };
        let none = [CapabilitySet::default(); 2];
        // SAFETY: version 3 takes one header and two sets.
        sys::check(unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) })?;
        sys::process_control(libc::PR_SET_NO_NEW_PRIVS, 1)?;
        sys::process_control(libc::PR_SET_DUMPABLE, 0)
    };
    drop_them().map_err(SetupError::because("drop all capabilities"))
}

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: libc::c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapabilitySet {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Resource limits that the kernel counts by itself.
pub fn limit_resources(limits: &Limits, own_user_namespace: bool) -> io::Result<()> {
    // One byte is no core at all; none would still let one go to a collector of the system's, outside (`core(5)`).
    set_limit(libc::RLIMIT_CORE, 1)?;
    if let Some(bytes) = limits.file_bytes {
        set_limit(libc::RLIMIT_FSIZE, bytes)?;
    }
    // Counted per user: only in a user namespace of our own it isn't the person's other programs too.
    if let Some(processes) = limits.processes.filter(|_| own_user_namespace) {
        set_limit(libc::RLIMIT_NPROC, u64::from(processes))?;
    }
    Ok(())
}

fn set_limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is writable.
    sys::check(libc::c_long::from(unsafe { libc::getrlimit(resource, &raw mut limit) }))?;
    // Never above what we were given.
    limit.rlim_max = limit.rlim_max.min(most);
    limit.rlim_cur = limit.rlim_cur.min(most);
    // SAFETY: `limit` is a valid structure.
    sys::check(libc::c_long::from(unsafe { libc::setrlimit(resource, &raw const limit) })).map(drop)
}
