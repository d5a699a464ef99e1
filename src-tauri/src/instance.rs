//! One running app per user: a lock file, and a word to the one that holds it.
//!
//! The lock is the operating system's, so it can't be left behind. What is sent is one of two words: show the
//! window, or show a session. Nothing else that a second start was given reaches the first.

use crate::deep_link::SessionLink;
use anyhow::Context as _;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SHOW: &str = "show";
const SESSION: &str = "session ";
const PATIENCE: Duration = Duration::from_secs(2);
/// Between two tries to tell the one that runs.
const REST: Duration = Duration::from_millis(50);
/// Longest knock, bytes.
const LONGEST: u64 = 256;

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

/// What another start asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knock {
    /// The window.
    Show,
    /// A session in it.
    Session(SessionLink),
}

impl Knock {
    fn word(&self) -> String {
        match self {
            Self::Show => SHOW.to_owned(),
            Self::Session(link) => format!("{SESSION}{}", link.id()),
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        if word == SHOW {
            return Some(Self::Show);
        }
        word.strip_prefix(SESSION).and_then(SessionLink::of_id).map(Self::Session)
    }
}

/// Claims the right to run for the state folder `state`; where another has it, it is told `knock`.
///
/// # Errors
/// When the folder can't be used, or the one that has it can't be told.
pub fn claim(state: &Path, knock: &Knock) -> anyhow::Result<Claim> {
    claim_within(PATIENCE, state, knock)
}

/// The same; where another has it and can't be told, it is tried again for as long as `patience`.
fn claim_within(patience: Duration, state: &Path, knock: &Knock) -> anyhow::Result<Claim> {
    std::fs::create_dir_all(state).with_context(|| format!("make {}", state.display()))?;
    let path = state.join("instance.lock");
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let lock = lock.with_context(|| format!("open {}", path.display()))?;
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return ours(state, lock).map(Claim::Ours),
            // It may just be starting, and not have said yet where it listens, or ending.
            Err(TryLockError::WouldBlock) => match tell(state, knock) {
                Ok(()) => return Ok(Claim::Theirs),
                Err(_) if begun.elapsed() < patience => std::thread::sleep(REST),
                Err(error) => return Err(error).context("reach the Assent that runs already"),
            },
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("lock {}", path.display()));
            }
        }
    }
}

/// Says where this process listens, now that it has the `lock`.
fn ours(state: &Path, lock: File) -> anyhow::Result<Instance> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let token = new_token()?;
    let address = format!("{} {token}", listener.local_addr()?.port());
    crate::config_file::replace(&address_file(state), address.as_bytes())?;
    Ok(Instance { _lock: lock, listener, token })
}

impl Instance {
    /// Calls `knocked` whenever another start asks for something. Never returns; for a thread of its own.
    pub fn listen(self, knocked: impl Fn(Knock)) {
        for stream in self.listener.incoming() {
            match stream.map_err(anyhow::Error::from).and_then(|stream| self.read(stream)) {
                Ok(Some(knock)) => knocked(knock),
                Ok(None) => tracing::warn!("somebody knocked with a wrong word"),
                Err(error) => tracing::warn!(%error, "a knock couldn't be read"),
            }
        }
    }

    fn read(&self, stream: TcpStream) -> anyhow::Result<Option<Knock>> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut text = String::new();
        stream.take(LONGEST).read_to_string(&mut text)?;
        Ok(text.strip_prefix(&self.token).and_then(|rest| rest.strip_prefix(' ')).and_then(Knock::of_word))
    }
}

fn tell(state: &Path, knock: &Knock) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(address_file(state))?;
    let (port, token) = text.split_once(' ').context("the address file is damaged")?;
    let mut stream =
        TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port.parse::<u16>()?).into(), PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{token} {}", knock.word()).as_bytes())?;
    stream.shutdown(Shutdown::Write)?;
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
    use super::{Claim, Knock, claim, claim_within};
    use crate::deep_link::SessionLink;
    use std::io::Write as _;
    use std::net::TcpStream;
    use std::sync::mpsc;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn a_second_start_hands_over_a_session_and_runs_nothing() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = claim(state.path(), &Knock::Show).unwrap() else {
            panic!("nobody else runs")
        };
        let (told, heard) = mpsc::channel();
        std::thread::spawn(move || first.listen(move |knock| told.send(knock).unwrap()));
        let link = SessionLink::of_id("0198c2f6a31-00112233445566778899").unwrap();
        for knock in [Knock::Show, Knock::Session(link)] {
            assert!(matches!(claim(state.path(), &knock).unwrap(), Claim::Theirs));
            assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), knock);
        }
    }

    #[test]
    fn whoever_knows_no_token_or_says_anything_else_is_not_heard() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = claim(state.path(), &Knock::Show).unwrap() else {
            panic!("nobody else runs")
        };
        let port = first.listener.local_addr().unwrap().port();
        let token = first.token.clone();
        let (told, heard) = mpsc::channel();
        std::thread::spawn(move || first.listen(move |knock| told.send(knock).unwrap()));
        for words in ["show".to_owned(), format!("{token} approve"), format!("{token} session ../x")] {
            TcpStream::connect(("127.0.0.1", port)).unwrap().write_all(words.as_bytes()).unwrap();
        }
        // Knocks are heard in their order: the first that counts is the last one.
        assert!(matches!(claim(state.path(), &Knock::Show).unwrap(), Claim::Theirs));
        assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), Knock::Show);
        assert!(heard.try_recv().is_err());
    }

    /// Nothing opens then, so it has to be said.
    #[test]
    fn a_second_start_says_that_it_cannot_reach_the_first() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(_first) = claim(state.path(), &Knock::Show).unwrap() else {
            panic!("nobody else runs")
        };
        std::fs::remove_file(super::address_file(state.path())).unwrap();
        let Err(error) = claim_within(Duration::ZERO, state.path(), &Knock::Show) else {
            panic!("nobody was told")
        };
        assert_eq!(error.to_string(), "reach the Assent that runs already");
    }

    /// A double click starts two at once: the first has the right before it says where it listens.
    #[test]
    fn a_second_start_waits_for_a_first_that_is_just_starting() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = claim(state.path(), &Knock::Show).unwrap() else {
            panic!("nobody else runs")
        };
        let file = super::address_file(state.path());
        let address = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let (told, heard) = mpsc::channel();
        let path = state.path().to_owned();
        let (begun, second) = mpsc::channel();
        let second_start = std::thread::spawn(move || {
            // One that was given no time says so: then the address wasn't there.
            begun.send(claim_within(Duration::ZERO, &path, &Knock::Show).is_err()).unwrap();
            claim_within(PATIENCE, &path, &Knock::Show)
        });
        assert!(second.recv_timeout(PATIENCE).unwrap());
        std::fs::write(&file, address).unwrap();
        std::thread::spawn(move || first.listen(move |knock| told.send(knock).unwrap()));
        assert!(matches!(second_start.join().unwrap().unwrap(), Claim::Theirs));
        assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), Knock::Show);
    }

    #[test]
    fn the_right_ends_with_its_holder() {
        let state = tempfile::tempdir().unwrap();
        let Claim::Ours(first) = claim(state.path(), &Knock::Show).unwrap() else {
            panic!("nobody else runs")
        };
        drop(first);
        assert!(matches!(claim(state.path(), &Knock::Show).unwrap(), Claim::Ours(_)));
    }
}
