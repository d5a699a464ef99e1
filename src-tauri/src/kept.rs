//! A value that lives in a file. A change counts at once; one that the file doesn't take counts until the app ends,
//! and the window says so.

use crate::view::Sentence;
use std::sync::{Mutex, MutexGuard, PoisonError};

type Write<T> = Box<dyn Fn(&T, &T) -> anyhow::Result<()> + Send + Sync>;

/// The value and the way to its file.
pub struct Kept<T> {
    state: Mutex<State<T>>,
    write: Write<T>,
}

struct State<T> {
    value: T,
    /// What the file was told last.
    written: T,
    /// Why it doesn't say what counts.
    trouble: Option<String>,
}

impl<T: Clone + PartialEq> Kept<T> {
    /// Keeps `value`, as it was read; `write` gets what it was when it was read or written last, and what it is.
    pub fn new(value: T, write: impl Fn(&T, &T) -> anyhow::Result<()> + Send + Sync + 'static) -> Self {
        let state = State { written: value.clone(), value, trouble: None };
        Self { state: Mutex::new(state), write: Box::new(write) }
    }

    /// The value as it is.
    pub fn get(&self) -> T {
        self.state().value.clone()
    }

    /// Changes it; the new value.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> T {
        let mut state = self.state();
        change(&mut state.value);
        self.save(&mut state);
        state.value.clone()
    }

    /// Why the file doesn't say what counts; `None` where it does.
    pub fn trouble(&self) -> Option<Sentence> {
        self.state().trouble.clone().map(Sentence::from)
    }

    /// Tries to write what the file didn't take; whether it does now.
    pub fn write_again(&self) -> bool {
        let mut state = self.state();
        let troubled = state.trouble.is_some();
        if troubled {
            self.save(&mut state);
        }
        troubled && state.trouble.is_none()
    }

    fn save(&self, state: &mut State<T>) {
        state.trouble = None;
        if state.value == state.written {
            return;
        }
        match (self.write)(&state.written, &state.value) {
            Ok(()) => state.written = state.value.clone(),
            Err(error) => {
                tracing::warn!(error = format!("{error:#}"), "a change is not kept");
                state.trouble = Some(format!("Can't {error:#}."));
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `there` with the value of `now` where that isn't the one of `before`.
pub fn changed<T: Clone + PartialEq>(there: T, before: &T, now: &T) -> T {
    if before == now { there } else { now.clone() }
}

/// The entries of `there` with those that were changed, added or removed from `before` to `now`; `key` names an entry.
/// `merge` changes what is there of one, nothing where it was taken out, as it was changed from one to the other.
pub fn changed_entries<E: Clone + PartialEq, K: PartialEq>(
    there: Vec<E>,
    before: &[E],
    now: &[E],
    key: impl Fn(&E) -> K,
    merge: impl Fn(Option<E>, &E, &E) -> E,
) -> Vec<E> {
    let named = |entries: &[E], wanted: &E| entries.iter().find(|entry| key(entry) == key(wanted)).cloned();
    let mut entries: Vec<E> = there
        .into_iter()
        .filter_map(|entry| match (named(before, &entry), named(now, &entry)) {
            (Some(old), Some(new)) => Some(merge(Some(entry), &old, &new)),
            (Some(_), None) => None,
            (None, new) => Some(new.unwrap_or(entry)),
        })
        .collect();
    for new in now {
        if named(&entries, new).is_some() {
            continue;
        }
        match named(before, new) {
            Some(old) if old == *new => {}
            Some(old) => entries.push(merge(None, &old, new)),
            None => entries.push(new.clone()),
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::{Kept, changed, changed_entries};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI32, Ordering};

    /// What tightens counts though the disk is full; so does all else that a person chose, and it is said.
    #[test]
    fn what_could_not_be_written_counts_and_is_told() {
        let (full, disk) = (Arc::new(AtomicI32::new(5)), Arc::new(AtomicI32::new(1)));
        let (limit, file) = (Arc::clone(&full), Arc::clone(&disk));
        let kept = Kept::new(1, move |before, value| {
            anyhow::ensure!(*value <= limit.load(Ordering::SeqCst), "write /a: the disk is full");
            assert_eq!(file.swap(*value, Ordering::SeqCst), *before, "told what was written last");
            Ok(())
        });
        assert_eq!(kept.update(|value| *value = 2), 2);
        assert_eq!((kept.trouble(), kept.write_again()), (None, false));
        assert_eq!(kept.update(|value| *value = 9), 9);
        assert_eq!((kept.get(), disk.load(Ordering::SeqCst)), (9, 2));
        assert_eq!(kept.trouble().unwrap().to_string(), "Can't write /a: the disk is full.");
        assert!(!kept.write_again());
        full.store(10, Ordering::SeqCst);
        assert!(kept.write_again());
        assert_eq!((disk.load(Ordering::SeqCst), kept.trouble()), (9, None));
    }

    #[test]
    fn entries_that_others_changed_stay() {
        let before = [("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 1), ("f", 1, 1)];
        let now = [("a", 2, 1), ("b", 1, 1), ("d", 1, 1), ("e", 1, 1), ("f", 2, 1)];
        let there = vec![("b", 7, 1), ("a", 1, 7), ("c", 7, 1), ("x", 7, 1)];
        let merge = |there: Option<(&'static str, i32, i32)>, before: &(_, i32, i32), now: &(_, i32, i32)| {
            let (name, one, other) = there.unwrap_or((now.0, 0, 0));
            (name, changed(one, &before.1, &now.1), changed(other, &before.2, &now.2))
        };
        let entries = changed_entries(there, &before, &now, |entry| entry.0, merge);
        assert_eq!(entries, [("b", 7, 1), ("a", 2, 7), ("x", 7, 1), ("e", 1, 1), ("f", 2, 0)]);
    }
}
