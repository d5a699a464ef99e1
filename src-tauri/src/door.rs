//! What the window asks for before the shell stands waits here, so that the window can paint meanwhile.

use std::sync::{Mutex, PoisonError};
use tauri::Wry;
use tauri::ipc::Invoke;

/// Passes requests on once it is open; those that came before go first, in their order.
pub struct Door<R = Invoke<Wry>> {
    handle: Box<dyn Fn(R) -> bool + Send + Sync>,
    /// Those that wait; none any more once it is open.
    early: Mutex<Option<Vec<R>>>,
}

impl<R> Door<R> {
    /// A closed one; `handle` tells whether it knows the request.
    pub fn new(handle: impl Fn(R) -> bool + Send + Sync + 'static) -> Self {
        Self { handle: Box::new(handle), early: Mutex::new(Some(Vec::new())) }
    }

    /// Takes a request, now or when it opens.
    pub fn take(&self, request: R) -> bool {
        match self.early.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(early) => early.push(request),
            None => return (self.handle)(request),
        }
        true
    }

    /// Opens it. Called on the thread that requests arrive on, so that none overtakes those that waited.
    pub fn open(&self) {
        let early = self.early.lock().unwrap_or_else(PoisonError::into_inner).take();
        for request in early.into_iter().flatten() {
            (self.handle)(request);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Door;
    use std::sync::{Arc, Mutex};

    #[test]
    fn what_came_early_is_handled_once_and_first() {
        let handled = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&handled);
        let door = Door::new(move |request: u8| {
            seen.lock().unwrap().push(request);
            request < 9
        });
        assert!(door.take(1) && door.take(2));
        assert_eq!(*handled.lock().unwrap(), [0_u8; 0]);
        door.open();
        assert_eq!(*handled.lock().unwrap(), [1, 2]);
        assert!(door.take(3) && !door.take(9), "and what is unknown is said to be");
        door.open();
        assert_eq!(*handled.lock().unwrap(), [1, 2, 3, 9]);
    }
}
