//! The open folder: picked, dropped, followed, gone.

use super::{FolderTold, OpenFolder, Reply, Shell, home};
use crate::folders;
use crate::questions::Question;
use crate::stage::layers;
use crate::view::{AppEvent, BackendError};
use assent_agent::clock::{Clock as _, SystemClock};
use assent_agent::workspace::{Workspace, can_be_named};
use assent_policy::ShellTrust;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

impl Shell {
    /// The open folder.
    pub fn open_folder(&self) -> Option<OpenFolder> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The open folder, or the error that says there is none.
    pub fn workspace(&self) -> Reply<OpenFolder> {
        self.open_folder()
            .ok_or_else(|| BackendError::new("no_workspace", "No folder is open. Choose one first."))
    }

    /// Opens the folder at `path`, which a person picked.
    ///
    /// # Errors
    /// When it can't be reached.
    pub fn open_path(&self, path: &Path) -> Reply<()> {
        self.set_folder(path)?;
        self.tell_app();
        Ok(())
    }

    /// Opens the folder at `path`, which a person picked, without a word to the window.
    ///
    /// # Errors
    /// When it can't be reached.
    pub fn set_folder(&self, path: &Path) -> Reply<()> {
        let real = real_folder(path)?;
        let now = SystemClock.now_ms();
        self.folders.update(|folders| folders.update(&real, |folder| folder.last_used_ms = now));
        let opened_as = (path != real).then(|| path.to_owned());
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(OpenFolder { path: real, opened_as });
        Ok(())
    }

    /// Opens the folder at `path`, which a person dropped on the window; asks for its trust where that
    /// was never answered.
    ///
    /// # Errors
    /// When it can't be reached, or the answer can't be recorded.
    pub async fn open_and_ask(&self, path: &Path) -> Reply<()> {
        self.open_path(path)?;
        let open = self.workspace()?;
        if self.folders.get().get(&open.path).is_unanswered() {
            self.ask_trust(&open).await?;
        }
        Ok(())
    }

    /// Asks natively whether `open` is trusted; whether it is.
    ///
    /// # Errors
    /// When the answer can't be recorded.
    pub async fn ask_trust(&self, open: &OpenFolder) -> Reply<bool> {
        let words = self.words();
        let mut question = Question::new(&words.ask_trust_title, &words.ask_trust, &words.ask_trust_yes)
            .line(&words.label_folder, &folders::display(&open.path, home().as_deref()));
        if open.opened_as.is_some() {
            question = question.line(&words.label_real_folder, &open.path.to_string_lossy());
        }
        let answer = self.questions.answered(question, &words).await;
        if answer != Some(true) {
            // Where nobody could be asked it is asked again.
            if answer == Some(false) {
                self.folders
                    .update(|folders| folders.update(&open.path, |folder| folder.kept_restricted = true));
            }
            self.tell_app();
            return Ok(false);
        }
        let details = json!({"folder": open.path.to_string_lossy()});
        self.record("folder_trusted", "Commands may be proposed in this folder.", details, "dialog")?;
        let now = SystemClock.now_ms();
        self.folders.update(|folders| folders.update(&open.path, |folder| folder.trust(now)));
        self.trust_changed();
        Ok(true)
    }

    /// Works where the session does that is about to be shown, so that title bar, `@` and links speak of its folder.
    pub fn follow(&self, workspace: &Path) {
        // A link that took the folder's place is another folder.
        let same = workspace.canonicalize().is_ok_and(|real| real == workspace) && workspace.is_dir();
        if same {
            let now = SystemClock.now_ms();
            self.folders.update(|folders| folders.update(workspace, |folder| folder.last_used_ms = now));
            *self.open.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(OpenFolder { path: workspace.to_owned(), opened_as: None });
            self.bridge.send(AppEvent::PermissionsChanged);
        }
    }

    /// Opens the folder that was used last, where it is still there.
    pub fn reopen_last_folder(&self) {
        let folders = self.folders.get().folders;
        if let Some(last) = folders.iter().max_by_key(|folder| folder.last_used_ms)
            && last.last_used_ms > 0
        {
            self.follow(&last.path);
        }
    }

    /// The window is looked at again: writes what our own files didn't take, which a person may have mended meanwhile,
    /// and looks for the folder.
    pub fn look_again(&self) {
        let written = [self.settings.write_again(), self.folders.write_again(), self.origins.write_again()];
        if written.contains(&true) {
            self.tell_app();
        }
        self.look_for_folder();
    }

    /// Tells the window where the open folder went or came back since it was told last, other files speak to the
    /// model in it, or other rules count there.
    pub fn look_for_folder(&self) {
        let Some(open) = self.open_folder() else { return };
        let now = FolderTold {
            gone: !open.path.is_dir(),
            instructions: self.instructions(),
            policy: self.policy(),
        };
        let mut told = self.folder_told.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *told, now.clone());
        drop(told);
        if before != now {
            self.tell_app();
        }
        if before.policy != now.policy {
            self.bridge.send(AppEvent::PermissionsChanged);
        }
        if before.gone != now.gone {
            self.bridge.send(AppEvent::SessionsChanged);
        }
    }

    /// Whether commands may be proposed in the folder at `path`.
    pub(super) fn trust_of(&self, path: &Path) -> ShellTrust {
        let folder = self.folders.get().get(path);
        match (folder.trusted_ms.is_some(), folder.shell_off) {
            (false, _) => ShellTrust::Untrusted,
            (true, true) => ShellTrust::SwitchedOff,
            (true, false) => ShellTrust::Trusted,
        }
    }

    /// Takes back at once the trust in what the policy file of `folder` allows; whether there was any.
    ///
    /// # Errors
    /// When that can't be written: the trust stands.
    pub fn distrust_policy(&self, folder: &Path) -> Reply<bool> {
        let taken_back = layers(self, folder)?.distrust_project();
        taken_back.map_err(|error| BackendError::new("io", format!("Can't {error}.")))
    }

    /// Leaves the open folder.
    pub fn close_folder(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The real path of the folder at `path`.
///
/// # Errors
/// When it can't be reached, is no folder, or has a path that is no text.
pub fn real_folder(path: &Path) -> Reply<PathBuf> {
    let real = path.canonicalize().map_err(|error| {
        BackendError::new("not_found", format!("Can't open {}: {error}.", path.display()))
    })?;
    if !real.is_dir() {
        return Err(BackendError::new("not_a_folder", format!("{} is not a folder.", path.display())));
    }
    can_be_named(&real).map_err(|error| BackendError::new("not_a_folder", format!("Can't {error}.")))?;
    Ok(real)
}

/// The folder that is known by its real path `known`.
///
/// # Errors
/// When it can't be opened, or another one took its place by a link: trust and what was shown are of the old one.
pub(super) fn open_workspace(known: &Path) -> Reply<Workspace> {
    let workspace =
        Workspace::open(known).map_err(|error| BackendError::new("io", format!("Can't {error}.")))?;
    if folders::is_same(workspace.root(), known) {
        return Ok(workspace);
    }
    Err(BackendError::new(
        "not_found",
        format!("{} leads to another folder now. Open that one itself.", known.display()),
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{open_workspace, real_folder};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    /// Neither trust nor a session could be kept for it, so it is refused where it is picked, with what to do.
    #[test]
    fn a_folder_whose_path_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("ws");
        std::fs::create_dir(&plain).unwrap();
        assert_eq!(real_folder(&plain).unwrap(), plain.canonicalize().unwrap());
        let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"ws\xff"));
        std::fs::create_dir(&odd).unwrap();
        let link = folder.path().join("link");
        symlink(&odd, &link).unwrap();
        for path in [&odd, &link] {
            let said = real_folder(path).unwrap_err().message.to_string();
            assert!(said.contains("its path is not UTF-8") && said.ends_with("rename the folder."), "{said}");
        }
    }

    /// R14: a link in a trusted folder's place leads nowhere, however deep it lies.
    #[test]
    fn a_folder_that_leads_elsewhere_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["trusted/a", "other/a"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let known = root.join("trusted/a");
        assert_eq!(open_workspace(&known).unwrap().root(), known);
        std::fs::rename(&known, root.join("away")).unwrap();
        symlink(root.join("other/a"), &known).unwrap();
        assert!(open_workspace(&known).is_err());
        std::fs::remove_file(&known).unwrap();
        std::fs::remove_dir(root.join("trusted")).unwrap();
        symlink(root.join("other"), root.join("trusted")).unwrap();
        assert!(open_workspace(&known).is_err());
    }
}
