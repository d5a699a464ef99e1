//! A desktop with the app running on it.

use crate::accessibility::Accessibility;
use crate::desktop::Desktop;
use crate::driver::Driver;
use anyhow::{Context as _, bail};
use std::path::PathBuf;

/// The running app and every way to reach it.
pub struct App {
    /// The web view.
    pub page: Driver,
    /// The native windows.
    pub native: Accessibility,
    /// Display, bus, home.
    pub desktop: Desktop,
}

impl App {
    /// Starts a fresh desktop and the app on it.
    pub async fn start() -> anyhow::Result<Self> {
        Self::start_on(Desktop::start()?, &[]).await
    }

    /// Starts the app on `desktop` with more environment.
    pub async fn start_on(desktop: Desktop, env: &[(&str, &str)]) -> anyhow::Result<Self> {
        let page = Driver::start(&desktop, &binary()?, env).await?;
        let native = Accessibility::connect(desktop.bus_address()).await?;
        Ok(Self { page, native, desktop })
    }

    /// Puts a picture of the whole screen where a person can look at it after the run.
    pub fn picture(&self, name: &str) -> anyhow::Result<()> {
        let folder = target_folder().join("window-pictures");
        std::fs::create_dir_all(&folder)?;
        self.desktop.screenshot(&folder.join(format!("{name}.png")))
    }
}

/// The app under test.
pub fn binary() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("ASSENT_DESKTOP_BIN")
        .map_or_else(|| target_folder().join("debug/assent-desktop"), PathBuf::from);
    if !path.is_file() {
        bail!("{} isn't there: cargo build -p assent-desktop, or set ASSENT_DESKTOP_BIN", path.display());
    }
    path.canonicalize().context("find the app")
}

fn target_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target")
}
