//! The connection between caller and helper: one pair of sockets, the helper's end of which is its standard input.

use crate::backend::{HandedOver, Link};
use crate::start::StartError;
use crate::wire::{self, Message};
use serde::Serialize;
use std::fs::File;
use std::io::{self, PipeWriter};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;

/// The caller's end.
#[derive(Clone, Debug)]
pub struct Socket(Arc<UnixStream>);

impl Socket {
    #[cfg(all(test, target_os = "linux"))]
    pub fn of(stream: Arc<UnixStream>) -> Self {
        Self(stream)
    }

    /// The socket itself, for what comes with descriptors.
    pub fn stream(&self) -> &UnixStream {
        &self.0
    }
}

impl Link for Socket {
    fn receive(&self) -> io::Result<Option<Message>> {
        wire::receive(&*self.0)
    }

    fn end(&self) {
        // An error means the other side is gone: there is nothing left to end.
        let _gone = self.0.shutdown(Shutdown::Write);
    }
}

/// Starts the helper and hands over the order.
pub fn hand_over(
    helper: &Path,
    order: &impl Serialize,
    output: PipeWriter,
    errors: PipeWriter,
) -> Result<HandedOver<Socket>, StartError> {
    let (helper, socket) = spawn(helper, output, errors).map_err(StartError::Helper)?;
    let mut handed = HandedOver { helper, link: Socket(Arc::new(socket)), heard: None, forwarder: None };
    // A helper that ended before it read the order is told apart by its missing messages.
    match wire::send(handed.link.stream(), order) {
        Ok(()) => Ok(handed),
        Err(error) => {
            handed.link.end();
            let _gone = handed.helper.wait();
            Err(StartError::Helper(error))
        }
    }
}

fn spawn(helper: &Path, output: PipeWriter, errors: PipeWriter) -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = UnixStream::pair()?;
    let helper = std::process::Command::new(helper)
        .arg("run")
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::from(output))
        .stderr(Stdio::from(errors))
        .spawn()?;
    Ok((helper, ours))
}

/// Helper: moves the socket off standard input, which becomes the null device.
pub fn take_control_socket() -> io::Result<UnixStream> {
    // SAFETY: the caller started this program with a socket there, and nothing closes it before the next lines.
    let input = unsafe { BorrowedFd::borrow_raw(0) };
    let control = UnixStream::from(input.try_clone_to_owned()?);
    let null = File::open("/dev/null")?;
    // SAFETY: both descriptors are ours.
    if unsafe { libc::dup2(null.as_raw_fd(), 0) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(control)
}
