//! The models that review calls: another one is asked natively.

use crate::questions::Question;
use crate::settings::{Profile, SettingsFile};
use crate::shell::{Reply, Shell};
use crate::view::ProviderKind;

/// The profiles whose models review calls: by the settings as they count now, and as the file will have them count.
pub fn reviewers(shell: &Shell) -> Vec<String> {
    let file = SettingsFile::in_folder(&shell.places.config).read().ok();
    [shell.settings.get().reviewer, file.and_then(|settings| settings.reviewer)]
        .into_iter()
        .flatten()
        .collect()
}

/// Whether another answer may come from `next` than from `old`: all counts but its name and where its key lies.
pub fn judges_otherwise(old: &Profile, next: &Profile) -> bool {
    *next != Profile { name: next.name.clone(), key: next.key, ..old.clone() }
}

/// Asks natively whether another model reviews calls: it may let through what the old one would not.
///
/// # Errors
/// When the answer can't be recorded.
pub async fn ask_reviewer(shell: &Shell, old: &Profile, next: &Profile) -> Reply<bool> {
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

#[cfg(test)]
mod tests {
    use super::{Profile, judges_otherwise};
    use crate::view::{Header, KeyPlace, ProviderKind};

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
