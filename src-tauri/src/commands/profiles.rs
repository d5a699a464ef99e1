//! Model profiles: made, changed, removed and chosen. A key goes in and never comes back.

use super::Shared;
use super::models::not_kept;
use crate::headers;
use crate::keys::{self, Keys};
use crate::new_reader::{NewReader, host_of};
use crate::removed::{Removed, RemovedProfiles, put_back, remove};
use crate::reviewers::{ask_reviewer, judges_otherwise, reviewers};
use crate::settings::{Profile, Settings, SettingsFile, TOUR};
use crate::shell::Reply;
use crate::view::{Asked, BackendError, ProfileInput, ProviderKind, SavedProfile, shown};
use tauri::State;

/// Makes or changes a profile; a new remote host is asked natively. A change is taken back by its number.
#[tauri::command]
pub async fn save_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile: ProfileInput,
) -> Reply<SavedProfile> {
    let settings = shell.settings.get();
    let old =
        profile.profile_id.as_ref().and_then(|id| settings.profiles.iter().find(|other| other.id == *id));
    if profile.kind == ProviderKind::Tour || old.is_some_and(|old| old.id == TOUR) {
        return Ok(Asked::impossible("The tour can't be changed.").into());
    }
    let host = match host_of(&profile.base_url) {
        Ok(host) => host,
        Err(why) => return Ok(Asked::impossible(why).into()),
    };
    // A key belongs to the host it was saved for, and so do the values of headers.
    let of_host = old.filter(|old| host_of(&old.base_url).is_ok_and(|other| other == host));
    let key = of_host.and_then(|old| old.key);
    let ProfileInput {
        profile_id: _,
        name,
        kind,
        base_url,
        model,
        context_window,
        without_tools,
        proxy,
        ca_file,
        headers,
    } = profile;
    let headers = match headers::typed(headers, of_host.map_or(&[], |old| &old.headers)) {
        Ok(headers) => headers,
        Err(name) => {
            let why =
                format!("The value of the header {} belongs to another server. Type it again.", shown(&name));
            return Ok(Asked::impossible(why).into());
        }
    };
    let context_window = context_window.filter(|window| *window > 0);
    let mut saved = Profile {
        id: old.map(|old| old.id.clone()).unwrap_or_default(),
        name,
        kind,
        base_url,
        model,
        key,
        context_window,
        without_tools,
        proxy,
        ca_file,
        headers,
    };
    let reader = NewReader::of(&saved, old, &settings);
    if let Some(reader) = &reader
        && !reader.ask(&shell).await
    {
        return Ok(Asked::declined().into());
    }
    if let Err(error) = crate::model::connect(&saved, None, shell.words.language()) {
        return Ok(Asked::impossible(format!("Can't {error:#}.")).into());
    }
    let reviewers = reviewers(&shell);
    if let Some(old) = old
        && reviewers.contains(&saved.id)
        && judges_otherwise(old, &saved)
        && !ask_reviewer(&shell, old, &saved).await?
    {
        return Ok(Asked::declined().into());
    }
    // Only what comes about is on record.
    if let Some(reader) = &reader {
        reader.record(&shell)?;
    }
    // Nothing leads to the key of another host any more.
    let (key, left) = old.filter(|_| of_host.is_none()).map_or((None, Ok(())), |old| shell.keys.take(old));
    if let Err(error) = left {
        shell.warn("key_left", format!("{error:#}"));
    }
    let change = old
        .filter(|old| **old != saved)
        .map(|old| removed.keep(Removed::changed(old.clone(), saved.clone(), key)));
    let is_new = old.is_none();
    let next = shell.settings.update(|settings| {
        // Now: others may have come and gone while it was asked about.
        if is_new {
            saved.id = new_id(&taken_ids(&shell, settings, &reviewers, &removed), &saved.name);
        }
        match settings.profiles.iter_mut().find(|other| other.id == saved.id) {
            Some(place) => *place = saved,
            None => settings.profiles.push(saved),
        }
    });
    shell.redact_secrets();
    shell.settings_changed(&next);
    Ok(SavedProfile { asked: Asked::done(), change })
}

/// Removes a profile and its key; the number puts it back.
#[tauri::command]
pub async fn remove_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile_id: String,
) -> Reply<Option<usize>> {
    let mut gone = None;
    let next = shell.settings.update(|settings| gone = remove(settings, &removed, &profile_id));
    let Some((profile, change)) = gone else { return Ok(None) };
    let (key, left) = shell.keys.take(&profile);
    removed.keep_key(change, key);
    shell.settings_changed(&next);
    if let Err(error) = left {
        shell.warn("key_left", format!("{error:#}"));
    }
    Ok(Some(change))
}

/// Takes back the change of that number: the profile comes back as it was, with its key. A new remote host and another
/// model for the reviewer are asked natively; after a no it can be taken back another time. Where a key went with that,
/// it gives the number that puts it back.
#[tauri::command]
pub async fn restore_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    change: usize,
) -> Reply<SavedProfile> {
    let nothing = || BackendError::new("not_found", "There is nothing to put back.");
    let later = || BackendError::new("later_change", "It was changed again since. Undo that first.");
    let mut undone = removed.take_back(change).ok_or_else(nothing)?;
    let settings = shell.settings.get();
    let back = undone.removed.back(&settings).ok_or_else(later)?;
    let now = settings.profiles.iter().find(|other| other.id == back.id);
    let reader = NewReader::of(&back, now, &settings);
    if !may_come_back(&shell, reader.as_ref(), now, &back).await? {
        return Ok(Asked::declined().into());
    }
    let stays_away = || reader.as_ref().map_or(Ok(()), |reader| reader.record_failed(&shell));
    // Without its key it would be another one, and the notice that brings that back is gone.
    let (gone, left) = match put_key_back(&shell.keys, &undone.removed, now, &back) {
        Ok(put) => put,
        Err(error) => {
            stays_away()?;
            return Err(error);
        }
    };
    for error in left {
        shell.warn("key_left", format!("{error:#}"));
    }
    let gone = gone.map(|gone| removed.keep(gone));
    let mut came_back = false;
    let next = shell.settings.update(|settings| came_back = put_back(settings, undone.removed.clone()));
    shell.redact_secrets();
    shell.settings_changed(&next);
    if !came_back {
        stays_away()?;
        return Err(later());
    }
    undone.finish();
    Ok(SavedProfile { asked: Asked::done(), change: gone })
}

/// Puts the key back that went with `undone`, now that `back` comes in the place of `now`; what that replaces, which
/// can't be typed again either, and the keys that are left where nobody uses them.
///
/// # Errors
/// When it can't be put there: all is as it was then.
fn put_key_back(
    keys: &Keys,
    undone: &Removed,
    now: Option<&Profile>,
    back: &Profile,
) -> Reply<(Option<Removed>, Vec<anyhow::Error>)> {
    let moves = now.filter(|now| keys::name(now) != keys::name(back));
    let stays = now.filter(|now| keys::name(now) == keys::name(back));
    let mut left = Vec::new();
    let mut replaced = None;
    if let (Some(key), Some(place)) = (&undone.key, back.key) {
        // One that can't be read can be replaced all the same.
        replaced = stays.and_then(|now| keys.get(now).ok().flatten());
        keys.save(back, key.expose(), place).map_err(|error| not_kept(place, &error))?;
        if let Some(now) = stays.filter(|now| now.key != back.key) {
            left.extend(keys.remove_stored(now).err());
        }
    }
    if let Some(now) = moves {
        // One that was saved for that server meanwhile.
        let (key, taken) = keys.take(now);
        left.extend(taken.err());
        replaced = key;
    }
    let gone = now.zip(replaced).map(|(now, key)| Removed::changed(now.clone(), back.clone(), Some(key)));
    Ok((gone, left))
}

/// Whether `back` comes into the place of `now`: asks natively who reads along anew and who judges otherwise, and puts
/// on record what was allowed.
async fn may_come_back(
    shell: &Shared<'_>,
    reader: Option<&NewReader>,
    now: Option<&Profile>,
    back: &Profile,
) -> Reply<bool> {
    if let Some(reader) = reader
        && !reader.ask(shell).await
    {
        return Ok(false);
    }
    if let Some(now) = now
        && reviewers(shell).contains(&now.id)
        && judges_otherwise(now, back)
        && !ask_reviewer(shell, now, back).await?
    {
        return Ok(false);
    }
    if let Some(reader) = reader {
        reader.record(shell)?;
    }
    Ok(true)
}

/// Which profile, and which of its models, the next message goes to. Another model for the reviewer is asked natively.
#[tauri::command]
pub async fn select_model(shell: Shared<'_>, profile_id: String, model: String) -> Reply<()> {
    let known = shell.settings.get().profiles.into_iter().find(|profile| profile.id == profile_id);
    if let Some(old) = known.filter(|old| old.id != TOUR && reviewers(&shell).contains(&old.id)) {
        let next = Profile { model: model.clone(), ..old.clone() };
        if judges_otherwise(&old, &next) && !ask_reviewer(&shell, &old, &next).await? {
            shell.tell_app();
            return Ok(());
        }
    }
    let next = shell.settings.update(|settings| {
        if let Some(profile) = settings.profiles.iter_mut().find(|profile| profile.id == profile_id) {
            if profile.id != TOUR {
                profile.model = model;
            }
            settings.active_profile = profile_id;
        }
    });
    shell.settings_changed(&next);
    Ok(())
}

/// Ids that a new profile can't have: of those there are, those that can come back, those that the file was given
/// meanwhile, and of reviewers.
fn taken_ids(
    shell: &Shared<'_>,
    settings: &Settings,
    reviewers: &[String],
    removed: &RemovedProfiles,
) -> Vec<String> {
    let file = SettingsFile::in_folder(&shell.places.config).read().unwrap_or_default();
    let profiles = settings.profiles.iter().chain(&file.profiles).map(|profile| profile.id.clone());
    profiles.chain(removed.ids()).chain(reviewers.iter().cloned()).collect()
}

/// A short id from the name, unlike all that are taken.
fn new_id(taken: &[String], name: &str) -> String {
    let base: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    let base = if base.is_empty() { "model".to_owned() } else { base };
    let mut id = base.clone();
    let mut number = 2;
    while taken.contains(&id) {
        id = format!("{base}-{number}");
        number += 1;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::{Keys, Profile, Removed, RemovedProfiles, Settings, new_id, put_back, put_key_back, remove};
    use crate::commands::models::save_over;
    use crate::settings::TOUR;
    use crate::view::{KeyPlace, ProviderKind};

    #[test]
    fn ids_are_plain_and_unlike_each_other() {
        let taken = [TOUR, "second"].map(str::to_owned);
        assert_eq!(new_id(&taken, "Tour"), "tour-2");
        assert_eq!(new_id(&taken, "通义"), "model");
        // Whoever could take a removed reviewer's id would be the reviewer.
        assert_eq!(new_id(&taken, "Second"), "second-2");
    }

    /// One that is added under the name of a removed one leaves it its place.
    #[test]
    fn the_id_of_a_removed_profile_is_kept_for_it() {
        let mine = Profile { id: "mine".into(), kind: ProviderKind::ChatCompletions, ..Profile::tour() };
        let mut settings = Settings { profiles: vec![Profile::tour(), mine], ..Settings::default() };
        let before = settings.clone();
        let removed = RemovedProfiles::default();
        let (_, change) = remove(&mut settings, &removed, "mine").unwrap();
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine-2");
        let undone = removed.take_back(change).unwrap();
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine-2", "nor while it comes back");
        assert!(put_back(&mut settings, undone.removed.clone()));
        undone.finish();
        assert_eq!(settings, before);
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine");
    }

    /// Each key that another replaces can be put back, wherever either lies, and none stays where nobody uses it.
    #[test]
    fn a_replaced_key_comes_back_and_so_does_the_one_that_goes_with_that() {
        let (memory, file) = (KeyPlace::Memory, KeyPlace::File);
        for (first, second) in [(memory, memory), (memory, file), (file, memory), (file, file)] {
            let folder = tempfile::tempdir().unwrap();
            let keys = Keys::new(folder.path().to_owned());
            let plain = Profile {
                id: "mine".into(),
                kind: ProviderKind::ChatCompletions,
                base_url: "https://a.example".into(),
                ..Profile::tour()
            };
            let with = |key| Profile { key: Some(key), ..plain.clone() };
            let files = || std::fs::read_dir(folder.path().join("keys")).map_or(0, Iterator::count);
            let there = |now: &Profile| keys.get(now).unwrap().map(|key| key.expose().to_owned());
            assert!(save_over(&keys, &plain, "one", first).unwrap().0.is_none(), "none was there");
            assert!(save_over(&keys, &with(first), "one", first).unwrap().0.is_none(), "it is the same");
            let (replaced, left) = save_over(&keys, &with(first), "two", second).unwrap();
            left.unwrap();
            let mut now = with(second);
            assert_eq!((there(&now).as_deref(), files()), (Some("two"), usize::from(second == file)));
            let mut undone = replaced.unwrap();
            for (key, place) in [("one", first), ("two", second)] {
                let settings = Settings { profiles: vec![now.clone()], ..Settings::default() };
                let back = undone.back(&settings).unwrap();
                assert_eq!(back, with(place));
                let (gone, left): (Option<Removed>, _) =
                    put_key_back(&keys, &undone, Some(&now), &back).unwrap();
                assert!(left.is_empty());
                (now, undone) = (back, gone.unwrap());
                assert_eq!((there(&now).as_deref(), files()), (Some(key), usize::from(place == file)));
            }
        }
    }
}
