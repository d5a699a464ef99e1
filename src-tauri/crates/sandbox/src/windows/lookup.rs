//! Where a program may be. `CreateProcessW` would look into the caller's folder and the current folder first; a full
//! path given to it leaves no choice.

/// Why a program can't be started by its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// A batch file, for which the system starts `cmd.exe` with a line that it takes apart by rules of its own.
    #[error("{0} is a batch file, whose arguments can't be quoted safely: start it in a shell")]
    Batch(String),
    /// A path that isn't full.
    #[error("{0} is no full path and no bare name")]
    Relative(String),
}

/// The full paths to try, in order: the program itself where it is one, else that name in each folder of `PATH` that
/// is a full path. A name without an ending means a program's (`.exe`, then `.com`).
///
/// # Errors
/// A name that must not be looked for.
pub fn candidates(program: &str, path: &str) -> Result<Vec<String>, LookupError> {
    let name = program.rsplit(['\\', '/']).next().unwrap_or(program);
    // The file system drops them at the end of a name.
    let ending = name.trim_end_matches(['.', ' ']).rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    if matches!(ending.as_deref(), Some("bat" | "cmd")) {
        return Err(LookupError::Batch(program.to_owned()));
    }
    let names = match ending {
        Some(_) => vec![String::new()],
        None => vec![".exe".to_owned(), ".com".to_owned()],
    };
    let folders: Vec<String> = if is_full(program) {
        vec![String::new()]
    } else if program.contains(['\\', '/', ':']) {
        return Err(LookupError::Relative(program.to_owned()));
    } else {
        let folders = path.split(';').map(|folder| folder.trim_matches('"')).filter(|folder| is_full(folder));
        folders.map(|folder| format!("{}\\", folder.trim_end_matches(['\\', '/']))).collect()
    };
    let with = |folder: String| names.iter().map(move |ending| format!("{folder}{program}{ending}"));
    Ok(folders.into_iter().flat_map(with).collect())
}

/// Whether a path starts at a drive's root or at a share.
fn is_full(path: &str) -> bool {
    let separator = |byte: Option<&u8>| matches!(byte, Some(b'\\' | b'/'));
    match path.as_bytes() {
        [drive, b':', rest @ ..] => drive.is_ascii_alphabetic() && separator(rest.first()),
        [first, rest @ ..] => separator(Some(first)) && separator(rest.first()),
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = r#"C:\Windows\System32;"C:\Program Files\Git\cmd\";.;relative;\rooted;D:;C:/tools"#;

    /// R7: only full folders are looked into, never the current one.
    #[test]
    fn where_a_program_may_be() {
        let found = |program: &str| candidates(program, PATH).unwrap();
        assert_eq!(
            found("git"),
            [
                r"C:\Windows\System32\git.exe",
                r"C:\Windows\System32\git.com",
                r"C:\Program Files\Git\cmd\git.exe",
                r"C:\Program Files\Git\cmd\git.com",
                r"C:/tools\git.exe",
                r"C:/tools\git.com",
            ]
        );
        assert_eq!(
            found("powershell.exe"),
            [
                r"C:\Windows\System32\powershell.exe",
                r"C:\Program Files\Git\cmd\powershell.exe",
                r"C:/tools\powershell.exe"
            ]
        );
        assert_eq!(found(r"C:\x\y.exe"), [r"C:\x\y.exe"]);
        assert_eq!(found(r"\\server\share\y"), [r"\\server\share\y.exe", r"\\server\share\y.com"]);
        assert_eq!(candidates("git", ""), Ok(Vec::new()));
    }

    /// R7: a batch file's arguments would be read a second time, by other rules (CVE-2024-24576).
    #[test]
    fn what_is_not_looked_for() {
        for batch in ["npm.cmd", r"C:\x\Y.BAT", "a.bat. .", "x.y.Cmd "] {
            assert_eq!(candidates(batch, PATH), Err(LookupError::Batch(batch.to_owned())));
        }
        for relative in [r".\x.exe", r"x\y", r"\x", "C:x", "x.exe:stream"] {
            assert_eq!(candidates(relative, PATH), Err(LookupError::Relative(relative.to_owned())));
        }
    }
}
