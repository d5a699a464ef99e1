//! What follows the person's settings while it lives: no change passes it by, also not one that comes while it is made.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Everything that follows, in the order it came. No guard of its lock ever leaves it: what follows may take
/// locks of its own under it, so whoever holds one of those must not come here.
pub struct Roster<T>(Mutex<Vec<Arc<T>>>);

impl<T> Default for Roster<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Roster<T> {
    /// Takes `one` in, after `follow` brought it to how things are by now: it was made of how they were.
    pub fn add(&self, one: Arc<T>, follow: impl FnOnce(&T)) {
        let mut all = self.all();
        follow(&one);
        all.push(one);
    }

    /// Brings all of them to how things are by now. `follow` reads that itself: changes that come at once then don't
    /// overtake each other.
    pub fn follow(&self, follow: impl Fn(&T)) {
        for one in &*self.all() {
            follow(one);
        }
    }

    /// All of them.
    pub fn list(&self) -> Vec<Arc<T>> {
        self.all().clone()
    }

    /// Takes the first that is `wanted` out.
    pub fn remove(&self, wanted: impl Fn(&Arc<T>) -> bool) -> Option<Arc<T>> {
        let mut all = self.all();
        let place = all.iter().position(wanted)?;
        Some(all.remove(place))
    }

    fn all(&self) -> MutexGuard<'_, Vec<Arc<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Roster;
    use assent_policy::Mode;
    use std::sync::{Arc, Mutex};

    /// R33: who tightens while a session is being taken up tightens that session too.
    #[test]
    fn a_change_reaches_what_was_being_made() {
        let (setting, roster) = (Mutex::new(Mode::Sandboxed), Roster::<Mutex<Mode>>::default());
        let follow = |one: &Mutex<Mode>| *one.lock().unwrap() = *setting.lock().unwrap();
        let made = Arc::new(Mutex::new(*setting.lock().unwrap()));
        *setting.lock().unwrap() = Mode::Strict;
        roster.follow(follow);
        assert_eq!(*made.lock().unwrap(), Mode::Sandboxed, "it isn't on the roster yet");
        roster.add(Arc::clone(&made), follow);
        assert_eq!(*made.lock().unwrap(), Mode::Strict);
        *setting.lock().unwrap() = Mode::Balanced;
        roster.follow(follow);
        assert_eq!(*made.lock().unwrap(), Mode::Balanced);
    }

    /// What ends is out before anything is done about it: that may need another lock, or this one.
    #[test]
    fn what_was_taken_out_can_be_ended_with_the_roster_free() {
        let roster = Roster::default();
        for one in [1, 2] {
            roster.add(Arc::new(one), |_| {});
        }
        let Some(gone) = roster.remove(|one| **one == 1) else { panic!("it was there") };
        assert_eq!((*gone, roster.list()), (1, vec![Arc::new(2)]));
        assert_eq!(roster.remove(|one| **one == 1), None);
    }
}
