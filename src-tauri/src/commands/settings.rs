//! Settings and model profiles. A key goes in and never comes back.

use super::Shared;
use crate::folders::Folders;
use crate::headers;
use crate::questions::Question;
use crate::settings::{Profile, Settings, SettingsFile, TOUR, is_local};
use crate::shell::{Reply, failed};
use crate::view::{AppEvent, Asked, BackendError, ProfileInput, ProviderKind, SessionQuery, shown};
use crate::words::{Language, system_locale};
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    let next = shell.settings.update(|settings| *settings = next.sound()).map_err(|error| failed(&error))?;
    shell.words.switch(Language::resolve(next.language, &system_locale())).map_err(|error| failed(&error))?;
    shell.settings_changed(&next);
    Ok(())
}

/// Makes or changes a profile; a new remote host is asked natively.
#[tauri::command]
pub async fn save_profile(shell: Shared<'_>, profile: ProfileInput) -> Reply<Asked> {
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
        None => new_id(&settings, &reviewers, &profile.name),
    };
    // A key belongs to the host it was saved for, and so do the values of headers.
    let of_host = old.filter(|old| host_of(&old.base_url).is_ok_and(|other| other == host));
    let key = of_host.and_then(|old| old.key);
    let ProfileInput { name, kind, base_url, model, context_window, proxy, ca_file, headers, .. } = profile;
    let headers = match headers::typed(headers, of_host.map_or(&[], |old| &old.headers)) {
        Ok(headers) => headers,
        Err(name) => {
            let why =
                format!("The value of the header {} belongs to another server. Type it again.", shown(&name));
            return Ok(Asked::impossible(why));
        }
    };
    let context_window = context_window.filter(|window| *window > 0);
    let saved =
        Profile { id: id.clone(), name, kind, base_url, model, key, context_window, proxy, ca_file, headers };
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
    let next = shell
        .settings
        .update(|settings| match settings.profiles.iter_mut().find(|other| other.id == id) {
            Some(place) => *place = saved,
            None => settings.profiles.push(saved),
        })
        .map_err(|error| failed(&error))?;
    shell.redact_secrets();
    shell.settings_changed(&next);
    Ok(Asked::done())
}

#[tauri::command]
pub fn remove_profile(shell: Shared<'_>, profile_id: String) -> Reply<()> {
    let next = shell
        .settings
        .update(|settings| {
            settings.profiles.retain(|profile| profile.id != profile_id || profile.id == TOUR);
            *settings = std::mem::take(settings).sound();
        })
        .map_err(|error| failed(&error))?;
    shell.settings_changed(&next);
    Ok(())
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
    let next = shell
        .settings
        .update(|settings| {
            if let Some(profile) = settings.profiles.iter_mut().find(|profile| profile.id == profile_id) {
                if profile.id != TOUR {
                    profile.model = model;
                }
                settings.active_profile = profile_id;
            }
        })
        .map_err(|error| failed(&error))?;
    shell.settings_changed(&next);
    Ok(())
}

/// Runs the sandbox self-test again.
#[tauri::command]
pub async fn test_sandbox(shell: Shared<'_>) -> Reply<()> {
    shell.test_sandbox().await;
    Ok(())
}

/// Deletes sessions, undo copies and settings after a native question; the audit stays.
#[tauri::command]
pub async fn delete_data(shell: Shared<'_>) -> Reply<Asked> {
    let words = shell.words();
    let question =
        Question::new(&words.ask_delete_data_title, &words.ask_delete_data, &words.ask_delete_data_yes)
            .line(&words.label_folder, &shell.places.data.to_string_lossy());
    if !shell.questions.confirmed(question, &words).await {
        return Ok(Asked::declined());
    }
    shell.record(
        "data_deleted",
        "Sessions, undo copies and settings were deleted.",
        Value::Null,
        "dialog",
    )?;
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
    shell.folders.update(|folders| *folders = Folders::default()).map_err(|error| failed(&error))?;
    // Also what only the file can say.
    SettingsFile::in_folder(&shell.places.config).remove().map_err(|error| failed(&error))?;
    let next = shell
        .settings
        .update(|settings| *settings = Settings { window: settings.window, ..Settings::default() })
        .map_err(|error| failed(&error))?;
    shell.close_folder();
    shell.settings_changed(&next);
    shell.bridge.send(AppEvent::SessionsChanged);
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

/// A short id from the name, unlike all others, and unlike a reviewer's that isn't there any more.
fn new_id(settings: &Settings, reviewers: &[String], name: &str) -> String {
    let base: String = name.to_lowercase().chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    let base = if base.is_empty() { "model".to_owned() } else { base };
    let taken = |id: &str| {
        settings.profiles.iter().map(|profile| &profile.id).chain(reviewers).any(|known| known == id)
    };
    let mut id = base.clone();
    let mut number = 2;
    while taken(&id) {
        id = format!("{base}-{number}");
        number += 1;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::{Profile, Settings, host_of, judges_otherwise, new_id};
    use crate::view::{Header, KeyPlace, ProviderKind};

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
        let settings = Settings::default();
        assert_eq!(new_id(&settings, &[], "Tour"), "tour-2");
        assert_eq!(new_id(&settings, &[], "通义"), "model");
        // Whoever could take a removed reviewer's id would be the reviewer.
        assert_eq!(new_id(&settings, &["second".to_owned()], "Second"), "second-2");
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
            Profile { headers: vec![header], ..old.clone() },
        ];
        for (profiles, asked) in [(&same[..], false), (&other[..], true)] {
            for next in profiles {
                assert_eq!(judges_otherwise(&old, next), asked, "{next:?}");
            }
        }
    }
}
