//! A TOML file of the config folder that the app and a person both change.

use anyhow::Context as _;
use assent_agent::amend::{Names, Table, amended};
use assent_agent::own_file::{self, Alone};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;

/// What a file says, and how it is written there.
pub struct There<T> {
    /// What it says.
    pub value: T,
    text: String,
}

/// What the file at `path` says, where there is one.
///
/// # Errors
/// When it can't be read or understood.
pub fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Option<There<T>>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(There { value: understand(path, &text)?, text })),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

impl<T: Serialize + DeserializeOwned + PartialEq> There<T> {
    /// The same, understood as `meant` says.
    #[must_use]
    pub fn map(self, meant: impl FnOnce(T) -> T) -> Self {
        Self { value: meant(self.value), text: self.text }
    }

    /// Changes the file at `path` to what says `now`: only where it differs, the rest stays as it stands there.
    ///
    /// # Errors
    /// When its layout can't hold it, or it can't be written; the old one stays.
    pub fn change(
        &self,
        path: &Path,
        now: &T,
        meant: impl FnOnce(T) -> T,
        names: Names<'_>,
    ) -> anyhow::Result<()> {
        let [before, now_says] = [&self.value, now].map(table);
        let text = amended(&self.text, &before?, &now_says?, names)?;
        let says = understand(path, &text).map(meant);
        anyhow::ensure!(
            says.is_ok_and(|says| says == *now),
            "change {}: its layout is too unusual to be edited here",
            path.display()
        );
        if text == self.text { Ok(()) } else { replace(path, text.as_bytes()) }
    }
}

fn table(value: &impl Serialize) -> serde_json::Result<Table> {
    serde_json::from_value(serde_json::to_value(value)?)
}

/// Removes the file at `path`, where there is one.
///
/// # Errors
/// When it can't be removed.
pub fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("remove {}", path.display()))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The value that `text` of the file at `path` holds.
///
/// # Errors
/// With the line, in one sentence.
pub fn understand<T: DeserializeOwned>(path: &Path, text: &str) -> anyhow::Result<T> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        anyhow::anyhow!("understand {}: line {line}: {}", path.display(), error.message())
    })
}

/// From the reading to the writing of the file at `path`, nobody else changes it.
///
/// # Errors
/// When somebody else does for too long, or the lock can't be made.
pub fn alone(path: &Path) -> anyhow::Result<Alone> {
    own_file::alone(path).with_context(|| format!("write {}", path.display()))
}

/// Writes `content` to `path` in one step; the folder is made where it is missing.
///
/// # Errors
/// When it can't be written; what was there stays.
pub fn replace(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    own_file::replace(path, content).with_context(|| format!("write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{read, understand};
    use serde::{Deserialize, Serialize};
    use std::path::Path;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Form {
        size: u8,
        name: Option<String>,
    }

    impl Default for Form {
        fn default() -> Self {
            Self { size: 14, name: None }
        }
    }

    /// A mark of Windows' editors, its line ends and all that a person wrote stay; what was not changed isn't written.
    #[test]
    fn the_rest_of_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("form.toml");
        assert!(read::<Form>(&path).unwrap().is_none());
        let text = "\u{feff}# mine\r\n\r\nname = 'a' # so\r\n";
        for (form, left) in [
            (Form { size: 14, name: Some("a".into()) }, text.to_owned()),
            (Form { size: 16, name: Some("a".into()) }, format!("{text}size = 16\r\n")),
            (Form { size: 14, name: Some("b".into()) }, text.replace("'a'", "\"b\"")),
            (Form::default(), "\u{feff}# mine\r\n".to_owned()),
        ] {
            std::fs::write(&path, text).unwrap();
            read::<Form>(&path).unwrap().unwrap().change(&path, &form, |form| form, &[]).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), left);
            assert_eq!(read::<Form>(&path).unwrap().unwrap().value, form);
        }
    }

    #[test]
    fn a_slip_is_told_with_its_line() {
        let error = understand::<Form>(Path::new("/a.toml"), "\n\nsize = true").unwrap_err();
        assert!(error.to_string().starts_with("understand /a.toml: line 3: invalid type"), "{error}");
    }
}
