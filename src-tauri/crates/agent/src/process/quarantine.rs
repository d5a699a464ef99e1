//! Protected files that appeared during a run are moved out of the workspace before anything else runs.

use super::approved::{Approved, is_repository};
use super::survey::{Survey, SurveyError, survey};
use crate::workspace::Workspace;
use crate::workspace::undo::UndoLog;
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

/// What came of putting a workspace in order.
#[derive(Clone, Debug)]
pub struct Swept {
    /// What was moved.
    pub moved: Vec<Moved>,
    /// What the workspace holds after that.
    pub left: Survey,
}

/// Moves what is protected now and wasn't there `before` out of the workspace into the session's own folder `scratch`,
/// unless it was approved to be `written` or is what the file tools put there.
///
/// # Errors
/// When something stays, or it can't be known.
pub fn sweep(
    workspace: &Workspace,
    before: &Survey,
    written: &Approved,
    scratch: &Path,
) -> Result<Swept, QuarantineError> {
    let mut left = survey(workspace.root())?;
    let now = written.within(left.clone());
    let mut new: Vec<PathBuf> = now
        .new_since(before)
        .filter(|path| !written.covers(path))
        .filter(|path| path.strip_prefix(workspace.root()).is_ok_and(|relative| !is_a_packages(relative)))
        .cloned()
        .collect();
    if !new.is_empty() {
        let own = of_file_tools(scratch, &new);
        new = new.into_iter().flat_map(|path| beside_own(&own, path)).collect();
    }
    let mut moved = Vec::new();
    for path in new {
        let Ok(relative) = path.strip_prefix(workspace.root()) else { continue };
        let failed = |error| QuarantineError::Move { path: relative.to_owned(), error };
        let to = move_out(workspace.handle(), relative, &scratch.join("quarantine")).map_err(failed)?;
        moved.push(Moved { from: relative.to_owned(), to });
        left.protected.remove(&path);
    }
    Ok(Swept { moved, left })
}

/// What of `new` the file tools of this session, and of those beside it, put where it is: each of those calls was judged.
fn of_file_tools(scratch: &Path, new: &[PathBuf]) -> Approved {
    let wanted = |file: &Path| new.iter().any(|path| file.starts_with(path));
    let beside = scratch.parent().and_then(|sessions| std::fs::read_dir(sessions).ok());
    let sessions = beside.into_iter().flatten().flatten().map(|session| session.path());
    // A log that can't be read excuses nothing.
    sessions.flat_map(|session| UndoLog::of(&session).standing(wanted).unwrap_or_default()).collect()
}

/// What of something new the file tools didn't make.
fn beside_own(own: &Approved, path: PathBuf) -> Vec<PathBuf> {
    if own.covers(&path) {
        Vec::new()
    } else if own.reaches_into(&path) && !is_repository(&path) {
        own.beside(&path)
    } else {
        vec![path]
    }
}

/// Packages bring their authors' settings along; nothing reads them there, but git would find a repository.
fn is_a_packages(path: &Path) -> bool {
    let has = |wanted: &str| path.components().any(|part| part.as_os_str() == wanted);
    has("node_modules") && !has(".git")
}

fn move_out(workspace: &Dir, path: &Path, folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let there = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    // What an earlier command left stays.
    let free = |name: &String| there.symlink_metadata(name).is_err();
    let name = (0_u32..).map(|number| format!("{number}-{name}")).find(free).unwrap_or_default();
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
        let written = Approved::from_iter([workspace.root().join("ok/.envrc")]);
        let moved = sweep(&workspace, &before, &written, &quarantine).unwrap().moved;
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

    /// R50: beside an approved file of a protected folder nothing else comes to be, in a new folder neither.
    #[test]
    fn what_appeared_beside_an_approved_file_is_moved_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("w");
        let write = |path: &str| {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), path).unwrap();
        };
        write(".vscode/launch.json");
        let workspace = Workspace::open(&root).unwrap();
        let settings = [".vscode/settings.json", "new/.vscode/settings.json"];
        let written: Approved = settings.iter().map(|path| workspace.root().join(path)).collect();
        let before = written.within(survey(workspace.root()).unwrap());
        settings.iter().chain(&[".vscode/tasks.json", "new/.vscode/tasks.json"]).for_each(|path| write(path));
        let moved = sweep(&workspace, &before, &written, &folder.path().join("q")).unwrap().moved;
        let from: Vec<_> = moved.iter().map(|moved| moved.from.to_str().unwrap()).collect();
        assert_eq!(from, [".vscode/tasks.json", "new/.vscode/tasks.json"]);
        for path in [".vscode/launch.json", ".vscode/settings.json", "new/.vscode/settings.json"] {
            assert!(root.join(path).exists(), "{path}");
        }
    }

    /// R50: a folder that was moved away and made anew takes nobody's place.
    #[cfg(unix)]
    #[test]
    fn another_folder_in_its_place_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("w");
        std::fs::create_dir_all(root.join("sub/.vscode")).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let before = survey(workspace.root()).unwrap();
        std::fs::rename(root.join("sub"), root.join("away")).unwrap();
        std::fs::create_dir_all(root.join("sub/.vscode")).unwrap();
        let quarantine = folder.path().join("q");
        let moved = sweep(&workspace, &before, &Approved::default(), &quarantine).unwrap().moved;
        assert!(moved.iter().any(|moved| moved.from == Path::new("sub/.vscode")), "{moved:?}");
        assert!(!root.join("sub/.vscode").exists());
    }

    /// R50: what was moved away earlier is not overwritten.
    #[test]
    fn what_was_moved_before_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("w");
        std::fs::create_dir(&root).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let before = survey(workspace.root()).unwrap();
        for round in ["one", "two"] {
            std::fs::create_dir_all(root.join("sub/.husky")).unwrap();
            std::fs::write(root.join("sub/.husky/pre-commit"), round).unwrap();
            let swept = sweep(&workspace, &before, &Approved::default(), folder.path()).unwrap();
            assert_eq!(swept.moved.len(), 1);
        }
        let kept = |number: u8| folder.path().join(format!("quarantine/{number}-.husky/pre-commit"));
        assert_eq!([0, 1].map(|number| std::fs::read_to_string(kept(number)).unwrap()), ["one", "two"]);
    }
}
