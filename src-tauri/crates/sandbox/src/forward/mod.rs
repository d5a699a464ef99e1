//! The caller's side of a command's network: the only exit of its network namespace.
//!
//! The helper hands over a listening socket of that namespace, on which an HTTP proxy answers for the hosts that were
//! approved, and a channel by which connections to the command's own listeners are made.

mod address;
mod proxy;

use crate::confinement::Confinement;
use crate::outcome::Refusal;
use crate::wire;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

pub use address::{HostRule, is_public};

/// A command's network while it runs. Dropping it closes every listener.
#[derive(Debug)]
pub struct Forwarder {
    listeners: Vec<RawListener>,
    refused: Refused,
}

/// What the proxy refused, for the command's end.
#[derive(Clone, Debug, Default)]
pub struct Refused(Arc<Mutex<Vec<Refusal>>>);

impl Refused {
    fn lock(&self) -> MutexGuard<'_, Vec<Refusal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, refusal: Refusal) {
        let mut known = self.lock();
        if known.len() < crate::outcome::Ended::MOST_REFUSALS && !known.contains(&refusal) {
            known.push(refusal);
        }
    }
}

/// A listener that another thread waits on, by its number: closing its receiving side wakes that thread.
#[derive(Debug)]
struct RawListener(Arc<TcpListener>);

impl RawListener {
    fn number(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl Drop for RawListener {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open as long as the listener lives. An error means that nobody waits.
        unsafe { libc::shutdown(self.number(), libc::SHUT_RDWR) };
    }
}

/// The caller's own listeners, made before the command starts so that a port in use is an error then.
#[derive(Debug)]
pub struct Ports(Vec<(u16, TcpListener)>);

impl Ports {
    /// Listens on the loopback for each port that the command may listen on.
    ///
    /// # Errors
    /// The port, where it is in use or not to be had.
    pub fn open(confinement: &Confinement) -> Result<Self, (u16, io::Error)> {
        let open = |port: &u16| {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).map_err(|error| (*port, error))?;
            Ok((*port, listener))
        };
        confinement.listen.iter().map(open).collect::<Result<_, _>>().map(Self)
    }
}

impl Forwarder {
    /// Serves with the two descriptors that the helper handed over: the proxy's listener and the channel for
    /// connections to the command.
    #[must_use]
    pub fn serve(confinement: &Confinement, ports: Ports, proxy: OwnedFd, channel: OwnedFd) -> Self {
        let refused = Refused::default();
        let rules: Arc<[HostRule]> = confinement.hosts.iter().map(|host| HostRule::new(host)).collect();
        let mut listeners = Vec::new();
        let proxy = Arc::new(TcpListener::from(proxy));
        listeners.push(RawListener(Arc::clone(&proxy)));
        let told = refused.clone();
        thread::spawn(move || accept(&proxy, move |client| proxy::answer(client, &rules, &told, is_public)));
        let channel = Arc::new(Mutex::new(UnixStream::from(channel)));
        for (port, listener) in ports.0 {
            let listener = Arc::new(listener);
            listeners.push(RawListener(Arc::clone(&listener)));
            let channel = Arc::clone(&channel);
            thread::spawn(move || {
                accept(&listener, move |client| match dial(&channel, port) {
                    Ok(command) => join(client, command),
                    // The command doesn't listen (yet): the connection ends.
                    Err(_) => drop(client),
                });
            });
        }
        Self { listeners, refused }
    }

    /// What was refused so far.
    #[must_use]
    pub fn refusals(&self) -> Vec<Refusal> {
        self.refused.lock().clone()
    }

    /// How many listeners are open.
    #[must_use]
    pub fn listeners(&self) -> usize {
        self.listeners.len()
    }
}

/// Takes connections, each in a thread of its own, until the listener is closed.
fn accept(listener: &TcpListener, serve: impl Fn(TcpStream) + Clone + Send + 'static) {
    loop {
        match listener.accept() {
            Ok((client, _)) => {
                let serve = serve.clone();
                thread::spawn(move || serve(client));
            }
            Err(error)
                if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted) => {}
            Err(_) => return,
        }
    }
}

/// Asks the init for a connection to a port of the command.
fn dial(channel: &Mutex<UnixStream>, port: u16) -> io::Result<TcpStream> {
    let channel = channel.lock().unwrap_or_else(PoisonError::into_inner);
    io::Write::write_all(&mut &*channel, &port.to_le_bytes())?;
    let mut answer = [0; 1];
    let socket = wire::read_with_descriptors(&channel, &mut answer)?.into_iter().next();
    socket.map(TcpStream::from).ok_or_else(|| io::ErrorKind::ConnectionRefused.into())
}

/// Copies both ways until both ends are done.
fn join(left: TcpStream, right: TcpStream) {
    let (Ok(left_too), Ok(right_too)) = (left.try_clone(), right.try_clone()) else { return };
    let one_way = |mut from: TcpStream, mut to: TcpStream| {
        // An end that is gone ends its direction.
        let _gone = io::copy(&mut from, &mut to);
        let _gone = to.shutdown(Shutdown::Write);
    };
    let back = thread::spawn(move || one_way(right_too, left_too));
    one_way(left, right);
    // A thread that copies can't panic; if it did, there is nothing to do about it here.
    let _ended = back.join();
}
