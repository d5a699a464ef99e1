//! Puts the shell together: which port of the engine gets which implementation.

use crate::window;
use anyhow::Context as _;

/// Runs the app until it is quit.
///
/// # Errors
/// When it can't start; the error says what to do.
pub fn run() -> anyhow::Result<()> {
    let app = tauri::Builder::default()
        .setup(|app| {
            window::open(app)?;
            Ok(())
        })
        .build(tauri::generate_context!())
        .context("start the window system (is there a display?)")?;
    app.run(|_, _| {});
    Ok(())
}
