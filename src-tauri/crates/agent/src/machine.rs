//! The machine and the person at it, looked at once at the start.

use assent_policy::{Os, ShellKind};
use std::ffi::OsString;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;

/// What doesn't change while the app runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The system.
    pub os: Os,
    /// The shell behind the `shell` tool.
    pub shell: ShellKind,
    /// The OS user's name.
    pub user: String,
    /// The home folder's real path, if there is one.
    pub home: PathBuf,
    /// The entries of `PATH`, in order.
    pub search_path: Vec<String>,
}

impl Machine {
    /// The machine that this process runs on, by its own environment.
    #[must_use]
    pub fn detect() -> Self {
        Self::from_environment(|name| std::env::var_os(name))
    }

    /// The same, with another environment.
    #[must_use]
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let os = if cfg!(windows) {
            Os::Windows
        } else if cfg!(target_os = "macos") {
            Os::Macos
        } else {
            Os::Linux
        };
        let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .map(PathBuf::from)
            .unwrap_or_default();
        let home = home.canonicalize().unwrap_or(home);
        let search_path = variable("PATH")
            .map(|path| {
                std::env::split_paths(&path).map(|entry| entry.to_string_lossy().into_owned()).collect()
            })
            .unwrap_or_default();
        let shell = if cfg!(windows) { ShellKind::PowerShell } else { ShellKind::Bash };
        Self { os, shell, user: user_name(&variable), home, search_path }
    }
}

/// The user by the process's own id where the system says so; the environment can be set to anything.
fn user_name(variable: &impl Fn(&str) -> Option<OsString>) -> String {
    #[cfg(target_os = "macos")]
    if let Some(name) = directory_user() {
        return name;
    }
    #[cfg(unix)]
    if let Some(name) = unix_user(Path::new("/proc/self"), Path::new("/etc/passwd")) {
        return name;
    }
    ["USER", "LOGNAME", "USERNAME"]
        .into_iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()))
        .map_or_else(|| "unknown".to_owned(), |value| value.to_string_lossy().into_owned())
}

/// This process's user by macOS's directory, which is in no file (id(1)).
#[cfg(target_os = "macos")]
fn directory_user() -> Option<String> {
    let said = std::process::Command::new("/usr/bin/id").arg("-un").output().ok()?;
    let name = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    (said.status.success() && !name.is_empty()).then_some(name)
}

/// The owner of `process`, by the table in `passwd` (passwd(5): name, password, uid, …).
#[cfg(unix)]
fn unix_user(process: &Path, passwd: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let uid = std::fs::metadata(process).ok()?.uid();
    let table = std::fs::read_to_string(passwd).unwrap_or_default();
    let name = table.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    Some(name.unwrap_or_else(|| format!("uid {uid}")))
}

#[cfg(test)]
mod tests {
    use super::Machine;

    /// R18: the user comes from the process, not from a variable that anybody can set.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_user_is_not_taken_from_the_environment() {
        let plain = Machine::from_environment(|_| None);
        let forged = Machine::from_environment(|name| (name == "USER").then(|| "somebody-else".into()));
        assert_eq!(plain.user, forged.user);
        assert_ne!(plain.user, "unknown");
    }
}
