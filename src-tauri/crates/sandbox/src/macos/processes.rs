//! The process table, by `libproc`.

use super::family::Seen;
use std::ffi::{c_int, c_void};

/// Every process that can be looked at.
pub fn look() -> Vec<Seen> {
    all_ids().into_iter().filter_map(look_at).collect()
}

/// What one process uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Memory that counts against it, bytes.
    pub memory_bytes: u64,
    /// Its threads.
    pub threads: u32,
}

/// What a process uses; nothing where it is gone.
pub fn usage(pid: c_int) -> Usage {
    // SAFETY: all-zero is a valid value of this structure.
    let mut resources: libc::rusage_info_v0 = unsafe { std::mem::zeroed() };
    let place = (&raw mut resources).cast::<libc::rusage_info_t>();
    // SAFETY: the place is of the kind that the version names.
    let memory_bytes = match unsafe { libc::proc_pid_rusage(pid, libc::RUSAGE_INFO_V0, place) } {
        0 => resources.ri_phys_footprint,
        _ => 0,
    };
    let task: Option<libc::proc_taskinfo> = information(pid, libc::PROC_PIDTASKINFO);
    let threads = task.and_then(|task| u32::try_from(task.pti_threadnum).ok()).unwrap_or(0);
    Usage { memory_bytes, threads: threads.max(1) }
}

fn all_ids() -> Vec<c_int> {
    /// Room for those that start in between.
    const SPARE: usize = 64;
    // SAFETY: without a buffer the call gives a number of processes.
    let count = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    let mut ids = vec![0; usize::try_from(count).unwrap_or(0).saturating_add(SPARE)];
    let bytes = c_int::try_from(ids.len().saturating_mul(size_of::<c_int>())).unwrap_or(c_int::MAX);
    // SAFETY: the buffer is writable and as long as said.
    let found = unsafe { libc::proc_listallpids(ids.as_mut_ptr().cast(), bytes) };
    ids.truncate(usize::try_from(found).unwrap_or(0));
    ids
}

fn look_at(pid: c_int) -> Option<Seen> {
    /// `PROC_PIDUNIQIDENTIFIERINFO` (XNU, `bsd/sys/proc_info_private.h`).
    const NUMBERS: c_int = 17;
    /// `SZOMB` (`sys/proc.h`).
    const ENDED: u32 = 5;
    let numbers: Numbers = information(pid, NUMBERS)?;
    let short: libc::proc_bsdshortinfo = information(pid, libc::PROC_PIDT_SHORTBSDINFO)?;
    // SAFETY: takes a number.
    let session = unsafe { libc::getsid(pid) };
    Some(Seen {
        pid,
        number: numbers.unique,
        starter: numbers.parent,
        session,
        ended: short.pbsi_status == ENDED,
    })
}

/// `struct proc_uniqidentifierinfo`, 56 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
struct Numbers {
    image: [u8; 16],
    unique: u64,
    parent: u64,
    version: i32,
    parent_version: i32,
    reserved: [u64; 2],
}

/// A kind of information that is a plain structure of numbers.
fn information<T>(pid: c_int, kind: c_int) -> Option<T> {
    let mut found = std::mem::MaybeUninit::<T>::zeroed();
    let bytes = c_int::try_from(size_of::<T>()).ok()?;
    let place: *mut c_void = found.as_mut_ptr().cast();
    // SAFETY: the place is writable and as long as said.
    let filled = unsafe { libc::proc_pidinfo(pid, kind, 0, place, bytes) };
    // SAFETY: the call filled it whole; the structures asked for here hold numbers only.
    (filled == bytes).then(|| unsafe { found.assume_init() })
}
