//! A part of the app that panicked: the log and the window are told, and the app lives on.
//!
//! The hook runs where the panic happened and may hold any lock there, so it only leaves a note.

use std::sync::mpsc::{Receiver, channel};

/// From here on every panic is logged, and its place can be received.
pub fn watch() -> Receiver<String> {
    let (sender, places) = channel();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a part of the app panicked");
        // Nobody listens any more while the app ends.
        drop(sender.send(place));
        before(panic);
    }));
    places
}

#[cfg(test)]
mod tests {
    use super::watch;
    use std::time::Duration;

    #[test]
    fn a_panic_is_told_with_its_place() {
        let places = watch();
        let _ = std::thread::Builder::new()
            .name("panicking".to_owned())
            .spawn(|| std::panic::panic_any("on purpose"))
            .unwrap()
            .join();
        let place = places.recv_timeout(Duration::from_secs(30)).unwrap();
        assert!(place.contains("panics.rs"), "{place}");
    }
}
