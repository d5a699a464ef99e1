//! The words of dialogs, notifications and tray, from the catalogues in `ui/locales/native`.

use crate::dialog::Labels;
use crate::view::LanguageSetting;
use assent_agent::session::Headings;
use serde::Deserialize;
use std::sync::{Arc, PoisonError, RwLock};

const ENGLISH: &str = include_str!("../../ui/locales/native/en.json");
const CHINESE: &str = include_str!("../../ui/locales/native/zh-CN.json");

/// A language that has a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `en`
    English,
    /// `zh-CN`
    Chinese,
}

impl Language {
    /// What `setting` means for a system whose person prefers `locales` in this order (`zh_CN.UTF-8`, `en-GB`, …).
    #[must_use]
    pub fn resolve(setting: LanguageSetting, locales: &[String]) -> Self {
        match setting {
            LanguageSetting::English => Self::English,
            LanguageSetting::Chinese => Self::Chinese,
            LanguageSetting::System => {
                locales.iter().find_map(|locale| Self::of_locale(locale)).unwrap_or(Self::English)
            }
        }
    }

    /// The catalogue for a locale. Traditional characters have none of their own, and whoever reads them reads the
    /// simplified ones more easily than English.
    fn of_locale(locale: &str) -> Option<Self> {
        let language = locale.split(['_', '-', '.', '@']).next()?.to_ascii_lowercase();
        match language.as_str() {
            "zh" => Some(Self::Chinese),
            "en" => Some(Self::English),
            _ => None,
        }
    }

    /// The same for the words of a question.
    #[must_use]
    pub const fn of_requests(self) -> assent_policy::request::Language {
        match self {
            Self::English => assent_policy::request::Language::English,
            Self::Chinese => assent_policy::request::Language::Chinese,
        }
    }

    /// The BCP 47 tag.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }
}

macro_rules! catalogue {
    ($($key:ident,)*) => {
        /// One language's words; both catalogues hold exactly these keys.
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Words { $(pub $key: String,)* }

        #[cfg(test)]
        impl Words {
            fn all(&self) -> Vec<(&'static str, &str)> {
                vec![$((stringify!($key), self.$key.as_str()),)*]
            }
        }
    };
}

catalogue! {
    deny, allow_once, cancel, next, read_on, keep, risk_loosens, careful_unsandboxed,
    ask_mode_title, ask_mode, ask_mode_strict, ask_mode_balanced, ask_mode_sandboxed, ask_mode_yes,
    mode_strict, mode_balanced, mode_sandboxed,
    ask_trust_title, ask_trust, ask_trust_yes,
    ask_shell_title, ask_shell, ask_shell_yes,
    ask_policy_title, ask_policy, ask_policy_yes,
    ask_rule_title, ask_rule_session, ask_rule, ask_rule_yes,
    ask_provider_title, ask_provider, ask_provider_yes,
    ask_reviewer_title, ask_reviewer, ask_reviewer_yes,
    ask_link_title, ask_link, ask_link_yes,
    ask_delete_session_title, ask_delete_session, ask_delete_session_yes,
    ask_delete_data_title, ask_delete_data, ask_delete_data_reviewer, ask_delete_data_unread, ask_delete_data_yes,
    ask_quit_title, ask_quit, ask_quit_commands_title, ask_quit_commands, ask_quit_yes,
    label_folder, label_real_folder, label_file, label_content, label_check, label_grant, label_host,
    label_address, label_session, label_now, label_then, label_proxy, label_certificates,
    pick_folder, pick_session, save_audit, save_session, drop_refused, drop_secret, drop_more, drop_busy,
    export_workspace, export_you, export_attached, export_agent, export_interrupted, export_call, export_result, export_summary,
    no_such_session, panicked, cannot_start_title, cannot_start, close,
    notify_title, notify_waiting, notify_waiting_more, notify_done_title, notify_done, notify_failed_title,
    notify_failed, review,
    tray_idle, tray_waiting_one, tray_waiting, tray_open, tray_review, tray_deny, tray_deny_all, tray_quit,
    window_waiting,
    menu_hide, menu_hide_others, menu_show_all, menu_quit, menu_edit, menu_undo, menu_redo, menu_cut, menu_copy,
    menu_paste, menu_select_all, menu_window, menu_minimize, menu_zoom, menu_close_window,
}

impl Words {
    /// The catalogue of `language`.
    ///
    /// # Errors
    /// When the built-in catalogue is damaged; the app then doesn't start.
    pub fn load(language: Language) -> anyhow::Result<Self> {
        let text = match language {
            Language::English => ENGLISH,
            Language::Chinese => CHINESE,
        };
        Ok(serde_json::from_str(text)?)
    }

    /// What stands between the parts of an exported session.
    #[must_use]
    pub fn export_headings(&self) -> Headings<'_> {
        Headings {
            workspace: &self.export_workspace,
            you: &self.export_you,
            attached: &self.export_attached,
            agent: &self.export_agent,
            interrupted: &self.export_interrupted,
            call: &self.export_call,
            result: &self.export_result,
            summary: &self.export_summary,
        }
    }

    /// The buttons of an approval.
    #[must_use]
    pub fn approval_labels(&self) -> Labels {
        self.labels(&self.deny, &self.allow_once)
    }

    /// The buttons of a question that loosens something: `yes` is the only way to it.
    #[must_use]
    pub fn question_labels(&self, yes: &str) -> Labels {
        self.labels(&self.keep, yes)
    }

    fn labels(&self, deny: &str, allow: &str) -> Labels {
        Labels {
            deny: deny.to_owned(),
            allow: allow.to_owned(),
            cancel: self.cancel.clone(),
            next: self.next.clone(),
            read_on: self.read_on.clone(),
        }
    }
}

/// `template` with `{name}` replaced by each value; values are inserted as they are, never expanded again.
#[must_use]
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}') {
            Some((name, tail)) => {
                match values.iter().find(|(key, _)| *key == name) {
                    Some((_, value)) => out.push_str(value),
                    None => {
                        out.push('{');
                        out.push_str(name);
                        out.push('}');
                    }
                }
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The language of this process, for what has no way to the words in use: see [`spoken`].
static SPOKEN: RwLock<Language> = RwLock::new(Language::English);

/// The language that the window speaks: that of the words in use.
pub fn spoken() -> Language {
    *SPOKEN.read().unwrap_or_else(PoisonError::into_inner)
}

/// The words in use; a change of the setting counts from the next question on.
pub struct CurrentWords(RwLock<(Language, Arc<Words>)>);

impl CurrentWords {
    /// Starts with `language`.
    ///
    /// # Errors
    /// As [`Words::load`].
    pub fn new(language: Language) -> anyhow::Result<Self> {
        let words = Arc::new(Words::load(language)?);
        *SPOKEN.write().unwrap_or_else(PoisonError::into_inner) = language;
        Ok(Self(RwLock::new((language, words))))
    }

    /// The words.
    pub fn get(&self) -> Arc<Words> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner).1)
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.0.read().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Switches.
    ///
    /// # Errors
    /// As [`Words::load`]; the old words stay.
    pub fn switch(&self, language: Language) -> anyhow::Result<()> {
        let words = Arc::new(Words::load(language)?);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = (language, words);
        *SPOKEN.write().unwrap_or_else(PoisonError::into_inner) = language;
        Ok(())
    }
}

/// The languages that the system says its person prefers, best first: macOS and Windows have a list of their own.
#[cfg(any(target_os = "macos", windows))]
pub fn system_locales() -> Vec<String> {
    sys_locale::get_locales().collect()
}

/// The languages that the system says its person prefers, best first: elsewhere the environment does.
#[cfg(not(any(target_os = "macos", windows)))]
pub fn system_locales() -> Vec<String> {
    locales_of(|name| std::env::var(name).ok())
}

/// As gettext reads them: `LANGUAGE` goes before the locale, but not where that is the one of programs.
#[cfg(any(test, not(any(target_os = "macos", windows))))]
fn locales_of(variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).unwrap_or_default();
    if locale.is_empty() || matches!(locale.split('.').next(), Some("C" | "POSIX")) {
        return Vec::new();
    }
    let preferred = set("LANGUAGE").unwrap_or_default();
    let preferred = preferred.split(':').filter(|one| !one.is_empty()).map(str::to_owned);
    preferred.chain([locale]).collect()
}

#[cfg(test)]
mod tests {
    use super::{Language, LanguageSetting, Words, fill, locales_of};

    fn both() -> [Words; 2] {
        [Language::English, Language::Chinese].map(|language| Words::load(language).unwrap())
    }

    /// R30: where two buttons read the same, nobody can tell what they press.
    #[test]
    fn the_three_buttons_of_every_question_differ_in_every_language() {
        for words in both() {
            assert!(words.approval_labels().are_distinct());
            let yes: Vec<_> = words.all().into_iter().filter(|(key, _)| key.ends_with("_yes")).collect();
            assert!(yes.len() > 5);
            for (key, label) in yes {
                assert!(words.question_labels(label).are_distinct(), "{key}");
            }
        }
    }

    #[test]
    fn both_languages_fill_the_same_places() {
        let [english, chinese] = both();
        let places = |text: &str| {
            let mut names: Vec<String> =
                text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())).collect();
            names.sort();
            names
        };
        for ((key, english), (_, chinese)) in english.all().into_iter().zip(chinese.all()) {
            assert_eq!(places(english), places(chinese), "{key}");
            assert!(!english.trim().is_empty() && !chinese.trim().is_empty(), "{key}");
            assert!(!english.contains('!') && !chinese.contains('！'), "{key}");
            assert!(!chinese.contains('您'), "{key}");
        }
    }

    #[test]
    fn a_value_is_never_expanded_again() {
        assert_eq!(fill("{a} and {b} and {c} {", &[("a", "{b}"), ("b", "2")]), "{b} and 2 and {c} {");
    }

    #[test]
    fn the_system_s_languages_count_where_nothing_is_chosen() {
        for (setting, locales, tag) in [
            (LanguageSetting::System, &["zh_CN.UTF-8"][..], "zh-CN"),
            (LanguageSetting::System, &["zh-Hans-CN"], "zh-CN"),
            (LanguageSetting::System, &["zh_TW"], "zh-CN"),
            (LanguageSetting::System, &["de-DE", "zh-Hant-HK", "en"], "zh-CN"),
            (LanguageSetting::System, &["de-DE", "en-GB", "zh-Hans"], "en"),
            (LanguageSetting::System, &["de_DE"], "en"),
            (LanguageSetting::System, &["zhx"], "en"),
            (LanguageSetting::System, &[], "en"),
            (LanguageSetting::English, &["zh_CN"], "en"),
            (LanguageSetting::Chinese, &["en_US"], "zh-CN"),
        ] {
            let preferred: Vec<String> = locales.iter().copied().map(str::to_owned).collect();
            assert_eq!(Language::resolve(setting, &preferred).tag(), tag, "{locales:?}");
        }
    }

    #[test]
    fn the_environment_is_read_as_gettext_reads_it() {
        for (variables, locales) in [
            (&[("LANG", "zh_CN.UTF-8")][..], &["zh_CN.UTF-8"][..]),
            (&[("LC_ALL", "en_GB"), ("LANG", "zh_CN")], &["en_GB"]),
            (&[("LC_ALL", ""), ("LC_MESSAGES", "zh_CN"), ("LANG", "en_US")], &["zh_CN"]),
            (&[("LANGUAGE", "zh_CN:en"), ("LANG", "en_US.UTF-8")], &["zh_CN", "en", "en_US.UTF-8"]),
            (&[("LANGUAGE", "zh_CN"), ("LANG", "C.UTF-8")], &[]),
            (&[("LANGUAGE", "zh_CN")], &[]),
        ] {
            let value = |name: &str| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(locales_of(value), locales, "{variables:?}");
        }
    }
}
