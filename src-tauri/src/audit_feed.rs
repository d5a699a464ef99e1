//! Keeps the audit tab live: after each record, the rows that are new or gained a phase. Those of other processes come
//! a little later.

use crate::bridge::Bridge;
use crate::view::{AppEvent, Sentence};
use assent_agent::audit::query::AuditFilter;
use assent_agent::audit::{AuditError, AuditPlaces, AuditReader};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

/// What arrives within this time is told together.
const PAUSE: Duration = Duration::from_millis(40);

/// How long a step of indexing takes, and the rest after it: an old log is searchable before long, and nobody waits.
const STEP: Duration = Duration::from_millis(20);
const REST: Duration = Duration::from_millis(20);

/// How often it is looked for what other processes recorded, `assent exec` for one.
const LOOK: Duration = Duration::from_secs(2);

/// The handle: poke it when something was recorded.
pub struct AuditFeed(SyncSender<()>);

impl AuditFeed {
    /// Starts a thread that reads the log at `places`; it ends with the last handle.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(places: AuditPlaces, bridge: Bridge) -> std::io::Result<Self> {
        let (poke, poked) = sync_channel(1);
        std::thread::Builder::new().name("audit-feed".to_owned()).spawn(move || {
            keep_on(&places, &|event| bridge.send(event), &poked);
        })?;
        Ok(Self(poke))
    }

    /// Something was recorded.
    pub fn poke(&self) {
        match self.0.try_send(()) {
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }
}

/// Follows the log for as long as there is a handle. Where it can't be read that is told once until it can, and tried
/// again with the next record, and now and then.
fn keep_on(places: &AuditPlaces, tell: &dyn Fn(AppEvent), poked: &Receiver<()>) {
    let mut seen = None;
    let mut told = false;
    while let Err(error) = follow(places, tell, poked, &mut seen, &mut told) {
        tracing::warn!(%error, "the audit tab isn't live");
        if !std::mem::replace(&mut told, true) {
            let why = format!("Can't {error}.");
            let what = "Until that works, the audit tab shows nothing new.".to_owned();
            let message = Sentence::all(vec![why, what]);
            tell(AppEvent::Warning { session_id: None, code: "audit".to_owned(), message });
        }
        if poked.recv_timeout(LOOK) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}

/// Tells every row that is newer than `seen`, which is moved on; from the newest there is where it says none. What was
/// `told` of a log that can't be read is over once it can.
fn follow(
    places: &AuditPlaces,
    tell: &dyn Fn(AppEvent),
    poked: &Receiver<()>,
    seen: &mut Option<i64>,
    told: &mut bool,
) -> Result<(), AuditError> {
    let Some(reader) = AuditReader::open(places)? else { return Ok(()) };
    let mut last = match *seen {
        // What came while it couldn't be read.
        Some(seen) => tell_since(&reader, tell, seen)?,
        None => {
            let newest = reader.page(&AuditFilter::default(), None, 1)?.rows.first().map_or(0, |row| row.seq);
            reader.since(newest)?.1
        }
    };
    *seen = Some(last);
    *told = false;
    let mut indexed = false;
    loop {
        match poked.recv_timeout(if indexed { LOOK } else { REST }) {
            Ok(()) => std::thread::sleep(PAUSE),
            Err(RecvTimeoutError::Timeout) if !indexed => {
                indexed = index_some(&reader);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let newest = tell_since(&reader, tell, last)?;
        indexed = indexed && newest == last;
        last = newest;
        *seen = Some(last);
    }
}

/// Tells every row that is newer than `last`; the newest there is.
fn tell_since(reader: &AuditReader, tell: &dyn Fn(AppEvent), mut last: i64) -> Result<i64, AuditError> {
    loop {
        let (rows, newest) = reader.since(last)?;
        if newest == last {
            return Ok(last);
        }
        last = newest;
        tell(AppEvent::AuditRows { rows: rows.into_iter().map(Into::into).collect() });
    }
}

/// A step of the index of words, so that searches find it ready; says whether nothing is left to do.
fn index_some(reader: &AuditReader) -> bool {
    match reader.index_words(STEP) {
        Ok(indexed) => indexed.is_whole(),
        Err(error) => {
            // A search will try again, and say so.
            tracing::info!(%error, "the words of the audit can't be indexed");
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{follow, keep_on};
    use crate::view::AppEvent;
    use assent_agent::audit::redact::Redactor;
    use assent_agent::audit::{AuditLog as _, AuditPlaces, AuditStore, Entry, SystemKeys};
    use assent_agent::clock::SystemClock;
    use std::sync::Arc;
    use std::sync::mpsc::{channel, sync_channel};
    use std::time::Duration;

    /// What `assent exec` writes is no news of this process.
    #[test]
    fn what_another_process_records_is_told_too() {
        let folder = tempfile::tempdir().unwrap();
        let places = AuditPlaces { data: folder.path().to_owned(), state: folder.path().to_owned() };
        let keys = SystemKeys::file_only(&places.data);
        let log =
            AuditStore::open(places.clone(), &keys, Arc::new(SystemClock), Redactor::default()).unwrap();
        let record = |name| log.append(&[Entry::event(name, "r", serde_json::Value::Null)]).unwrap();
        let (poke, poked) = sync_channel(1);
        let (told, heard) = channel();
        let feed = std::thread::spawn(move || {
            follow(&places, &|event| told.send(event).unwrap(), &poked, &mut Some(0), &mut false).unwrap();
        });
        for name in ["mode_changed", "folder_trusted"] {
            record(name);
            let mut is_told = false;
            while !is_told {
                let event = heard.recv_timeout(Duration::from_secs(30)).unwrap();
                let AppEvent::AuditRows { rows } = event else { panic!("{event:?}") };
                is_told = rows.iter().any(|row| row.tool == name);
            }
        }
        drop(poke);
        feed.join().unwrap();
    }

    /// A tab that stands still without a word looks like a log in which nothing happens.
    #[test]
    fn a_log_that_cannot_be_read_is_told_once_and_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let places = AuditPlaces { data: folder.path().to_owned(), state: folder.path().to_owned() };
        std::fs::write(places.log(), "no log at all, and long enough to be read as one".repeat(50)).unwrap();
        let (poke, poked) = sync_channel(1);
        let (told, heard) = channel();
        let feed = std::thread::spawn(move || keep_on(&places, &|event| told.send(event).unwrap(), &poked));
        let first = heard.recv_timeout(Duration::from_secs(30)).unwrap();
        assert!(matches!(first, AppEvent::Warning { .. }), "{first:?}");
        poke.send(()).unwrap();
        poke.send(()).unwrap();
        drop(poke);
        feed.join().unwrap();
        assert!(heard.try_recv().is_err(), "it is told once");
    }

    /// Once it can be read again, the next time it can't is news.
    #[test]
    fn a_log_that_can_be_read_again_ends_what_was_told() {
        let folder = tempfile::tempdir().unwrap();
        let places = AuditPlaces { data: folder.path().to_owned(), state: folder.path().to_owned() };
        let keys = SystemKeys::file_only(&places.data);
        let _log =
            AuditStore::open(places.clone(), &keys, Arc::new(SystemClock), Redactor::default()).unwrap();
        let (poke, poked) = sync_channel(1);
        drop(poke);
        let mut told = true;
        follow(&places, &|_| (), &poked, &mut None, &mut told).unwrap();
        assert!(!told);
    }
}
