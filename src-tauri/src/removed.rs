//! Profiles as they were before they were removed or changed, and the way back.

use crate::keys::name;
use crate::settings::{Profile, Settings, TOUR};
use assent_agent::secret::Secret;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was done to profiles, with what can't be typed again: until the app ends. Each has a number, its place here;
/// what was taken back leaves that empty, so that no number comes to mean another.
#[derive(Default)]
pub struct RemovedProfiles(Mutex<Vec<Option<Kept>>>);

struct Kept {
    removed: Removed,
    /// It is being taken back.
    busy: bool,
}

/// What is being taken back. It stays where it was kept until it came back: a no, an error or a panic leaves it
/// to be taken back another time.
pub struct TakingBack<'a> {
    from: &'a RemovedProfiles,
    number: usize,
    /// What comes back.
    pub removed: Removed,
}

impl TakingBack<'_> {
    /// It came back.
    pub fn finish(self) {
        if let Some(place) = self.from.list().get_mut(self.number) {
            *place = None;
        }
    }
}

impl Drop for TakingBack<'_> {
    fn drop(&mut self) {
        if let Some(Some(kept)) = self.from.list().get_mut(self.number) {
            kept.busy = false;
        }
    }
}

/// A profile as it was.
#[derive(Clone)]
pub struct Removed {
    /// What it was.
    pub profile: Profile,
    /// The key that went with it.
    pub key: Option<Secret>,
    how: How,
}

#[derive(Clone)]
enum How {
    Removed {
        place: usize,
        active: bool,
    },
    /// Into this.
    Changed(Profile),
}

impl Removed {
    /// `before` was changed into `after`; `key` went with that.
    pub fn changed(before: Profile, after: Profile, key: Option<Secret>) -> Self {
        Self { profile: before, key, how: How::Changed(after) }
    }

    /// The profile that comes back to `settings`, with what was changed since otherwise; `None` where what came later
    /// stands in the way: another has its id by now, it is gone, or at another server.
    pub fn back(&mut self, settings: &Settings) -> Option<Profile> {
        let now = settings.profiles.iter().find(|other| other.id == self.profile.id);
        match (&self.how, now) {
            (How::Removed { .. }, None) => Some(self.profile.clone()),
            (How::Changed(after), Some(now)) if name(now) == name(after) => {
                let mut back = now.clone().changed(after, &self.profile);
                if name(after) != name(&self.profile) {
                    // A key goes with its server.
                    back.key = self.profile.key;
                } else if after.key.is_none() && now.key.is_some() {
                    // Another key was saved for it meanwhile.
                    back.key = now.key;
                    self.key = None;
                } else if self.key.is_some() {
                    // Another took its place, or none is there by now.
                    back.key = back.key.or(self.profile.key);
                }
                Some(back)
            }
            (How::Removed { .. } | How::Changed(_), Some(_)) | (How::Changed(_), None) => None,
        }
    }
}

impl RemovedProfiles {
    /// Keeps it; its number takes it out.
    pub fn keep(&self, removed: Removed) -> usize {
        let mut list = self.list();
        list.push(Some(Kept { removed, busy: false }));
        list.len() - 1
    }

    /// Keeps the key that went with what was kept with `number`.
    pub fn keep_key(&self, number: usize, key: Option<Secret>) {
        if let Some(Some(kept)) = self.list().get_mut(number) {
            kept.removed.key = key;
        }
    }

    /// Begins to take back what was kept with `number`; nobody else does meanwhile.
    pub fn take_back(&self, number: usize) -> Option<TakingBack<'_>> {
        let mut list = self.list();
        let kept = list.get_mut(number)?.as_mut().filter(|kept| !kept.busy)?;
        kept.busy = true;
        Some(TakingBack { from: self, number, removed: kept.removed.clone() })
    }

    /// Everything that is kept, which isn't any more.
    pub fn take_all(&self) -> Vec<Removed> {
        self.list().iter_mut().filter_map(Option::take).map(|kept| kept.removed).collect()
    }

    /// Ids that they come back with.
    pub fn ids(&self) -> Vec<String> {
        self.list().iter().flatten().map(|kept| kept.removed.profile.id.clone()).collect()
    }

    fn list(&self) -> MutexGuard<'_, Vec<Option<Kept>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the profile `id` out of `settings` and keeps it in `removed`, with its number there; its key is yet to follow.
/// Done as one change of the settings, its id is free for no other meanwhile, who would find this one's key.
pub fn remove(settings: &mut Settings, removed: &RemovedProfiles, id: &str) -> Option<(Profile, usize)> {
    let taken = take_profile(settings, id)?;
    Some((taken.profile.clone(), removed.keep(taken)))
}

/// Takes the profile `id` out of `settings`; the tour stays.
pub fn take_profile(settings: &mut Settings, id: &str) -> Option<Removed> {
    let place = settings.profiles.iter().position(|profile| profile.id == id && profile.id != TOUR)?;
    let active = settings.active_profile == id;
    let profile = settings.profiles.remove(place);
    *settings = std::mem::take(settings).sound();
    Some(Removed { profile, key: None, how: How::Removed { place, active } })
}

/// Puts a profile back as it was, where it was; `false` where something came into the way.
pub fn put_back(settings: &mut Settings, mut removed: Removed) -> bool {
    let Some(back) = removed.back(settings) else { return false };
    match removed.how {
        How::Removed { place, active } => {
            if active {
                settings.active_profile.clone_from(&back.id);
            }
            settings.profiles.insert(place.min(settings.profiles.len()), back);
        }
        How::Changed(_) => {
            let place = settings.profiles.iter_mut().find(|other| other.id == back.id);
            place.into_iter().for_each(|place| place.clone_from(&back));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{Profile, Removed, RemovedProfiles, Secret, Settings, TOUR, put_back, remove, take_profile};
    use crate::view::{Header, KeyPlace, ProviderKind};

    #[test]
    fn a_removed_profile_comes_back_as_it_was() {
        let header = Header { name: "X-Team".into(), value: "blue".into() };
        let other =
            |id: &str| Profile { id: id.into(), kind: ProviderKind::ChatCompletions, ..Profile::tour() };
        let mine = Profile { proxy: "http://p".into(), headers: vec![header], ..other("mine") };
        let mut settings = Settings {
            active_profile: "mine".into(),
            profiles: vec![Profile::tour(), mine, other("last")],
            ..Settings::default()
        };
        let before = settings.clone();
        assert!(take_profile(&mut settings, TOUR).is_none());
        let removed = take_profile(&mut settings, "mine").unwrap();
        assert_eq!((settings.active_profile.as_str(), settings.profiles.len()), (TOUR, 2));
        assert!(put_back(&mut settings, removed));
        assert_eq!(settings, before);
        let removed = take_profile(&mut settings, "mine").unwrap();
        settings.profiles.push(other("mine"));
        let taken = settings.clone();
        assert!(!put_back(&mut settings, removed));
        assert_eq!(settings, taken, "another has its id by now");
    }

    /// A change and the key that went with it come back; what was changed since stays.
    #[test]
    fn a_change_is_taken_back_without_what_came_after() {
        let before = Profile {
            id: "mine".into(),
            kind: ProviderKind::ChatCompletions,
            base_url: "https://a.example".into(),
            key: Some(KeyPlace::Keychain),
            ..Profile::tour()
        };
        let moved = Profile { base_url: "https://b.example".into(), key: None, ..before.clone() };
        let keyless = Profile { key: None, ..before.clone() };
        let filed = Profile { key: Some(KeyPlace::File), ..before.clone() };
        let later = |profile: &Profile, key| Profile { model: "other".into(), key, ..profile.clone() };
        let (file, back) = (Some(KeyPlace::File), later(&before, before.key));
        for (after, now, expected, with_key) in [
            (&moved, later(&moved, None), back.clone(), true),
            // The key of the other server doesn't go along.
            (&moved, later(&moved, file), back.clone(), true),
            (&keyless, later(&keyless, None), back.clone(), true),
            (&keyless, later(&keyless, file), later(&before, file), false),
            // It was replaced: by one at the same place, by one elsewhere, and that one is gone.
            (&before, later(&before, before.key), back.clone(), true),
            (&filed, later(&filed, file), back.clone(), true),
            (&before, later(&before, None), back.clone(), true),
        ] {
            let mut settings = Settings { profiles: vec![Profile::tour(), now], ..Settings::default() };
            let mut removed = Removed::changed(before.clone(), after.clone(), Some(Secret::new("k")));
            assert_eq!(removed.back(&settings).as_ref(), Some(&expected));
            assert_eq!(removed.key.is_some(), with_key);
            assert!(put_back(&mut settings, removed));
            assert_eq!(settings.profiles, [Profile::tour(), expected]);
            settings.profiles.pop();
            let mut gone = Removed::changed(before.clone(), after.clone(), None);
            assert_eq!(gone.back(&settings), None);
        }
    }

    /// Each is taken back by its own number, whatever came later, unless that moved it to another server.
    #[test]
    fn a_number_means_one_change_and_a_key_stays_at_its_server() {
        let there = Profile {
            id: "mine".into(),
            kind: ProviderKind::ChatCompletions,
            base_url: "https://a.example".into(),
            key: Some(KeyPlace::Keychain),
            ..Profile::tour()
        };
        let keyless = Profile { key: None, ..there.clone() };
        let renamed = Profile { name: "Other".into(), ..keyless.clone() };
        let moved = Profile { base_url: "https://b.example".into(), ..renamed.clone() };
        let with = |now: &Profile| Settings { profiles: vec![now.clone()], ..Settings::default() };
        let kept = RemovedProfiles::default();
        let key = kept.keep(Removed::changed(there.clone(), keyless.clone(), Some(Secret::new("k"))));
        let name = kept.keep(Removed::changed(keyless, renamed.clone(), None));
        let server = kept.keep(Removed::changed(renamed.clone(), moved.clone(), None));

        let back = |number, now: &Profile| {
            let mut undone = kept.take_back(number).unwrap();
            let back = undone.removed.back(&with(now));
            if back.is_some() {
                undone.finish();
            }
            back
        };
        assert_eq!(back(key, &moved), None, "the key of another server");
        assert_eq!(back(server, &moved), Some(renamed.clone()));
        let keyed = Profile { name: "Other".into(), ..there.clone() };
        assert!(kept.take_back(key).unwrap().removed.key.is_some());
        assert_eq!(back(key, &renamed), Some(keyed.clone()));
        assert!(kept.take_back(key).is_none());
        assert_eq!(back(name, &keyed), Some(there.clone()));
        // The key that was saved at the server it moved to comes back with that, also where there is none now.
        let settled = Profile { key: Some(KeyPlace::File), ..moved };
        let again = kept.keep(Removed::changed(settled.clone(), keyed.clone(), Some(Secret::new("l"))));
        assert_eq!(again, 3, "no number is given twice");
        assert_eq!(back(again, &Profile { key: None, ..keyed }), Some(settled));
    }

    /// A no to its question, an error, a panic: it can be taken back another time, by one at a time.
    #[test]
    fn what_did_not_come_back_can_still_be_taken_back() {
        let mut settings = Settings {
            profiles: vec![Profile::tour(), Profile { id: "mine".into(), ..Profile::tour() }],
            ..Settings::default()
        };
        let kept = RemovedProfiles::default();
        let (_, number) = remove(&mut settings, &kept, "mine").unwrap();
        kept.keep_key(number, Some(Secret::new("k")));
        let first = kept.take_back(number).unwrap();
        assert!(kept.take_back(number).is_none(), "somebody else is at it");
        assert_eq!(kept.ids(), ["mine"], "its id is not free meanwhile");
        drop(first);
        let again = kept.take_back(number).unwrap();
        assert_eq!(again.removed.key.as_ref().unwrap().expose(), "k");
        again.finish();
        assert!(kept.take_back(number).is_none() && kept.ids().is_empty());
    }
}
