//! The folders a person works in: recents, trust, and whether commands may be proposed there.
//!
//! `folders.toml` in the config folder. Trust belongs to a real path and is given in a native question only.

use crate::config_file::{self, remove, replace};
use crate::kept::{changed, changed_entries};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Recents beyond this are forgotten, unless they are pinned or trusted.
const RECENTS: usize = 20;

const HEADER: &str = "\
# The folders that Assent knows. The app changes this file too, each time only what was changed: the rest stays as you
# wrote it, comments and order too. What you edit while Assent runs counts from its next start on.
#
# path             the real one
# last_used_ms     when it was open last, Unix milliseconds; 0: not among the recents
# pinned           whether it stays at the top of the list
# trusted_ms       since when it is trusted; absent: it is restricted
# shell_off        whether commands are switched off there
# kept_restricted  whether you were asked to trust it and said no

";

/// One folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Folder {
    /// The real path.
    pub path: PathBuf,
    /// Unix milliseconds; 0 where it isn't among the recents.
    pub last_used_ms: u64,
    pub pinned: bool,
    /// Since when it is trusted, Unix milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted_ms: Option<u64>,
    /// The person switched commands off here.
    pub shell_off: bool,
    /// The person was asked for trust and said no: the window asks no more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept_restricted: bool,
}

impl Folder {
    /// Whether a person who opens it is asked for its trust: once.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        self.trusted_ms.is_none() && !self.kept_restricted
    }

    /// The person trusts it.
    pub fn trust(&mut self, now_ms: u64) {
        self.trusted_ms = Some(now_ms);
        self.kept_restricted = false;
    }

    /// The person wants it restricted.
    pub fn restrict(&mut self) {
        self.trusted_ms = None;
        self.kept_restricted = true;
    }

    /// The same with everything that was changed from `before` to `now`.
    fn changed(self, before: &Self, now: &Self) -> Self {
        Self {
            path: self.path,
            last_used_ms: changed(self.last_used_ms, &before.last_used_ms, &now.last_used_ms),
            pinned: changed(self.pinned, &before.pinned, &now.pinned),
            trusted_ms: changed(self.trusted_ms, &before.trusted_ms, &now.trusted_ms),
            shell_off: changed(self.shell_off, &before.shell_off, &now.shell_off),
            kept_restricted: changed(self.kept_restricted, &before.kept_restricted, &now.kept_restricted),
        }
    }
}

/// All of them, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Folders {
    pub folders: Vec<Folder>,
}

impl Folders {
    /// What is known of the folder at the real path `path`.
    #[must_use]
    pub fn get(&self, path: &Path) -> Folder {
        self.folders
            .iter()
            .find(|folder| is_same(&folder.path, path))
            .cloned()
            .unwrap_or_else(|| Folder { path: path.to_owned(), ..Folder::default() })
    }

    /// The recents, pinned ones first, then newest first.
    #[must_use]
    pub fn recents(&self) -> Vec<Folder> {
        let mut recents: Vec<Folder> =
            self.folders.iter().filter(|folder| folder.last_used_ms > 0).cloned().collect();
        recents.sort_by_key(|folder| (!folder.pinned, std::cmp::Reverse(folder.last_used_ms)));
        recents
    }

    /// Changes what is known of a folder.
    pub fn update(&mut self, path: &Path, change: impl FnOnce(&mut Folder)) {
        let mut folder = self.get(path);
        change(&mut folder);
        self.folders.retain(|other| !is_same(&other.path, path));
        self.folders.insert(0, folder);
        self.folders.sort_by_key(|folder| std::cmp::Reverse(folder.last_used_ms));
        let mut recent = 0;
        self.folders.retain(|folder| {
            recent += usize::from(folder.last_used_ms > 0);
            recent <= RECENTS || folder.pinned || folder.trusted_ms.is_some() || folder.kept_restricted
        });
    }
}

/// The file.
#[derive(Clone, Debug)]
pub struct FoldersFile {
    path: PathBuf,
}

impl FoldersFile {
    /// `folders.toml` in `config`.
    #[must_use]
    pub fn in_folder(config: &Path) -> Self {
        Self { path: config.join("folders.toml") }
    }

    /// What it says; nothing is trusted where there is none.
    ///
    /// # Errors
    /// When it can't be read or understood; it is then left alone.
    pub fn read(&self) -> anyhow::Result<Folders> {
        Ok(config_file::read(&self.path)?.map(|there| there.value).unwrap_or_default())
    }

    /// Writes what was changed from `before` to `now`; what a person edited there in the meantime stays.
    ///
    /// # Errors
    /// When what is there can't be understood, or it can't be written; the old one stays.
    pub fn write(&self, before: &Folders, now: &Folders) -> anyhow::Result<()> {
        let _alone = config_file::alone(&self.path)?;
        let there = config_file::read::<Folders>(&self.path)?;
        let known = there.as_ref().map(|there| there.value.folders.clone()).unwrap_or_default();
        let key = |folder: &Folder| folder.path.clone();
        // Of one that a person took out, only what is new is noted: its trust is gone.
        let merge = |there: Option<Folder>, before: &Folder, now: &Folder| {
            let there = there.unwrap_or_else(|| Folder { path: now.path.clone(), ..Folder::default() });
            there.changed(before, now)
        };
        let now = Folders { folders: changed_entries(known, &before.folders, &now.folders, key, merge) };
        match there {
            Some(there) => there.change(&self.path, &now, |folders| folders, &[("folders", "path")]),
            None => replace(&self.path, format!("{HEADER}{}", toml::to_string(&now)?).as_bytes()),
        }
    }

    /// Removes it: no folder is known, none is trusted.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn remove(&self) -> anyhow::Result<()> {
        remove(&self.path)
    }
}

/// Whether two real paths are one: Windows spells them with and without `\\?\`.
#[must_use]
pub fn is_same(one: &Path, other: &Path) -> bool {
    let plain = |path: &Path| -> Option<PathBuf> {
        let rest = path.to_str()?.strip_prefix(r"\\?\")?;
        rest.get(1..).is_some_and(|rest| rest.starts_with(':')).then(|| PathBuf::from(rest))
    };
    plain(one).as_deref().unwrap_or(one) == plain(other).as_deref().unwrap_or(other)
}

/// `path` with the home folder as `~`, for people.
#[must_use]
pub fn display(path: &Path, home: Option<&Path>) -> String {
    let shown = match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~{}{}", std::path::MAIN_SEPARATOR, rest.display()),
        None => path.display().to_string(),
    };
    crate::view::shown(&shown)
}

#[cfg(test)]
mod tests {
    use super::{Folders, FoldersFile, RECENTS, display, is_same};
    use std::path::{Path, PathBuf};

    /// Whichever way it was answered, the question was put.
    #[test]
    fn trust_is_asked_once() {
        let mut folder = super::Folder::default();
        assert!(folder.is_unanswered());
        folder.restrict();
        assert!(!folder.is_unanswered());
        folder.trust(7);
        assert_eq!(
            (folder.is_unanswered(), folder.trusted_ms, folder.kept_restricted),
            (false, Some(7), false)
        );
        folder.restrict();
        assert_eq!((folder.is_unanswered(), folder.trusted_ms), (false, None));
    }

    #[test]
    fn trust_and_recents_are_kept_apart() {
        let mut folders = Folders::default();
        folders.update(Path::new("/a"), |folder| folder.trusted_ms = Some(5));
        folders.update(Path::new("/b"), |folder| folder.last_used_ms = 7);
        assert_eq!(folders.get(Path::new("/a")).trusted_ms, Some(5));
        assert_eq!(folders.get(Path::new("/a/sub")).trusted_ms, None, "trust never covers a folder below");
        let recents: Vec<PathBuf> = folders.recents().into_iter().map(|folder| folder.path).collect();
        assert_eq!(recents, [PathBuf::from("/b")]);
    }

    #[test]
    fn old_recents_go_and_trusted_or_pinned_ones_stay() {
        let mut folders = Folders::default();
        folders.update(Path::new("/trusted"), |folder| folder.trusted_ms = Some(1));
        folders.update(Path::new("/pinned"), |folder| {
            folder.pinned = true;
            folder.last_used_ms = 1;
        });
        for number in 0..2 * RECENTS {
            folders.update(Path::new(&format!("/{number}")), |folder| {
                folder.last_used_ms = 10 + u64::try_from(number).unwrap();
            });
        }
        assert_eq!(folders.folders.len(), RECENTS + 2);
        assert_eq!(folders.recents()[0].path, Path::new("/pinned"));
    }

    #[test]
    fn the_file_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = FoldersFile::in_folder(folder.path());
        let mut folders = file.read().unwrap();
        folders.update(Path::new("/ü 你"), |folder| folder.trusted_ms = Some(1));
        folders.update(Path::new("/no"), |folder| folder.kept_restricted = true);
        file.write(&Folders::default(), &folders).unwrap();
        assert_eq!(file.read().unwrap(), folders);
        let text = std::fs::read_to_string(&file.path).unwrap();
        let told = |line: &str| {
            line.split_once(" = ").is_none_or(|(field, _)| text.contains(&format!("\n# {field} ")))
        };
        assert!(text.lines().all(told), "{text}");
        file.remove().unwrap();
        assert_eq!(file.read().unwrap(), Folders::default());
    }

    /// What a person takes out of the file while the app runs isn't put back by the app's next note of that folder or
    /// another.
    #[test]
    fn an_edit_of_the_file_stays_and_a_slip_in_it_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = FoldersFile::in_folder(folder.path());
        let mut before = Folders::default();
        before.update(Path::new("/a"), |folder| folder.trusted_ms = Some(1));
        file.write(&Folders::default(), &before).unwrap();
        let mut now = before.clone();
        for noted in ["/a", "/b"] {
            now.update(Path::new(noted), |folder| folder.last_used_ms = 1);
            for distrusted in ["[[folders]]\npath = \"/a\"\nshell_off = true\n", ""] {
                std::fs::write(&file.path, distrusted).unwrap();
                file.write(&before, &now).unwrap();
                let read = file.read().unwrap();
                let [a, b] = ["/a", "/b"].map(|path| read.get(Path::new(path)));
                assert_eq!((a.trusted_ms, a.shell_off), (None, !distrusted.is_empty()));
                assert_eq!((a.last_used_ms, b.last_used_ms), (1, u64::from(noted == "/b")));
            }
        }
        std::fs::write(&file.path, "folders = 1").unwrap();
        assert!(file.write(&before, &now).is_err());
        assert_eq!(std::fs::read_to_string(&file.path).unwrap(), "folders = 1");
    }

    #[test]
    fn a_folder_is_known_by_both_of_its_spellings() {
        for (one, other, same) in [
            (r"\\?\C:\a", r"C:\a", true),
            (r"C:\a", r"\\?\C:\a", true),
            (r"\\?\C:\a", r"C:\b", false),
            (r"\\?\UNC\host\a", r"UNC\host\a", false),
            ("/a", "/a", true),
            ("/a", "/a/b", false),
        ] {
            assert_eq!(is_same(Path::new(one), Path::new(other)), same, "{one} {other}");
        }
    }

    #[test]
    fn the_home_folder_is_a_tilde() {
        let home = Some(Path::new("/home/a"));
        assert_eq!(display(Path::new("/home/a/code/shop"), home), "~/code/shop");
        assert_eq!(display(Path::new("/home/ab"), home), "/home/ab");
        assert_eq!(display(Path::new("/x\u{202e}y"), home), "/x\\u{202e}y");
    }
}
