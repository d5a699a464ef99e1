//! One running app per user: a lock file, and a word to the one that holds it.
//!
//! The lock is the operating system's, so it can't be left behind. What is sent is one of two fixed words:
//! nothing that a second start was given reaches the first.

use anyhow::Context as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SHOW: &[u8; 4] = b"show";
const PATIENCE: Duration = Duration::from_secs(2);

/// The right to run, held until it is dropped.
pub struct Instance {
    _lock: File,
    listener: TcpListener,
    token: String,
}

/// Whether this process may run.
pub enum Claim {
    /// It is the only one.
    Ours(Instance),
    /// Another one runs, and was asked to show its window.
    Theirs,
}

/// Claims the right to run for the state folder `state`.
///
/// # Errors
/// When the folder can't be used.
pub fn claim(state: &Path) -> anyhow::Result<Claim> {
    std::fs::create_dir_all(state).with_context(|| format!("make {}", state.display()))?;
    let path = state.join("instance.lock");
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
    match lock.try_lock() {
        Ok(()) => {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            let token = new_token()?;
            let address = format!("{} {token}", listener.local_addr()?.port());
            crate::settings::replace(&address_file(state), address.as_bytes())?;
            Ok(Claim::Ours(Instance { _lock: lock, listener, token }))
        }
        Err(TryLockError::WouldBlock) => {
            if let Err(error) = ask_to_show(state) {
                tracing::warn!(%error, "the running app didn't answer");
            }
            Ok(Claim::Theirs)
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("lock {}", path.display())),
    }
}

impl Instance {
    /// Calls `show` whenever another start asks for the window. Never returns; for a thread of its own.
    pub fn listen(self, show: impl Fn()) {
        for stream in self.listener.incoming() {
            match stream.map_err(anyhow::Error::from).and_then(|stream| self.read(stream)) {
                Ok(true) => show(),
                Ok(false) => tracing::warn!("somebody knocked with a wrong word"),
                Err(error) => tracing::warn!(%error, "a knock couldn't be read"),
            }
        }
    }

    fn read(&self, mut stream: TcpStream) -> anyhow::Result<bool> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut word = vec![0; SHOW.len() + self.token.len()];
        stream.read_exact(&mut word)?;
        Ok(word == [SHOW.as_slice(), self.token.as_bytes()].concat())
    }
}

fn ask_to_show(state: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(address_file(state))?;
    let (port, token) = text.split_once(' ').context("the address file is damaged")?;
    let mut stream =
        TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port.parse::<u16>()?).into(), PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&[SHOW.as_slice(), token.as_bytes()].concat())?;
    Ok(())
}

fn address_file(state: &Path) -> PathBuf {
    state.join("instance.address")
}

/// 128 random bits, hexadecimal: the file is readable by the user only, so whoever knows it is the user.
fn new_token() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::{Claim, claim};
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn a_second_start_shows_the_first_and_runs_nothing() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = claim(state.path()).unwrap() else { panic!("nobody else runs") };
        let (shown, seen) = mpsc::channel();
        std::thread::spawn(move || first.listen(move || shown.send(()).unwrap()));
        assert!(matches!(claim(state.path()).unwrap(), Claim::Theirs));
        seen.recv_timeout(Duration::from_secs(10)).unwrap();
    }

    #[test]
    fn the_right_ends_with_its_holder() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = claim(state.path()).unwrap() else { panic!("nobody else runs") };
        drop(first);
        assert!(matches!(claim(state.path()).unwrap(), Claim::Ours(_)));
    }
}
