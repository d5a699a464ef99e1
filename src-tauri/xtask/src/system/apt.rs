//! Debian's and Ubuntu's packages: which are missing, and the commands that install them.

use crate::run;
use anyhow::{Result, bail};

/// What is needed to build the window and to open it.
pub const BUILD: &[&str] =
    &["gcc", "libc6-dev", "pkg-config", "libwebkit2gtk-4.1-dev", "libayatana-appindicator3-1"];

/// The tests' display, window manager, buses, browsers and the tools they compare with.
pub const TEST: &[&str] = &[
    "git",
    "xvfb",
    "dbus",
    "openbox",
    "xdotool",
    "xclip",
    "x11-utils",
    "webkit2gtk-driver",
    "at-spi2-core",
    "imagemagick",
    // A keychain, as a desktop has one.
    "gnome-keyring",
    "chromium",
    "ripgrep",
    "bubblewrap",
    "python3",
    "python3-pytest",
    "golang-go",
    "fonts-dejavu",
    "fonts-noto-cjk",
];

/// What fetches a language model's weights.
pub const LOCAL_MODEL: &[&str] = &["python3-pip"];

/// What judges the menu entry and the store entry: in the tests, and in a finished package.
pub const ENTRIES: &[&str] = &["desktop-file-utils", "appstream"];

/// What checks the finished packages.
pub const PACKAGE: &[&str] = &["dpkg", "rpm", "binutils"];

/// What the AppImage tools look for on the machine that they run on.
pub const APPIMAGE: &[&str] = &["librsvg2-dev", "file", "xdg-utils"];

/// How this process may install.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    Root,
    /// `sudo` is there; it asks for the password itself.
    Sudo,
    Neither,
}

impl Power {
    /// This process's.
    pub fn here() -> Self {
        if run::output("id", &["-u"]).is_some_and(|id| id == "0") {
            Self::Root
        } else if run::exists("sudo") {
            Self::Sudo
        } else {
            Self::Neither
        }
    }

    /// The words in front of `apt-get`.
    fn prefix(self) -> &'static [&'static str] {
        match self {
            Self::Root => &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"],
            Self::Sudo => &["sudo", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"],
            Self::Neither => &[],
        }
    }
}

/// Installs those of `wanted` that are missing, and says which.
pub fn ensure(wanted: &[&str]) -> Result<()> {
    let missing: Vec<&str> = wanted.iter().filter(|package| !installed(package)).copied().collect();
    if missing.is_empty() {
        println!("All system packages are there.");
        return Ok(());
    }
    println!("These system packages are missing and will be installed:\n  {}", missing.join(" "));
    let power = Power::here();
    match power {
        Power::Root => {}
        Power::Sudo => println!("Installing needs root: sudo may ask for your password."),
        Power::Neither => bail!("{}", without_root(&missing)),
    }
    let (update, install) = (words(power, &["update"]), words(power, &install_arguments(&missing)));
    // A broken source of the person's own is no reason to stop: what is needed may be in the others.
    if !run::succeeds(&mut run::words(&update)?)? {
        println!("The package lists couldn't be brought up to date; trying with those that are there.");
    }
    if run::succeeds(&mut run::words(&install)?)? {
        return Ok(());
    }
    bail!("{}", could_not_install(&missing))
}

fn installed(package: &str) -> bool {
    run::output("dpkg-query", &["-W", "-f", "${db:Status-Status}", package])
        .is_some_and(|state| state == "installed")
}

fn install_arguments<'a>(missing: &[&'a str]) -> Vec<&'a str> {
    ["install", "-y", "--no-install-recommends"].into_iter().chain(missing.iter().copied()).collect()
}

fn words<'a>(power: Power, arguments: &[&'a str]) -> Vec<&'a str> {
    power.prefix().iter().copied().chain(arguments.iter().copied()).collect()
}

fn without_root(missing: &[&str]) -> String {
    format!(
        "this isn't root and there is no `sudo`, so nothing was installed. As root, run:\n  \
         apt-get update && apt-get install --no-install-recommends {}\nthen try again",
        missing.join(" ")
    )
}

fn could_not_install(missing: &[&str]) -> String {
    format!(
        "apt-get couldn't install {}. What it said is above: without a network, connect and try again; where it \
         knows no such package, this release is too old (Debian 12 and Ubuntu 22.04 are the first with WebKitGTK 4.1)",
        missing.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::{
        APPIMAGE, BUILD, ENTRIES, LOCAL_MODEL, PACKAGE, Power, TEST, could_not_install, install_arguments,
        without_root, words,
    };

    #[test]
    fn installing_takes_root_by_the_shortest_way() {
        let missing = ["gcc", "pkg-config"];
        for (power, line) in [
            (
                Power::Root,
                "env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc pkg-config",
            ),
            (
                Power::Sudo,
                "sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc pkg-config",
            ),
        ] {
            assert_eq!(words(power, &install_arguments(&missing)).join(" "), line);
        }
        assert!(Power::Neither.prefix().is_empty(), "nothing is started without the right to");
    }

    #[test]
    fn a_failure_names_the_packages_and_what_to_do() {
        let alone = without_root(&["gcc", "xvfb"]);
        assert!(
            alone.contains("apt-get update && apt-get install --no-install-recommends gcc xvfb"),
            "{alone}"
        );
        let failed = could_not_install(&["libwebkit2gtk-4.1-dev"]);
        for part in ["libwebkit2gtk-4.1-dev", "network", "Debian 12", "Ubuntu 22.04"] {
            assert!(failed.contains(part), "{failed}");
        }
    }

    #[test]
    fn no_package_is_listed_twice() {
        let mut all = [BUILD, TEST, LOCAL_MODEL, ENTRIES, PACKAGE, APPIMAGE].concat();
        let listed = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), listed);
    }
}
