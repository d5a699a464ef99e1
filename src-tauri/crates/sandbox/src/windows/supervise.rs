//! The helper's work: takes the order, starts the command in its job, and watches until nothing of the tree is left.

use super::desktop::Desktop;
use super::job::{Event, Job};
use super::link::HandedOrder;
use super::process::{Process, Weakened};
use super::sys::{check, wide};
use super::{job_plan, plain_path, token, token_plan};
use crate::command::Limits;
use crate::confinement::Level;
use crate::outcome::{EndReason, Outcome};
use crate::report::Strength;
use crate::setup_error::SetupError;
use crate::wire::{self, Message};
use std::fs::File;
use std::io::{self, Read};
use std::os::windows::io::{AsHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::time::{Duration, Instant};
use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

/// The exit code where the helper could not do its work.
const FAILED: i32 = 126;

/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(200);

/// How long the command may take to end by itself after Ctrl-Break.
const GRACE: Duration = Duration::from_millis(250);

/// How long the system may take to end a job.
const PATIENCE: Duration = Duration::from_secs(5);

/// The free space that is never used up, bytes.
const LEAST_FREE: u64 = 256 << 20;

/// Takes the order from standard input, and carries it out.
pub fn run() -> i32 {
    let (Ok(orders), Ok(messages)) = (own(io::stdin()), own(io::stdout())) else { return FAILED };
    let order = match wire::receive::<HandedOrder>(&orders) {
        Ok(Some(order)) => order,
        // The caller is gone, or is not ours.
        Ok(None) | Err(_) => return FAILED,
    };
    let outcome = carry_out(order, orders, &messages).unwrap_or_else(Outcome::from);
    match wire::send(&messages, &Message::Ended(outcome)) {
        Ok(()) => 0,
        Err(_) => FAILED,
    }
}

fn own(stream: impl AsHandle) -> io::Result<File> {
    stream.as_handle().try_clone_to_owned().map(File::from)
}

fn carry_out(handed: HandedOrder, orders: File, messages: &File) -> Result<Outcome, SetupError> {
    // SAFETY: the caller made both in this process, for this program alone.
    let [output, errors] = [handed.output, handed.errors]
        .map(|number| unsafe { OwnedHandle::from_raw_handle(std::ptr::with_exposed_provenance_mut(number)) });
    let confinement = &handed.order.confinement;
    let weakened = match confinement.level {
        Level::Unsandboxed => None,
        Level::ReadOnly | Level::WorkspaceWrite if confinement.best_effort => Some(weakened()?),
        Level::ReadOnly | Level::WorkspaceWrite => {
            return Err(SetupError::Refused(format!(
                "hold the profile {}: Windows limits a command, it doesn't confine it",
                confinement.level.as_str()
            )));
        }
    };
    let limits = handed.order.command.limits;
    let job = Job::new(&job_plan::plan(confinement.level, &limits))
        .map_err(SetupError::because("make a job object"))?;
    let bell = job.bell().map_err(SetupError::because("listen to the job object"))?;
    let process = Process::start(&handed.order.command, &job, weakened.as_ref(), output, errors)?;
    std::thread::spawn(move || {
        // The caller has nothing to say after the order: a byte is as wrong as the end.
        let _either = (&orders).read(&mut [0]);
        bell.ring();
    });
    // The caller hears of a start; if it is gone, the bell rings.
    let _caller_gone = wire::send(messages, &Message::Running(Strength::None));
    let watch = Watch {
        limits,
        folder: &confinement.workspace,
        since: Instant::now(),
        free_at_start: free_bytes(&confinement.workspace),
    };
    let outcome = watch.until_end(&job, &process).map_err(SetupError::because("watch the job object"));
    end(&job, &process, matches!(outcome, Ok(Outcome::Stopped(_))));
    outcome
}

fn weakened() -> Result<Weakened, SetupError> {
    Ok(Weakened {
        token: token::restricted(&token_plan::TOKEN)
            .map_err(SetupError::because("make a restricted token"))?,
        desktop: Desktop::new().map_err(SetupError::because("make a desktop"))?,
    })
}

struct Watch<'a> {
    limits: Limits,
    folder: &'a Path,
    since: Instant,
    free_at_start: Option<u64>,
}

impl Watch<'_> {
    fn until_end(&self, job: &Job, process: &Process) -> io::Result<Outcome> {
        let mut next_tick = self.since + TICK;
        loop {
            let left = self
                .limits
                .time_ms
                .map(|limit| Duration::from_millis(limit).saturating_sub(self.since.elapsed()));
            let wait = next_tick.saturating_duration_since(Instant::now());
            let reason = match job.wait(left.map_or(wait, |left| wait.min(left)))? {
                Event::Memory => Some(EndReason::Memory),
                Event::Processes => Some(EndReason::Processes),
                Event::Asked => Some(EndReason::Asked),
                Event::Look => None,
            };
            if let Some(code) = process.ended()? {
                return Ok(Outcome::Exited(code));
            }
            if let Some(reason) = reason {
                return Ok(Outcome::Stopped(reason));
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Outcome::Stopped(EndReason::Time));
            }
            if Instant::now() >= next_tick {
                if self.disk_is_used_up() {
                    return Ok(Outcome::Stopped(EndReason::Disk));
                }
                next_tick = Instant::now() + TICK;
            }
        }
    }

    fn disk_is_used_up(&self) -> bool {
        let Some(limit) = self.limits.disk_bytes else { return false };
        let (Some(before), Some(free)) = (self.free_at_start, free_bytes(self.folder)) else { return false };
        before.saturating_sub(free) > limit || (before > LEAST_FREE && free < LEAST_FREE)
    }
}

/// Ends what is left of the tree, and waits until nothing is. Where even that fails, the job ends with this program.
fn end(job: &Job, process: &Process, kindly: bool) {
    let gone_within = |patience: Duration| {
        let since = Instant::now();
        loop {
            match job.alive() {
                Ok(0) | Err(_) => return true,
                Ok(_) if since.elapsed() >= patience => return false,
                // Wakes when a process goes.
                Ok(_) => drop(job.wait(Duration::from_millis(10))),
            }
        }
    };
    if kindly && process.interrupt().is_ok() && gone_within(GRACE) {
        return;
    }
    if job.end().is_ok() {
        gone_within(PATIENCE);
    }
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = wide(&plain_path::plain(folder.to_str()?)).ok()?;
    let mut free = 0;
    // SAFETY: a valid text and a writable place; the other two may be null.
    check(unsafe {
        GetDiskFreeSpaceExW(folder.as_ptr(), &raw mut free, std::ptr::null_mut(), std::ptr::null_mut())
    })
    .ok()?;
    Some(free)
}
