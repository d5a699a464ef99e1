//! The caller's side of a command's network: an HTTP proxy that answers for the hosts that were approved.

mod address;
mod listening;
mod proxy;

use crate::confinement::Confinement;
use crate::outcome::Refusal;
use listening::Listening;
use std::ffi::OsString;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

pub use address::{HostRule, is_public};

/// A command's network while it runs. Dropping it closes every listener.
#[derive(Debug, Default)]
pub struct Forwarder {
    listeners: Vec<Listening>,
    refused: Refused,
}

impl Forwarder {
    /// A proxy on this machine's own loopback, for systems where a command has no network of its own but may be kept
    /// to one port. Gives the port.
    ///
    /// # Errors
    /// No port is to be had.
    pub fn on_loopback(confinement: &Confinement) -> io::Result<(Self, u16)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let mut forwarder = Self::default();
        forwarder.answer_for(confinement, listener);
        Ok((forwarder, port))
    }

    /// Answers on a listener for the hosts that were approved.
    pub fn answer_for(&mut self, confinement: &Confinement, listener: TcpListener) {
        let rules: Arc<[HostRule]> = confinement.hosts.iter().map(|host| HostRule::new(host)).collect();
        let told = self.refused.clone();
        self.serve(listener, move |client| proxy::answer(client, &rules, &told, is_public));
    }

    /// Takes connections, each in a thread of its own, as long as this lives.
    pub fn serve(&mut self, listener: TcpListener, serve: impl Fn(TcpStream) + Clone + Send + 'static) {
        let listening = Listening::new(listener);
        let waiting = listening.clone();
        self.listeners.push(listening);
        thread::spawn(move || {
            while let Some(client) = waiting.next() {
                let serve = serve.clone();
                thread::spawn(move || serve(client));
            }
        });
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

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.listeners.iter().for_each(Listening::close);
    }
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

/// Tells programs of a proxy on the loopback by the variables they look at.
pub fn name_proxy(variables: &mut Vec<(OsString, OsString)>, port: u16) {
    const NAMES: [&str; 6] =
        ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    let address = format!("http://127.0.0.1:{port}");
    let local = "localhost,127.0.0.1,::1";
    variables.retain(|(name, _)| !NAMES.iter().chain(&["NO_PROXY", "no_proxy"]).any(|known| name == *known));
    variables.extend(NAMES.map(|name| (name.into(), address.clone().into())));
    variables.extend(["NO_PROXY", "no_proxy"].map(|name| (name.into(), local.into())));
}

/// Copies both ways until both ends are done.
pub fn join(left: TcpStream, right: TcpStream) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confinement::Level;
    use std::io::{Read, Write};
    use std::time::{Duration, Instant};

    /// R50: the proxy on the loopback refuses what wasn't approved, and its port is free again when it ends.
    #[test]
    fn a_proxy_on_the_loopback() {
        let mut confinement = Confinement::new(Level::WorkspaceWrite, "/w");
        confinement.hosts = vec!["example.com".to_owned()];
        let (forwarder, port) = Forwarder::on_loopback(&confinement).unwrap();
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        client.write_all(b"CONNECT other.example:443 HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert_eq!(forwarder.refusals().len(), 1);
        drop((forwarder, client));
        let deadline = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
            assert!(Instant::now() < deadline, "the proxy still answers");
            thread::yield_now();
        }
    }
}
