//! What the machine has to have: what is missing is installed where that is possible, else named.

mod apt;
mod distribution;
mod node;

use crate::run;
use anyhow::{Result, bail};
use distribution::{Distribution, Family};

/// What the machine is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Build and open the window.
    Run,
    /// Also run every test.
    Test,
    /// Also fetch a language model and let it work in the window.
    LocalModel,
    /// Build the packages and check them.
    Package,
    /// The same, an AppImage among them.
    AppImage,
}

/// Installs what is missing, or says what to install.
pub fn ensure(purpose: Purpose) -> Result<()> {
    node::ensure()?;
    if cfg!(target_os = "macos") {
        if run::exists("cc") {
            return Ok(());
        }
        bail!("no C compiler was found. Install the command line tools: xcode-select --install");
    }
    if cfg!(windows) {
        return Ok(());
    }
    let here = Distribution::here();
    if here.family == Family::Debian && run::exists("apt-get") {
        return apt::ensure(&debian_packages(purpose));
    }
    let webkit = run::output("pkg-config", &["--exists", "webkit2gtk-4.1"]).is_some();
    match elsewhere(&here, run::exists("pkg-config"), webkit) {
        None => Ok(()),
        Some(problem) => bail!("{problem}"),
    }
}

/// Tools that tests run or compare with and pass over where they are missing: the program, and what is passed over.
const TOOLS: &[(&str, &str)] = &[
    ("pytest", "a warm Python project in the sandbox"),
    ("go", "a warm Go project in the sandbox"),
    ("desktop-file-validate", "the judgement on the menu entry"),
    ("appstreamcli", "the judgement on the store entry"),
];

/// What the tests pass over on this machine, and why.
pub fn passed_over() -> Vec<String> {
    without(run::exists)
}

fn without(exists: impl Fn(&str) -> bool) -> Vec<String> {
    let missing = TOOLS.iter().filter(|(tool, _)| !exists(tool));
    missing.map(|(tool, what)| format!("{what} (`{tool}` isn't on PATH)")).collect()
}

fn debian_packages(purpose: Purpose) -> Vec<&'static str> {
    let more: &[&[&str]] = match purpose {
        Purpose::Run => &[],
        Purpose::Test => &[apt::TEST, apt::ENTRIES],
        Purpose::LocalModel => &[apt::TEST, apt::ENTRIES, apt::LOCAL_MODEL],
        Purpose::Package => &[apt::ENTRIES, apt::PACKAGE],
        Purpose::AppImage => &[apt::ENTRIES, apt::PACKAGE, apt::APPIMAGE],
    };
    apt::BUILD.iter().chain(more.iter().copied().flatten()).copied().collect()
}

/// What a system without `apt-get` lacks.
fn elsewhere(here: &Distribution, pkg_config: bool, webkit: bool) -> Option<String> {
    let lacks = match (pkg_config, webkit) {
        (true, true) => return None,
        (true, false) => "the development files of WebKitGTK 4.1",
        (false, _) => "pkg-config, and perhaps the development files of WebKitGTK 4.1",
    };
    Some(format!(
        "missing on {}: {lacks}. They are not installed by themselves here. Run:\n  {}\nthen try again",
        here.name,
        here.family.how_to_install()
    ))
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Purpose, apt, debian_packages, elsewhere, without};

    #[test]
    fn elsewhere_the_missing_part_and_the_command_are_named() {
        let fedora = Distribution::parse("ID=fedora\nPRETTY_NAME=\"Fedora Linux 42\"\n");
        assert_eq!(elsewhere(&fedora, true, true), None);
        let text = elsewhere(&fedora, true, false).unwrap_or_default();
        assert!(text.contains("Fedora Linux 42") && text.contains("dnf install"), "{text}");
        let text = elsewhere(&Distribution::parse(""), false, false).unwrap_or_default();
        assert!(text.contains("this system") && text.contains("pkg-config"), "{text}");
    }

    #[test]
    fn what_is_passed_over_is_named() {
        assert_eq!(without(|_| true), Vec::<String>::new());
        assert_eq!(without(|tool| tool != "go"), ["a warm Go project in the sandbox (`go` isn't on PATH)"]);
    }

    #[test]
    fn opening_the_window_installs_nothing_that_only_tests_need() {
        let run = debian_packages(Purpose::Run);
        assert!(run.contains(&"libwebkit2gtk-4.1-dev"));
        assert!(apt::TEST.iter().chain(apt::PACKAGE).all(|package| !run.contains(package)));
        let test = debian_packages(Purpose::Test);
        assert!(test.contains(&"xvfb") && test.contains(&"appstream"));
        let image = debian_packages(Purpose::AppImage);
        assert!(image.contains(&"librsvg2-dev") && image.contains(&"appstream"));
        let model = debian_packages(Purpose::LocalModel);
        assert!(model.contains(&"xvfb") && model.contains(&"python3-pip"));
    }
}
