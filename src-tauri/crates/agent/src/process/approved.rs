//! What a person saw under Touches and allowed, and what beside it stays closed.

use super::survey::Survey;
use crate::facts::is_git_folder;
use assent_policy::{Access, Evaluation};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The paths that a person saw under Touches and allowed.
#[derive(Clone, Debug, Default)]
pub struct Approved {
    paths: BTreeSet<PathBuf>,
}

impl Approved {
    /// Those with any access: a command reads what it changes.
    #[must_use]
    pub fn to_be_read(evaluation: &Evaluation) -> Self {
        Self::with(evaluation, |_| true)
    }

    /// Those that are changed or removed.
    #[must_use]
    pub fn to_be_written(evaluation: &Evaluation) -> Self {
        Self::with(evaluation, |access| matches!(access, Access::Write | Access::Delete))
    }

    /// The paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.paths.iter()
    }

    /// Whether `path` was approved: itself, or a folder it lies in.
    #[must_use]
    pub fn covers(&self, path: &Path) -> bool {
        self.paths.iter().any(|approved| path.starts_with(approved))
    }

    /// Whether something in the folder `path` was approved, but not the folder.
    #[must_use]
    pub fn reaches_into(&self, path: &Path) -> bool {
        !self.covers(path) && self.paths.iter().any(|approved| approved.starts_with(path))
    }

    /// Whether a git folder, or something in it, was approved: git changes it as a whole.
    #[must_use]
    pub fn opens_repository(&self, path: &Path) -> bool {
        is_repository(path) && (self.covers(path) || self.reaches_into(path))
    }

    /// What was found, each protected folder in which something was approved replaced by what it holds: one file of
    /// it was approved, not its neighbours. A git folder stays one.
    #[must_use]
    pub fn within(&self, mut survey: Survey) -> Survey {
        for path in std::mem::take(&mut survey.protected) {
            if self.reaches_into(&path) && !is_repository(&path) {
                self.beside(&path).into_iter().for_each(|path| survey.protect(path));
            } else {
                survey.protect(path);
            }
        }
        survey
    }

    /// What lies beside the approved paths on the way to them from `folder`; the folder itself where it can't be seen.
    #[must_use]
    pub fn beside(&self, folder: &Path) -> Vec<PathBuf> {
        let (mut beside, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(folder) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                // Where there is none yet, all of what will be in it is found after the run.
                beside.extend(folder.symlink_metadata().is_ok().then_some(folder));
                continue;
            };
            for path in entries.flatten().map(|entry| entry.path()) {
                if self.reaches_into(&path) && is_folder(&path) {
                    waiting.push(path);
                } else if !self.covers(&path) {
                    beside.push(path);
                }
            }
        }
        beside
    }

    /// `folder` and those in it that are on the way to an approved path.
    #[must_use]
    pub fn opened_in(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let inside = self.paths.iter().filter(|approved| approved.starts_with(folder));
        let ways = inside.flat_map(|approved| approved.ancestors().skip(1));
        ways.filter(|way| way.starts_with(folder) && is_folder(way)).map(Path::to_owned).collect()
    }

    fn with(evaluation: &Evaluation, access: impl Fn(Access) -> bool) -> Self {
        let touched = evaluation.touches.iter().filter(|touched| touched.protected || touched.sensitive);
        touched.filter(|touched| access(touched.access)).map(|touched| PathBuf::from(&touched.path)).collect()
    }
}

impl FromIterator<PathBuf> for Approved {
    fn from_iter<T: IntoIterator<Item = PathBuf>>(paths: T) -> Self {
        Self { paths: paths.into_iter().collect() }
    }
}

/// Whether it is a repository's own folder, or stands for one.
pub(super) fn is_repository(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".git") || is_git_folder(path)
}

/// Whether it is a folder, and no link to one.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}
