//! Protected files that appeared during a run are moved out of the workspace before anything else runs.

use super::survey::{Survey, SurveyError, survey};
use crate::workspace::Workspace;
use cap_std::fs::Dir;
use std::io;
use std::path::{Path, PathBuf};

/// One thing that was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it had appeared, relative to the workspace.
    pub from: PathBuf,
    /// Where it is.
    pub to: PathBuf,
}

/// Why the workspace could not be put in order.
#[derive(Debug, thiserror::Error)]
pub enum QuarantineError {
    /// It can't be seen whether anything appeared.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// Something appeared and stays.
    #[error("move {} out of the workspace: {error}", path.display())]
    Move {
        /// What.
        path: PathBuf,
        /// What the OS said.
        error: io::Error,
    },
}

/// Moves what is protected now and wasn't there `before` into `folder`, unless it was `approved`.
///
/// # Errors
/// When something stays, or it can't be known.
pub fn sweep(
    workspace: &Workspace,
    before: &Survey,
    approved: impl Fn(&Path) -> bool,
    folder: &Path,
) -> Result<Vec<Moved>, QuarantineError> {
    let now = survey(workspace.root())?;
    let mut moved = Vec::new();
    for path in now.protected.difference(&before.protected) {
        let Ok(relative) = path.strip_prefix(workspace.root()) else { continue };
        if approved(path) || is_a_packages(relative) {
            continue;
        }
        let failed = |error| QuarantineError::Move { path: relative.to_owned(), error };
        let to = move_out(workspace.handle(), relative, folder, moved.len()).map_err(failed)?;
        moved.push(Moved { from: relative.to_owned(), to });
    }
    Ok(moved)
}

/// Packages bring their authors' settings along; nothing reads them there, but git would find a repository.
fn is_a_packages(path: &Path) -> bool {
    let has = |wanted: &str| path.components().any(|part| part.as_os_str() == wanted);
    has("node_modules") && !has(".git")
}

fn move_out(workspace: &Dir, path: &Path, folder: &Path, number: usize) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = format!("{number}-{name}");
    let there = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    match workspace.rename(path, &there, &name) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            copy(workspace, path, &there, Path::new(&name))?;
            if workspace.symlink_metadata(path)?.is_dir() {
                workspace.remove_dir_all(path)?;
            } else {
                workspace.remove_file(path)?;
            }
        }
        Err(error) => return Err(error),
    }
    Ok(folder.join(name))
}

/// Copies files and folders; what is neither (a link, a socket) is not worth keeping.
fn copy(from: &Dir, path: &Path, to: &Dir, name: &Path) -> io::Result<()> {
    let data = from.symlink_metadata(path)?;
    if data.is_file() {
        from.copy(path, to, name)?;
    } else if data.is_dir() {
        to.create_dir(name)?;
        for entry in from.read_dir(path)? {
            let entry = entry?.file_name();
            copy(from, &path.join(&entry), to, &name.join(&entry))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R50: what appeared is gone from the workspace and kept elsewhere; what was there or approved stays.
    #[test]
    fn what_appeared_is_moved_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("w");
        std::fs::create_dir_all(root.join(".vscode")).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let before = survey(workspace.root()).unwrap();
        for path in
            ["sub/.husky/pre-commit", "ok/.envrc", "node_modules/a/.vscode/x", "node_modules/a/.git/config"]
        {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), path).unwrap();
        }
        let quarantine = folder.path().join("q");
        let moved = sweep(&workspace, &before, |path| path.ends_with("ok/.envrc"), &quarantine).unwrap();
        let from: Vec<_> = moved.iter().map(|moved| moved.from.to_str().unwrap()).collect();
        assert_eq!(from, ["node_modules/a/.git", "sub/.husky"]);
        for (path, stays) in [
            (".vscode", true),
            ("ok/.envrc", true),
            ("node_modules/a/.vscode/x", true),
            ("sub/.husky", false),
            ("node_modules/a/.git", false),
        ] {
            assert_eq!(root.join(path).exists(), stays, "{path}");
        }
        assert_eq!(std::fs::read_to_string(moved[1].to.join("pre-commit")).unwrap(), "sub/.husky/pre-commit");
    }
}
