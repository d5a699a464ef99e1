//! `.gitignore` and `.ignore` files, as they pile up on the way down.

use super::Workspace;
use super::open::open_regular;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

/// Files with patterns; a later one counts more.
const NAMES: [&str; 2] = [".gitignore", ".ignore"];
/// Bytes of such a file that are read.
const SIZE_LIMIT: u64 = 1024 * 1024;

/// The patterns of a folder, and those of the folders above.
#[derive(Debug)]
pub(super) struct Ignored {
    above: Option<Arc<Self>>,
    patterns: Gitignore,
}

impl Ignored {
    /// What holds in the folder `inside` the workspace before its own files are read: the files of the
    /// folders above it, and above the workspace up to the repository's root.
    pub(super) fn above(workspace: &Workspace, inside: &Path) -> Option<Arc<Self>> {
        let root = workspace.root();
        let mut rules = None;
        for folder in above_root(root) {
            if let Ok(handle) = Dir::open_ambient_dir(folder, ambient_authority()) {
                rules = Self::with(rules, &handle, folder, &NAMES.map(OsString::from));
            }
        }
        if let Ok(info) = super::open::descend_from(workspace.handle(), Path::new(".git/info")) {
            rules = Self::with(rules, &info, root, &[OsString::from("exclude")]);
        }
        let mut way = root.to_owned();
        let mut handle = workspace.handle().try_clone().ok()?;
        for part in inside.components() {
            rules = Self::with(rules, &handle, &way, &NAMES.map(OsString::from));
            handle = super::open::enter(&handle, part.as_os_str()).ok()?;
            way.push(part);
        }
        rules
    }

    /// What holds in `folder`, which holds `files`.
    pub(super) fn here(
        above: Option<&Arc<Self>>,
        folder: &Dir,
        real: &Path,
        files: &[(OsString, bool)],
    ) -> Option<Arc<Self>> {
        let present: Vec<OsString> = NAMES
            .iter()
            .filter(|name| files.iter().any(|(file, is_link)| file == **name && !is_link))
            .map(OsString::from)
            .collect();
        Self::with(above.cloned(), folder, real, &present)
    }

    /// Whether a file or folder is left out: the nearest pattern file that says something decides.
    pub(super) fn leaves_out(&self, real: &Path, is_folder: bool) -> bool {
        match self.patterns.matched(real, is_folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.above.as_ref().is_some_and(|above| above.leaves_out(real, is_folder)),
        }
    }

    fn with(above: Option<Arc<Self>>, folder: &Dir, real: &Path, names: &[OsString]) -> Option<Arc<Self>> {
        let mut builder = GitignoreBuilder::new(real);
        let mut any = false;
        for name in names {
            for line in lines(folder, name) {
                // A pattern that can't be read leaves nothing out.
                any |= builder.add_line(None, &line).is_ok();
            }
        }
        match builder.build() {
            Ok(patterns) if any && !patterns.is_empty() => Some(Arc::new(Self { above, patterns })),
            Ok(_) | Err(_) => above,
        }
    }
}

fn lines(folder: &Dir, name: &OsStr) -> Vec<String> {
    let mut bytes = Vec::new();
    let read =
        open_regular(folder, name).is_ok_and(|file| file.take(SIZE_LIMIT).read_to_end(&mut bytes).is_ok());
    if !read {
        return Vec::new();
    }
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// The folders above `root` that belong to the same repository, outermost first; none outside of one.
fn above_root(root: &Path) -> Vec<&Path> {
    if root.join(".git").exists() {
        return Vec::new();
    }
    let mut folders = Vec::new();
    for folder in root.ancestors().skip(1) {
        folders.push(folder);
        if folder.join(".git").exists() {
            folders.reverse();
            return folders;
        }
    }
    Vec::new()
}
