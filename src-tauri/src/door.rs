//! What the window asks for before the parts for it stand waits here, so that the window can paint meanwhile.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;
use tauri::Wry;
use tauri::ipc::Invoke;

/// Passes requests on once it is open; those that came before go first, in their order.
pub struct Door<R = Invoke<Wry>> {
    handle: Box<dyn Fn(R) -> bool + Send + Sync>,
    goes_first: Box<dyn Fn(&R) -> bool + Send + Sync>,
    state: Mutex<State<R>>,
    /// Something waits, or nothing has to any more.
    wanted: Condvar,
}

enum State<R> {
    /// All wait.
    Closed(Vec<R>),
    /// What needs no engine goes through; these wait.
    Ajar(Vec<R>),
    Open,
}

impl<R> Door<R> {
    /// A closed one. `handle` tells whether it knows the request; what `goes_first` picks needs no engine.
    pub fn new(
        handle: impl Fn(R) -> bool + Send + Sync + 'static,
        goes_first: impl Fn(&R) -> bool + Send + Sync + 'static,
    ) -> Self {
        let state = Mutex::new(State::Closed(Vec::new()));
        Self { handle: Box::new(handle), goes_first: Box::new(goes_first), state, wanted: Condvar::new() }
    }

    /// Takes a request, now or when it may pass.
    pub fn take(&self, request: R) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *state {
            State::Ajar(early) if !(self.goes_first)(&request) => {
                early.push(request);
                self.wanted.notify_all();
            }
            State::Closed(early) => early.push(request),
            State::Ajar(_) | State::Open => {
                drop(state);
                return (self.handle)(request);
            }
        }
        true
    }

    /// The shell stands: lets in what needs no engine. Called, as [`Self::open`] is, on the thread that requests
    /// arrive on, so that none overtakes those that waited.
    pub fn set_ajar(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let first = match &mut *state {
            State::Closed(early) => {
                let (first, others) =
                    std::mem::take(early).into_iter().partition(|early| (self.goes_first)(early));
                *state = State::Ajar(others);
                first
            }
            State::Ajar(_) | State::Open => Vec::new(),
        };
        drop(state);
        self.wanted.notify_all();
        self.pass(first);
    }

    /// Waits until something waits for the engine, by when the window has what it paints from, at most `patience`;
    /// whether it came to that.
    pub fn until_engine_is_wanted(&self, patience: Duration) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let unwanted = |state: &mut State<R>| match state {
            State::Closed(_) => true,
            State::Ajar(early) => early.is_empty(),
            State::Open => false,
        };
        let waited = self.wanted.wait_timeout_while(state, patience, unwanted);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Everything stands: opens it.
    pub fn open(&self) {
        let state =
            std::mem::replace(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Open);
        self.wanted.notify_all();
        match state {
            State::Closed(early) | State::Ajar(early) => self.pass(early),
            State::Open => {}
        }
    }

    fn pass(&self, requests: Vec<R>) {
        for request in requests {
            (self.handle)(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Door;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// A door that `10` and more pass first, that knows what is below `90`, and what came through.
    fn door() -> (Door<u8>, Arc<Mutex<Vec<u8>>>) {
        let handled = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&handled);
        let handle = move |request| {
            seen.lock().unwrap().push(request);
            request < 90
        };
        (Door::new(handle, |request| *request >= 10), handled)
    }

    #[test]
    fn what_came_early_is_handled_once_and_first() {
        let (door, handled) = door();
        assert!(door.take(1) && door.take(10) && door.take(2));
        assert_eq!(*handled.lock().unwrap(), [0_u8; 0]);
        door.open();
        assert_eq!(*handled.lock().unwrap(), [1, 10, 2]);
        assert!(door.take(3) && !door.take(90), "and what is unknown is said to be");
        door.open();
        door.set_ajar();
        assert!(door.take(4));
        assert_eq!(*handled.lock().unwrap(), [1, 10, 2, 3, 90, 4]);
    }

    #[test]
    fn what_needs_no_engine_does_not_wait_for_it() {
        let (door, handled) = door();
        assert!(door.take(1) && door.take(10) && door.take(2) && door.take(11));
        door.set_ajar();
        assert_eq!(*handled.lock().unwrap(), [10, 11]);
        assert!(door.take(3) && door.take(12) && !door.take(90));
        door.set_ajar();
        assert_eq!(*handled.lock().unwrap(), [10, 11, 12, 90]);
        door.open();
        assert_eq!(*handled.lock().unwrap(), [10, 11, 12, 90, 1, 2, 3]);
    }

    #[test]
    fn the_engine_is_wanted_by_what_waits_for_it() {
        let (door, _) = door();
        let wanted = |door: &Door<u8>| door.until_engine_is_wanted(Duration::ZERO);
        assert!(!wanted(&door) && door.take(10) && !wanted(&door));
        door.set_ajar();
        assert!(!wanted(&door) && door.take(11) && !wanted(&door), "what goes first doesn't want it");
        assert!(door.take(1) && wanted(&door));
        door.open();
        assert!(wanted(&door));
    }
}
