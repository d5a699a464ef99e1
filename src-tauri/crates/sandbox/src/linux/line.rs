//! The caller's end of the connection: messages, and the descriptors that some of them bring.

use super::descriptors;
use crate::backend::{HandedOver, Link};
use crate::unix::link::Socket;
use crate::wire::Message;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// The connection to the supervisor.
#[derive(Clone, Debug)]
pub struct Line(Socket);

/// What was handed over by a plain socket, heard of with the descriptors that come.
pub fn over(handed: HandedOver<Socket>) -> HandedOver<Line> {
    let HandedOver { helper, link, heard, forwarder } = handed;
    HandedOver { helper, link: Line(link), heard, forwarder }
}

impl Line {
    /// The socket itself.
    pub fn stream(&self) -> &UnixStream {
        self.0.stream()
    }
}

impl Link for Line {
    /// What comes with a message here is only to be closed, which can take long: nobody waits for it.
    fn receive(&self) -> io::Result<Option<Message>> {
        let received = descriptors::receive_with_descriptors(self.stream())?;
        Ok(received.map(|(message, descriptors)| {
            close_aside(descriptors);
            message
        }))
    }

    fn end(&self) {
        self.0.end();
    }
}

/// Closes on a thread of its own; where none can be had, at once.
fn close_aside(descriptors: Vec<OwnedFd>) {
    if !descriptors.is_empty() {
        let _thread = std::thread::Builder::new().name("close".to_owned()).spawn(move || drop(descriptors));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// Seconds that closing takes while nobody reads what was written.
    const LINGER: u16 = 20;

    /// A connection that is full: closing it waits until the other side has read.
    fn slow_to_close() -> (OwnedFd, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (theirs, _) = listener.accept().unwrap();
        ours.set_nonblocking(true).unwrap();
        while ours.write(&[0; 1 << 16]).is_ok() {}
        ours.set_nonblocking(false).unwrap();
        let linger = libc::linger { l_onoff: 1, l_linger: LINGER.into() };
        // SAFETY: a valid structure of the kind this option takes, and its size.
        let set = unsafe {
            libc::setsockopt(
                ours.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_LINGER,
                (&raw const linger).cast(),
                size_of_val(&linger) as libc::socklen_t,
            )
        };
        assert_eq!(set, 0);
        (ours.into(), theirs)
    }

    /// R50: an end is told at once, however long the kernel needs to close what came with it; and it is closed.
    #[test]
    fn nobody_waits_for_what_is_closed() {
        let (slow, mut other_side) = slow_to_close();
        let (ours, theirs) = UnixStream::pair().unwrap();
        let ended = Message::Ended(Outcome::Exited(0));
        descriptors::send_with_descriptors(&theirs, &ended, &[&slow]).unwrap();
        drop(slow);
        let line = Line(Socket::of(Arc::new(ours)));
        let since = Instant::now();
        assert_eq!(line.receive().unwrap(), Some(ended));
        assert!(since.elapsed() < Duration::from_secs(u64::from(LINGER) / 2), "waited for the close");
        // Comes to an end only because it was closed.
        other_side.read_to_end(&mut Vec::new()).unwrap();
    }
}
