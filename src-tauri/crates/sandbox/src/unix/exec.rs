//! Replacing a process by the command's program.

use crate::command::Command;
use crate::setup_error::SetupError;
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The program, its arguments and variables as the kernel takes them.
#[derive(Debug)]
pub struct Prepared {
    candidates: Vec<CString>,
    args: Vec<CString>,
    env: Vec<CString>,
    name: OsString,
}

impl Prepared {
    /// Everything that has to be made before the new process exists.
    pub fn new(command: &Command) -> Result<Self, SetupError> {
        let text = |text: &OsStr| {
            CString::new(text.as_bytes())
                .map_err(|_| SetupError::Refused("an argument or variable holds a NUL byte".to_owned()))
        };
        let args = std::iter::once(&command.program).chain(&command.args).map(|arg| text(arg));
        let env = command.env.iter().map(|(name, value)| {
            text(&OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat()))
        });
        let path = command.env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let candidates = candidates(&command.program, path).into_iter().map(|path| text(path.as_os_str()));
        Ok(Self {
            candidates: candidates.collect::<Result<_, _>>()?,
            args: args.collect::<Result<_, _>>()?,
            env: env.collect::<Result<_, _>>()?,
            name: command.program.clone(),
        })
    }

    /// Replaces this process; comes back only with the reason why not.
    pub fn execute(&self) -> String {
        let pointers = |list: &[CString]| {
            list.iter().map(|text| text.as_ptr()).chain(std::iter::once(std::ptr::null())).collect::<Vec<_>>()
        };
        let (args, env) = (pointers(&self.args), pointers(&self.env));
        let mut why = io::Error::from_raw_os_error(libc::ENOENT);
        for candidate in &self.candidates {
            // SAFETY: valid C strings in null-terminated lists that outlive the call.
            unsafe { libc::execve(candidate.as_ptr(), args.as_ptr(), env.as_ptr()) };
            let error = io::Error::last_os_error();
            // A name that isn't there leaves the next folder; another reason is worth telling.
            if !matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) {
                why = error;
            }
        }
        format!("{}: {why}", self.name.display())
    }
}

/// Where the program may be: itself if it names a folder, else in each folder of `PATH`.
fn candidates(program: &OsStr, path: Option<&OsStr>) -> Vec<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return vec![program.into()];
    }
    std::env::split_paths(path.unwrap_or(OsStr::new("/usr/bin:/bin")))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .collect()
}

/// Signals as a program expects to find them.
pub fn plain_signals() -> io::Result<()> {
    // SAFETY: all-zero is a valid, empty set, and it is writable.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        if libc::sigemptyset(&raw mut none) < 0
            || libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut()) < 0
        {
            return Err(io::Error::last_os_error());
        }
        // The standard library ignores it in this program.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
    Ok(())
}
