//! The answers that the window is still owed. A command that panics takes its answer along, and whoever asked would
//! wait for ever; so its end is noticed here, and answered.

use crate::commands;
use crate::view::BackendError;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tauri::Wry;
use tauri::ipc::Invoke;

/// Says that a request failed.
type Refuse = Box<dyn FnOnce() + Send>;

/// The requests that are being worked on.
#[derive(Default)]
pub struct Replies(Mutex<HashMap<String, Refuse>>);

impl Replies {
    /// `handle` with an error for the caller of a command that panics, whether at once or later; unwinding through the
    /// window system would end the app.
    pub fn answering(
        self: &Arc<Self>,
        handle: impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static,
    ) -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
        let replies = Arc::clone(self);
        move |invoke| {
            let resolver = invoke.resolver.clone();
            let failed = "Assent failed at this. The log says where.";
            let refuse = move || resolver.reject(BackendError::new("panic", failed));
            // A request that can't be told from others is answered only where its command panics at once.
            let Some(key) = commands::key(&invoke.message).map(str::to_owned) else {
                return std::panic::catch_unwind(AssertUnwindSafe(|| handle(invoke))).unwrap_or_else(|_| {
                    refuse();
                    true
                });
            };
            replies.expect(&key, refuse);
            // What panics at once is refused by what it held, as what panics later is.
            let known = std::panic::catch_unwind(AssertUnwindSafe(|| handle(invoke))).unwrap_or(true);
            if !known {
                replies.forget(&key);
            }
            known
        }
    }

    /// The request `key` came; `refuse` answers it where its command doesn't.
    fn expect(&self, key: &str, refuse: impl FnOnce() + Send + 'static) {
        self.open().insert(key.to_owned(), Box::new(refuse));
    }

    /// The command of the request `key` panicked: it is refused, once.
    fn refuse(&self, key: &str) {
        let refuse = self.open().remove(key);
        if let Some(refuse) = refuse {
            refuse();
        }
    }

    /// The request `key` is answered without us.
    fn forget(&self, key: &str) {
        let refuse = self.open().remove(key);
        drop(refuse);
    }

    /// Whether nothing is being worked on.
    #[cfg(test)]
    fn is_empty(&self) -> bool {
        self.open().is_empty()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Refuse>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held by a command while it works: whichever way it ends, its request is no longer expected.
pub struct Working {
    replies: Arc<Replies>,
    key: String,
}

impl Working {
    /// Work on the request `key`.
    pub fn on(replies: Arc<Replies>, key: &str) -> Self {
        Self { replies, key: key.to_owned() }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.replies.forget(&self.key);
            return;
        }
        // Another panic while this one unwinds would end the app: the answer is given elsewhere.
        let (replies, key) = (Arc::clone(&self.replies), std::mem::take(&mut self.key));
        tauri::async_runtime::spawn(async move { replies.refuse(&key) });
    }
}

#[cfg(test)]
mod tests {
    use super::{Replies, Working};
    use std::sync::Arc;
    use std::sync::mpsc::{self, TryRecvError};
    use std::time::Duration;

    fn expected(replies: &Replies, key: &'static str) -> mpsc::Receiver<&'static str> {
        let (refused, heard) = mpsc::channel();
        replies.expect(key, move || refused.send(key).unwrap());
        heard
    }

    /// What waits for its answer, as a message being sent does, isn't left waiting.
    #[tokio::test]
    async fn a_command_that_panics_later_is_refused_and_no_other() {
        let replies = Arc::new(Replies::default());
        let (fails, works) = (expected(&replies, "1"), expected(&replies, "2"));
        let other = Working::on(Arc::clone(&replies), "2");
        let working = Working::on(Arc::clone(&replies), "1");
        let command = tokio::spawn(async move {
            let _working = working;
            tokio::task::yield_now().await;
            std::panic::panic_any("on purpose");
        });
        assert!(command.await.is_err());
        assert_eq!(fails.recv_timeout(Duration::from_secs(30)), Ok("1"));
        drop(other);
        assert_eq!(works.try_recv(), Err(TryRecvError::Disconnected), "it answered by itself");
        assert!(replies.is_empty());
        replies.refuse("1");
    }
}
