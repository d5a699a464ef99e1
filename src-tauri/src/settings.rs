//! The settings and the file they live in: `settings.toml` in the config folder.

use crate::config_file::{self, replace};
use crate::kept::{changed, changed_entries};
use crate::view::{Header, KeyPlace, LanguageSetting, Notifications, ProviderKind, Theme};
use assent_agent::audit::otlp_settings::ExportSettings;
use assent_policy::Mode;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The profile that needs neither key nor network.
pub const TOUR: &str = "tour";

const HEADER: &str = "\
# Settings of Assent. The app changes this file too, each time only what was changed: the rest stays as you wrote it,
# comments and order too. What you edit while Assent runs counts from its next start on, audit_export at once; of a
# setting that is changed in both places the window's counts.
#
# language          \"system\", \"en\" or \"zh-CN\"
# theme             \"system\", \"light\" or \"dark\"
# font_size         pixels, 12 to 28
# notifications     \"off\", \"unfocused\" or \"always\"
# close_to_tray     whether closing the window leaves the app in the tray
# approval_minutes  how long a call waits for you, 1 to 60
# max_turns         model replies in one run, 1 to 200
# mode              \"strict\", \"balanced\" or \"sandboxed\"
# first_run_done    whether the first minute is over
# active_profile    the id of the profile that the next message goes to
# reviewer          the id of a profile whose model also judges calls; it can only tighten
# profiles          models, see below; keys are never in this file
# audit_export      where the audit log is also sent (OpenTelemetry, OTLP/HTTP); absent: nowhere.
#                   endpoint = \"https://collector.example:4318\", headers = { x-key = \"$VARIABLE\" }
# window            width and height in logical pixels, and whether it was maximized, when it was closed
#
# Of each profile:
# id, name          its own, and what the window calls it
# kind              \"chat_completions\", \"anthropic\" or \"tour\"
# base_url, model   the server's address, and which of its models
# key               where its key is: \"keychain\", \"memory\" or \"file\"; absent: it has none
# context_window    tokens that the model reads at most; absent: what is known of it
# without_tools     whether it is only talked to
# proxy, ca_file    a proxy instead of the system's; certificates in PEM trusted beside the system's
# headers           further ones of each request, name and value, in clear

";

/// Everything a person can set, and what the window remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub language: LanguageSetting,
    pub theme: Theme,
    /// Pixels.
    pub font_size: u8,
    pub notifications: Notifications,
    pub close_to_tray: bool,
    pub approval_minutes: u8,
    pub max_turns: u8,
    pub mode: Mode,
    pub first_run_done: bool,
    pub active_profile: String,
    /// The profile of a second model that reviews calls; none is the default. Set in this file only: to switch it off
    /// loosens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// Where the audit log is also sent; nowhere by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_export: Option<ExportSettings>,
    /// The window's size, logical pixels, and whether it was maximised.
    pub window: Option<WindowSize>,
    pub profiles: Vec<Profile>,
}

/// The window's size when it was closed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowSize {
    pub width: f64,
    pub height: f64,
    pub maximized: bool,
}

/// A model and how to reach it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub id: String,
    pub name: String,
    pub kind: ProviderKind,
    pub base_url: String,
    pub model: String,
    /// Where its key was put; the key itself is never here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyPlace>,
    /// How many tokens the model reads at most, where the person says so: a local server chooses it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// It is offered no tools: it is only talked to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_tools: bool,
    /// A proxy instead of the system's; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub proxy: String,
    /// A file of certificates in PEM that are trusted beside the system's; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ca_file: String,
    /// Further headers of each request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<Header>,
}

impl Profile {
    /// The scripted model that ships with the app.
    #[must_use]
    pub fn tour() -> Self {
        Self {
            id: TOUR.to_owned(),
            name: "Tour".to_owned(),
            kind: ProviderKind::Tour,
            base_url: String::new(),
            model: TOUR.to_owned(),
            key: None,
            context_window: None,
            without_tools: false,
            proxy: String::new(),
            ca_file: String::new(),
            headers: Vec::new(),
        }
    }

    /// The same with everything that was changed from `before` to `now`.
    #[must_use]
    pub fn changed(self, before: &Self, now: &Self) -> Self {
        let reached = |profile: &Self| (profile.base_url.clone(), profile.headers.clone());
        // The values of headers belong to the host that they were typed for.
        let (base_url, headers) = changed(reached(&self), &reached(before), &reached(now));
        Self {
            id: self.id,
            name: changed(self.name, &before.name, &now.name),
            kind: changed(self.kind, &before.kind, &now.kind),
            base_url,
            model: changed(self.model, &before.model, &now.model),
            key: changed(self.key, &before.key, &now.key),
            context_window: changed(self.context_window, &before.context_window, &now.context_window),
            without_tools: changed(self.without_tools, &before.without_tools, &now.without_tools),
            proxy: changed(self.proxy, &before.proxy, &now.proxy),
            ca_file: changed(self.ca_file, &before.ca_file, &now.ca_file),
            headers,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: LanguageSetting::System,
            theme: Theme::System,
            font_size: 14,
            notifications: Notifications::Unfocused,
            close_to_tray: false,
            approval_minutes: 10,
            max_turns: 100,
            mode: Mode::Balanced,
            first_run_done: false,
            active_profile: TOUR.to_owned(),
            reviewer: None,
            audit_export: None,
            window: None,
            profiles: vec![Profile::tour()],
        }
    }
}

impl Settings {
    /// The same with every value in its range, the tour present and an active profile that exists.
    #[must_use]
    pub fn sound(mut self) -> Self {
        self.font_size = self.font_size.clamp(12, 28);
        self.approval_minutes = self.approval_minutes.clamp(1, 60);
        self.max_turns = self.max_turns.clamp(1, 200);
        self.profiles.retain(|profile| profile.id != TOUR && profile.kind != ProviderKind::Tour);
        self.profiles.insert(0, Profile::tour());
        if !self.profiles.iter().any(|profile| profile.id == self.active_profile) {
            self.active_profile = TOUR.to_owned();
        }
        self
    }

    /// The same with everything that was changed from `before` to `now`.
    fn changed(self, before: &Self, now: &Self) -> Self {
        Self {
            language: changed(self.language, &before.language, &now.language),
            theme: changed(self.theme, &before.theme, &now.theme),
            font_size: changed(self.font_size, &before.font_size, &now.font_size),
            notifications: changed(self.notifications, &before.notifications, &now.notifications),
            close_to_tray: changed(self.close_to_tray, &before.close_to_tray, &now.close_to_tray),
            approval_minutes: changed(self.approval_minutes, &before.approval_minutes, &now.approval_minutes),
            max_turns: changed(self.max_turns, &before.max_turns, &now.max_turns),
            mode: changed(self.mode, &before.mode, &now.mode),
            first_run_done: changed(self.first_run_done, &before.first_run_done, &now.first_run_done),
            active_profile: changed(self.active_profile, &before.active_profile, &now.active_profile),
            reviewer: changed(self.reviewer, &before.reviewer, &now.reviewer),
            audit_export: changed(self.audit_export, &before.audit_export, &now.audit_export),
            window: changed(self.window, &before.window, &now.window),
            profiles: changed_entries(
                self.profiles,
                &before.profiles,
                &now.profiles,
                |profile| profile.id.clone(),
                |there, before, now| there.map_or_else(|| now.clone(), |there| there.changed(before, now)),
            ),
        }
    }

    /// The profile the next message goes to.
    #[must_use]
    pub fn active(&self) -> Profile {
        self.profiles
            .iter()
            .find(|profile| profile.id == self.active_profile)
            .cloned()
            .unwrap_or_else(Profile::tour)
    }
}

/// Whether nothing sent to `base_url` leaves the machine.
#[must_use]
pub fn is_local(base_url: &str) -> bool {
    let Ok(url) = tauri::Url::parse(base_url) else { return base_url.is_empty() };
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback()),
        None => false,
    }
}

/// The file.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    path: PathBuf,
}

impl SettingsFile {
    /// `settings.toml` in `config`.
    #[must_use]
    pub fn in_folder(config: &Path) -> Self {
        Self { path: config.join("settings.toml") }
    }

    /// What it says; the defaults where there is none.
    ///
    /// # Errors
    /// When it can't be read or understood; it is then left alone.
    pub fn read(&self) -> anyhow::Result<Settings> {
        let there = config_file::read::<Settings>(&self.path)?;
        Ok(there.map(|there| there.value.sound()).unwrap_or_default())
    }

    /// Writes what was changed from `before` to `now`; what a person edited there in the meantime stays.
    ///
    /// # Errors
    /// When what is there can't be understood, or it can't be written; the old one stays.
    pub fn write(&self, before: &Settings, now: &Settings) -> anyhow::Result<()> {
        let _alone = config_file::alone(&self.path)?;
        let Some(there) = config_file::read::<Settings>(&self.path)? else { return self.write_whole(now) };
        let there = there.map(Settings::sound);
        let settings = there.value.clone().changed(before, now).sound();
        there.change(&self.path, &settings, Settings::sound, &[("profiles", "id"), ("headers", "name")])
    }

    /// Writes `settings` whole, whatever is there.
    ///
    /// # Errors
    /// When it can't be written; the old one stays.
    pub fn begin_anew(&self, settings: &Settings) -> anyhow::Result<()> {
        let _alone = config_file::alone(&self.path)?;
        self.write_whole(settings)
    }

    fn write_whole(&self, settings: &Settings) -> anyhow::Result<()> {
        let text = format!("{HEADER}{}", toml::to_string(settings)?);
        replace(&self.path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::{HEADER, Profile, Settings, SettingsFile, TOUR, WindowSize};
    use crate::view::{Header, KeyPlace, ProviderKind};
    use assent_agent::audit::otlp_settings::ExportSettings;
    use std::collections::BTreeMap;

    /// Every field that the file may hold is told at its head.
    #[test]
    fn every_field_is_explained() {
        let profile = Profile {
            key: Some(KeyPlace::File),
            context_window: Some(1),
            without_tools: true,
            proxy: "http://proxy".into(),
            ca_file: "/ca.pem".into(),
            headers: vec![Header { name: "X-Team".into(), value: "blue".into() }],
            ..Profile::tour()
        };
        let settings = Settings {
            reviewer: Some("tour".into()),
            audit_export: Some(ExportSettings {
                endpoint: "https://collector.example".into(),
                headers: BTreeMap::new(),
            }),
            window: Some(WindowSize { width: 1.0, height: 1.0, maximized: false }),
            profiles: vec![profile],
            ..Settings::default()
        };
        let written: toml::Table = toml::from_str(&toml::to_string(&settings).unwrap()).unwrap();
        let profile = written["profiles"][0].as_table().unwrap();
        let words: Vec<&str> = HEADER.split(|part: char| !part.is_alphanumeric() && part != '_').collect();
        let fields = written.keys().chain(profile.keys());
        let untold: Vec<_> = fields.filter(|field| !words.contains(&field.as_str())).collect();
        assert_eq!(untold, [""; 0]);
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::in_folder(&folder.path().join("assent"));
        assert_eq!(file.read().unwrap(), Settings::default());
        let mut settings = Settings { font_size: 16, close_to_tray: true, ..Settings::default() };
        settings.profiles.push(Profile {
            id: "local".into(),
            name: "Ollama".into(),
            kind: ProviderKind::ChatCompletions,
            base_url: "http://localhost:11434/v1".into(),
            model: "qwen3".into(),
            without_tools: true,
            ..Profile::tour()
        });
        settings.active_profile = "local".into();
        file.write(&Settings::default(), &settings).unwrap();
        assert_eq!(file.read().unwrap(), settings);
        insta::assert_snapshot!("settings_file", std::fs::read_to_string(&file.path).unwrap());
    }

    /// What a person wrote into the file while the app runs outlives the app's own changes, until they delete it all.
    #[test]
    fn what_is_edited_in_the_file_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::in_folder(folder.path());
        let profile = |id: &str, model: &str| Profile {
            id: id.into(),
            kind: ProviderKind::ChatCompletions,
            model: model.into(),
            ..Profile::tour()
        };
        let mut ours = Settings { font_size: 16, ..Settings::default() };
        ours.profiles.extend([profile("kept", "m"), profile("ours", "m"), profile("removed", "m")]);
        file.write(&Settings::default(), &ours).unwrap();
        let text = std::fs::read_to_string(&file.path).unwrap();
        let rest = "name = \"Tour\"\nkind = \"chat_completions\"\nbase_url = ";
        let edited = format!(
            "reviewer = \"second\"\n{text}\n[audit_export]\nendpoint = \"https://c.example\"\n"
        )
        .replace("max_turns = 100", "max_turns = 50")
        .replacen("model = \"m\"", "model = \"edited\"", 1)
        .replace(&format!("id = \"ours\"\n{rest}\"\""), &format!("id = \"ours\"\n{rest}\"http://moved\""))
            + "\n[[profiles]]\nid = \"added\"\nname = \"\"\nkind = \"anthropic\"\nbase_url = \"\"\nmodel = \"x\"\n";
        std::fs::write(&file.path, edited).unwrap();
        let mut next = Settings { font_size: 18, ..ours.clone() };
        next.profiles.retain(|profile| profile.id != "removed");
        next.profiles.retain(|profile| profile.id != "ours");
        next.profiles.push(profile("ours", "chosen"));
        file.write(&ours, &next).unwrap();
        let now = file.read().unwrap();
        let models: Vec<_> = now.profiles.iter().map(|it| (it.id.as_str(), it.model.as_str())).collect();
        assert_eq!(models, [(TOUR, TOUR), ("kept", "edited"), ("ours", "chosen"), ("added", "x")]);
        let moved: Vec<_> = now.profiles.iter().map(|profile| profile.base_url.as_str()).collect();
        assert_eq!((now.max_turns, moved), (50, vec!["", "", "http://moved", ""]));
        let endpoint = now.audit_export.map(|export| export.endpoint);
        assert_eq!(
            (now.font_size, now.reviewer.as_deref(), endpoint.as_deref()),
            (18, Some("second"), Some("https://c.example"))
        );
        std::fs::write(&file.path, "reviewer = 2").unwrap();
        assert!(file.write(&ours, &next).is_err(), "an edit that isn't understood is not overwritten");
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), "reviewer = 2");
        file.begin_anew(&ours).unwrap();
        assert_eq!(file.read().unwrap(), ours, "only a deletion of all does");
        std::fs::remove_file(&file.path).unwrap();
        assert_eq!(file.read().unwrap(), Settings::default());
        file.write(&ours, &next).unwrap();
        assert_eq!(file.read().unwrap(), next, "a file that went away is made anew, whole");
    }

    /// Whichever setting is changed in the window: what a person wrote around it stays, and so does every other line.
    #[test]
    fn a_change_of_one_setting_leaves_every_other_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::in_folder(folder.path());
        let local =
            "id = \"local\"\nname = \"L\"\nkind = \"chat_completions\"\nbase_url = \"\"\nmodel = \"m\"\n";
        let local = format!("{local}key = \"file\" # for now\n");
        let text = format!(
            "# Mine.\n\nmax_turns = 250 # too many?\nfont_size  =  14\n# Far off.\nreviewer = \"local\"\n\n\
             [[profiles]] # the only one\n{local}"
        );
        type Change = fn(&mut Settings);
        let table: &[(Change, &str, &str)] = &[
            (|_| (), "", ""),
            (|now| now.font_size = 16, "font_size  =  14\n", "font_size  =  16\n"),
            (|now| now.max_turns = 7, "max_turns = 250 #", "max_turns = 7 #"),
            (|now| now.reviewer = None, "reviewer = \"local\"\n", ""),
            (
                |now| now.theme = crate::view::Theme::Dark,
                "reviewer = \"local\"\n",
                "reviewer = \"local\"\ntheme = \"dark\"\n",
            ),
            (|now| now.profiles[1].key = None, "key = \"file\" # for now\n", ""),
            (|now| now.profiles[1].without_tools = true, "# for now\n", "# for now\nwithout_tools = true\n"),
            (
                |now| now.window = Some(WindowSize { width: 9.0, height: 8.5, maximized: false }),
                "# for now\n",
                "# for now\n\n[window]\nwidth = 9.0\nheight = 8.5\nmaximized = false\n",
            ),
        ];
        for ends in ["\n", "\r\n"] {
            for (change, from, to) in table {
                let [text, from, to] = [text.as_str(), from, to].map(|text| text.replace('\n', ends));
                std::fs::write(&file.path, &text).unwrap();
                let before = file.read().unwrap();
                let mut now = before.clone();
                change(&mut now);
                file.write(&before, &now).unwrap();
                let left = std::fs::read_to_string(&file.path).unwrap();
                assert_eq!(left, if from.is_empty() { text } else { text.replacen(&from, &to, 1) });
                assert_eq!(file.read().unwrap(), now);
            }
        }
    }

    #[test]
    fn a_broken_file_is_an_error_and_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::in_folder(folder.path());
        std::fs::write(&file.path, "font_size = \"huge\"").unwrap();
        let error = format!("{:#}", file.read().unwrap_err());
        assert!(error.contains("settings.toml: line 1: invalid type: string"), "{error}");
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), "font_size = \"huge\"");
    }

    #[test]
    fn only_loopback_is_local() {
        for (url, local) in [
            ("", true),
            ("http://localhost:11434/v1", true),
            ("http://127.0.0.1:1234", true),
            ("http://[::1]:8080", true),
            ("http://localhost.evil.example/", false),
            ("http://127.0.0.1.evil.example/", false),
            ("https://api.example.com/v1", false),
            ("not an address", false),
        ] {
            assert_eq!(super::is_local(url), local, "{url}");
        }
    }

    #[test]
    fn values_out_of_range_and_lost_profiles_become_sound() {
        let broken = Settings {
            font_size: 200,
            approval_minutes: 0,
            max_turns: 255,
            active_profile: "gone".into(),
            profiles: Vec::new(),
            ..Settings::default()
        };
        let sound = broken.sound();
        assert_eq!((sound.font_size, sound.approval_minutes, sound.max_turns), (28, 1, 200));
        assert_eq!(sound.active().id, TOUR);
    }
}
