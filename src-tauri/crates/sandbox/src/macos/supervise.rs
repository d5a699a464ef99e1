//! Watching a command until it and everything it started are gone.

use super::family::Family;
use super::processes;
use crate::command::Limits;
use crate::outcome::{EndReason, Outcome};
use crate::report::Strength;
use crate::setup_error::SetupError;
use crate::wire::{self, Message, Order};
use std::collections::HashSet;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often use is summed up.
const TICK: Duration = Duration::from_millis(200);

/// How long ending a tree may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The free space that is never used up, bytes.
const LEAST_FREE: u64 = 256 << 20;

/// Watches until the command ends by itself or must be ended; nothing of the tree is left afterwards.
pub fn watch(
    order: &Order,
    control: &UnixStream,
    pid: libc::pid_t,
    strength: Strength,
) -> Result<Outcome, SetupError> {
    // The caller hears of a start; if it is gone, the leash says so below.
    let _caller_gone = wire::send(control, &Message::Running(strength));
    let mut tree = Tree { family: Family::of(pid), followed: HashSet::new() };
    let ended = Watch::new(order, pid, control).and_then(|watch| watch.until_end(&mut tree));
    tree.end();
    let own = collect(pid);
    match ended {
        Ok(Some(reason)) => Ok(Outcome::Stopped(reason)),
        Ok(None) => Ok(own),
        Err(error) => Err(SetupError::Step { what: "watch the command", error }),
    }
}

struct Watch<'a> {
    limits: Limits,
    workspace: &'a Path,
    pid: libc::pid_t,
    leash: usize,
    queue: Queue,
    since: Instant,
    free_at_start: Option<u64>,
}

impl<'a> Watch<'a> {
    fn new(order: &'a Order, pid: libc::pid_t, control: &UnixStream) -> io::Result<Self> {
        let queue = Queue::new()?;
        let leash = usize::try_from(control.as_raw_fd()).map_err(io::Error::other)?;
        queue.add(leash, libc::EVFILT_READ, 0)?;
        let workspace = order.confinement.workspace.as_path();
        Ok(Self {
            limits: order.command.limits,
            workspace,
            pid,
            leash,
            queue,
            since: Instant::now(),
            free_at_start: free_bytes(workspace),
        })
    }

    /// `None` where the command ended by itself.
    fn until_end(&self, tree: &mut Tree) -> io::Result<Option<EndReason>> {
        let mut next_tick = self.since;
        loop {
            for pid in tree.newly_followed() {
                // One that is gone already is found in the next look.
                let _gone = self.queue.follow(pid);
            }
            if has_ended(self.pid) {
                return Ok(None);
            }
            if Instant::now() >= next_tick {
                if let Some(reason) = self.beyond_limits(tree) {
                    return Ok(Some(reason));
                }
                next_tick = Instant::now() + TICK;
            }
            let left = self
                .limits
                .time_ms
                .map(|limit| Duration::from_millis(limit).saturating_sub(self.since.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Some(EndReason::Time));
            }
            let wait = next_tick.saturating_duration_since(Instant::now());
            let event = self.queue.wait(left.map_or(wait, |left| wait.min(left)))?;
            // The caller has nothing to say after the order: a byte is as wrong as the end.
            if event == Some((self.leash, libc::EVFILT_READ)) {
                return Ok(Some(EndReason::Asked));
            }
        }
    }

    fn beyond_limits(&self, tree: &mut Tree) -> Option<EndReason> {
        let (mut memory, mut threads) = (0_u64, 0_u32);
        for process in tree.family.living(&processes::look()) {
            let used = processes::usage(process.pid);
            memory = memory.saturating_add(used.memory_bytes);
            threads = threads.saturating_add(used.threads);
        }
        if self.limits.memory_bytes.is_some_and(|limit| memory > limit) {
            return Some(EndReason::Memory);
        }
        if self.limits.processes.is_some_and(|limit| threads > limit) {
            return Some(EndReason::Processes);
        }
        let limit = self.limits.disk_bytes?;
        let (before, free) = (self.free_at_start?, free_bytes(self.workspace)?);
        let used_up = before > LEAST_FREE && free < LEAST_FREE;
        (before.saturating_sub(free) > limit || used_up).then_some(EndReason::Disk)
    }
}

/// The command's tree, and whose starts the kernel tells of.
struct Tree {
    family: Family,
    followed: HashSet<u64>,
}

impl Tree {
    /// Looks; gives those that were not followed before.
    fn newly_followed(&mut self) -> Vec<libc::pid_t> {
        let living = self.family.living(&processes::look());
        living.iter().filter(|seen| self.followed.insert(seen.number)).map(|seen| seen.pid).collect()
    }

    /// Ends everybody in it. All are stopped before any is killed: what can't run can't start anything any more, and
    /// one look that finds nobody new has found them all.
    fn end(&mut self) {
        let since = Instant::now();
        loop {
            let mut stopped = HashSet::new();
            let living = loop {
                let living = self.family.living(&processes::look());
                let fresh: Vec<_> = living.iter().filter(|seen| stopped.insert(seen.number)).collect();
                fresh.iter().for_each(|seen| signal(seen.pid, libc::SIGSTOP));
                if fresh.is_empty() || since.elapsed() >= PATIENCE {
                    break living;
                }
            };
            living.iter().for_each(|seen| signal(seen.pid, libc::SIGKILL));
            if living.is_empty() || since.elapsed() >= PATIENCE {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn signal(pid: libc::pid_t, signal: libc::c_int) {
    // SAFETY: plain numbers. One that is gone already is no error.
    unsafe { libc::kill(pid, signal) };
}

/// Whether the command ended; it is not collected, so that its session's number isn't given again.
fn has_ended(pid: libc::pid_t) -> bool {
    // SAFETY: all-zero is a valid value of this structure.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    let Ok(id) = libc::id_t::try_from(pid) else { return true };
    // SAFETY: `info` is writable. It stays all-zero where nothing ended.
    unsafe { libc::waitid(libc::P_PID, id, &raw mut info, options) != 0 || info.si_pid != 0 }
}

/// Collects the command, which has ended or was ended.
fn collect(pid: libc::pid_t) -> Outcome {
    let mut status = 0;
    loop {
        // SAFETY: `status` is writable.
        if unsafe { libc::waitpid(pid, &raw mut status, 0) } == pid {
            break;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return Outcome::Lost;
        }
    }
    if libc::WIFSIGNALED(status) {
        Outcome::Signalled(libc::WTERMSIG(status))
    } else {
        Outcome::Exited(libc::WEXITSTATUS(status))
    }
}

/// What the kernel tells (`kqueue(2)`).
struct Queue(OwnedFd);

impl Queue {
    fn new() -> io::Result<Self> {
        // SAFETY: takes nothing.
        let raw = unsafe { libc::kqueue() };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel just made this descriptor for us.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(raw) }))
    }

    /// Tells of a process's starts and its end.
    fn follow(&self, pid: libc::pid_t) -> io::Result<()> {
        let pid = usize::try_from(pid).map_err(io::Error::other)?;
        self.add(pid, libc::EVFILT_PROC, libc::NOTE_FORK | libc::NOTE_EXIT)
    }

    fn add(&self, ident: usize, filter: i16, flags: u32) -> io::Result<()> {
        let change = libc::kevent {
            ident,
            filter,
            flags: libc::EV_ADD | libc::EV_CLEAR,
            fflags: flags,
            data: 0,
            udata: std::ptr::null_mut(),
        };
        // SAFETY: one change, no place for events, no waiting.
        let added = unsafe {
            libc::kevent(self.0.as_raw_fd(), &raw const change, 1, std::ptr::null_mut(), 0, std::ptr::null())
        };
        if added < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Waits for one event, at most so long.
    fn wait(&self, at_most: Duration) -> io::Result<Option<(usize, i16)>> {
        let time = libc::timespec {
            tv_sec: libc::time_t::try_from(at_most.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: libc::c_long::from(at_most.subsec_nanos()),
        };
        // SAFETY: all-zero is a valid value of this structure.
        let mut event: libc::kevent = unsafe { std::mem::zeroed() };
        // SAFETY: no changes, one writable place.
        let got = unsafe {
            libc::kevent(self.0.as_raw_fd(), std::ptr::null(), 0, &raw mut event, 1, &raw const time)
        };
        match got {
            0 => Ok(None),
            1.. => Ok(Some((event.ident, event.filter))),
            _ => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(None),
                error => Err(error),
            },
        }
    }
}

fn free_bytes(path: &Path) -> Option<u64> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: all-zero is a valid value of this structure.
    let mut status: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: a valid C string; `status` is writable.
    if unsafe { libc::statfs(path.as_ptr(), &raw mut status) } < 0 {
        return None;
    }
    Some(status.f_bavail.saturating_mul(u64::from(status.f_bsize)))
}
