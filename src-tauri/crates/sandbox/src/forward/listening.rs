//! A listener that one thread waits on and another closes.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A listener. Clones are equal.
#[derive(Clone, Debug)]
pub struct Listening {
    listener: Arc<TcpListener>,
    closed: Arc<AtomicBool>,
}

impl Listening {
    /// Over a listener that is bound.
    pub fn new(listener: TcpListener) -> Self {
        Self { listener: Arc::new(listener), closed: Arc::new(AtomicBool::new(false)) }
    }

    /// Waits for a connection; `None` once it is closed.
    pub fn next(&self) -> Option<TcpStream> {
        loop {
            let accepted = self.listener.accept();
            if self.closed.load(Ordering::Acquire) {
                return None;
            }
            match accepted {
                Ok((client, _)) => return Some(client),
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted
                    ) => {}
                Err(_) => return None,
            }
        }
    }

    /// Takes no more connections and wakes the thread that waits.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.wake();
    }

    /// Closing the receiving side wakes the thread, in whatever network namespace the listener is.
    #[cfg(target_os = "linux")]
    fn wake(&self) {
        let number = std::os::fd::AsRawFd::as_raw_fd(&*self.listener);
        // SAFETY: the descriptor is open as long as the listener lives. An error means that nobody waits.
        unsafe { libc::shutdown(number, libc::SHUT_RDWR) };
    }

    /// Elsewhere a listener can't be shut down: one last connection wakes the thread.
    #[cfg(not(target_os = "linux"))]
    fn wake(&self) {
        if let Ok(address) = self.listener.local_addr() {
            // An error means that nobody listens any more.
            let _gone = TcpStream::connect_timeout(&address, std::time::Duration::from_secs(1));
        }
    }
}
