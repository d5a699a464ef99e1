//! A value that lives in a file: changed in memory only when it could be written.

use std::sync::{Mutex, PoisonError};

type Write<T> = Box<dyn Fn(&T) -> anyhow::Result<()> + Send + Sync>;

/// The value and the way to its file.
pub struct Kept<T> {
    value: Mutex<T>,
    write: Write<T>,
}

impl<T: Clone + PartialEq> Kept<T> {
    /// Keeps `value`; every change goes through `write` first.
    pub fn new(value: T, write: impl Fn(&T) -> anyhow::Result<()> + Send + Sync + 'static) -> Self {
        Self { value: Mutex::new(value), write: Box::new(write) }
    }

    /// The value as it is.
    pub fn get(&self) -> T {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes it; the new value.
    ///
    /// # Errors
    /// When it can't be written; the old value stays.
    pub fn update(&self, change: impl FnOnce(&mut T)) -> anyhow::Result<T> {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = value.clone();
        change(&mut next);
        if next != *value {
            (self.write)(&next)?;
            *value = next.clone();
        }
        Ok(next)
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    #[test]
    fn what_could_not_be_written_did_not_change() {
        let kept = Kept::new(1, |value| if *value > 5 { anyhow::bail!("disk full") } else { Ok(()) });
        assert_eq!(kept.update(|value| *value = 2).unwrap(), 2);
        assert!(kept.update(|value| *value = 9).is_err());
        assert_eq!(kept.get(), 2);
    }
}
