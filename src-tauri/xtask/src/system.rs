//! The system packages: which are needed, which are missing, and how to get them.

use crate::run;
use anyhow::{Result, bail};
use std::process::Command;

/// What a set of packages is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Build and open the window.
    Run,
    /// Also run every test.
    Test,
}

/// Debian and Ubuntu names.
const BUILD: &[&str] =
    &["gcc", "libc6-dev", "pkg-config", "libwebkit2gtk-4.1-dev", "libayatana-appindicator3-1", "git"];

/// The tests' display, window manager, buses, browsers and the tools they compare with.
const TEST: &[&str] = &[
    "xvfb",
    "xauth",
    "dbus",
    "openbox",
    "xdotool",
    "x11-utils",
    "webkit2gtk-driver",
    "at-spi2-core",
    "dunst",
    "imagemagick",
    "python3-pyatspi",
    "gir1.2-atspi-2.0",
    "gnome-keyring",
    "chromium",
    "ripgrep",
    "python3",
    "fonts-dejavu",
    "fonts-noto-cjk",
];

/// Installs what is missing, or says what to install.
pub fn ensure(purpose: Purpose) -> Result<()> {
    if cfg!(target_os = "macos") {
        return need(&[
            ("cc", "the command line tools: xcode-select --install"),
            ("npm", "Node.js 20 or newer: nodejs.org"),
        ]);
    }
    if cfg!(windows) {
        return need(&[("npm.cmd", "Node.js 20 or newer: nodejs.org; WebView2 comes with Windows 11")]);
    }
    need(&[("npm", "Node.js 20 or newer (your distribution's `nodejs` and `npm`, or nodejs.org)")])?;
    if !run::exists("apt-get") {
        return other_distribution();
    }
    let wanted: Vec<&str> = match purpose {
        Purpose::Run => BUILD.to_vec(),
        Purpose::Test => BUILD.iter().chain(TEST).copied().collect(),
    };
    let missing: Vec<&str> = wanted.into_iter().filter(|package| !installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("These system packages are missing: {}", missing.join(" "));
    apt(&["update"])?;
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(missing);
    apt(&arguments)
}

fn installed(package: &str) -> bool {
    run::output("dpkg-query", &["-W", "-f", "${db:Status-Status}", package])
        .is_some_and(|state| state == "installed")
}

/// `apt-get` as root, or by `sudo`, which asks for the password itself.
fn apt(arguments: &[&str]) -> Result<()> {
    let root = run::output("id", &["-u"]).is_some_and(|id| id == "0");
    let mut command = if root { Command::new("apt-get") } else { Command::new("sudo") };
    if !root {
        if !run::exists("sudo") {
            bail!("not root and no `sudo`: run as root: apt-get {}", arguments.join(" "));
        }
        println!("Installing needs root; sudo asks for your password.");
        command.arg("apt-get");
    }
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    run::must(&mut command)
}

fn need(programs: &[(&str, &str)]) -> Result<()> {
    for (program, how) in programs {
        if !run::exists(program) {
            bail!("`{program}` was not found. Install {how}");
        }
    }
    Ok(())
}

fn other_distribution() -> Result<()> {
    let has_webkit = run::output("pkg-config", &["--exists", "webkit2gtk-4.1"]).is_some();
    if has_webkit {
        return Ok(());
    }
    bail!(
        "WebKitGTK 4.1's development files were not found. Fedora: dnf install gcc pkgconf webkit2gtk4.1-devel \
         libayatana-appindicator-gtk3. Arch: pacman -S base-devel webkit2gtk-4.1 libayatana-appindicator. \
         openSUSE: zypper install gcc pkgconf webkit2gtk3-devel libayatana-appindicator3-1"
    )
}
