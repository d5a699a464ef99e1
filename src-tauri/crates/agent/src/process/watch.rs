//! What commands leave in a workspace, across all that run in it at the same time.
//!
//! While any command runs that can write, one picture of what is protected there is kept. Before each further command,
//! and after each, what is new in it is moved out: a command that goes on in the background leaves nothing for another
//! to find, and what a later one was allowed to make is not taken for the work of the one in the background.

use super::approved::Approved;
use super::quarantine::{Moved, QuarantineError, Swept, sweep};
use super::survey::{Survey, survey};
use crate::workspace::Workspace;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The workspaces in which commands run. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Watches {
    places: Arc<Mutex<HashMap<PathBuf, Arc<Mutex<Place>>>>>,
}

/// One workspace.
#[derive(Debug, Default)]
struct Place {
    /// What was protected when it was last looked at.
    seen: Survey,
    running: BTreeMap<u64, Running>,
    started: u64,
}

/// A command that can write there.
#[derive(Debug)]
struct Running {
    written: Approved,
    /// It is over, but what it left was not looked at.
    is_over: bool,
}

/// One command that can write, from before its start to its end. One that is dropped before its end was told has what it
/// left looked at when the next begins.
#[derive(Debug)]
pub struct Watch {
    place: Arc<Mutex<Place>>,
    workspace: Arc<Workspace>,
    scratch: PathBuf,
    number: u64,
    /// What the workspace holds.
    pub found: Survey,
    /// What others had left, and was moved away before this one.
    pub moved: Vec<Moved>,
}

impl Watches {
    /// Puts the workspace in order for a command that may write what was approved to be `written`.
    ///
    /// # Errors
    /// When the workspace can't be seen, or something stays that another command left. Then nothing may run.
    pub fn begin(
        &self,
        workspace: &Arc<Workspace>,
        written: Approved,
        scratch: &Path,
    ) -> Result<Watch, QuarantineError> {
        let place = self.place(workspace.root());
        let mut guard = lock(&place);
        let Swept { moved, left } = match guard.put_in_order(workspace, scratch)? {
            Some(swept) => swept,
            None => Swept { moved: Vec::new(), left: survey(workspace.root())? },
        };
        let number = guard.started;
        guard.started = number.saturating_add(1);
        guard.running.insert(number, Running { written, is_over: false });
        guard.seen = guard.written().within(left.clone());
        drop(guard);
        let (workspace, scratch) = (Arc::clone(workspace), scratch.to_owned());
        Ok(Watch { place, workspace, scratch, number, found: left, moved })
    }

    /// Puts the workspace in order for something that writes nothing, or whatever it likes; looks only where a command
    /// runs.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn look(&self, workspace: &Workspace, scratch: &Path) -> Result<Vec<Moved>, QuarantineError> {
        let place = self.place(workspace.root());
        let swept = lock(&place).put_in_order(workspace, scratch)?;
        Ok(swept.map(|swept| swept.moved).unwrap_or_default())
    }

    fn place(&self, root: &Path) -> Arc<Mutex<Place>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(places.entry(root.to_owned()).or_default())
    }
}

impl Watch {
    /// Moves what the command left out of the workspace; its process tree is gone.
    ///
    /// # Errors
    /// When something stays, or it can't be known: then nothing else begins until that is settled.
    pub fn end(self) -> Result<Vec<Moved>, QuarantineError> {
        let mut guard = lock(&self.place);
        let swept = guard.put_in_order(&self.workspace, &self.scratch)?;
        guard.running.remove(&self.number);
        let Some(Swept { moved, left }) = swept else { return Ok(Vec::new()) };
        guard.seen = guard.written().within(left);
        drop(guard);
        Ok(moved)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(running) = lock(&self.place).running.get_mut(&self.number) {
            running.is_over = true;
        }
    }
}

impl Place {
    /// `None` where no command runs or ran.
    fn put_in_order(
        &mut self,
        workspace: &Workspace,
        scratch: &Path,
    ) -> Result<Option<Swept>, QuarantineError> {
        if self.running.is_empty() {
            return Ok(None);
        }
        let swept = sweep(workspace, &self.seen, &self.written(), scratch)?;
        self.running.retain(|_, running| !running.is_over);
        self.seen = self.written().within(swept.left.clone());
        Ok(Some(swept))
    }

    /// What all of them may write.
    fn written(&self) -> Approved {
        self.running.values().flat_map(|running| running.written.paths()).cloned().collect()
    }
}

fn lock(place: &Mutex<Place>) -> MutexGuard<'_, Place> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        folder: tempfile::TempDir,
        workspace: Arc<Workspace>,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("w")).unwrap();
            let workspace = Arc::new(Workspace::open(&folder.path().join("w")).unwrap());
            Self { folder, workspace }
        }

        fn file(&self, path: &str) {
            let path = self.workspace.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }

        fn has(&self, path: &str) -> bool {
            self.workspace.root().join(path).exists()
        }

        fn begin(&self, watches: &Watches, written: &[&str]) -> Watch {
            let written = written.iter().map(|path| self.workspace.root().join(path)).collect();
            watches.begin(&self.workspace, written, self.folder.path()).unwrap()
        }
    }

    fn from(moved: &[Moved]) -> Vec<&str> {
        moved.iter().map(|moved| moved.from.to_str().unwrap()).collect()
    }

    /// R50: what one in the background leaves is gone before another begins, again and again; what the other was
    /// allowed to make stays when the first ends.
    #[test]
    fn one_in_the_background_leaves_nothing_for_another() {
        let (world, watches) = (World::new(), Watches::default());
        let server = world.begin(&watches, &[]);
        for round in 0..2 {
            world.file("a/.husky/pre-commit");
            let other = world.begin(&watches, &["b/.envrc"]);
            assert_eq!(from(&other.moved), ["a/.husky"], "round {round}");
            assert!(!world.has("a/.husky"));
            world.file("b/.envrc");
            world.file("c/.envrc");
            assert_eq!(from(&other.end().unwrap()), ["c/.envrc"]);
        }
        world.file("d/.envrc");
        assert_eq!(from(&watches.look(&world.workspace, world.folder.path()).unwrap()), ["d/.envrc"]);
        world.file("e/.envrc");
        assert_eq!(from(&server.end().unwrap()), ["e/.envrc"]);
        assert!(world.has("b/.envrc"));
        world.file("f/.envrc");
        assert!(watches.look(&world.workspace, world.folder.path()).unwrap().is_empty(), "nothing runs");
        assert!(world.begin(&watches, &[]).moved.is_empty(), "it was there");
    }

    /// R50: one whose end nobody waited for is looked after when the next begins.
    #[test]
    fn one_that_was_given_up_is_looked_after() {
        let (world, watches) = (World::new(), Watches::default());
        let given_up = world.begin(&watches, &[]);
        world.file("a/.envrc");
        drop(given_up);
        assert_eq!(from(&world.begin(&watches, &[]).moved), ["a/.envrc"]);
    }
}
