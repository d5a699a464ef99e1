//! Starting the command: suspended, into its job, with exactly the three handles that it gets.

use super::desktop::Desktop;
use super::job::Job;
use super::sys::{check, owned, size_of_u32, wide};
use super::{command_line, environment, lookup, plain_path};
use crate::command::Command;
use crate::setup_error::SetupError;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::{
    HANDLE, HANDLE_FLAG_INHERIT, STILL_ACTIVE, SetHandleInformation, WAIT_OBJECT_0,
};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT, CreateProcessAsUserW,
    CreateProcessW, DeleteProcThreadAttributeList, EXTENDED_STARTUPINFO_PRESENT, GetExitCodeProcess,
    InitializeProcThreadAttributeList, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROCESS_INFORMATION, ResumeThread,
    STARTF_USESTDHANDLES, STARTUPINFOEXW, TerminateProcess, UpdateProcThreadAttribute, WaitForSingleObject,
};

/// The command's first process.
#[derive(Debug)]
pub struct Process {
    handle: OwnedHandle,
    /// Its id, which is its console group's too.
    id: u32,
}

/// How the command is limited beyond its job; `None` is not at all.
#[derive(Debug)]
pub struct Weakened {
    /// What it runs with.
    pub token: OwnedHandle,
    /// Where its windows are.
    pub desktop: Desktop,
}

impl Process {
    /// Starts the command in the job. It has run nothing before it is in there.
    pub fn start(
        command: &Command,
        job: &Job,
        weakened: Option<&Weakened>,
        output: OwnedHandle,
        errors: OwnedHandle,
    ) -> Result<Self, SetupError> {
        let prepared = Prepared::new(command)?;
        let input = File::open("NUL").map_err(SetupError::because("open the null device"))?;
        let streams = [OwnedHandle::from(input), output, errors];
        let (handle, thread, id) = prepared.create(weakened, &streams)?;
        let process = Self { handle, id };
        if let Err(error) = job.take_in(&process.handle) {
            // SAFETY: the handle is open. It is suspended and has done nothing.
            unsafe { TerminateProcess(process.handle.as_raw_handle(), 1) };
            return Err(SetupError::Step { what: "put the command into its job", error });
        }
        // SAFETY: the handle is open. The call gives how often it was suspended, or all ones.
        if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
            return Err(SetupError::Step { what: "let the command run", error: io::Error::last_os_error() });
        }
        Ok(process)
    }

    /// Its exit code, once it ended.
    pub fn ended(&self) -> io::Result<Option<i32>> {
        // SAFETY: the handle is open; no waiting.
        if unsafe { WaitForSingleObject(self.handle.as_raw_handle(), 0) } != WAIT_OBJECT_0 {
            return Ok(None);
        }
        let mut code = STILL_ACTIVE.cast_unsigned();
        // SAFETY: the handle is open and the place writable.
        check(unsafe { GetExitCodeProcess(self.handle.as_raw_handle(), &raw mut code) })?;
        Ok(Some(code.cast_signed()))
    }

    /// Ctrl-Break to its console group. Ctrl-C can't be sent to a group other than the sender's own.
    pub fn interrupt(&self) -> io::Result<()> {
        // SAFETY: plain numbers.
        check(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, self.id) })
    }
}

/// Everything that the start takes, in the form in which it takes it.
struct Prepared {
    name: String,
    candidates: Vec<Vec<u16>>,
    line: Vec<u16>,
    environment: Vec<u16>,
    folder: Vec<u16>,
}

impl Prepared {
    fn new(command: &Command) -> Result<Self, SetupError> {
        let refused = |error: &dyn std::error::Error| SetupError::Refused(error.to_string());
        let program = text(&command.program)?;
        let args = command.args.iter().map(|arg| text(arg)).collect::<Result<Vec<_>, _>>()?;
        let line = command_line::command_line(std::iter::once(program).chain(args));
        if !command_line::fits(&line) {
            return Err(SetupError::Refused(format!(
                "start {program}: its command line is longer than {} characters",
                command_line::LONGEST
            )));
        }
        let variables = command.env.iter().map(|(name, value)| Ok((text(name)?, text(value)?)));
        let variables = variables.collect::<Result<Vec<_>, SetupError>>()?;
        let path = variables.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let path = path.map_or("", |(_, value)| value);
        let candidates = lookup::candidates(program, path)
            .map_err(|error| SetupError::Program(error.to_string()))?
            .iter()
            .map(|path| wide(path))
            .collect::<io::Result<_>>()
            .map_err(|error| refused(&error))?;
        // Told apart from a program that isn't there.
        command.cwd.metadata().map_err(SetupError::at(&command.cwd))?;
        let folder = plain_path::plain(text(command.cwd.as_os_str())?);
        Ok(Self {
            name: program.to_owned(),
            candidates,
            line: wide(&line).map_err(|error| refused(&error))?,
            environment: environment::block(variables.iter().copied()).map_err(|error| refused(&error))?,
            folder: wide(&folder).map_err(|error| refused(&error))?,
        })
    }

    fn create(
        &self,
        weakened: Option<&Weakened>,
        streams: &[OwnedHandle; 3],
    ) -> Result<(OwnedHandle, OwnedHandle, u32), SetupError> {
        let handles = streams.each_ref().map(AsRawHandle::as_raw_handle);
        for handle in handles {
            // SAFETY: the handle is open. This program starts nothing else, so nothing else inherits it.
            check(unsafe { SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) })
                .map_err(SetupError::because("pass on the streams"))?;
        }
        let mut list = HandleList::new(handles).map_err(SetupError::because("name the streams"))?;
        let mut startup = STARTUPINFOEXW::default();
        startup.StartupInfo.cb = size_of_u32::<STARTUPINFOEXW>();
        startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        [startup.StartupInfo.hStdInput, startup.StartupInfo.hStdOutput, startup.StartupInfo.hStdError] =
            handles;
        startup.lpAttributeList = list.pointer();
        let mut desktop = weakened.map(|weakened| weakened.desktop.name().to_vec());
        if let Some(name) = &mut desktop {
            startup.StartupInfo.lpDesktop = name.as_mut_ptr();
        }
        let mut why = io::Error::from(io::ErrorKind::NotFound);
        for candidate in &self.candidates {
            match self.create_as(candidate, weakened, &startup) {
                Ok(created) => return Ok(created),
                // A name that isn't there leaves the next folder; another reason is worth telling.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => why = error,
            }
        }
        Err(SetupError::Program(format!("{}: {why}", self.name)))
    }

    fn create_as(
        &self,
        program: &[u16],
        weakened: Option<&Weakened>,
        startup: &STARTUPINFOEXW,
    ) -> io::Result<(OwnedHandle, OwnedHandle, u32)> {
        // The call may write into it.
        let mut line = self.line.clone();
        let flags = CREATE_SUSPENDED
            | CREATE_NEW_PROCESS_GROUP
            | CREATE_UNICODE_ENVIRONMENT
            | EXTENDED_STARTUPINFO_PRESENT;
        let (environment, folder) = (self.environment.as_ptr().cast(), self.folder.as_ptr());
        let info = (&raw const *startup).cast();
        let nothing = std::ptr::null();
        let mut made = PROCESS_INFORMATION::default();
        // SAFETY: every text ends with a NUL and outlives the call, the line and the last place are writable, and the
        // start-up information with its list of handles is of the size it says.
        check(unsafe {
            match weakened {
                Some(weakened) => CreateProcessAsUserW(
                    weakened.token.as_raw_handle(),
                    program.as_ptr(),
                    line.as_mut_ptr(),
                    nothing,
                    nothing,
                    1,
                    flags,
                    environment,
                    folder,
                    info,
                    &raw mut made,
                ),
                None => CreateProcessW(
                    program.as_ptr(),
                    line.as_mut_ptr(),
                    nothing,
                    nothing,
                    1,
                    flags,
                    environment,
                    folder,
                    info,
                    &raw mut made,
                ),
            }
        })?;
        // SAFETY: the call just made both for us.
        unsafe { Ok((owned(made.hProcess)?, owned(made.hThread)?, made.dwProcessId)) }
    }
}

/// The handles that a new process gets, and no other (`PROC_THREAD_ATTRIBUTE_HANDLE_LIST`).
struct HandleList {
    /// The list itself, aligned for pointers.
    room: Vec<usize>,
    /// What it points to.
    _handles: Box<[HANDLE; 3]>,
}

impl HandleList {
    fn new(handles: [HANDLE; 3]) -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: no list only asks for the size; it fails, as it should.
        unsafe { InitializeProcThreadAttributeList(std::ptr::null_mut(), 1, 0, &raw mut bytes) };
        let mut room = vec![0_usize; bytes.div_ceil(size_of::<usize>())];
        let handles = Box::new(handles);
        // SAFETY: the room is as large as was asked for.
        check(unsafe { InitializeProcThreadAttributeList(room.as_mut_ptr().cast(), 1, 0, &raw mut bytes) })?;
        let mut list = Self { room, _handles: handles };
        let attribute = usize::try_from(PROC_THREAD_ATTRIBUTE_HANDLE_LIST).map_err(io::Error::other)?;
        let (pointer, value) = (list.pointer(), list._handles.as_ptr().cast());
        // SAFETY: the list is initialised, and the handles stay where they are as long as it lives.
        check(unsafe {
            UpdateProcThreadAttribute(
                pointer,
                0,
                attribute,
                value,
                size_of::<[HANDLE; 3]>(),
                std::ptr::null_mut(),
                std::ptr::null(),
            )
        })?;
        Ok(list)
    }

    fn pointer(&mut self) -> *mut std::ffi::c_void {
        self.room.as_mut_ptr().cast()
    }
}

impl Drop for HandleList {
    fn drop(&mut self) {
        // SAFETY: it was initialised.
        unsafe { DeleteProcThreadAttributeList(self.pointer()) };
    }
}

fn text(text: &OsStr) -> Result<&str, SetupError> {
    text.to_str().ok_or_else(|| SetupError::Refused(format!("{} is no Unicode text", text.display())))
}
