//! The one ordered stream of events to the window.

mod outbox;

use crate::view::AppEvent;
use outbox::Outbox;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tauri::ipc::Channel;

/// A frame: of a steady stream, what arrives within it goes out together.
const FRAME: Duration = Duration::from_millis(16);

/// After a pause the first event goes out sooner: only what comes with it is awaited.
const FIRST: Duration = Duration::from_millis(2);

/// Sends events to the window that subscribed last; drops them while there is none.
#[derive(Clone, Default)]
pub struct Bridge {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    channel: Option<Channel<AppEvent>>,
    outbox: Outbox,
    /// When events last went out.
    flushed: Option<Instant>,
}

impl Bridge {
    /// From here on `channel` gets everything, `first` before all else.
    pub fn subscribe(&self, channel: Channel<AppEvent>, first: AppEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.outbox = Outbox::default();
        if let Err(error) = channel.send(first) {
            tracing::warn!(%error, "the window can't be reached");
        }
        state.channel = Some(channel);
    }

    /// Whether there is a window to tell.
    pub fn is_listened_to(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).channel.is_some()
    }

    /// Puts `event` on its way; it leaves within a frame.
    pub fn send(&self, event: AppEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.channel.is_none() {
            return;
        }
        if state.outbox.push(event) {
            let wait = wait(state.flushed.map(|last| last.elapsed()));
            let bridge = self.clone();
            tauri::async_runtime::spawn(async move {
                tokio::time::sleep(wait).await;
                bridge.flush();
            });
        }
    }

    fn flush(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let events = state.outbox.take();
        state.flushed = Some(Instant::now());
        let Some(channel) = &state.channel else { return };
        for event in events {
            if let Err(error) = channel.send(event) {
                tracing::warn!(%error, "the window can't be reached");
                return;
            }
        }
    }
}

/// How long an event waits for company, where the last ones went out `since` ago.
fn wait(since: Option<Duration>) -> Duration {
    since.map_or(FIRST, |since| FRAME.saturating_sub(since)).max(FIRST)
}

#[cfg(test)]
mod tests {
    use super::{FIRST, FRAME, wait};
    use std::time::Duration;

    #[test]
    fn a_stream_leaves_frame_by_frame_and_the_first_event_after_a_pause_at_once() {
        let millis = Duration::from_millis;
        for (since, waits) in [
            (None, FIRST),
            (Some(millis(0)), FRAME),
            (Some(millis(6)), millis(10)),
            (Some(millis(15)), FIRST),
            (Some(millis(16)), FIRST),
            (Some(millis(5_000)), FIRST),
        ] {
            assert_eq!(wait(since), waits, "{since:?}");
        }
    }
}
