//! Commands that go on while the agent does other things: a development server, a watcher. They are listed, their
//! output can be read while it grows, and none of them outlives the app.

use super::unconfined::{Programs, Unconfined};
use super::watch::Watches;
use assent_sandbox::Outcome;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Every background command of the app. Clones share one list; the last one to go ends them all.
#[derive(Clone, Debug, Default)]
pub struct Background {
    shared: Arc<Shared>,
    watches: Watches,
}

#[derive(Default)]
struct Shared {
    entries: Mutex<Vec<Entry>>,
    added: AtomicU64,
    changed: OnceLock<Box<dyn Fn() + Send + Sync>>,
    unconfined: Programs,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").field("entries", &self.entries).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct Entry {
    /// Which one it is: a call's id is the model's, and may come twice.
    number: u64,
    listed: Listed,
    cancel: CancellationToken,
    /// Fires once nothing of it is left.
    gone: CancellationToken,
}

/// One background command, as the window lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The call that started it; its output is `output:CALL_ID` in its own session.
    pub call_id: String,
    /// The session it belongs to.
    pub session: String,
    /// The command.
    pub command: String,
    /// When it started.
    pub started: SystemTime,
    /// Whether it runs without the sandbox.
    pub unsandboxed: bool,
    /// How it ended; `None` while it runs.
    pub ended: Option<Outcome>,
}

/// Ended ones are forgotten beyond this number, oldest first.
const REMEMBERED: usize = 50;

impl Background {
    /// Calls `tell` whenever one starts or ends; only the first listener counts.
    pub fn on_change(&self, tell: impl Fn() + Send + Sync + 'static) {
        drop(self.shared.changed.set(Box::new(tell)));
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        self.entries().iter().map(|entry| entry.listed.clone()).collect()
    }

    /// Whether a program runs that could reach the person's own screen: in the background or not, a hook's too, and of
    /// whichever process of Assent.
    #[must_use]
    pub fn any_unsandboxed(&self) -> bool {
        self.shared.unconfined.any()
    }

    /// Tells other processes of such programs, and hears of theirs, in the folder `state`.
    pub(crate) fn share_unsandboxed(&self, state: &Path) {
        self.shared.unconfined.share(state);
    }

    /// Says that a program is about to run without the sandbox, until what this gives is dropped.
    #[must_use]
    pub(crate) fn unconfined(&self) -> Unconfined {
        self.shared.unconfined.begin()
    }

    /// Ends one, with everything it started. `false` where none of that call runs.
    pub fn stop(&self, session: &str, call_id: &str) -> bool {
        let entries = self.entries();
        let running = entries.iter().filter(|entry| entry.listed.ended.is_none());
        let mut wanted =
            running.filter(|entry| entry.listed.session == session && entry.listed.call_id == call_id);
        wanted.next_back().map(|entry| entry.cancel.cancel()).is_some()
    }

    /// The latest one that this call started, running or not.
    pub(crate) fn find(&self, session: &str, call_id: &str) -> Option<Handle> {
        let entries = self.entries();
        let entry = entries
            .iter()
            .rfind(|entry| entry.listed.session == session && entry.listed.call_id == call_id)?;
        Some(Handle {
            number: entry.number,
            listed: entry.listed.clone(),
            cancel: entry.cancel.clone(),
            gone: entry.gone.clone(),
        })
    }

    /// Ends all of one session, and waits until nothing of them is left.
    pub async fn end(&self, session: &str) {
        let running: Vec<(CancellationToken, CancellationToken)> = self
            .entries()
            .iter()
            .filter(|entry| entry.listed.session == session && entry.listed.ended.is_none())
            .map(|entry| (entry.cancel.clone(), entry.gone.clone()))
            .collect();
        for (cancel, _) in &running {
            cancel.cancel();
        }
        for (_, gone) in running {
            gone.cancelled().await;
        }
    }

    /// Ends all of them.
    pub fn stop_all(&self) {
        self.shared.stop_all();
    }

    /// Ends all of them and waits, for no longer than `within`, until nothing of them is left and what they left in their
    /// workspaces was moved out. `false` where that took longer.
    pub async fn finish(&self, within: Duration) -> bool {
        self.stop_all();
        let gone: Vec<CancellationToken> = self.entries().iter().map(|entry| entry.gone.clone()).collect();
        let all = async {
            for one in gone {
                one.cancelled().await;
            }
        };
        tokio::time::timeout(within, all).await.is_ok()
    }

    /// What looks after the workspaces of all commands.
    pub(crate) fn watches(&self) -> &Watches {
        &self.watches
    }

    /// Puts one on the list; its token fires when it must end.
    pub(crate) fn add(&self, listed: Listed) -> CancellationToken {
        let cancel = CancellationToken::new();
        let mut entries = self.entries();
        while entries.len() >= REMEMBERED {
            let Some(oldest) = entries.iter().position(|entry| entry.listed.ended.is_some()) else { break };
            entries.remove(oldest);
        }
        let number = self.shared.added.fetch_add(1, Ordering::Relaxed);
        entries.push(Entry { number, listed, cancel: cancel.clone(), gone: CancellationToken::new() });
        drop(entries);
        self.shared.tell();
        cancel
    }

    /// What tells its end; it keeps nothing running.
    pub(crate) fn reporter(&self, session: &str, call_id: &str) -> Reporter {
        let found = self.find(session, call_id);
        Reporter {
            number: found.as_ref().map(|handle| handle.number),
            _gone: found.map(|handle| handle.gone.drop_guard()),
            shared: Arc::downgrade(&self.shared),
        }
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.shared.lock()
    }
}

impl Shared {
    fn tell(&self) {
        if let Some(changed) = self.changed.get() {
            changed();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_all(&self) {
        for entry in self.lock().iter() {
            entry.cancel.cancel();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.stop_all();
    }
}

/// One background command, held from outside. It keeps nothing running.
#[derive(Debug)]
pub(crate) struct Handle {
    number: u64,
    listed: Listed,
    cancel: CancellationToken,
    gone: CancellationToken,
}

impl Handle {
    /// As it was listed when it was found.
    pub(crate) fn listed(&self) -> &Listed {
        &self.listed
    }

    /// Ends it, and waits until nothing of it is left.
    pub(crate) async fn stop(&self) {
        self.cancel.cancel();
        self.gone.cancelled().await;
    }
}

/// Tells the list how a command ended.
#[derive(Debug)]
pub(crate) struct Reporter {
    /// Fires when this is dropped, whatever the command's task came to.
    _gone: Option<DropGuard>,
    shared: std::sync::Weak<Shared>,
    number: Option<u64>,
}

impl Reporter {
    pub(crate) fn ended(self, outcome: Outcome) {
        let Some(shared) = self.shared.upgrade() else { return };
        let mut entries = shared.lock();
        if let Some(entry) = entries.iter_mut().find(|entry| Some(entry.number) == self.number) {
            entry.listed.ended = Some(outcome);
        }
        drop(entries);
        shared.tell();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(call: &str) -> Listed {
        Listed {
            call_id: call.to_owned(),
            session: "s".to_owned(),
            command: "serve".to_owned(),
            started: SystemTime::UNIX_EPOCH,
            unsandboxed: call == "free",
            ended: None,
        }
    }

    /// R52: stopping names one; the last handle to go ends the rest.
    #[test]
    fn stopping() {
        let background = Background::default();
        let (first, second) = (background.add(listed("a")), background.add(listed("free")));
        assert!(!background.stop("other", "a") && !first.is_cancelled());
        assert!(background.stop("s", "a") && first.is_cancelled() && !second.is_cancelled());
        background.reporter("s", "a").ended(Outcome::Exited(0));
        assert!(!background.stop("s", "a"), "it has ended");
        drop(background);
        assert!(second.is_cancelled());
    }

    /// R52: the end of one is its own, where another of the same id still runs.
    #[test]
    fn two_of_one_id() {
        let background = Background::default();
        background.add(listed("a"));
        background.add(listed("a"));
        background.reporter("s", "a").ended(Outcome::Exited(0));
        let ended: Vec<_> = background.list().into_iter().map(|one| one.ended).collect();
        assert_eq!(ended, [None, Some(Outcome::Exited(0))]);
    }

    /// R52: whoever ends the app waits for each command's end, but not for ever.
    #[tokio::test(start_paused = true)]
    async fn the_end_of_all_is_awaited() {
        let background = Background::default();
        let cancel = background.add(listed("a"));
        let reporter = background.reporter("s", "a");
        assert!(!background.finish(Duration::from_secs(3)).await, "it doesn't listen");
        tokio::spawn(async move {
            cancel.cancelled().await;
            reporter.ended(Outcome::Exited(0));
        });
        assert!(background.finish(Duration::from_secs(3)).await);
    }

    /// R52: the end of a session is the end of its commands, and of no other's; it comes when nothing of them is left.
    #[tokio::test]
    async fn ending_a_session() {
        let background = Background::default();
        let other = background.add(Listed { session: "other".to_owned(), ..listed("c") });
        let tokens = ["a", "b"].map(|call| background.add(listed(call)));
        let reporters = ["a", "b"].map(|call| background.reporter("s", call));
        let ended = background.clone();
        let ending = tokio::spawn(async move { ended.end("s").await });
        for (token, reporter) in tokens.into_iter().zip(reporters) {
            token.cancelled().await;
            assert!(!ending.is_finished());
            reporter.ended(Outcome::Exited(0));
        }
        ending.await.expect("an end");
        assert!(!other.is_cancelled());
        background.end("nobody").await;
    }

    /// R52: the window is told of each start and each end, once it can read the list.
    #[test]
    fn telling() {
        let background = Background::default();
        let seen = Arc::<Mutex<Vec<usize>>>::default();
        let (list, told) = (Arc::downgrade(&background.shared), Arc::clone(&seen));
        background.on_change(move || {
            let shared = list.upgrade().unwrap();
            let running = shared.lock().iter().filter(|entry| entry.listed.ended.is_none()).count();
            told.lock().unwrap().push(running);
        });
        background.add(listed("a"));
        background.add(listed("b"));
        background.reporter("s", "a").ended(Outcome::Exited(0));
        assert_eq!(*seen.lock().unwrap(), [1, 2, 1]);
    }

    /// R52: the list doesn't grow without end, and forgets no running one.
    #[test]
    fn forgetting() {
        let background = Background::default();
        background.add(listed("runs"));
        for number in 0..200 {
            let call = number.to_string();
            background.add(listed(&call));
            background.reporter("s", &call).ended(Outcome::Exited(0));
        }
        assert_eq!(background.list().len(), REMEMBERED);
        assert_eq!(background.list()[0].call_id, "runs");
    }
}
