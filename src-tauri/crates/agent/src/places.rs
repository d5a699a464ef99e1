//! Where Assent keeps its own files, per operating system. None of them is ever open to a tool.

use std::ffi::OsString;
use std::path::PathBuf;

/// The three folders of one installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Settings and the user's policy file.
    pub config: PathBuf,
    /// Sessions, approvals and the audit log.
    pub data: PathBuf,
    /// The audit head, apart from the log it vouches for.
    pub state: PathBuf,
}

/// No home folder is known, so nothing can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the home folder: set HOME (USERPROFILE on Windows), or name a folder with --data-dir")]
pub struct NoHome;

impl Places {
    /// The folders for the environment that `variable` reads; `data_dir` stands in for the data folder.
    ///
    /// # Errors
    /// Where neither the variables of the platform nor a home folder are set.
    pub fn new(
        variable: impl Fn(&str) -> Option<OsString>,
        data_dir: Option<PathBuf>,
    ) -> Result<Self, NoHome> {
        let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).ok_or(NoHome);
        let data_dir =
            data_dir.or_else(|| variable("ASSENT_DATA_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from));
        let (config, data, state) = if cfg!(windows) {
            let roaming =
                folder("APPDATA").map_or_else(|| Ok(home()?.join(r"AppData\Roaming")), Ok)?.join("Assent");
            let local =
                folder("LOCALAPPDATA").map_or_else(|| Ok(home()?.join(r"AppData\Local")), Ok)?.join("Assent");
            (roaming, local.join("data"), local.join("state"))
        } else if cfg!(target_os = "macos") {
            let library = home()?.join("Library/Application Support");
            (library.join("Assent"), library.join("Assent/data"), library.join("Assent State"))
        } else {
            let under = |name: &str, rest: &str| -> Result<PathBuf, NoHome> {
                Ok(folder(name).map_or_else(|| Ok(home()?.join(rest)), Ok)?.join("assent"))
            };
            (
                under("XDG_CONFIG_HOME", ".config")?,
                under("XDG_DATA_HOME", ".local/share")?,
                under("XDG_STATE_HOME", ".local/state")?,
            )
        };
        Ok(Self { config, data: data_dir.unwrap_or(data), state })
    }

    /// The folders of this process's own environment.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn of_this_process(data_dir: Option<PathBuf>) -> Result<Self, NoHome> {
        Self::new(|name| std::env::var_os(name), data_dir)
    }
}

#[cfg(test)]
mod tests {
    use super::{NoHome, Places};
    use std::path::PathBuf;

    #[test]
    fn the_data_folder_can_be_named_and_a_home_is_needed() {
        let home = if cfg!(windows) { r"C:\Users\a" } else { "/home/a" };
        let variable = |name: &str| match name {
            "HOME" | "USERPROFILE" => Some(home.into()),
            _ => None,
        };
        let named = Places::new(variable, Some(PathBuf::from("/d"))).unwrap();
        let plain = Places::new(variable, None).unwrap();
        assert_eq!(named.data, PathBuf::from("/d"));
        assert_eq!(named.state, plain.state);
        assert!(plain.data.starts_with(home) && !plain.state.starts_with(&plain.data));
        assert_eq!(Places::new(|_| None, None), Err(NoHome));
        let by_variable = Places::new(
            |name| if name == "ASSENT_DATA_DIR" { Some("/e".into()) } else { variable(name) },
            None,
        );
        assert_eq!(by_variable.unwrap().data, PathBuf::from("/e"));
    }
}
