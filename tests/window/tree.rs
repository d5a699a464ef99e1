//! A whole folder at one moment, to prove that nothing happened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file below a folder and its content; folders have none.
#[derive(Debug, PartialEq, Eq)]
pub struct Tree(BTreeMap<PathBuf, Option<Vec<u8>>>);

impl Tree {
    /// What is below `root` now.
    pub fn of(root: &Path) -> std::io::Result<Self> {
        let mut found = BTreeMap::new();
        let mut open = vec![root.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    open.push(path.clone());
                    found.insert(path, None);
                } else {
                    let content = std::fs::read(&path)?;
                    found.insert(path, Some(content));
                }
            }
        }
        Ok(Self(found))
    }

    /// What is here and wasn't in `before`, or is different.
    pub fn added(&self, before: &Self) -> Vec<&Path> {
        let changed = self.0.iter().filter(|(path, content)| before.0.get(*path) != Some(content));
        changed.map(|(path, _)| path.as_path()).collect()
    }
}
