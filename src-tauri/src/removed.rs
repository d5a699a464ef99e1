//! Profiles as they were before they were removed or changed, and the way back.

use crate::keys::name;
use crate::settings::{Profile, Settings, TOUR};
use assent_agent::secret::Secret;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was done to profiles, with what can't be typed again: until the app ends. Each has a number, its place here;
/// what was taken back leaves that empty, so that no number comes to mean another.
#[derive(Default)]
pub struct RemovedProfiles(Mutex<Vec<Option<Removed>>>);

/// A profile as it was.
pub struct Removed {
    /// What it was.
    pub profile: Profile,
    /// The key that went with it.
    pub key: Option<Secret>,
    how: How,
}

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
        list.push(Some(removed));
        list.len() - 1
    }

    /// Keeps what was taken out with `number` under that again.
    pub fn keep_again(&self, number: usize, removed: Removed) {
        if let Some(place) = self.list().get_mut(number) {
            *place = Some(removed);
        }
    }

    /// What was kept with `number`.
    pub fn take(&self, number: usize) -> Option<Removed> {
        self.list().get_mut(number)?.take()
    }

    /// Everything that is kept, which isn't any more.
    pub fn take_all(&self) -> Vec<Removed> {
        self.list().iter_mut().filter_map(Option::take).collect()
    }

    /// Ids that they come back with.
    pub fn ids(&self) -> Vec<String> {
        self.list().iter().flatten().map(|removed| removed.profile.id.clone()).collect()
    }

    fn list(&self) -> MutexGuard<'_, Vec<Option<Removed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the profile `id` out of `settings`; the tour stays.
pub fn take_profile(settings: &mut Settings, id: &str) -> Option<Removed> {
    let place = settings.profiles.iter().position(|profile| profile.id == id && profile.id != TOUR)?;
    let active = settings.active_profile == id;
    let profile = settings.profiles.remove(place);
    *settings = std::mem::take(settings).sound();
    Some(Removed { profile, key: None, how: How::Removed { place, active } })
}

/// Puts a profile back as it was, where it was.
pub fn put_back(settings: &mut Settings, mut removed: Removed) {
    let Some(back) = removed.back(settings) else { return };
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
}

#[cfg(test)]
mod tests {
    use super::{Profile, Removed, RemovedProfiles, Secret, Settings, TOUR, put_back, take_profile};
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
        put_back(&mut settings, removed);
        assert_eq!(settings, before);
        let removed = take_profile(&mut settings, "mine").unwrap();
        settings.profiles.push(other("mine"));
        let taken = settings.clone();
        put_back(&mut settings, removed);
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
        let later = |profile: &Profile, key| Profile { model: "other".into(), key, ..profile.clone() };
        let (file, back) = (Some(KeyPlace::File), later(&before, before.key));
        for (after, now, expected, with_key) in [
            (&moved, later(&moved, None), back.clone(), true),
            // The key of the other server doesn't go along.
            (&moved, later(&moved, file), back.clone(), true),
            (&keyless, later(&keyless, None), back.clone(), true),
            (&keyless, later(&keyless, file), later(&before, file), false),
        ] {
            let mut settings = Settings { profiles: vec![Profile::tour(), now], ..Settings::default() };
            let mut removed = Removed::changed(before.clone(), after.clone(), Some(Secret::new("k")));
            assert_eq!(removed.back(&settings).as_ref(), Some(&expected));
            assert_eq!(removed.key.is_some(), with_key);
            put_back(&mut settings, removed);
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

        let mut removed = kept.take(key).unwrap();
        assert_eq!(removed.back(&with(&moved)), None, "the key of another server");
        kept.keep_again(key, removed);
        assert_eq!(kept.take(server).unwrap().back(&with(&moved)), Some(renamed.clone()));
        let mut removed = kept.take(key).unwrap();
        let back = Profile { name: "Other".into(), ..there.clone() };
        assert_eq!(removed.back(&with(&renamed)), Some(back.clone()));
        assert!(removed.key.is_some());
        assert!(kept.take(key).is_none());
        assert_eq!(kept.take(name).unwrap().back(&with(&back)), Some(there.clone()));
        // The key that was saved at the server it moved to comes back with that, also where there is none now.
        let settled = Profile { key: Some(KeyPlace::File), ..moved };
        let again = kept.keep(Removed::changed(settled.clone(), back.clone(), Some(Secret::new("l"))));
        assert_eq!(again, 3, "no number is given twice");
        let mut removed = kept.take(again).unwrap();
        assert_eq!(removed.back(&with(&Profile { key: None, ..back })), Some(settled));
    }
}
