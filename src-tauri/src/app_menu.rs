//! The app's menu on macOS. Its own Quit ends the app with no question; ours goes the way that every other takes.
//!
//! The editing entries have to be there: without them the keys for copying and pasting do nothing in a web view.

use crate::life;
use crate::shell::Shell;
use crate::words::Words;
use std::sync::Arc;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem as Item, Submenu};
use tauri::{AppHandle, Wry};

const QUIT: &str = "app-quit";

/// Shows the menu, and hears what is picked.
pub fn listen(shell: &Arc<Shell>) {
    if !cfg!(target_os = "macos") {
        return;
    }
    let quits = Arc::downgrade(shell);
    shell.app.on_menu_event(move |_, event| {
        if let Some(shell) = quits.upgrade().filter(|_| event.id() == QUIT) {
            life::quit(&shell);
        }
    });
    show(&shell.app, &shell.words());
}

/// Shows the menu in `words`, where the system has one for the app.
pub fn show(app: &AppHandle, words: &Words) {
    if !cfg!(target_os = "macos") {
        return;
    }
    if let Err(error) = menu(app, words).and_then(|menu| app.set_menu(menu)) {
        tracing::warn!(%error, "the app's menu can't be shown");
    }
}

fn menu(app: &AppHandle, words: &Words) -> tauri::Result<Menu<Wry>> {
    let quit = MenuItem::with_id(app, QUIT, &words.menu_quit, true, Some("CmdOrCtrl+Q"))?;
    let assent = Submenu::with_items(
        app,
        "Assent",
        true,
        &[
            &Item::hide(app, Some(&words.menu_hide))?,
            &Item::hide_others(app, Some(&words.menu_hide_others))?,
            &Item::show_all(app, Some(&words.menu_show_all))?,
            &Item::separator(app)?,
            &quit,
        ],
    )?;
    let edit = Submenu::with_items(
        app,
        &words.menu_edit,
        true,
        &[
            &Item::undo(app, Some(&words.menu_undo))?,
            &Item::redo(app, Some(&words.menu_redo))?,
            &Item::separator(app)?,
            &Item::cut(app, Some(&words.menu_cut))?,
            &Item::copy(app, Some(&words.menu_copy))?,
            &Item::paste(app, Some(&words.menu_paste))?,
            &Item::select_all(app, Some(&words.menu_select_all))?,
        ],
    )?;
    let window = Submenu::with_items(
        app,
        &words.menu_window,
        true,
        &[
            &Item::minimize(app, Some(&words.menu_minimize))?,
            &Item::maximize(app, Some(&words.menu_zoom))?,
            &Item::separator(app)?,
            &Item::close_window(app, Some(&words.menu_close_window))?,
        ],
    )?;
    Menu::with_items(app, &[&assent, &edit, &window])
}
