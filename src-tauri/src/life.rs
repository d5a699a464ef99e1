//! The life of the window: focus, closing to the tray, quitting while a run is on.

#[cfg(target_os = "macos")]
use crate::deep_link::{EarlyLink, SessionLink};
use crate::presenter::{Answers as _, Verdict};
use crate::questions::Question;
use crate::shell::Shell;
use crate::tray::Choice;
use crate::view::{AppEvent, Panel};
use crate::{drops, tray_host, window};
use assent_agent::approval::Surface;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tauri::{AppHandle, DragDropEvent, Manager as _, RunEvent, Window, WindowEvent};

/// How long runs, and then commands in the background, may take to end before the app quits all the same.
const FAREWELL: Duration = Duration::from_secs(3);

/// Says what to do where no window can open.
///
/// # Errors
/// Where there is no display, or it can't be reached.
pub fn need_display() -> anyhow::Result<()> {
    #[cfg(target_os = "linux")]
    anyhow::ensure!(
        ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
            && gtk::init().is_ok(),
        "there is no display (DISPLAY and WAYLAND_DISPLAY name none that answers); `assent exec` works without one"
    );
    Ok(())
}

/// What happens to the window.
pub fn window_event(window: &Window, event: &WindowEvent) {
    let Some(shell) = window.try_state::<Arc<Shell>>() else { return };
    match event {
        WindowEvent::Focused(focused) => {
            shell.presenter.focused(*focused);
            if *focused {
                let shell = Arc::clone(&shell);
                tauri::async_runtime::spawn_blocking(move || shell.look_again());
            }
        }
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => drops::take(&shell, paths.clone()),
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            if shell.settings.get().close_to_tray && shell.tray.get().is_some() {
                remember_size(&shell);
                put_away(window.clone());
            } else {
                quit(&shell);
            }
        }
        _ => {}
    }
}

/// Takes the window off the screen, by a way that leads back: the tray where its icon is shown, else the list of windows.
fn put_away(window: Window) {
    tauri::async_runtime::spawn(async move {
        let done = if tray_host::is_there().await { window.hide() } else { window.minimize() };
        if let Err(error) = done {
            tracing::warn!(%error, "the window can't be put away");
        }
    });
}

/// What happens to the app: on macOS a link arrives this way.
#[cfg(target_os = "macos")]
pub fn run_event(app: &AppHandle, event: RunEvent) {
    if let RunEvent::Opened { urls } = &event
        && let Some(link) = urls.iter().find_map(|url| SessionLink::parse(url.as_str()))
    {
        match app.try_state::<Arc<Shell>>() {
            Some(shell) => shell.want(link),
            None => app.state::<EarlyLink>().keep(link),
        }
    }
}

/// What happens to the app: elsewhere a link arrives as an argument of a start.
#[cfg(not(target_os = "macos"))]
pub fn run_event(_: &AppHandle, _: RunEvent) {}

/// What was picked in the tray's menu.
pub fn tray_choice(shell: &Arc<Shell>, choice: Choice) {
    match choice {
        Choice::Open => {
            shell.presenter.review(None);
            shell.bridge.send(AppEvent::Show { session_id: None, panel: Some(Panel::Approvals) });
        }
        Choice::DenyFirst => {
            if let Some(id) = shell.waiting.first() {
                shell.waiting.answer(&id, Verdict::Deny, Surface::Tray);
            }
        }
        Choice::DenyAll => shell.waiting.deny_all(Surface::Tray),
        Choice::Quit => quit(shell),
    }
}

/// Quits; asks first where a run is on or a command goes on. Both are stopped, and their process trees end with them.
pub fn quit(shell: &Arc<Shell>) {
    // Who asks again while it is asked or done gets no second question.
    if shell.quitting.swap(true, Ordering::SeqCst) {
        return;
    }
    remember_size(shell);
    let shell = Arc::clone(shell);
    tauri::async_runtime::spawn(async move {
        if may_quit(&shell).await {
            say_farewell(&shell).await;
            shell.app.exit(0);
        } else {
            shell.quitting.store(false, Ordering::SeqCst);
        }
    });
}

async fn may_quit(shell: &Shell) -> bool {
    let words = shell.words();
    let (title, what) = if shell.is_running() {
        (&words.ask_quit_title, &words.ask_quit)
    } else if shell.background.list().iter().any(|command| command.ended.is_none()) {
        (&words.ask_quit_commands_title, &words.ask_quit_commands)
    } else {
        return true;
    };
    shell.questions.confirmed(Question::new(title, what, &words.ask_quit_yes), &words).await
}

/// Ends what is on, for no longer than twice [`FAREWELL`]; nothing begins any more.
async fn say_farewell(shell: &Shell) {
    shell.leaving.store(true, Ordering::SeqCst);
    let conversations = shell.all_conversations();
    for conversation in &conversations {
        conversation.stop();
    }
    let ended = async {
        for conversation in &conversations {
            drop(conversation.close().await);
        }
    };
    if tokio::time::timeout(FAREWELL, ended).await.is_err() {
        tracing::warn!("a run didn't end in time");
    }
    // What they left in the workspace is moved out before the app ends.
    if !shell.background.finish(FAREWELL).await {
        tracing::warn!("a command in the background didn't end in time");
    }
}

fn remember_size(shell: &Shell) {
    let Some(window) = shell.app.get_webview_window(window::MAIN) else { return };
    // Hidden in the tray, it was remembered as it went.
    if !window.is_visible().unwrap_or(true) {
        return;
    }
    match window::size(&window, shell.settings.get().window) {
        Ok(size) => drop(shell.settings.update(|settings| settings.window = Some(size))),
        Err(error) => tracing::warn!(%error, "the window's size can't be kept"),
    }
}
