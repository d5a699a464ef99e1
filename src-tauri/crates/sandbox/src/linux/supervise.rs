//! Watching a command until it and everything it started are gone.

use super::command::Started;
use super::masks::Masks;
use super::network::Channel;
use super::notify::Questions;
use super::{SetupError, sys, usage};
use crate::command::Limits;
use crate::outcome::{EndReason, Outcome, Refusal};
use crate::report::Strength;
use crate::wire::{self, Message, Order};
use std::collections::HashSet;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How the tree hangs together, which decides how it is counted and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tree {
    /// All processes of this process namespace; it ends with this process.
    Namespace,
    /// Everything that descends from this process, orphans included.
    Descendants,
}

/// How often use is summed up, and orphans are collected.
const TICK: Duration = Duration::from_millis(200);

/// How long ending a tree by descent may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The free space that is never used up, bytes.
const LEAST_FREE: u64 = 256 << 20;

/// Makes orphans of the tree children of this process, so that none gets away.
pub fn adopt_orphans() -> Result<(), SetupError> {
    sys::process_control(libc::PR_SET_CHILD_SUBREAPER, 1)
        .map_err(SetupError::because("become the tree's reaper"))
}

/// What is listened to beside the command itself.
#[derive(Debug, Default)]
pub struct Heard {
    /// The caller's wishes for connections.
    pub channel: Option<Channel>,
    /// What is hidden.
    pub masks: Option<Masks>,
}

/// Watches until the command ends by itself or must be ended; nothing of the tree is left afterwards
/// (in a namespace: once this process ends).
pub fn watch(
    order: &Order,
    control: &UnixStream,
    started: Started,
    tree: Tree,
    strength: Strength,
    heard: &mut Heard,
) -> Outcome {
    // The caller hears of a start; if it is gone, the leash says so below.
    let _caller_gone = wire::send(control, &Message::Running(strength));
    let outcome = Watch::new(order, control, started, tree, heard).until_end();
    match tree {
        Tree::Namespace => {}
        Tree::Descendants => end_descendants(),
    }
    outcome
}

struct Watch<'a> {
    limits: Limits,
    workspace: &'a Path,
    control: &'a UnixStream,
    pid: libc::pid_t,
    handle: Option<OwnedFd>,
    questions: Option<Questions>,
    heard: &'a mut Heard,
    tree: Tree,
    since: Instant,
    free_at_start: Option<u64>,
}

impl<'a> Watch<'a> {
    fn new(
        order: &'a Order,
        control: &'a UnixStream,
        started: Started,
        tree: Tree,
        heard: &'a mut Heard,
    ) -> Self {
        let workspace = &order.confinement.workspace;
        Self {
            limits: order.command.limits,
            workspace,
            control,
            pid: started.pid,
            handle: handle_of(started.pid),
            questions: started.questions.map(|questions| Questions::new(questions, &order.confinement)),
            heard,
            tree,
            since: Instant::now(),
            free_at_start: free_bytes(workspace),
        }
    }

    fn until_end(mut self) -> Outcome {
        let mut next_tick = self.since + TICK;
        loop {
            let ready = self.wait(next_tick);
            if let Some(questions) = self.questions.as_mut().filter(|_| ready.question) {
                let refusals = questions.answer();
                self.tell(refusals);
            }
            if ready.mask {
                self.tell_opened();
            }
            if ready.no_more_questions {
                self.questions = None;
            }
            if ready.dial && self.heard.channel.as_ref().is_some_and(|channel| channel.answer().is_err()) {
                self.heard.channel = None;
            }
            // Before orphans are collected: they count, too.
            if Instant::now() >= next_tick {
                if let Some(reason) = self.beyond_limits() {
                    return Outcome::Stopped(reason);
                }
                next_tick = Instant::now() + TICK;
            }
            if let Some(outcome) = self.collect() {
                self.tell_opened();
                return outcome;
            }
            if ready.leash && self.leash_is_cut() {
                return Outcome::Stopped(EndReason::Asked);
            }
            if self.limits.time_ms.is_some_and(|limit| self.since.elapsed() >= Duration::from_millis(limit)) {
                return Outcome::Stopped(EndReason::Time);
            }
        }
    }

    fn tell(&self, refusals: Vec<Refusal>) {
        for refusal in refusals {
            let _caller_gone = wire::send(self.control, &Message::Refused(refusal));
        }
    }

    fn tell_opened(&mut self) {
        let opened = self.heard.masks.as_mut().map(Masks::opened).unwrap_or_default();
        self.tell(opened);
    }

    fn wait(&self, until: Instant) -> Ready {
        let watched =
            |fd: Option<RawFd>| libc::pollfd { fd: fd.unwrap_or(-1), events: libc::POLLIN, revents: 0 };
        let mut polled = [
            watched(self.handle.as_ref().map(AsRawFd::as_raw_fd)),
            watched(Some(self.control.as_raw_fd())),
            watched(self.questions.as_ref().map(AsRawFd::as_raw_fd)),
            watched(self.heard.channel.as_ref().map(AsRawFd::as_raw_fd)),
            watched(self.heard.masks.as_ref().map(AsRawFd::as_raw_fd)),
        ];
        let time_left = self
            .limits
            .time_ms
            .map(|limit| Duration::from_millis(limit).saturating_sub(self.since.elapsed()));
        let wait = until.saturating_duration_since(Instant::now());
        let wait = time_left.map_or(wait, |left| wait.min(left)).as_millis().saturating_add(1);
        // SAFETY: the list is writable and its length is given. An interruption only shortens the wait.
        unsafe {
            libc::poll(polled.as_mut_ptr(), 5, libc::c_int::try_from(wait).unwrap_or(libc::c_int::MAX))
        };
        let [_, leash, question, dial, mask] = polled.map(|polled| polled.revents);
        // The filter's channel hangs up when nobody is left under the filter.
        let no_more_questions = question & libc::POLLHUP != 0;
        Ready {
            leash: leash != 0,
            question: question & libc::POLLIN != 0,
            no_more_questions,
            dial: dial != 0,
            mask: mask != 0,
        }
    }

    /// Collects what ended; the command's own end is the outcome. Orphans are looked for at every tick.
    fn collect(&self) -> Option<Outcome> {
        loop {
            let mut status = 0;
            // SAFETY: `status` is writable.
            let pid = unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) };
            if pid <= 0 {
                return None;
            }
            if pid == self.pid {
                return Some(if libc::WIFSIGNALED(status) {
                    Outcome::Signalled(libc::WTERMSIG(status))
                } else {
                    Outcome::Exited(libc::WEXITSTATUS(status))
                });
            }
        }
    }

    fn leash_is_cut(&self) -> bool {
        // The caller has nothing to say after the order: a byte is as wrong as the end.
        let mut byte = [0; 1];
        match (&mut &*self.control).read_exact(&mut byte) {
            Ok(()) => true,
            Err(error) => error.kind() != io::ErrorKind::Interrupted,
        }
    }

    fn beyond_limits(&self) -> Option<EndReason> {
        // SAFETY: takes nothing.
        let own = unsafe { libc::getpid() };
        let used = match self.tree {
            Tree::Namespace => usage::of_namespace(own),
            Tree::Descendants => usage::of_descendants(own),
        };
        if self.limits.memory_bytes.is_some_and(|limit| used.memory_bytes > limit) {
            return Some(EndReason::Memory);
        }
        // The kernel's own bounds, where it has them, stop just there: a tree that fills them is out of hand.
        if self.limits.processes.is_some_and(|limit| used.processes >= limit.saturating_sub(limit / 8)) {
            return Some(EndReason::Processes);
        }
        let limit = self.limits.disk_bytes?;
        let (before, free) = (self.free_at_start?, free_bytes(self.workspace)?);
        let used_up = before > LEAST_FREE && free < LEAST_FREE;
        (before.saturating_sub(free) > limit || used_up).then_some(EndReason::Disk)
    }
}

struct Ready {
    leash: bool,
    question: bool,
    no_more_questions: bool,
    dial: bool,
    mask: bool,
}

/// A descriptor that is readable once the process ended.
fn handle_of(pid: libc::pid_t) -> Option<OwnedFd> {
    // SAFETY: plain numbers.
    let raw = sys::check(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) }).ok()?;
    let raw = RawFd::try_from(raw).ok()?;
    // SAFETY: the kernel just made this descriptor for us.
    Some(unsafe { OwnedFd::from_raw_fd(raw) })
}

fn free_bytes(path: &Path) -> Option<u64> {
    let path = std::ffi::CString::new(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str())).ok()?;
    // SAFETY: all-zero is a valid value of this structure.
    let mut status: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: a valid C string; `status` is writable.
    sys::check(libc::c_long::from(unsafe { libc::statvfs(path.as_ptr(), &raw mut status) })).ok()?;
    Some(status.f_bavail.saturating_mul(status.f_frsize))
}

/// Ends everything below this process. All are stopped before any is killed: what can't run can't fork any more, and
/// one look that finds nobody new has found them all.
fn end_descendants() {
    // SAFETY: takes nothing.
    let own = unsafe { libc::getpid() };
    let since = Instant::now();
    let send = |pid: libc::pid_t, signal: libc::c_int| {
        // SAFETY: plain numbers. One that is gone already is no error.
        unsafe { libc::kill(pid, signal) };
    };
    while since.elapsed() < PATIENCE && collect_ended() {
        let mut stopped = HashSet::new();
        loop {
            let found = usage::descendants(own);
            let fresh: Vec<_> = found.iter().filter(|process| stopped.insert(process.pid)).collect();
            fresh.iter().for_each(|process| send(process.pid, libc::SIGSTOP));
            if fresh.is_empty() || since.elapsed() >= PATIENCE {
                break;
            }
        }
        stopped.iter().for_each(|pid| send(*pid, libc::SIGKILL));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Collects what ended; whether any child, adopted ones included, is left.
fn collect_ended() -> bool {
    loop {
        let mut status = 0;
        // SAFETY: `status` is writable.
        match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) } {
            -1 => return false,
            0 => return true,
            _ => {}
        }
    }
}
