//! Job objects: the tree's bounds and its end.

use super::job_plan::{JobPlan, Reach};
use super::sys::{check, owned, size_of_u32};
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::time::Duration;
use windows_sys::Win32::Foundation::{INVALID_HANDLE_VALUE, WAIT_TIMEOUT};
use windows_sys::Win32::System::IO::{
    CreateIoCompletionPort, GetQueuedCompletionStatus, OVERLAPPED, PostQueuedCompletionStatus,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOB_OBJECT_UILIMIT, JOB_OBJECT_UILIMIT_DESKTOP,
    JOB_OBJECT_UILIMIT_DISPLAYSETTINGS, JOB_OBJECT_UILIMIT_EXITWINDOWS, JOB_OBJECT_UILIMIT_GLOBALATOMS,
    JOB_OBJECT_UILIMIT_HANDLES, JOB_OBJECT_UILIMIT_READCLIPBOARD, JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS,
    JOB_OBJECT_UILIMIT_WRITECLIPBOARD, JOBOBJECT_ASSOCIATE_COMPLETION_PORT,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_BASIC_UI_RESTRICTIONS,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JOBOBJECTINFOCLASS, JobObjectAssociateCompletionPortInformation,
    JobObjectBasicAccountingInformation, JobObjectBasicUIRestrictions, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::SystemServices::{
    JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT, JOB_OBJECT_MSG_JOB_MEMORY_LIMIT,
};

/// What woke the supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The tree wanted more memory than it may have.
    Memory,
    /// The tree wanted more processes than it may have.
    Processes,
    /// A process came or went, or time passed: look.
    Look,
    /// The caller asked for the end, or is gone.
    Asked,
}

/// A job with its messages.
#[derive(Debug)]
pub struct Job {
    job: OwnedHandle,
    port: OwnedHandle,
}

/// The keys by which a message says where it comes from.
const FROM_JOB: usize = 1;
const FROM_CALLER: usize = 2;

impl Job {
    /// A new job, empty and bound.
    pub fn new(plan: &JobPlan) -> io::Result<Self> {
        // SAFETY: no attributes and no name: a private object, its handle not inherited.
        let job = unsafe { owned(CreateJobObjectW(std::ptr::null(), std::ptr::null())) }?;
        // SAFETY: no file and no port yet: makes a new port.
        let port =
            unsafe { owned(CreateIoCompletionPort(INVALID_HANDLE_VALUE, std::ptr::null_mut(), 0, 1)) }?;
        let job = Self { job, port };
        job.tell(
            JobObjectAssociateCompletionPortInformation,
            &JOBOBJECT_ASSOCIATE_COMPLETION_PORT {
                CompletionKey: std::ptr::without_provenance_mut(FROM_JOB),
                CompletionPort: job.port.as_raw_handle(),
            },
        )?;
        job.tell(JobObjectExtendedLimitInformation, &limits(plan))?;
        if !plan.closed.is_empty() {
            let class = plan.closed.iter().fold(0, |class, reach| class | bit(*reach));
            job.tell(
                JobObjectBasicUIRestrictions,
                &JOBOBJECT_BASIC_UI_RESTRICTIONS { UIRestrictionsClass: class },
            )?;
        }
        Ok(job)
    }

    fn tell<T>(&self, class: JOBOBJECTINFOCLASS, information: &T) -> io::Result<()> {
        let size = size_of_u32::<T>();
        // SAFETY: the structure is the one that the class takes, and its size is given.
        check(unsafe {
            SetInformationJobObject(
                self.job.as_raw_handle(),
                class,
                std::ptr::from_ref(information).cast(),
                size,
            )
        })
    }

    /// Takes in a process, with everything it starts from then on.
    pub fn take_in(&self, process: &OwnedHandle) -> io::Result<()> {
        // SAFETY: both handles are open.
        check(unsafe { AssignProcessToJobObject(self.job.as_raw_handle(), process.as_raw_handle()) })
    }

    /// What wakes this job's supervisor from another thread.
    pub fn bell(&self) -> io::Result<Bell> {
        Ok(Bell { port: self.port.try_clone()? })
    }

    /// Waits for the next message, at most so long.
    pub fn wait(&self, at_most: Duration) -> io::Result<Event> {
        let mut message = 0;
        let mut key = 0;
        let mut about: *mut OVERLAPPED = std::ptr::null_mut();
        let wait = u32::try_from(at_most.as_millis()).unwrap_or(u32::MAX - 1).max(1);
        // SAFETY: the three places are writable.
        let got = check(unsafe {
            GetQueuedCompletionStatus(
                self.port.as_raw_handle(),
                &raw mut message,
                &raw mut key,
                &raw mut about,
                wait,
            )
        });
        match got {
            Err(error) if error.raw_os_error() == Some(WAIT_TIMEOUT.cast_signed()) => Ok(Event::Look),
            Err(error) => Err(error),
            Ok(()) if key == FROM_CALLER => Ok(Event::Asked),
            Ok(()) if message == JOB_OBJECT_MSG_JOB_MEMORY_LIMIT => Ok(Event::Memory),
            Ok(()) if message == JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT => Ok(Event::Processes),
            Ok(()) => Ok(Event::Look),
        }
    }

    /// How many processes live in it.
    pub fn alive(&self) -> io::Result<u32> {
        let mut found = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        let size = size_of_u32::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>();
        // SAFETY: the structure is the one that the class gives, and it is writable.
        check(unsafe {
            QueryInformationJobObject(
                self.job.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut found).cast(),
                size,
                std::ptr::null_mut(),
            )
        })?;
        Ok(found.ActiveProcesses)
    }

    /// Ends every process in it.
    pub fn end(&self) -> io::Result<()> {
        /// What the ended processes' exit code is.
        const ENDED: u32 = 1;
        // SAFETY: the handle is open.
        check(unsafe { TerminateJobObject(self.job.as_raw_handle(), ENDED) })
    }
}

/// Wakes a supervisor.
#[derive(Debug)]
pub struct Bell {
    port: OwnedHandle,
}

impl Bell {
    /// Says that the caller wants the end.
    pub fn ring(&self) {
        // SAFETY: the handle is open; nothing is pointed to. Where it fails the supervisor looks at its next tick.
        let _full = check(unsafe {
            PostQueuedCompletionStatus(self.port.as_raw_handle(), 0, FROM_CALLER, std::ptr::null())
        });
    }
}

fn limits(plan: &JobPlan) -> JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    let basic = &mut limits.BasicLimitInformation;
    // Neither break-away flag is set, so nothing leaves.
    basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    if let Some(processes) = plan.processes {
        basic.LimitFlags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
        basic.ActiveProcessLimit = processes;
    }
    if let Some(bytes) = plan.memory_bytes {
        basic.LimitFlags |= JOB_OBJECT_LIMIT_JOB_MEMORY;
        limits.JobMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    limits
}

fn bit(reach: Reach) -> JOB_OBJECT_UILIMIT {
    match reach {
        Reach::Handles => JOB_OBJECT_UILIMIT_HANDLES,
        Reach::ReadClipboard => JOB_OBJECT_UILIMIT_READCLIPBOARD,
        Reach::WriteClipboard => JOB_OBJECT_UILIMIT_WRITECLIPBOARD,
        Reach::SystemParameters => JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS,
        Reach::DisplaySettings => JOB_OBJECT_UILIMIT_DISPLAYSETTINGS,
        Reach::GlobalAtoms => JOB_OBJECT_UILIMIT_GLOBALATOMS,
        Reach::Desktops => JOB_OBJECT_UILIMIT_DESKTOP,
        Reach::ExitWindows => JOB_OBJECT_UILIMIT_EXITWINDOWS,
    }
}
