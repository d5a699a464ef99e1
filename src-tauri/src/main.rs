//! The desktop shell of Assent: window, native dialogs, notifications, tray. It decides nothing.
//!
//! [`start`] says which part gets which implementation; the engine lives in `assent-agent`.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod anew;
mod app;
mod app_menu;
mod audit_feed;
mod audit_watch;
mod bridge;
mod cannot_start;
mod changes;
mod commands;
mod config_file;
mod conversation;
mod deep_link;
mod deletion;
mod describe;
mod dialog;
mod diff;
mod door;
mod drops;
mod engine;
mod export;
mod files;
mod folders;
mod grants;
mod headers;
mod instance;
mod kept;
mod keys;
mod life;
mod links;
mod log;
mod login;
mod model;
mod new_reader;
mod notification;
mod panics;
mod presenter;
mod prices;
mod questions;
mod removed;
mod replies;
mod reviewers;
mod run_end;
mod settings;
mod shell;
mod stage;
mod start;
mod tray;
mod tray_host;
mod view;
mod waiting;
mod window;
mod words;

fn main() -> anyhow::Result<()> {
    app::run()
}
