//! The oldest C library that the programs start with, for the packages to ask for.

use crate::run;
use anyhow::{Context as _, Result};
use std::path::PathBuf;

/// A version of the GNU C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32, u32);

impl Version {
    /// As a .deb asks for it.
    pub fn deb(self) -> String {
        format!("libc6 (>= {}.{})", self.0, self.1)
    }

    /// As an .rpm asks for it: by the symbols themselves, as each distribution's own packages do.
    pub fn rpm(self) -> String {
        let bits = if cfg!(target_pointer_width = "64") { "(64bit)" } else { "" };
        format!("libc.so.6(GLIBC_{}.{}){bits}", self.0, self.1)
    }
}

/// What `programs` need together.
///
/// # Errors
/// When `readelf` isn't there, or one of them isn't a program that it can read.
pub fn needed_by(programs: &[PathBuf]) -> Result<Version> {
    let mut highest = None;
    for program in programs {
        let shown = program.to_string_lossy();
        let text = run::output("env", &["LC_ALL=C", "readelf", "--version-info", "--wide", &shown])
            .with_context(|| format!("read {shown} with `readelf` (package binutils)"))?;
        highest = highest.max(needed(&text));
    }
    highest.context("the programs need no version of the C library at all")
}

/// The highest version in `readelf`'s words.
fn needed(version_info: &str) -> Option<Version> {
    version_info.lines().filter_map(version).max()
}

/// `  0x01d0:   Name: GLIBC_2.32  Flags: none  Version: 24`; a weak one isn't missed where it isn't there.
fn version(line: &str) -> Option<Version> {
    let (_, rest) = line.split_once("Name: GLIBC_")?;
    let (name, flags) = rest.split_once(char::is_whitespace)?;
    if flags.contains("WEAK") {
        return None;
    }
    // Packed relocations came with 2.36.
    if name == "ABI_DT_RELR" {
        return Some(Version(2, 36));
    }
    let mut numbers = name.split('.');
    let (major, minor) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
    Some(Version(major, minor))
}

#[cfg(test)]
mod tests {
    use super::{Version, needed};

    const INFO: &str = "Version needs section '.gnu.version_r' contains 2 entries:\n  \
        000000: Version: 1  File: libgcc_s.so.1  Cnt: 1\n  \
        0x0060:   Name: GCC_3.0  Flags: none  Version: 5\n  \
        0x0030: Version: 1  File: libc.so.6  Cnt: 4\n  \
        0x00a0:   Name: GLIBC_2.2.5  Flags: none  Version: 3\n  \
        0x01b0:   Name: GLIBC_2.29  Flags: none  Version: 22\n  \
        0x0120:   Name: GLIBC_2.9  Flags: none  Version: 15\n  \
        0x01d0:   Name: GLIBC_2.38  Flags: WEAK  Version: 24\n";

    #[test]
    fn the_highest_version_that_has_to_be_there_counts() {
        assert_eq!(needed(INFO), Some(Version(2, 29)));
        let packed = format!("{INFO}  0x01e0:   Name: GLIBC_ABI_DT_RELR  Flags: none  Version: 2\n");
        assert_eq!(needed(&packed), Some(Version(2, 36)));
        assert_eq!(needed("No version information found in this file.\n"), None);
    }

    #[test]
    fn each_package_asks_in_its_own_words() {
        assert_eq!(Version(2, 34).deb(), "libc6 (>= 2.34)");
        assert!(Version(2, 34).rpm().starts_with("libc.so.6(GLIBC_2.34)"));
    }
}
