//! One display, one window manager and one session bus per test, with a home folder of their own.

use anyhow::{Context as _, bail};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The height that no dialog may exceed.
pub const SCREEN: (u32, u32) = (1280, 720);

/// A running desktop; everything in it ends when it is dropped.
pub struct Desktop {
    children: Vec<Child>,
    display: String,
    bus: String,
    folder: TempDir,
}

impl Desktop {
    /// Starts Xvfb, a session bus whose only activatable service is the accessibility bus, and openbox.
    pub fn start() -> anyhow::Result<Self> {
        Self::start_with_screen(SCREEN)
    }

    /// The same with a screen of this width and height, pixels.
    pub fn start_with_screen(screen: (u32, u32)) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("assent-window-").tempdir()?;
        for name in ["home", "config", "data", "state", "cache", "runtime", "services", "tmp"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        let mut desktop = Self { children: Vec::new(), display: String::new(), bus: String::new(), folder };
        let screen = format!("{}x{}x24", screen.0, screen.1);
        let mut xvfb = Command::new("Xvfb");
        xvfb.args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp", "-noreset"]);
        desktop.display = format!(":{}", desktop.spawn_and_read_line(xvfb, "Xvfb")?);

        let config = desktop.write_bus_config()?;
        let mut daemon = desktop.command("dbus-daemon");
        daemon.args(["--nofork", "--nopidfile", "--print-address", "--config-file"]).arg(config);
        desktop.bus = desktop.spawn_and_read_line(daemon, "dbus-daemon")?;

        let mut openbox = desktop.command("openbox");
        openbox.arg("--sm-disable").stdout(Stdio::null()).stderr(Stdio::null());
        let child = openbox.spawn().context("start openbox (is it installed?)")?;
        desktop.children.push(child);
        Ok(desktop)
    }

    /// A command that lives on this desktop.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_RUNTIME_DIR", self.path("runtime"))
            .env("TMPDIR", self.path("tmp"))
            .env("LANG", "C.UTF-8")
            .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY")
            .env_remove("LANGUAGE")
            .stdin(Stdio::null());
        command
    }

    /// Makes `settings` the app's settings file.
    pub fn write_settings(&self, settings: &str) -> anyhow::Result<()> {
        let folder = self.path("config").join("assent");
        std::fs::create_dir_all(&folder)?;
        Ok(std::fs::write(folder.join("settings.toml"), settings)?)
    }

    /// A folder with a little project in it, below the home folder.
    pub fn workspace(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.home().join("code").join(name);
        std::fs::create_dir_all(folder.join("src"))?;
        std::fs::write(folder.join("README.md"), "# Shop\n\nSells things.\n")?;
        std::fs::write(folder.join("src/main.py"), "print('hello')\n")?;
        Ok(folder)
    }

    /// Such a folder as the one the app was used in last, trusted for commands or not.
    pub fn open_before(&self, name: &str, trusted: bool) -> anyhow::Result<PathBuf> {
        let folder = self.workspace(name)?.canonicalize()?;
        let trusted = if trusted { "trusted_ms = 1\n" } else { "" };
        let config = self.path("config").join("assent");
        std::fs::create_dir_all(&config)?;
        std::fs::write(
            config.join("folders.toml"),
            format!("[[folders]]\npath = {folder:?}\nlast_used_ms = 1\n{trusted}"),
        )?;
        Ok(folder)
    }

    /// The session bus and the display, as a program that was given neither would write them down.
    pub fn variables(&self) -> [(&'static str, &str); 2] {
        [("DISPLAY", &self.display), ("DBUS_SESSION_BUS_ADDRESS", &self.bus)]
    }

    /// Opens another program's window, called `elsewhere`.
    pub fn open_another_window(&mut self) -> anyhow::Result<()> {
        let mut window = self.command("xmessage");
        window.args(["-title", "elsewhere", "-center", "Something else to do."]);
        let child = window.spawn().context("start xmessage (is x11-utils installed?)")?;
        self.children.push(child);
        Ok(())
    }

    /// Ends the X server under everything.
    pub fn lose_the_display(&mut self) -> anyhow::Result<()> {
        let xvfb = self.children.first_mut().context("no X server")?;
        xvfb.kill()?;
        xvfb.wait()?;
        Ok(())
    }

    /// The session bus.
    pub fn bus_address(&self) -> &str {
        &self.bus
    }

    /// A path below the desktop's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The home folder of everything on this desktop.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// What is on the screen, as a PNG file at `to`.
    pub fn screenshot(&self, to: &Path) -> anyhow::Result<()> {
        let status = self.command("import").args(["-window", "root"]).arg(to).status()?;
        if !status.success() {
            bail!("import ended with {status}");
        }
        Ok(())
    }

    fn spawn_and_read_line(&mut self, mut command: Command, name: &str) -> anyhow::Result<String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("start {name} (is it installed?)"))?;
        let output = child.stdout.take().context("no standard output")?;
        self.children.push(child);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.trim().is_empty() {
            bail!("{name} said nothing and ended");
        }
        Ok(line.trim().to_owned())
    }

    fn write_bus_config(&self) -> anyhow::Result<PathBuf> {
        let services = self.path("services");
        std::fs::write(
            services.join("org.a11y.Bus.service"),
            "[D-BUS Service]\nName=org.a11y.Bus\nExec=/usr/libexec/at-spi-bus-launcher\n",
        )?;
        let path = self.path("bus.conf");
        std::fs::write(
            &path,
            format!(
                "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" \
                 \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n\
                 <busconfig><type>session</type><listen>unix:path={}/bus</listen><auth>EXTERNAL</auth>\
                 <servicedir>{}</servicedir>\
                 <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
                 <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n",
                self.path("runtime").display(),
                services.display(),
            ),
        )?;
        Ok(path)
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            if child.kill().is_ok() {
                drop(child.wait());
            }
        }
    }
}
