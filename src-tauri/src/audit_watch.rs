//! The log as this process writes it: the window is told of each record, while it can't be written, and when it can be
//! again (R41).

use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditError, AuditLog, AuditStore, Entry, Standing};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A log that remembers whether its last append failed, and why.
pub struct AuditWatch<L> {
    log: L,
    trouble: Mutex<Option<String>>,
    changed: OnceLock<Box<dyn Fn() + Send + Sync>>,
    recorded: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// The log of this process.
pub type WatchedLog = AuditWatch<Arc<AuditStore>>;

impl<L> AuditWatch<L> {
    /// Watches `log`.
    #[must_use]
    pub fn new(log: L) -> Self {
        Self { log, trouble: Mutex::default(), changed: OnceLock::new(), recorded: OnceLock::new() }
    }

    /// Calls `changed` whenever [`Self::trouble`] is another one. The first caller is heard.
    pub fn on_change(&self, changed: impl Fn() + Send + Sync + 'static) {
        drop(self.changed.set(Box::new(changed)));
    }

    /// Calls `recorded` after each append, which is waited for. The first caller is heard.
    pub fn on_record(&self, recorded: impl Fn() + Send + Sync + 'static) {
        drop(self.recorded.set(Box::new(recorded)));
    }

    /// Why the log can't be written, and what to do, in words for the window; `None` while it can.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn heard(&self, trouble: Option<String>) {
        let mut known = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if *known == trouble {
            return;
        }
        *known = trouble;
        drop(known);
        if let Some(changed) = self.changed.get() {
            changed();
        }
    }
}

impl WatchedLog {
    /// Replaces the secrets that are taken out.
    pub fn set_redactor(&self, redactor: Redactor) {
        self.log.set_redactor(redactor);
    }
}

impl AuditLog for WatchedLog {
    fn append(&self, entries: &[Entry]) -> Result<(), AuditError> {
        self.watched(self.log.append(entries))
    }

    fn standing(&self, session: &str, call: &str) -> Result<Option<Standing>, AuditError> {
        self.log.standing(session, call)
    }
}

impl<L> AuditWatch<L> {
    fn watched(&self, appended: Result<(), AuditError>) -> Result<(), AuditError> {
        self.heard(match &appended {
            Ok(()) => None,
            // One record out of order says nothing about the file.
            Err(AuditError::Order(_)) => self.trouble(),
            Err(
                error @ (AuditError::Store(_)
                | AuditError::Damaged(_)
                | AuditError::Key(_)
                | AuditError::Chain(_)),
            ) => Some(format!("Can't {error}.")),
        });
        if appended.is_ok()
            && let Some(recorded) = self.recorded.get()
        {
            recorded();
        }
        appended
    }
}

#[cfg(test)]
mod tests {
    use super::AuditWatch;
    use assent_agent::audit::AuditError;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// R41: the window hears of each trouble once, with what to do, and of its end.
    #[test]
    fn the_window_hears_when_the_log_fails_and_when_it_writes_again() {
        let watch = AuditWatch::new(());
        let told = Arc::new(AtomicUsize::new(0));
        let heard = Arc::clone(&told);
        watch.on_change(move || {
            heard.fetch_add(1, Ordering::SeqCst);
        });
        let full = || Err(AuditError::Store("the disk of /d is full; free some space".to_owned()));
        let written = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&written);
        watch.on_record(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let steps = [
            (Ok(()), 0, None),
            (full(), 1, Some("Can't store the audit record: the disk of /d is full; free some space.")),
            (full(), 1, Some("Can't store the audit record: the disk of /d is full; free some space.")),
            (
                Err(AuditError::Order("outcome of call c without its intent".to_owned())),
                1,
                Some("Can't store the audit record: the disk of /d is full; free some space."),
            ),
            (Err(AuditError::Damaged("x".to_owned())), 2, Some("Can't read the audit log: x.")),
            (Ok(()), 3, None),
        ];
        for (appended, times, trouble) in steps {
            drop(watch.watched(appended));
            assert_eq!((told.load(Ordering::SeqCst), watch.trouble().as_deref()), (times, trouble));
        }
        assert_eq!(written.load(Ordering::SeqCst), 2, "each record is told of, and nothing else");
    }
}
