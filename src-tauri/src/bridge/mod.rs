//! The one ordered stream of events to the window.

mod outbox;

use crate::view::AppEvent;
use outbox::Outbox;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tauri::ipc::Channel;

/// A frame: what arrives within it goes out together.
const FRAME: Duration = Duration::from_millis(16);

/// Sends events to the window that subscribed last; drops them while there is none.
#[derive(Clone, Default)]
pub struct Bridge {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    channel: Option<Channel<AppEvent>>,
    outbox: Outbox,
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
            let bridge = self.clone();
            tauri::async_runtime::spawn(async move {
                tokio::time::sleep(FRAME).await;
                bridge.flush();
            });
        }
    }

    fn flush(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let events = state.outbox.take();
        let Some(channel) = &state.channel else { return };
        for event in events {
            if let Err(error) = channel.send(event) {
                tracing::warn!(%error, "the window can't be reached");
                return;
            }
        }
    }
}
