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

/// Most warnings that wait for a window.
const WARNINGS: usize = 20;

/// Sends events to the window that subscribed last. While there is none it keeps warnings, which nothing else tells of,
/// and drops the rest: the window begins with how everything is.
#[derive(Clone, Default)]
pub struct Bridge {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    channel: Option<Channel<AppEvent>>,
    outbox: Outbox,
    /// Told before there was a window.
    warnings: Vec<AppEvent>,
    /// When events last went out.
    flushed: Option<Instant>,
}

impl Bridge {
    /// From here on `channel` gets everything, `first` before all else, then the warnings that nobody heard.
    pub fn subscribe(&self, channel: Channel<AppEvent>, first: AppEvent) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.outbox = Outbox::default();
        for event in std::iter::once(first).chain(std::mem::take(&mut state.warnings)) {
            if let Err(error) = channel.send(event) {
                tracing::warn!(%error, "the window can't be reached");
            }
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
            if matches!(event, AppEvent::Warning { .. }) && state.warnings.len() < WARNINGS {
                state.warnings.push(event);
            }
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
    use super::{Bridge, FIRST, FRAME, wait};
    use crate::view::AppEvent;
    use serde_json::{Value, json};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Barrier, Mutex};
    use std::time::Duration;
    use tauri::ipc::{Channel, InvokeResponseBody};

    /// Longer than any machine takes.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn window() -> (Channel<AppEvent>, Receiver<Value>) {
        let (tell, told): (Sender<Value>, _) = channel();
        let tell = Mutex::new(tell);
        let window = Channel::new(move |body| {
            let InvokeResponseBody::Json(text) = body else { panic!("no text") };
            drop(tell.lock().unwrap().send(serde_json::from_str(&text).unwrap()));
            Ok(())
        });
        (window, told)
    }

    fn change(id: usize) -> AppEvent {
        AppEvent::ChangesChanged { session_id: id.to_string() }
    }

    fn warning(code: &str) -> AppEvent {
        AppEvent::Warning { session_id: None, code: code.to_owned(), message: "It went wrong.".into() }
    }

    /// The kind of an event and what it is about.
    fn short(event: &Value) -> String {
        let about = event["sessionId"].as_str().or_else(|| event["code"].as_str()).unwrap_or_default();
        format!("{} {about}", event["type"].as_str().unwrap()).trim().to_owned()
    }

    /// What went wrong before the window was there is in no picture.
    #[test]
    fn a_window_begins_with_the_picture_and_with_the_warnings_that_nobody_heard() {
        let bridge = Bridge::default();
        for event in [warning("one"), change(0), warning("two")] {
            bridge.send(event);
        }
        let (first, told) = window();
        bridge.subscribe(first, AppEvent::PermissionsChanged);
        bridge.send(change(1));
        let heard: Vec<String> = (0..4).map(|_| short(&told.recv_timeout(PATIENCE).unwrap())).collect();
        assert_eq!(heard, ["permissions_changed", "warning one", "warning two", "changes_changed 1"]);

        // Another window has heard them, and has its own picture of what was on its way to the first.
        let (second, told_second) = window();
        bridge.send(change(2));
        bridge.subscribe(second, AppEvent::PermissionsChanged);
        bridge.send(change(3));
        let heard: Vec<String> =
            (0..2).map(|_| short(&told_second.recv_timeout(PATIENCE).unwrap())).collect();
        assert_eq!(heard, ["permissions_changed", "changes_changed 3"]);
        let late: Vec<String> = told.try_iter().map(|event| short(&event)).collect();
        assert!(late.is_empty() || late == ["changes_changed 2"], "{late:?}");
    }

    /// What changes under the lock that the picture is made and sent under is in the picture or told after it, once.
    #[test]
    fn nothing_is_lost_or_doubled_between_picture_and_subscription() {
        const TELLERS: usize = 4;
        const EACH: usize = 50;
        for round in 0..20 {
            let (bridge, state) = (Bridge::default(), Arc::new(Mutex::new(Vec::new())));
            let (begin, (window, told)) = (Arc::new(Barrier::new(TELLERS + 1)), window());
            let tellers: Vec<_> = (0..TELLERS)
                .map(|teller| {
                    let (bridge, state, begin) = (bridge.clone(), Arc::clone(&state), Arc::clone(&begin));
                    std::thread::spawn(move || {
                        begin.wait();
                        for number in 0..EACH {
                            let mut state = state.lock().unwrap();
                            let id = teller * EACH + number;
                            state.push(id);
                            bridge.send(change(id));
                        }
                    })
                })
                .collect();
            begin.wait();
            let pictured = {
                let state = state.lock().unwrap();
                bridge.subscribe(window, AppEvent::PermissionsChanged);
                state.clone()
            };
            for teller in tellers {
                teller.join().unwrap();
            }
            let state = state.lock().unwrap();
            let mut heard = (0..=state.len() - pictured.len()).map(|_| told.recv_timeout(PATIENCE).unwrap());
            assert_eq!(heard.next().unwrap()["type"], "permissions_changed");
            let after: Vec<usize> =
                heard.map(|event| event["sessionId"].as_str().unwrap().parse().unwrap()).collect();
            assert_eq!([pictured, after].concat(), *state, "round {round}");
            bridge.flush();
            assert_eq!(told.try_iter().collect::<Vec<_>>(), [json!(null); 0]);
        }
    }

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
