//! What a Linux package holds, and whether a finished one holds it.

use crate::run;
use anyhow::{Context as _, Result};
use std::collections::BTreeSet;
use std::path::Path;

/// Every file of the .deb and the .rpm.
pub const FILES: &[&str] = &[
    "/usr/bin/assent",
    "/usr/bin/assent-desktop",
    "/usr/bin/assent-sandbox",
    "/usr/share/applications/Assent.desktop",
    "/usr/share/icons/hicolor/32x32/apps/assent-desktop.png",
    "/usr/share/icons/hicolor/64x64/apps/assent-desktop.png",
    "/usr/share/icons/hicolor/128x128/apps/assent-desktop.png",
    "/usr/share/icons/hicolor/256x256@2/apps/assent-desktop.png",
    "/usr/share/icons/hicolor/scalable/apps/assent-desktop.svg",
    "/usr/share/metainfo/dev.assent.Assent.metainfo.xml",
    "/usr/share/doc/assent/changelog",
    "/usr/share/doc/assent/copyright",
    "/usr/share/doc/assent/third-party-licences.txt",
];

/// What is wrong with the contents of the package at `path`; empty where nothing is.
pub fn problems(path: &Path) -> Result<Vec<String>> {
    let shown = path.to_string_lossy();
    let deb = path.extension().is_some_and(|extension| extension == "deb");
    let files = if deb {
        deb_files(&run::output("dpkg-deb", &["--contents", &shown]).context("read the .deb")?)
    } else {
        rpm_files(&run::output("rpm", &["-qp", "--qf", RPM_FORMAT, &shown]).context("read the .rpm")?)
    };
    Ok(differences(&files, &FILES.iter().copied().collect()))
}

/// Mode in octal and name of each file, one a line.
const RPM_FORMAT: &str = "[%{FILEMODES:octal} %{FILENAMES}\n]";

/// Name and whether it may be run, from `tar -tv`'s lines; folders are left out.
fn deb_files(listing: &str) -> BTreeSet<(String, bool)> {
    let regular = listing.lines().filter(|line| line.starts_with('-'));
    regular
        .filter_map(|line| {
            let name = line.split_whitespace().nth(5)?;
            // `usr/…` or `./usr/…`, as whoever packed it names the root.
            let name = name.trim_start_matches("./").trim_start_matches('/');
            Some((format!("/{name}"), line.get(..10)?.contains('x')))
        })
        .collect()
}

fn rpm_files(listing: &str) -> BTreeSet<(String, bool)> {
    listing
        .lines()
        .filter_map(|line| {
            let (mode, name) = line.split_once(' ')?;
            let mode = u32::from_str_radix(mode, 8).ok()?;
            // S_IFREG, inode(7)
            (mode & 0o170_000 == 0o100_000).then(|| (name.to_owned(), mode & 0o111 != 0))
        })
        .collect()
}

fn differences(files: &BTreeSet<(String, bool)>, wanted: &BTreeSet<&str>) -> Vec<String> {
    let names: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let missing = wanted.difference(&names).map(|name| format!("{name} is missing"));
    let more = names.difference(wanted).map(|name| format!("{name} shouldn't be there"));
    let modes = files
        .iter()
        .filter(|(name, runs)| *runs != name.starts_with("/usr/bin/"))
        .map(|(name, runs)| format!("{name} {} be run", if *runs { "shouldn't" } else { "should" }));
    missing.chain(more).chain(modes).collect()
}

#[cfg(test)]
mod tests {
    use super::{deb_files, differences, rpm_files};
    use std::collections::BTreeSet;

    #[test]
    fn both_listings_are_read() {
        let deb = "drwxr-xr-x 0/0               0 2026-01-01 00:00 ./usr/\n\
                   -rwxr-xr-x 0/0         1234567 2026-01-01 00:00 ./usr/bin/assent\n\
                   -rw-r--r-- 0/0              10 2026-01-01 00:00 usr/share/doc/assent/copyright\n";
        let rpm = "040755 /usr/share/doc/assent\n0100755 /usr/bin/assent\n0100644 /usr/share/doc/assent/copyright\n";
        let files = BTreeSet::from([
            ("/usr/bin/assent".to_owned(), true),
            ("/usr/share/doc/assent/copyright".to_owned(), false),
        ]);
        assert_eq!(deb_files(deb), files);
        assert_eq!(rpm_files(rpm), files);
    }

    #[test]
    fn each_difference_is_named() {
        let files = BTreeSet::from([
            ("/usr/bin/a".to_owned(), false),
            ("/usr/share/b".to_owned(), true),
            ("/usr/share/stray".to_owned(), false),
        ]);
        let wanted = BTreeSet::from(["/usr/bin/a", "/usr/share/b", "/usr/share/c"]);
        assert_eq!(
            differences(&files, &wanted),
            [
                "/usr/share/c is missing",
                "/usr/share/stray shouldn't be there",
                "/usr/bin/a should be run",
                "/usr/share/b shouldn't be run",
            ]
        );
    }
}
