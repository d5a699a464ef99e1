//! Whether the desktop's own validators take the menu entry and the store entry.

use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// A remark about what this project hasn't got and doesn't make up: an address of its own.
const KNOWN: &str = "url-homepage-missing";

/// What `desktop-file-validate` says against the menu entry at `path`; none where it isn't installed.
pub fn menu_problems(path: &Path) -> Option<Vec<String>> {
    let (well, said) = judged("desktop-file-validate", &[], path)?;
    Some(if well { Vec::new() } else { lines(&said, |_| true) })
}

/// What `appstreamcli` says against the store entry at `path`; none where it isn't installed.
pub fn store_problems(path: &Path) -> Option<Vec<String>> {
    let (well, said) = judged("appstreamcli", &["validate", "--no-net", "--no-color"], path)?;
    Some(if well { Vec::new() } else { objections(&said) })
}

/// Errors and warnings (`E: …`, `W: …`) but for the known one; all of `said` where it fails without any.
fn objections(said: &str) -> Vec<String> {
    let graded = |line: &str| line.starts_with("E: ") || line.starts_with("W: ");
    let all = lines(said, graded);
    if all.is_empty() {
        return lines(said, |_| true);
    }
    all.into_iter().filter(|line| !line.contains(KNOWN)).collect()
}

fn lines(said: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    said.lines().map(str::trim).filter(|line| !line.is_empty() && wanted(line)).map(str::to_owned).collect()
}

/// Whether `validator` takes the file, and what it says; none where there is no such program.
fn judged(validator: &str, arguments: &[&str], path: &Path) -> Option<(bool, String)> {
    let done = Command::new(validator).args(arguments).arg(path).env("LC_ALL", "C.UTF-8").output();
    match done {
        Ok(done) => {
            let said = [done.stdout, done.stderr].concat();
            Some((done.status.success(), String::from_utf8_lossy(&said).into_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some((false, format!("{validator} can't be started: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::objections;

    #[test]
    fn only_the_missing_address_is_passed_over() {
        let known = "P: dev.assent.Assent:3: cid-contains-uppercase-letter dev.assent.Assent\n\
                     W: dev.assent.Assent:~: url-homepage-missing\n\n\u{2718} Validation failed: warnings: 1\n";
        assert_eq!(objections(known), [""; 0]);
        let worse = format!("{known}E: dev.assent.Assent:4: tag-empty name\n");
        assert_eq!(objections(&worse), ["E: dev.assent.Assent:4: tag-empty name"]);
        assert_eq!(objections("can't read it\n"), ["can't read it"]);
    }
}
