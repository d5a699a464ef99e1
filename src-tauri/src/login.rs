//! The variables of the person's login shell: an app started from a menu has no `PATH` of theirs.

use std::ffi::OsString;

/// Before the variables: start-up files may print anything first.
#[cfg(unix)]
const MARK: &[u8] = b"\0assent\0";
/// Behind them: what the start-up files left running may keep the output open.
#[cfg(unix)]
const END: &[u8] = b"\0assent end\0";

/// Asks the login shell once; our own variables where it doesn't answer.
pub fn variables() -> Vec<(OsString, OsString)> {
    asked().unwrap_or_else(|| std::env::vars_os().collect())
}

#[cfg(unix)]
fn asked() -> Option<Vec<(OsString, OsString)>> {
    let shell = std::env::var_os("SHELL").filter(|shell| std::path::Path::new(shell).is_absolute())?;
    ask(std::process::Command::new(shell))
}

#[cfg(unix)]
fn ask(mut shell: std::process::Command) -> Option<Vec<(OsString, OsString)>> {
    use std::process::Stdio;
    use std::time::Duration;
    /// How long the shell's start-up files may take.
    const PATIENCE: Duration = Duration::from_secs(3);
    let mut child = shell
        .args(["-l", "-c", "printf '\\0assent\\0'; /usr/bin/env -0; printf '\\0assent end\\0'"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let (sender, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || drop(sender.send(read_to_the_mark(output))));
    let said = said.recv_timeout(PATIENCE).ok().flatten();
    // It has said all that it is asked for.
    drop(child.kill());
    drop(child.wait());
    parse(&said?)
}

#[cfg(not(unix))]
fn asked() -> Option<Vec<(OsString, OsString)>> {
    None
}

/// What is said before [`END`].
#[cfg(unix)]
fn read_to_the_mark(mut output: impl std::io::Read) -> Option<Vec<u8>> {
    let (mut said, mut buffer) = (Vec::new(), [0; 8 * 1024]);
    loop {
        let read = match output.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => buffer.get(..count)?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        // The mark may come in two pieces.
        let from = said.len().saturating_sub(END.len());
        said.extend_from_slice(read);
        if let Some(end) = find(END, said.get(from..)?) {
            said.truncate(from + end);
            return Some(said);
        }
    }
}

/// What stands behind the mark.
#[cfg(unix)]
fn parse(bytes: &[u8]) -> Option<Vec<(OsString, OsString)>> {
    use std::os::unix::ffi::OsStringExt as _;
    let start = find(MARK, bytes)? + MARK.len();
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

#[cfg(unix)]
fn find(mark: &[u8], bytes: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).position(|window| window == mark)
}

#[cfg(all(test, unix))]
mod tests {
    use super::{END, ask, parse, read_to_the_mark};
    use std::io::Read as _;
    use std::process::Command;

    #[test]
    fn only_what_stands_behind_the_mark_counts() {
        let said = b"Welcome=1\nPATH=/evil\0\0assent\0PATH=/usr/bin\0A=b=c\nd\0";
        let variables = parse(said).unwrap();
        assert_eq!(variables, [("PATH".into(), "/usr/bin".into()), ("A".into(), "b=c\nd".into())]);
        assert!(parse(b"PATH=/usr/bin").is_none());
        assert!(parse(b"\0assent\0A=b").is_none());
    }

    #[test]
    fn it_is_read_to_the_mark_in_whatever_pieces_it_comes() {
        let said = [b"A=b\0".as_slice(), END].concat();
        for cut in 0..said.len() {
            let (first, second) = said.split_at(cut);
            assert_eq!(read_to_the_mark(first.chain(second)).as_deref(), Some(&b"A=b\0"[..]), "{cut}");
        }
        assert_eq!(read_to_the_mark(&b"A=b\0"[..]), None, "half an answer is none");
    }

    /// A daemon that a start-up file begins keeps the output open for as long as it runs.
    #[test]
    fn what_a_start_up_file_leaves_running_is_not_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let profile = "sleep 60 & echo $! >\"$HOME/daemon\"; export PATH=\"/of/the/profile:$PATH\"\n";
        std::fs::write(home.path().join(".profile"), profile).unwrap();
        let mut shell = Command::new("/bin/sh");
        shell.env("HOME", home.path());
        let variables = ask(shell);
        let daemon = std::fs::read_to_string(home.path().join("daemon")).unwrap();
        assert!(Command::new("kill").arg(daemon.trim()).status().unwrap().success(), "it still runs");
        let path = variables.unwrap().into_iter().find(|(name, _)| name == "PATH").unwrap().1;
        assert!(path.to_str().unwrap().starts_with("/of/the/profile:"), "{path:?}");
    }
}
