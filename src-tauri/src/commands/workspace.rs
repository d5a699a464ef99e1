//! The folder, its trust, and the mode.

use super::permissions::record_distrust;
use super::{Shared, crashed};
use crate::questions::Question;
use crate::shell::{Reply, home};
use crate::view::{AppEvent, Asked, BackendError, FileMatch, shown};
use crate::words::{Words, fill};
use crate::{files, folders, log, window};
use assent_policy::Mode;
use rfd::AsyncFileDialog;
use serde_json::json;
use std::path::Path;
use tauri::ipc::Channel;
use tauri::{Manager as _, WebviewWindow};

/// Opens the stream of events; the first says how everything is.
#[tauri::command]
pub fn subscribe(shell: Shared<'_>, channel: Channel<AppEvent>) {
    shell.picture(|app| shell.bridge.subscribe(channel, AppEvent::App { app: Box::new(app) }));
    if let Some(trouble) = log::trouble() {
        shell.warn("log", trouble);
    }
    shell.show_wanted();
}

/// Native folder picker.
#[tauri::command]
pub async fn pick_workspace(shell: Shared<'_>) -> Reply<Asked> {
    let words = shell.words();
    let start = shell.open_folder().map(|open| open.path).or_else(home);
    let Some(picked) =
        pick_folder(&shell.app.get_webview_window(window::MAIN), &words.pick_folder, start).await
    else {
        return Ok(Asked::declined());
    };
    shell.open_path(&picked)?;
    Ok(Asked::done())
}

/// Opens a folder of the recents; no other path is accepted.
#[tauri::command]
pub fn open_workspace(shell: Shared<'_>, path: String) -> Reply<()> {
    let known = shell.folders.get().recents().into_iter().any(|folder| folder.path == Path::new(&path));
    if !known {
        return Err(BackendError::new("not_found", "That folder is not among the recent ones."));
    }
    shell.open_path(Path::new(&path))
}

#[tauri::command]
pub fn pin_workspace(shell: Shared<'_>, path: String, pinned: bool) -> Reply<()> {
    change_folder(&shell, &path, |folder| folder.pinned = pinned)
}

#[tauri::command]
pub fn forget_workspace(shell: Shared<'_>, path: String) -> Reply<()> {
    change_folder(&shell, &path, |folder| {
        folder.pinned = false;
        folder.last_used_ms = 0;
    })
}

/// Asks natively whether the open folder is trusted.
#[tauri::command]
pub async fn trust_workspace(shell: Shared<'_>) -> Reply<Asked> {
    let open = shell.workspace()?;
    Ok(if shell.ask_trust(&open).await? { Asked::done() } else { Asked::declined() })
}

/// The person was asked for the folder's trust and said no.
#[tauri::command]
pub fn keep_restricted(shell: Shared<'_>, path: String) -> Reply<()> {
    change_folder(&shell, &path, |folder| folder.kept_restricted = true)
}

/// Restricts a folder at once; what its policy file allows waits for trust of its own again.
#[tauri::command]
pub fn distrust_workspace(shell: Shared<'_>, path: String) -> Reply<()> {
    note_folder(&shell, &path, folders::Folder::restrict)?;
    let policy = shell.distrust_policy(Path::new(&path));
    // The window is told what counts by now, and once.
    shell.trust_changed();
    let details = json!({"folder": path});
    shell.record("folder_restricted", "Commands are off in this folder.", details, "window")?;
    record_distrust(&shell, Path::new(&path), policy?)
}

/// Switches commands off at once, or asks natively to switch them on.
#[tauri::command]
pub async fn set_shell_enabled(shell: Shared<'_>, enabled: bool) -> Reply<Asked> {
    let open = shell.workspace()?;
    let words = shell.words();
    if enabled {
        let question = Question::new(&words.ask_shell_title, &words.ask_shell, &words.ask_shell_yes)
            .line(&words.label_folder, &folders::display(&open.path, home().as_deref()));
        if !shell.questions.confirmed(question, &words).await {
            return Ok(Asked::declined());
        }
        let details = json!({"folder": open.path.to_string_lossy()});
        shell.record("shell_enabled", "Commands may be proposed in this folder.", details, "dialog")?;
    }
    note_folder(&shell, &open.path.to_string_lossy(), |folder| folder.shell_off = !enabled)?;
    shell.trust_changed();
    if !enabled {
        let details = json!({"folder": open.path.to_string_lossy()});
        shell.record("shell_disabled", "Commands are off in this folder.", details, "window")?;
    }
    Ok(Asked::done())
}

/// Tightens at once; asks natively where it loosens.
#[tauri::command]
pub async fn set_mode(shell: Shared<'_>, mode: Mode) -> Reply<Asked> {
    let before = shell.settings.get().mode;
    if mode == before {
        return Ok(Asked::done());
    }
    let loosens = asks_less(mode) > asks_less(before);
    let words = shell.words();
    if loosens && !shell.questions.confirmed(mode_question(&words, before, mode), &words).await {
        return Ok(Asked::declined());
    }
    // What loosens is recorded before it counts; what tightens counts whatever else fails.
    if loosens {
        record_mode(&shell, before, mode, "dialog")?;
    }
    shell.settings.update(|settings| settings.mode = mode);
    shell.mode_changed();
    shell.tell_app();
    if !loosens {
        record_mode(&shell, before, mode, "window")?;
    }
    Ok(Asked::done())
}

/// Records that another mode counts.
pub fn record_mode(shell: &Shared<'_>, before: Mode, mode: Mode, surface: &str) -> Reply<()> {
    let reason = format!("The mode changed from {} to {}.", before.as_str(), mode.as_str());
    shell.record("mode_changed", &reason, json!({"from": before.as_str(), "to": mode.as_str()}), surface)
}

/// Files of the open workspace for `@`.
#[tauri::command]
pub async fn search_files(shell: Shared<'_>, query: String, limit: usize) -> Reply<Vec<FileMatch>> {
    let root = shell.workspace()?.path;
    let found = tokio::task::spawn_blocking(move || files::search(&root, &query, limit.min(200)));
    let found = found.await.map_err(|error| crashed(&error))?;
    Ok(found.into_iter().map(|(path, folder)| FileMatch { path: shown(&path), folder }).collect())
}

/// The native folder picker (rfd), in a folder that exists.
pub async fn pick_folder(
    window: &Option<WebviewWindow>,
    title: &str,
    start: Option<std::path::PathBuf>,
) -> Option<std::path::PathBuf> {
    let mut dialog = AsyncFileDialog::new().set_title(title);
    if let Some(window) = window {
        dialog = dialog.set_parent(window);
    }
    if let Some(start) = start.filter(|start| start.is_dir()) {
        dialog = dialog.set_directory(start);
    }
    dialog.pick_folder().await.map(|picked| picked.path().to_owned())
}

/// Changes what is known of a folder, and tells the window.
fn change_folder(shell: &Shared<'_>, path: &str, change: impl FnOnce(&mut folders::Folder)) -> Reply<()> {
    note_folder(shell, path, change)?;
    shell.tell_app();
    Ok(())
}

/// Changes what is known of a folder.
fn note_folder(shell: &Shared<'_>, path: &str, change: impl FnOnce(&mut folders::Folder)) -> Reply<()> {
    let known = shell.folders.get().folders.iter().any(|folder| folder.path == Path::new(path));
    if !known {
        return Err(BackendError::new("not_found", "That folder isn't known."));
    }
    shell.folders.update(|folders| folders.update(Path::new(path), change));
    Ok(())
}

/// Higher asks less.
pub const fn asks_less(mode: Mode) -> u8 {
    match mode {
        Mode::Strict => 0,
        Mode::Balanced => 1,
        Mode::Sandboxed => 2,
    }
}

fn mode_question(words: &Words, before: Mode, mode: Mode) -> Question {
    let name = |mode| match mode {
        Mode::Strict => &words.mode_strict,
        Mode::Balanced => &words.mode_balanced,
        Mode::Sandboxed => &words.mode_sandboxed,
    };
    let means = match mode {
        Mode::Strict => &words.ask_mode_strict,
        Mode::Balanced => &words.ask_mode_balanced,
        Mode::Sandboxed => &words.ask_mode_sandboxed,
    };
    let sentence = fill(&words.ask_mode, &[("from", name(before)), ("to", name(mode))]);
    Question::new(&words.ask_mode_title, &sentence, &words.ask_mode_yes)
        .sentence(&words.risk_loosens)
        .sentence(means)
}

#[cfg(test)]
mod tests {
    use super::asks_less;
    use assent_policy::Mode;

    #[test]
    fn strict_asks_most() {
        assert!(asks_less(Mode::Strict) < asks_less(Mode::Balanced));
        assert!(asks_less(Mode::Balanced) < asks_less(Mode::Sandboxed));
    }
}
