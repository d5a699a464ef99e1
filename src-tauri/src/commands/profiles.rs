//! Model profiles: made, changed, removed and chosen. A key goes in and never comes back.

use super::Shared;
use crate::headers;
use crate::keys;
use crate::questions::Question;
use crate::removed::{Removed, RemovedProfiles, put_back, take_profile};
use crate::reviewers::{ask_reviewer, judges_otherwise, reviewers};
use crate::settings::{Profile, Settings, SettingsFile, TOUR, is_local};
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
    let known =
        settings.profiles.iter().any(|other| host_of(&other.base_url).is_ok_and(|other| other == host));
    // Whoever stands in between reads along: a new proxy or certificate is asked like a new host.
    let proxied = !saved.proxy.is_empty() && old.is_none_or(|old| old.proxy != saved.proxy);
    let certified = !saved.ca_file.is_empty() && old.is_none_or(|old| old.ca_file != saved.ca_file);
    let added = (!known && !is_local(&saved.base_url)) || proxied || certified;
    if added {
        let words = shell.words();
        let mut question =
            Question::new(&words.ask_provider_title, &words.ask_provider, &words.ask_provider_yes)
                .line(&words.label_host, &host)
                .line(&words.label_address, &saved.base_url);
        if proxied {
            question = question.line(&words.label_proxy, &saved.proxy);
        }
        if certified {
            question = question.line(&words.label_certificates, &saved.ca_file);
        }
        if !shell.questions.confirmed(question, &words).await {
            return Ok(Asked::declined().into());
        }
    }
    if let Err(error) = crate::model::connect(&saved, None, shell.words.language()) {
        return Ok(Asked::impossible(format!("Can't {error:#}.")).into());
    }
    let reviewers = reviewers(&shell);
    if old.is_none() {
        let mut taken = taken_ids(&shell, &settings, &reviewers);
        taken.extend(removed.ids());
        saved.id = new_id(&taken, &saved.name);
    }
    if let Some(old) = old
        && reviewers.contains(&saved.id)
        && judges_otherwise(old, &saved)
        && !ask_reviewer(&shell, old, &saved).await?
    {
        return Ok(Asked::declined().into());
    }
    // Only what comes about is on record.
    if added {
        let details = serde_json::json!({"host": host});
        shell.record("provider_added", "Conversations may be sent to this host.", details, "dialog")?;
    }
    // Nothing leads to the key of another host any more.
    let (key, left) = old.filter(|_| of_host.is_none()).map_or((None, Ok(())), |old| shell.keys.take(old));
    if let Err(error) = left {
        shell.warn("key_left", format!("{error:#}"));
    }
    let change = old
        .filter(|old| **old != saved)
        .map(|old| removed.keep(Removed::changed(old.clone(), saved.clone(), key)));
    let next = shell.settings.update(|settings| {
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
    let mut taken = None;
    let next = shell.settings.update(|settings| taken = take_profile(settings, &profile_id));
    let Some(mut taken) = taken else { return Ok(None) };
    let (key, left) = shell.keys.take(&taken.profile);
    taken.key = key;
    let change = removed.keep(taken);
    shell.settings_changed(&next);
    if let Err(error) = left {
        shell.warn("key_left", format!("{error:#}"));
    }
    Ok(Some(change))
}

/// Takes back the change of that number: the profile comes back as it was, with its key. Another model for the reviewer
/// is asked natively. Where a key went with that, it gives the number that puts it back.
#[tauri::command]
pub async fn restore_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    change: usize,
) -> Reply<Option<usize>> {
    let nothing = || BackendError::new("not_found", "There is nothing to put back.");
    let mut undone = removed.take(change).ok_or_else(nothing)?;
    let settings = shell.settings.get();
    let Some(back) = undone.back(&settings) else {
        removed.keep_again(change, undone);
        return Err(BackendError::new("later_change", "It was changed again since. Undo that first."));
    };
    let mut gone = None;
    if let Some(now) = settings.profiles.iter().find(|other| other.id == back.id) {
        if reviewers(&shell).contains(&now.id)
            && judges_otherwise(now, &back)
            && !ask_reviewer(&shell, now, &back).await?
        {
            removed.keep_again(change, undone);
            return Ok(None);
        }
        if keys::name(now) != keys::name(&back) {
            // One that was saved for that server meanwhile can't be typed again either.
            let (key, left) = shell.keys.take(now);
            if let Err(error) = left {
                shell.warn("key_left", format!("{error:#}"));
            }
            gone = key.map(|key| removed.keep(Removed::changed(now.clone(), back.clone(), Some(key))));
        }
    }
    if let (Some(key), Some(place)) = (&undone.key, back.key)
        && let Err(error) = shell.keys.save(&back, key.expose(), place)
    {
        shell.warn("key_left", format!("{error:#}"));
    }
    let next = shell.settings.update(|settings| put_back(settings, undone));
    shell.redact_secrets();
    shell.settings_changed(&next);
    Ok(gone)
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

/// Ids that a new profile can't have: of those there are, those that the file was given meanwhile, and of reviewers.
fn taken_ids(shell: &Shared<'_>, settings: &Settings, reviewers: &[String]) -> Vec<String> {
    let file = SettingsFile::in_folder(&shell.places.config).read().unwrap_or_default();
    let profiles = settings.profiles.iter().chain(&file.profiles).map(|profile| profile.id.clone());
    profiles.chain(reviewers.iter().cloned()).collect()
}

/// The host that `base_url` sends to, in ASCII, with its port where it names one.
fn host_of(base_url: &str) -> Result<String, String> {
    let url = tauri::Url::parse(base_url).map_err(|error| format!("The address can't be read: {error}."))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("The address must begin with http:// or https://.".to_owned());
    }
    if url.scheme() == "http" && !is_local(base_url) {
        return Err("A server on another machine needs https://.".to_owned());
    }
    let host = url.host_str().ok_or("The address names no host.")?;
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
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
    use super::{Profile, RemovedProfiles, Settings, host_of, new_id, put_back, take_profile};
    use crate::settings::TOUR;
    use crate::view::ProviderKind;

    #[test]
    fn a_host_is_ascii_and_remote_ones_need_encryption() {
        for (url, host) in [
            ("http://localhost:11434/v1", Some("localhost:11434")),
            ("https://api.example.com/v1", Some("api.example.com")),
            ("https://аpi.example.com", Some("xn--pi-6kc.example.com")),
            ("http://192.168.1.5:8080", None),
            ("ftp://example.com", None),
            ("nothing", None),
        ] {
            assert_eq!(host_of(url).ok().as_deref(), host, "{url}");
        }
    }

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
        let change = removed.keep(take_profile(&mut settings, "mine").unwrap());
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine-2");
        put_back(&mut settings, removed.take(change).unwrap());
        assert_eq!(settings, before);
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine");
    }
}
