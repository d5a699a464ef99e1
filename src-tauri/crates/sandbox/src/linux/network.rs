//! The exit of a network namespace, on the inside: a listener for the caller's proxy, and connections to the command's
//! own listeners, both handed out as sockets of this namespace.

use super::{SetupError, descriptors};
use crate::forward;
use crate::wire::Message;
use std::ffi::OsString;
use std::io::{self, Read};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// What is handed over to the caller.
#[derive(Debug)]
pub struct Exit {
    proxy: OwnedFd,
    port: u16,
    ours: UnixStream,
    theirs: OwnedFd,
}

/// Where the caller asks for connections to the command.
#[derive(Debug)]
pub struct Channel(UnixStream);

impl Exit {
    /// Listens on the private loopback, which is up.
    pub fn open() -> Result<Self, SetupError> {
        let open = || {
            let proxy = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let port = proxy.local_addr()?.port();
            let (ours, theirs) = UnixStream::pair()?;
            Ok(Self { proxy: proxy.into(), port, ours, theirs: theirs.into() })
        };
        open().map_err(SetupError::because("open the network's exit"))
    }

    /// Sends both descriptors to the caller.
    pub fn hand_over(&self, control: &UnixStream) -> Result<(), SetupError> {
        descriptors::send_with_descriptors(control, &Message::Network, &[&self.proxy, &self.theirs])
            .map_err(SetupError::because("hand over the network's exit"))
    }

    /// Tells programs of the proxy by the variables they look at.
    pub fn name_proxy(&self, variables: &mut Vec<(OsString, OsString)>) {
        forward::name_proxy(variables, self.port);
    }

    /// Keeps the asking channel, and nothing else that only the caller needs.
    pub fn into_channel(self) -> Channel {
        Channel(self.ours)
    }
}

impl AsRawFd for Channel {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl Channel {
    /// Answers one wish: a port comes in, a connected socket goes out, or none where nobody listens.
    pub fn answer(&self) -> io::Result<()> {
        let mut port = [0; 2];
        (&mut &self.0).read_exact(&mut port)?;
        match TcpStream::connect((Ipv4Addr::LOCALHOST, u16::from_le_bytes(port))) {
            Ok(connection) => {
                descriptors::write_with_descriptors(&self.0, &[1], &[&OwnedFd::from(connection)])
            }
            Err(_) => descriptors::write_with_descriptors(&self.0, &[0], &[]),
        }
    }
}
