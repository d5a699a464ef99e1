//! What a Linux package holds and asks for, and whether a finished one does.

use super::entries;
use super::glibc::Version;
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

/// What opens links and folders, and isn't always there.
const RECOMMENDED: &str = "xdg-utils";

/// What is wrong with the package at `path`, whose programs need `glibc`; empty where nothing is.
pub fn problems(path: &Path, glibc: Version) -> Result<Vec<String>> {
    let wanted = FILES.iter().copied().collect();
    let shown = path.to_string_lossy();
    if !super::is_deb(path) {
        let query = |what: &str| run::output("rpm", &["-qp", what, &shown]).context("read the .rpm");
        let files = run::output("rpm", &["-qp", "--qf", RPM_FORMAT, &shown]).context("read the .rpm")?;
        let mut problems = differences(&rpm_files(&files), &wanted);
        problems.extend(unasked("Requires", &query("--requires")?, '\n', &glibc.rpm()));
        problems.extend(unasked("Recommends", &query("--recommends")?, '\n', RECOMMENDED));
        return Ok(problems);
    }
    let field = |name: &str| run::output("dpkg-deb", &["--field", &shown, name]).context("read the .deb");
    let files = run::output("dpkg-deb", &["--contents", &shown]).context("read the .deb")?;
    let mut problems = differences(&deb_files(&files), &wanted);
    problems.extend(unasked("Depends", &field("Depends")?, ',', &glibc.deb()));
    problems.extend(unasked("Recommends", &field("Recommends")?, ',', RECOMMENDED));
    problems.extend(entry_problems(path)?);
    Ok(problems)
}

/// What the desktop's validators say about the entries of the .deb at `path`.
fn entry_problems(path: &Path) -> Result<Vec<String>> {
    let folder = path.with_extension("read");
    let (package, unpacked) = (path.to_string_lossy(), folder.to_string_lossy());
    run::must(
        &mut run::command("dpkg-deb", &["--extract", &package, &unpacked]),
        "is there room on the disk?",
    )?;
    let menu = entries::menu_problems(&folder.join("usr/share/applications/Assent.desktop"));
    let store = entries::store_problems(&folder.join("usr/share/metainfo/dev.assent.Assent.metainfo.xml"));
    std::fs::remove_dir_all(&folder).with_context(|| format!("remove {}", folder.display()))?;
    let missing = |tool: &str| vec![format!("its entries aren't checked: `{tool}` isn't installed")];
    let menu = menu.unwrap_or_else(|| missing("desktop-file-validate"));
    Ok([menu, store.unwrap_or_else(|| missing("appstreamcli"))].concat())
}

/// Whether `wanted` is missing from the list of a field.
fn unasked(field: &str, list: &str, between: char, wanted: &str) -> Option<String> {
    let there = list.split(between).any(|one| one.trim() == wanted);
    (!there).then(|| format!("{wanted} is missing in {field}: {}", list.trim().replace('\n', ", ")))
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
    use super::{deb_files, differences, rpm_files, unasked};
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

    /// Where the C library is older, the installed programs wouldn't start.
    #[test]
    fn what_a_package_does_not_ask_for_is_named() {
        let depends = "libc6 (>= 2.39), libwebkit2gtk-4.1-0, libgtk-3-0";
        assert_eq!(unasked("Depends", depends, ',', "libc6 (>= 2.39)"), None);
        assert_eq!(
            unasked("Depends", "libc6, libgtk-3-0", ',', "libc6 (>= 2.39)").unwrap(),
            "libc6 (>= 2.39) is missing in Depends: libc6, libgtk-3-0"
        );
        assert_eq!(unasked("Recommends", "git\nxdg-utils\n", '\n', "xdg-utils"), None);
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
