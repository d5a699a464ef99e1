//! Settings and model profiles. A key goes in and never comes back.

use super::Shared;
use super::workspace::record_mode;
use crate::anew::{After, Before};
use crate::folders::{Folders, FoldersFile};
use crate::headers;
use crate::questions::Question;
use crate::settings::{Profile, Settings, SettingsFile, TOUR, is_local};
use crate::shell::{Reply, failed};
use crate::view::{AppEvent, Asked, BackendError, ProfileInput, ProviderKind, SessionQuery, shown};
use crate::words::{Language, system_locales};
use assent_agent::secret::Secret;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tauri::State;

/// Sets one simple value; none of them can loosen anything.
#[tauri::command]
pub fn set_setting(shell: Shared<'_>, key: String, value: Value) -> Reply<()> {
    let mut next = shell.settings.get();
    match key.as_str() {
        "language" => next.language = read(value)?,
        "theme" => next.theme = read(value)?,
        "fontSize" => next.font_size = read(value)?,
        "notifications" => next.notifications = read(value)?,
        "closeToTray" => next.close_to_tray = read(value)?,
        "approvalMinutes" => next.approval_minutes = read(value)?,
        "maxTurns" => next.max_turns = read(value)?,
        "firstRunDone" => next.first_run_done = read(value)?,
        other => return Err(BackendError::new("unknown_setting", format!("There is no setting {other}."))),
    }
    let next = shell.settings.update(|settings| *settings = next.sound());
    speak(&shell, &next)?;
    shell.settings_changed(&next);
    Ok(())
}

/// Switches to the language of `settings`.
fn speak(shell: &Shared<'_>, settings: &Settings) -> Reply<()> {
    let language = Language::resolve(settings.language, &system_locales());
    if language != shell.words.language() {
        shell.words.switch(language).map_err(|error| failed(&error))?;
        shell.language_changed();
    }
    Ok(())
}

/// Makes or changes a profile; a new remote host is asked natively.
#[tauri::command]
pub async fn save_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile: ProfileInput,
) -> Reply<Asked> {
    let settings = shell.settings.get();
    let old =
        profile.profile_id.as_ref().and_then(|id| settings.profiles.iter().find(|other| other.id == *id));
    if profile.kind == ProviderKind::Tour || old.is_some_and(|old| old.id == TOUR) {
        return Ok(Asked::impossible("The tour can't be changed."));
    }
    let host = match host_of(&profile.base_url) {
        Ok(host) => host,
        Err(why) => return Ok(Asked::impossible(why)),
    };
    let known =
        settings.profiles.iter().any(|other| host_of(&other.base_url).is_ok_and(|other| other == host));
    // Whoever stands in between reads along: a new proxy or certificate is asked like a new host.
    let proxied = !profile.proxy.is_empty() && old.is_none_or(|old| old.proxy != profile.proxy);
    let certified = !profile.ca_file.is_empty() && old.is_none_or(|old| old.ca_file != profile.ca_file);
    if (!known && !is_local(&profile.base_url)) || proxied || certified {
        let words = shell.words();
        let mut question =
            Question::new(&words.ask_provider_title, &words.ask_provider, &words.ask_provider_yes)
                .line(&words.label_host, &host)
                .line(&words.label_address, &profile.base_url);
        if proxied {
            question = question.line(&words.label_proxy, &profile.proxy);
        }
        if certified {
            question = question.line(&words.label_certificates, &profile.ca_file);
        }
        if !shell.questions.confirmed(question, &words).await {
            return Ok(Asked::declined());
        }
        let details = serde_json::json!({"host": host});
        shell.record("provider_added", "Conversations may be sent to this host.", details, "dialog")?;
    }
    let reviewers = reviewers(&shell);
    let id = match old {
        Some(old) => old.id.clone(),
        None => {
            let mut taken = taken_ids(&shell, &settings, &reviewers);
            taken.extend(removed.ids());
            new_id(&taken, &profile.name)
        }
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
            return Ok(Asked::impossible(why));
        }
    };
    let context_window = context_window.filter(|window| *window > 0);
    let saved = Profile {
        id: id.clone(),
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
    if let Err(error) = crate::model::connect(&saved, None, shell.words.language()) {
        return Ok(Asked::impossible(format!("Can't {error:#}.")));
    }
    if let Some(old) = old
        && reviewers.contains(&saved.id)
        && judges_otherwise(old, &saved)
        && !ask_reviewer(&shell, old, &saved).await?
    {
        return Ok(Asked::declined());
    }
    // Nothing leads to the key of another host any more.
    if let Some(old) = old.filter(|_| of_host.is_none())
        && let Err(error) = shell.keys.remove(old)
    {
        shell.warn("key_left", format!("{error:#}"));
    }
    let next =
        shell.settings.update(|settings| match settings.profiles.iter_mut().find(|other| other.id == id) {
            Some(place) => *place = saved,
            None => settings.profiles.push(saved),
        });
    shell.redact_secrets();
    shell.settings_changed(&next);
    Ok(Asked::done())
}

/// The profiles that were removed, with what can't be typed again: until the app ends.
#[derive(Default)]
pub struct RemovedProfiles(Mutex<Vec<Removed>>);

struct Removed {
    profile: Profile,
    place: usize,
    active: bool,
    key: Option<Secret>,
}

impl RemovedProfiles {
    fn list(&self) -> MutexGuard<'_, Vec<Removed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ids that they come back with.
    fn ids(&self) -> Vec<String> {
        self.list().iter().map(|removed| removed.profile.id.clone()).collect()
    }

    /// The one that had `id` last.
    fn take(&self, id: &str) -> Option<Removed> {
        let mut list = self.list();
        let at = list.iter().rposition(|removed| removed.profile.id == id)?;
        Some(list.remove(at))
    }
}

/// Removes a profile and its key; it can be put back.
#[tauri::command]
pub async fn remove_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile_id: String,
) -> Reply<()> {
    let Some(taken) = take_profile(&mut shell.settings.get(), &profile_id) else { return Ok(()) };
    let (key, left) = shell.keys.take(&taken.profile);
    let next = shell.settings.update(|settings| drop(take_profile(settings, &profile_id)));
    removed.list().push(Removed { key, ..taken });
    shell.settings_changed(&next);
    if let Err(error) = left {
        shell.warn("key_left", format!("{error:#}"));
    }
    Ok(())
}

/// Puts a profile back that was removed in this run, with its key.
#[tauri::command]
pub async fn restore_profile(
    shell: Shared<'_>,
    removed: State<'_, RemovedProfiles>,
    profile_id: String,
) -> Reply<()> {
    let Some(removed) = removed.take(&profile_id) else {
        return Err(BackendError::new("not_found", "There is nothing to put back."));
    };
    if shell.settings.get().profiles.iter().any(|other| other.id == profile_id) {
        return Err(BackendError::new("not_found", "There is nothing to put back."));
    }
    if let (Some(key), Some(place)) = (&removed.key, removed.profile.key)
        && let Err(error) = shell.keys.save(&removed.profile, key.expose(), place)
    {
        shell.warn("key_left", format!("{error:#}"));
    }
    let next = shell.settings.update(|settings| put_back(settings, removed));
    shell.redact_secrets();
    shell.settings_changed(&next);
    Ok(())
}

/// Takes the profile `id` out of `settings`; the tour stays.
fn take_profile(settings: &mut Settings, id: &str) -> Option<Removed> {
    let place = settings.profiles.iter().position(|profile| profile.id == id && profile.id != TOUR)?;
    let active = settings.active_profile == id;
    let profile = settings.profiles.remove(place);
    *settings = std::mem::take(settings).sound();
    Some(Removed { profile, place, active, key: None })
}

/// Puts a profile where it was, unless another has its id by now.
fn put_back(settings: &mut Settings, removed: Removed) {
    let Removed { profile, place, active, key: _ } = removed;
    if settings.profiles.iter().any(|other| other.id == profile.id) {
        return;
    }
    if active {
        settings.active_profile.clone_from(&profile.id);
    }
    settings.profiles.insert(place.min(settings.profiles.len()), profile);
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

/// Runs the sandbox self-test again.
#[tauri::command]
pub async fn test_sandbox(shell: Shared<'_>) -> Reply<()> {
    shell.test_sandbox().await;
    Ok(())
}

/// Deletes sessions, undo copies, settings, keys and the trust of folders after a native question; audit, rules and
/// hooks stay. It never makes less be asked.
#[tauri::command]
pub async fn delete_data(shell: Shared<'_>, removed: State<'_, RemovedProfiles>) -> Reply<Asked> {
    let words = shell.words();
    let mut question =
        Question::new(&words.ask_delete_data_title, &words.ask_delete_data, &words.ask_delete_data_yes)
            .line(&words.label_folder, &shell.places.data.to_string_lossy());
    if !reviewers(&shell).is_empty() {
        question = question.sentence(&words.risk_loosens).sentence(&words.ask_delete_data_reviewer);
    }
    let file = SettingsFile::in_folder(&shell.places.config);
    if file.read().is_err() {
        question = question.sentence(&words.ask_delete_data_unread);
    }
    if !shell.questions.confirmed(question, &words).await {
        return Ok(Asked::declined());
    }
    let before = Before::look(shell.settings.get(), &file);
    let told = if before.is_unread() {
        "Sessions, undo copies and settings were deleted; keys may be left in the keychain."
    } else {
        "Sessions, undo copies, settings and keys were deleted."
    };
    shell.record("data_deleted", told, Value::Null, "dialog")?;
    let everything =
        SessionQuery { workspace: None, text: String::new(), archived: false, limit: usize::MAX };
    for archived in [false, true] {
        // A list has an end, of which there may be more.
        loop {
            let sessions = shell.summaries(SessionQuery { archived, ..everything.clone() })?;
            if sessions.is_empty() {
                break;
            }
            for session in sessions {
                shell.delete_session(&session.session_id).await?;
            }
        }
    }
    let sessions = shell.places.data.join("sessions");
    if sessions.is_dir() {
        std::fs::remove_dir_all(&sessions).map_err(|error| failed(&error.into()))?;
    }
    // Their keys may be where they couldn't be read.
    let gone = removed.list().drain(..).map(|removed| removed.profile).collect::<Vec<_>>();
    for profile in before.profiles().into_iter().chain(gone) {
        if let Err(error) = shell.keys.remove(&profile) {
            shell.warn("key_left", format!("{error:#}"));
        }
    }
    if before.is_unread() {
        shell.warn("key_left", words.ask_delete_data_unread.as_str());
    }
    shell.keys.clear().map_err(|error| failed(&error))?;
    let After { counting, file: left } = before.after(shell.safe_mode);
    // Also what only the files can say.
    FoldersFile::in_folder(&shell.places.config).remove().map_err(|error| failed(&error))?;
    file.begin_anew(&left).map_err(|error| failed(&error))?;
    shell.prices.remove().map_err(|error| failed(&error))?;
    shell.folders.update(|folders| *folders = Folders::default());
    let mode = shell.settings.get().mode;
    let next = shell.settings.update(|settings| *settings = counting);
    shell.close_folder();
    shell.mode_changed();
    speak(&shell, &next)?;
    shell.redact_secrets();
    shell.bridge.send(AppEvent::SessionsChanged);
    shell.bridge.send(AppEvent::DataDeleted);
    shell.settings_changed(&next);
    if next.mode != mode {
        record_mode(&shell, mode, next.mode, "dialog")?;
    }
    Ok(Asked::done())
}

/// The profiles whose models review calls: by the settings as they count now, and as the file will have them count.
fn reviewers(shell: &Shared<'_>) -> Vec<String> {
    let file = SettingsFile::in_folder(&shell.places.config).read().ok();
    [shell.settings.get().reviewer, file.and_then(|settings| settings.reviewer)]
        .into_iter()
        .flatten()
        .collect()
}

/// Ids that a new profile can't have: of those there are, those that the file was given meanwhile, and of reviewers.
fn taken_ids(shell: &Shared<'_>, settings: &Settings, reviewers: &[String]) -> Vec<String> {
    let file = SettingsFile::in_folder(&shell.places.config).read().unwrap_or_default();
    let profiles = settings.profiles.iter().chain(&file.profiles).map(|profile| profile.id.clone());
    profiles.chain(reviewers.iter().cloned()).collect()
}

/// Whether another answer may come from `next` than from `old`: all counts but its name and where its key lies.
fn judges_otherwise(old: &Profile, next: &Profile) -> bool {
    *next != Profile { name: next.name.clone(), key: next.key, ..old.clone() }
}

/// Asks natively whether another model reviews calls: it may let through what the old one would not.
async fn ask_reviewer(shell: &Shared<'_>, old: &Profile, next: &Profile) -> Reply<bool> {
    let words = shell.words();
    let told = |profile: &Profile| {
        let headers = profile.headers.iter().map(|header| header.name.as_str());
        let kind = match profile.kind {
            ProviderKind::Tour => "tour",
            ProviderKind::ChatCompletions => "chat_completions",
            ProviderKind::Anthropic => "anthropic",
        };
        let parts = [kind, &profile.base_url, &profile.model, &profile.proxy, &profile.ca_file];
        parts.into_iter().chain(headers).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let question = Question::new(&words.ask_reviewer_title, &words.ask_reviewer, &words.ask_reviewer_yes)
        .sentence(&words.risk_loosens)
        .line(&words.label_now, &told(old))
        .line(&words.label_then, &told(next));
    if !shell.questions.confirmed(question, &words).await {
        return Ok(false);
    }
    let details = serde_json::json!({"profile": next.id, "from": old.model, "to": next.model, "address": next.base_url});
    shell.record("reviewer_changed", "Another model reviews calls from now on.", details, "dialog")?;
    Ok(true)
}

fn read<T: DeserializeOwned>(value: Value) -> Reply<T> {
    serde_json::from_value(value)
        .map_err(|error| BackendError::new("invalid_value", format!("That value doesn't fit: {error}.")))
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
    use super::{
        Profile, RemovedProfiles, Settings, host_of, judges_otherwise, new_id, put_back, take_profile,
    };
    use crate::settings::TOUR;
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
        removed.list().extend(take_profile(&mut settings, "mine"));
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine-2");
        put_back(&mut settings, removed.take("mine").unwrap());
        assert_eq!(settings, before);
        assert_eq!(new_id(&removed.ids(), "Mine"), "mine");
    }

    /// R23: the window can't set another reviewer in the old one's place, by whatever part of its profile.
    #[test]
    fn whatever_may_change_its_judgement_is_asked() {
        let old = Profile { base_url: "https://a.example".into(), model: "strict".into(), ..Profile::tour() };
        let header = Header { name: "X-Route".into(), value: "elsewhere".into() };
        let same = [
            old.clone(),
            Profile { name: "Other".into(), ..old.clone() },
            Profile { key: Some(KeyPlace::Memory), ..old.clone() },
        ];
        let other = [
            Profile { model: "weak".into(), ..old.clone() },
            Profile { base_url: "http://localhost:1".into(), ..old.clone() },
            Profile { kind: ProviderKind::Anthropic, ..old.clone() },
            Profile { proxy: "http://localhost:1".into(), ..old.clone() },
            Profile { ca_file: "/a".into(), ..old.clone() },
            Profile { context_window: Some(1), ..old.clone() },
            Profile { without_tools: true, ..old.clone() },
            Profile { headers: vec![header], ..old.clone() },
        ];
        for (profiles, asked) in [(&same[..], false), (&other[..], true)] {
            for next in profiles {
                assert_eq!(judges_otherwise(&old, next), asked, "{next:?}");
            }
        }
    }
}
