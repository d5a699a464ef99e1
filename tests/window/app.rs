//! A desktop with the app running on it.

use crate::accessibility::Accessibility;
use crate::desktop::Desktop;
use crate::driver::{Driver, until};
use crate::keys;
use crate::model_server::ModelServer;
use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

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

    /// Starts a fresh desktop and the app on it, with `settings` as its settings file.
    pub async fn start_with(settings: &str) -> anyhow::Result<Self> {
        let desktop = Desktop::start()?;
        desktop.write_settings(settings)?;
        Self::start_on(desktop, &[]).await
    }

    /// Starts the app on `desktop` with more environment.
    pub async fn start_on(desktop: Desktop, env: &[(&str, &str)]) -> anyhow::Result<Self> {
        Self::start_with_arguments(desktop, env, &[]).await
    }

    /// Starts the app on `desktop` with more environment and arguments.
    pub async fn start_with_arguments(
        desktop: Desktop,
        env: &[(&str, &str)],
        arguments: &[&str],
    ) -> anyhow::Result<Self> {
        let page = Driver::start(&desktop, &binary()?, env, arguments).await?;
        let native = Accessibility::connect(desktop.bus_address()).await?;
        Ok(Self { page, native, desktop })
    }

    /// Starts the app on `desktop` for somebody who has used it before: `server` is their model, and a folder `shop`
    /// is open, where they allow commands.
    pub async fn start_at_work(
        desktop: Desktop,
        server: &ModelServer,
        env: &[(&str, &str)],
    ) -> anyhow::Result<(Self, PathBuf)> {
        let settings = server.settings();
        let settings = settings.strip_prefix("active_profile = \"tour\"\n").context("other settings")?;
        desktop.write_settings(&format!("active_profile = \"served\"\nfirst_run_done = true\n{settings}"))?;
        let shop = desktop.open_before("shop", true)?;
        let app = Self::start_on(desktop, env).await?;
        app.page.see("shop").await?;
        Ok((app, shop))
    }

    /// Kills the app's process and waits until it is gone.
    pub async fn kill(&self) -> anyhow::Result<()> {
        let pid = self.page.app_pid()?.to_string();
        let killed = std::process::Command::new("kill").args(["-KILL", &pid]).status()?;
        anyhow::ensure!(killed.success(), "kill ended with {killed}");
        let process = Path::new("/proc").join(&pid).join("exe");
        until("the app to be gone", || async { Ok((!process.exists()).then_some(())) }).await
    }

    /// Kills the app's process and starts the app again on the same desktop.
    pub async fn kill_and_start_again(&mut self) -> anyhow::Result<()> {
        self.kill().await?;
        self.page = Driver::start(&self.desktop, &binary()?, &[], &[]).await?;
        Ok(())
    }

    /// A folder with a little project in it, below the home folder.
    pub fn workspace(&self, name: &str) -> anyhow::Result<PathBuf> {
        self.desktop.workspace(name)
    }

    /// Takes the tour and picks `folder` in the native folder picker.
    pub async fn first_run(&self, folder: &Path) -> anyhow::Result<()> {
        self.page.press("Take the tour").await?;
        self.page.press("Choose").await?;
        self.pick(folder).await?;
        self.page.find("textarea[aria-autocomplete]").await?;
        until("the folder to be open", || async {
            let open = self.page.text().await?.contains("shop");
            Ok(open.then_some(()))
        })
        .await
    }

    /// Picks `folder` in the native folder picker that opens.
    pub async fn pick(&self, folder: &Path) -> anyhow::Result<()> {
        self.pick_in("Choose a folder", folder).await
    }

    /// Picks `path` in the native picker called `title`.
    pub async fn pick_in(&self, title: &str, path: &Path) -> anyhow::Result<()> {
        keys::focused(&self.desktop, title).await?;
        keys::press(&self.desktop, &["ctrl+l", "ctrl+a"])?;
        keys::type_text(&self.desktop, &path.to_string_lossy())?;
        keys::press(&self.desktop, &["Delete", "Return"])
    }

    /// Brings the app's window to the front, as a person does.
    pub fn activate(&self) -> anyhow::Result<()> {
        let done = self
            .desktop
            .command("xdotool")
            .args(["search", "--onlyvisible", "--name", "Assent", "windowactivate"])
            .status()?;
        anyhow::ensure!(done.success(), "xdotool ended with {done}");
        Ok(())
    }

    /// Waits until `count` calls wait for a person.
    pub async fn waiting(&self, count: u64) -> anyhow::Result<()> {
        until(&format!("{count} calls to wait"), || async {
            let waiting: u64 =
                self.sessions().await?.iter().filter_map(|session| session["waiting"].as_u64()).sum();
            Ok((waiting == count).then_some(()))
        })
        .await
    }

    /// The sessions as the window lists them.
    pub async fn sessions(&self) -> anyhow::Result<Vec<Value>> {
        let query = json!({"query": {"workspace": null, "text": "", "archived": false, "limit": 10}});
        self.invoke("list_sessions", query).await?.as_array().cloned().context("no list")
    }

    /// Types `text` into the composer and sends it.
    pub async fn say(&self, text: &str) -> anyhow::Result<()> {
        self.page.type_into("textarea[aria-autocomplete]", &format!("{text}\u{e007}")).await
    }

    /// Waits until no run is on.
    pub async fn end_of_run(&self) -> anyhow::Result<()> {
        until("the run to end", || async {
            let all = self.sessions().await?;
            Ok((!all.is_empty() && all.iter().all(|session| session["running"] == false)).then_some(()))
        })
        .await
    }

    /// Begins a new session in the open folder.
    pub async fn new_session(&self) -> anyhow::Result<()> {
        self.page.press("New session").await
    }

    /// The newest rows of the audit tab.
    pub async fn audit_rows(&self) -> anyhow::Result<Vec<Value>> {
        let filter = json!({"text": "", "sessionId": null, "tool": null, "behavior": null, "source": null,
            "surface": null, "risk": null, "fromMs": null, "toMs": null});
        let page =
            self.invoke("query_audit", json!({"filter": filter, "before": null, "limit": 100})).await?;
        page["rows"].as_array().cloned().context("no rows")
    }

    /// Calls a command of the app that has to work.
    pub async fn invoke(&self, command: &str, arguments: Value) -> anyhow::Result<Value> {
        self.page.invoke(command, arguments).await?.map_err(|error| anyhow::anyhow!("{command}: {error}"))
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

/// Where the builds are.
pub fn target_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../target")
}

impl Drop for App {
    /// What was on screen when a test failed.
    fn drop(&mut self) {
        if std::thread::panicking() {
            let name = std::thread::current().name().unwrap_or("failed").replace("::", "-");
            drop(self.picture(&name));
            let log = std::fs::read_to_string(self.desktop.path("app.log")).unwrap_or_default();
            eprintln!("{log}");
        }
    }
}
