//! Profiles that were removed, and the way back.

use crate::settings::{Profile, Settings, TOUR};
use assent_agent::secret::Secret;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The profiles that were removed, with what can't be typed again: until the app ends.
#[derive(Default)]
pub struct RemovedProfiles(Mutex<Vec<Removed>>);

/// One of them.
pub struct Removed {
    /// What it was.
    pub profile: Profile,
    place: usize,
    active: bool,
    /// Its key.
    pub key: Option<Secret>,
}

impl RemovedProfiles {
    /// All of them, the last one last.
    pub fn list(&self) -> MutexGuard<'_, Vec<Removed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ids that they come back with.
    pub fn ids(&self) -> Vec<String> {
        self.list().iter().map(|removed| removed.profile.id.clone()).collect()
    }

    /// The one that had `id` last.
    pub fn take(&self, id: &str) -> Option<Removed> {
        let mut list = self.list();
        let at = list.iter().rposition(|removed| removed.profile.id == id)?;
        Some(list.remove(at))
    }
}

/// Takes the profile `id` out of `settings`; the tour stays.
pub fn take_profile(settings: &mut Settings, id: &str) -> Option<Removed> {
    let place = settings.profiles.iter().position(|profile| profile.id == id && profile.id != TOUR)?;
    let active = settings.active_profile == id;
    let profile = settings.profiles.remove(place);
    *settings = std::mem::take(settings).sound();
    Some(Removed { profile, place, active, key: None })
}

/// Puts a profile where it was, unless another has its id by now.
pub fn put_back(settings: &mut Settings, removed: Removed) {
    let Removed { profile, place, active, key: _ } = removed;
    if settings.profiles.iter().any(|other| other.id == profile.id) {
        return;
    }
    if active {
        settings.active_profile.clone_from(&profile.id);
    }
    settings.profiles.insert(place.min(settings.profiles.len()), profile);
}

#[cfg(test)]
mod tests {
    use super::{Profile, Settings, TOUR, put_back, take_profile};
    use crate::view::{Header, ProviderKind};

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
}
