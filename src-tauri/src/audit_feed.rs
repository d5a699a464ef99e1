//! Keeps the audit tab live: after each record, the rows that are new or gained a phase.

use crate::bridge::Bridge;
use crate::view::AppEvent;
use assent_agent::audit::query::AuditFilter;
use assent_agent::audit::{AuditError, AuditPlaces, AuditReader};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

/// What arrives within this time is told together.
const PAUSE: Duration = Duration::from_millis(40);

/// How long a step of indexing takes, and the rest after it: an old log is searchable before long, and nobody waits.
const STEP: Duration = Duration::from_millis(20);
const REST: Duration = Duration::from_millis(20);

/// The handle: poke it when something was recorded.
#[derive(Clone)]
pub struct AuditFeed(SyncSender<()>);

impl AuditFeed {
    /// Starts a thread that reads the log at `places`; it ends with the last handle.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(places: AuditPlaces, bridge: Bridge) -> std::io::Result<Self> {
        let (poke, poked) = sync_channel(1);
        std::thread::Builder::new().name("audit-feed".to_owned()).spawn(move || {
            if let Err(error) = follow(&places, &bridge, &poked) {
                tracing::warn!(%error, "the audit tab isn't live any more");
            }
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

fn follow(places: &AuditPlaces, bridge: &Bridge, poked: &Receiver<()>) -> Result<(), AuditError> {
    let Some(reader) = AuditReader::open(places)? else { return Ok(()) };
    let newest = reader.page(&AuditFilter::default(), None, 1)?.rows.first().map_or(0, |row| row.seq);
    let mut seen = reader.since(newest)?.1;
    let mut indexed = false;
    loop {
        match if indexed { poked.recv().map_err(RecvTimeoutError::from) } else { poked.recv_timeout(REST) } {
            Ok(()) => std::thread::sleep(PAUSE),
            Err(RecvTimeoutError::Timeout) => {
                indexed = index_some(&reader);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        indexed = false;
        loop {
            let (rows, newest) = reader.since(seen)?;
            if newest == seen {
                break;
            }
            seen = newest;
            let rows = rows.into_iter().map(Into::into).collect();
            bridge.send(AppEvent::AuditRows { rows });
        }
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
