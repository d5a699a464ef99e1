//! Which Linux this is, by `os-release(5)`, and how its packages are installed.

use std::path::Path;

/// Distributions that name and install packages alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Debian,
    Fedora,
    Suse,
    Arch,
    Alpine,
    Nix,
    Other,
}

/// The system as it names itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// `PRETTY_NAME`, or what else there is.
    pub name: String,
    pub family: Family,
}

impl Distribution {
    /// This machine's.
    pub fn here() -> Self {
        ["/etc/os-release", "/usr/lib/os-release"]
            .iter()
            .find_map(|path| std::fs::read_to_string(Path::new(path)).ok())
            .map_or_else(|| Self::parse(""), |text| Self::parse(&text))
    }

    /// Reads `os-release`: assignments a shell would understand, one a line.
    pub fn parse(text: &str) -> Self {
        let value = |name: &str| {
            text.lines()
                .filter_map(|line| line.trim().split_once('='))
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.trim_matches(['"', '\'']).to_owned())
                .filter(|value| !value.is_empty())
        };
        let id = value("ID").unwrap_or_default();
        let like = value("ID_LIKE").unwrap_or_default();
        let family = std::iter::once(id.as_str())
            .chain(like.split_whitespace())
            .map(Family::of)
            .find(|family| *family != Family::Other)
            .unwrap_or(Family::Other);
        let name = value("PRETTY_NAME")
            .or_else(|| value("NAME"))
            .unwrap_or_else(|| if id.is_empty() { "this system".to_owned() } else { id.clone() });
        Self { name, family }
    }
}

impl Family {
    fn of(id: &str) -> Self {
        match id {
            "debian" | "ubuntu" | "linuxmint" | "pop" | "raspbian" => Self::Debian,
            "fedora" | "rhel" | "centos" | "rocky" | "almalinux" => Self::Fedora,
            "suse" | "opensuse" | "opensuse-leap" | "opensuse-tumbleweed" | "sles" => Self::Suse,
            "arch" | "manjaro" | "endeavouros" => Self::Arch,
            "alpine" => Self::Alpine,
            "nixos" => Self::Nix,
            _ => Self::Other,
        }
    }

    /// The command that installs what building and running needs; nothing is run on its own but Debian's.
    pub fn how_to_install(self) -> &'static str {
        match self {
            Self::Debian => "sudo apt-get install gcc libc6-dev pkg-config libwebkit2gtk-4.1-dev",
            Self::Fedora => {
                "sudo dnf install gcc pkgconf-pkg-config webkit2gtk4.1-devel libayatana-appindicator-gtk3"
            }
            Self::Suse => "sudo zypper install gcc pkgconf webkit2gtk3-devel libayatana-appindicator3-1",
            Self::Arch => "sudo pacman -S --needed base-devel webkit2gtk-4.1 libayatana-appindicator",
            Self::Alpine => "sudo apk add build-base pkgconf webkit2gtk-4.1-dev libayatana-appindicator",
            Self::Nix => "nix-shell -p pkg-config webkitgtk_4_1 gtk3 libsoup_3 libayatana-appindicator",
            Self::Other => {
                "your package manager: a C compiler, pkg-config and the development files of WebKitGTK 4.1 and GTK 3"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Family};

    #[test]
    fn a_system_is_known_by_its_own_name_or_by_what_it_is_like() {
        for (text, name, family) in [
            (
                "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
                "Debian GNU/Linux 12 (bookworm)",
                Family::Debian,
            ),
            ("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "Linux Mint", Family::Debian),
            ("ID=neon\nID_LIKE='ubuntu debian'\nPRETTY_NAME='KDE neon'\n", "KDE neon", Family::Debian),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "rocky", Family::Fedora),
            (
                "# a comment\nID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n",
                "opensuse-tumbleweed",
                Family::Suse,
            ),
            ("ID=cachyos\nID_LIKE=arch\n", "cachyos", Family::Arch),
            ("ID=void\nNAME=Void\n", "Void", Family::Other),
            ("no assignments here\n=\nID\n", "this system", Family::Other),
            ("", "this system", Family::Other),
        ] {
            let seen = Distribution::parse(text);
            assert_eq!((seen.name.as_str(), seen.family), (name, family), "{text:?}");
        }
    }

    #[test]
    fn every_family_is_told_a_way() {
        for family in [
            Family::Debian,
            Family::Fedora,
            Family::Suse,
            Family::Arch,
            Family::Alpine,
            Family::Nix,
            Family::Other,
        ] {
            assert!(family.how_to_install().to_lowercase().contains("webkit"), "{family:?}");
        }
    }
}
