//! The variables of the person's login shell: an app started from a menu has no `PATH` of theirs.

use std::ffi::OsString;

/// Asks the login shell once; our own variables where it doesn't answer.
pub fn variables() -> Vec<(OsString, OsString)> {
    asked().unwrap_or_else(|| std::env::vars_os().collect())
}

#[cfg(unix)]
fn asked() -> Option<Vec<(OsString, OsString)>> {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    use std::time::Duration;
    /// How long the shell's start-up files may take.
    const PATIENCE: Duration = Duration::from_secs(3);
    let shell = std::env::var_os("SHELL").filter(|shell| std::path::Path::new(shell).is_absolute())?;
    let mut child = Command::new(shell)
        .args(["-l", "-c", "printf '\\0assent\\0'; /usr/bin/env -0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?;
    let (sender, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if output.read_to_end(&mut bytes).is_ok() {
            drop(sender.send(bytes));
        }
    });
    let said = said.recv_timeout(PATIENCE);
    if said.is_err() {
        drop(child.kill());
    }
    drop(child.wait());
    parse(&said.ok()?)
}

#[cfg(not(unix))]
fn asked() -> Option<Vec<(OsString, OsString)>> {
    None
}

/// What stands behind the mark: start-up files may print anything before it.
#[cfg(unix)]
fn parse(bytes: &[u8]) -> Option<Vec<(OsString, OsString)>> {
    use std::os::unix::ffi::OsStringExt as _;
    const MARK: &[u8] = b"\0assent\0";
    let start = bytes.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let variables: Vec<(OsString, OsString)> = bytes
        .get(start..)?
        .split(|byte| *byte == 0)
        .filter_map(|entry| {
            let equals = entry.iter().position(|byte| *byte == b'=')?;
            let (name, value) = entry.split_at(equals);
            let value = value.get(1..)?;
            Some((OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
        })
        .collect();
    variables.iter().any(|(name, _)| name == "PATH").then_some(variables)
}

#[cfg(all(test, unix))]
mod tests {
    use super::parse;

    #[test]
    fn only_what_stands_behind_the_mark_counts() {
        let said = b"Welcome=1\nPATH=/evil\0\0assent\0PATH=/usr/bin\0A=b=c\nd\0";
        let variables = parse(said).unwrap();
        assert_eq!(variables, [("PATH".into(), "/usr/bin".into()), ("A".into(), "b=c\nd".into())]);
        assert!(parse(b"PATH=/usr/bin").is_none());
        assert!(parse(b"\0assent\0A=b").is_none());
    }
}
