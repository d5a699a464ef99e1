//! The desktop shell of Assent: window, native dialogs, notifications, tray. It decides nothing.
//!
//! [`app`] says which part gets which implementation; the engine lives in `assent-agent`.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod app;
mod bridge;
mod commands;
mod dialog;
mod folders;
mod instance;
mod links;
mod log;
mod notification;
mod presenter;
mod settings;
mod tray;
mod view;
mod window;
mod words;

fn main() -> anyhow::Result<()> {
    app::run()
}
