//! What the deletion of a person's data leaves of the settings: as at the first start, and never in a mode that asks
//! less.

use crate::commands::workspace::asks_less;
use crate::kept::Kept;
use crate::settings::{Profile, Settings, SettingsFile};
use assent_policy::Mode;

/// The settings before they go: what counts in this run, and what the file says, for which another may stand in.
pub struct Before {
    counting: Settings,
    /// `None` where it can't be read or understood.
    file: Option<Settings>,
}

/// The settings after it.
#[derive(Debug, PartialEq)]
pub struct After {
    /// What counts in this run.
    pub counting: Settings,
    /// What the file says from now on.
    pub file: Settings,
}

/// Begins the settings of `kept` and of `file` anew, as they are by now; what was before, and whether the file took it.
pub fn begin_anew(
    kept: &Kept<Settings>,
    file: &SettingsFile,
    safe_mode: bool,
) -> (Before, anyhow::Result<()>) {
    let (mut before, mut written) = (Before { counting: kept.get(), file: None }, Ok(()));
    kept.update(|settings| {
        before = Before::look(settings.clone(), file);
        let After { counting, file: left } = before.after(safe_mode);
        written = file.begin_anew(&left);
        *settings = counting;
    });
    (before, written)
}

impl Before {
    /// The mode that counted.
    pub fn mode(&self) -> Mode {
        self.counting.mode
    }

    /// What counts is `counting`; what `file` says is read now.
    fn look(counting: Settings, file: &SettingsFile) -> Self {
        Self { counting, file: file.read().ok() }
    }

    /// Whether the file may name profiles that nobody knows of.
    pub fn is_unread(&self) -> bool {
        self.file.is_none()
    }

    /// Those whose keys go: of what counts and of the file.
    pub fn profiles(&self) -> Vec<Profile> {
        let mut profiles = self.counting.profiles.clone();
        let file = self.file.iter().flat_map(|file| &file.profiles);
        profiles.extend(file.filter(|profile| !self.counting.profiles.contains(profile)).cloned());
        profiles
    }

    /// What comes after; in safe mode what counts says nothing of what a person chose.
    fn after(&self, safe_mode: bool) -> After {
        let unread = Settings { mode: Mode::Strict, ..self.counting.clone() };
        let file = anew(self.file.as_ref().unwrap_or(&unread));
        let mut counting = anew(&self.counting);
        counting.mode = stricter(counting.mode, file.mode);
        let file = if safe_mode { file } else { counting.clone() };
        After { counting, file }
    }
}

/// As at the first start, with the window where it is.
fn anew(settings: &Settings) -> Settings {
    let first = Settings { window: settings.window, ..Settings::default() };
    Settings { mode: stricter(settings.mode, first.mode), ..first }
}

fn stricter(one: Mode, other: Mode) -> Mode {
    if asks_less(one) < asks_less(other) { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::{After, Before, begin_anew};
    use crate::kept::Kept;
    use crate::settings::{Profile, Settings, SettingsFile, TOUR};
    use crate::view::ProviderKind;
    use assent_policy::Mode;

    fn in_mode(mode: Mode) -> Settings {
        Settings { mode, ..Settings::default() }
    }

    /// To delete one's data is no way to be asked less, not at the next start either.
    #[test]
    fn whoever_was_strict_stays_so_when_all_is_deleted() {
        use Mode::{Balanced, Sandboxed, Strict};
        for (counting, file, safe_mode, then) in [
            (Strict, Some(Strict), false, (Strict, Strict)),
            (Balanced, Some(Balanced), false, (Balanced, Balanced)),
            (Sandboxed, Some(Sandboxed), false, (Balanced, Balanced)),
            (Balanced, Some(Strict), false, (Strict, Strict)),
            (Balanced, None, false, (Strict, Strict)),
            (Strict, None, false, (Strict, Strict)),
            (Strict, Some(Strict), true, (Strict, Strict)),
            (Strict, Some(Sandboxed), true, (Strict, Balanced)),
            (Strict, None, true, (Strict, Strict)),
        ] {
            let before = Before {
                counting: Settings { max_turns: 7, ..in_mode(counting) },
                file: file.map(|mode| Settings { max_turns: 7, ..in_mode(mode) }),
            };
            let after = After { counting: in_mode(then.0), file: in_mode(then.1) };
            assert_eq!(before.after(safe_mode), after, "{counting:?} {file:?} {safe_mode}");
        }
    }

    /// Nor is it where another mode was chosen since the settings were looked at.
    #[test]
    fn what_counts_by_then_is_what_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::in_folder(folder.path());
        let writes = file.clone();
        let kept = Kept::new(in_mode(Mode::Balanced), move |before, now| writes.write(before, now));
        kept.update(|settings| settings.max_turns = 7);
        for (chosen, then) in [(Mode::Strict, Mode::Strict), (Mode::Sandboxed, Mode::Balanced)] {
            kept.update(|settings| settings.mode = chosen);
            let (before, written) = begin_anew(&kept, &file, false);
            written.unwrap();
            assert_eq!(before.mode(), chosen);
            assert_eq!((kept.get(), file.read().unwrap()), (in_mode(then), in_mode(then)));
        }
    }

    /// The keys of the file's profiles go too, where another stands in for it; one that can't be read is told of.
    #[test]
    fn the_profiles_of_the_file_go_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = SettingsFile::in_folder(folder.path());
        let profile = |url: &str| Profile {
            id: "mine".into(),
            kind: ProviderKind::Anthropic,
            base_url: url.into(),
            ..Profile::tour()
        };
        let with = |profiles: Vec<Profile>| Settings { profiles, ..Settings::default() };
        let theirs = with(vec![Profile::tour(), profile("https://a.example")]);
        file.begin_anew(&theirs).unwrap();
        let named = |before: &Before| -> Vec<String> {
            before
                .profiles()
                .into_iter()
                .map(|profile| format!("{} {}", profile.id, profile.base_url))
                .collect()
        };
        let tour = format!("{TOUR} ");
        let standing_in = Before::look(Settings::default(), &file);
        assert_eq!(named(&standing_in), [tour.as_str(), "mine https://a.example"]);
        assert!(!standing_in.is_unread());
        let edited = Before::look(with(vec![Profile::tour(), profile("https://b.example")]), &file);
        assert_eq!(named(&edited), [tour.as_str(), "mine https://b.example", "mine https://a.example"]);
        std::fs::write(folder.path().join("settings.toml"), "mode = 1").unwrap();
        let unread = Before::look(Settings::default(), &file);
        assert_eq!((named(&unread), unread.is_unread()), (vec![tour], true));
        file.begin_anew(&unread.after(false).file).unwrap();
        assert_eq!(file.read().unwrap().mode, Mode::Strict);
    }
}
