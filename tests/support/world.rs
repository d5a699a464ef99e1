//! A workspace, a home and an outside folder that vanish with the test, and what is in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folders of one test.
pub struct World {
    root: TempDir,
}

/// Every file below a folder: its path, and its content, mode or link target.
pub type Tree = BTreeMap<String, String>;

impl World {
    /// A fresh world: `proj` (the workspace), `elsewhere`, `home`, `data`.
    #[must_use]
    pub fn new() -> Self {
        let root = tempfile::tempdir().expect("make a folder");
        for name in ["proj", "elsewhere", "home", "data", "state"] {
            std::fs::create_dir(root.path().join(name)).expect("make a folder");
        }
        Self { root }
    }

    /// The workspace's real path.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.folder("proj")
    }

    /// One of the world's folders, real path.
    #[must_use]
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().expect("a real path").join(name)
    }

    /// Writes a file of the workspace, with its folders.
    pub fn write(&self, path: &str, content: &str) {
        let path = self.workspace().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("make folders");
        std::fs::write(path, content).expect("write");
    }

    /// Reads a file of the workspace.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.workspace().join(path)).ok()
    }

    /// Everything in workspace, home and outside, to prove that nothing happened.
    #[must_use]
    pub fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        for name in ["proj", "elsewhere", "home"] {
            walk(&self.folder(name), name, &mut tree);
        }
        tree
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

fn walk(folder: &Path, name: &str, tree: &mut Tree) {
    for entry in std::fs::read_dir(folder).expect("list") {
        let entry = entry.expect("an entry");
        let key = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().expect("a type");
        if kind.is_symlink() {
            let target = std::fs::read_link(entry.path()).expect("a target");
            tree.insert(key, format!("-> {}", target.display()));
        } else if kind.is_dir() {
            tree.insert(key.clone(), "folder".to_owned());
            walk(&entry.path(), &key, tree);
        } else {
            let content = std::fs::read(entry.path()).expect("read");
            tree.insert(key, String::from_utf8_lossy(&content).into_owned());
        }
    }
}
