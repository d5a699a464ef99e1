//! The caller's side of a network namespace: its proxy's listener, and the ports that lead to the command's listeners.
//!
//! The helper hands over a listening socket of that namespace, and a channel by which connections to the command's own
//! listeners are made.

use super::descriptors;
use crate::confinement::Confinement;
use crate::forward::{Forwarder, join};
use crate::start::StartError;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

/// The caller's own listeners, made before the command starts so that a port in use is an error then.
#[derive(Debug)]
pub struct Ports(Vec<(u16, TcpListener)>);

impl Ports {
    /// Listens on the loopback for each port that the command may listen on.
    pub fn open(confinement: &Confinement) -> Result<Self, StartError> {
        let open = |port: &u16| match TcpListener::bind((Ipv4Addr::LOCALHOST, *port)) {
            Ok(listener) => Ok((*port, listener)),
            Err(error) => Err(StartError::Port { port: *port, error }),
        };
        confinement.listen.iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// Serves with the two descriptors that the helper handed over: the proxy's listener and the channel.
    #[must_use]
    pub fn serve(self, confinement: &Confinement, proxy: OwnedFd, channel: OwnedFd) -> Forwarder {
        let mut forwarder = Forwarder::default();
        forwarder.answer_for(confinement, TcpListener::from(proxy));
        let channel = Arc::new(Mutex::new(UnixStream::from(channel)));
        for (port, listener) in self.0 {
            let channel = Arc::clone(&channel);
            forwarder.serve(listener, move |client| match dial(&channel, port) {
                Ok(command) => join(client, command),
                // The command doesn't listen (yet): the connection ends.
                Err(_) => drop(client),
            });
        }
        forwarder
    }
}

/// Asks the init for a connection to a port of the command.
fn dial(channel: &Mutex<UnixStream>, port: u16) -> io::Result<TcpStream> {
    let channel = channel.lock().unwrap_or_else(PoisonError::into_inner);
    (&mut &*channel).write_all(&port.to_le_bytes())?;
    let mut answer = [0; 1];
    let socket = descriptors::read_with_descriptors(&channel, &mut answer)?.into_iter().next();
    socket.map(TcpStream::from).ok_or_else(|| io::ErrorKind::ConnectionRefused.into())
}
