//! What a workspace holds that a sandboxed command must not change or read.
//!
//! The whole tree is walked, by names only, for each command: nothing that a command could have changed (an ignore
//! file, a marker, a folder's name) may make a part of it go unseen.

use crate::facts::is_git_folder;
use assent_policy::path::{is_protected, is_sensitive};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

/// What was found, as real paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Protected files and folders; what lies in a protected folder isn't listed.
    pub protected: BTreeSet<PathBuf>,
    /// Sensitive files and folders, in protected folders too; what lies in a sensitive folder isn't listed.
    pub sensitive: BTreeSet<PathBuf>,
    /// Folders that hold a `.git`.
    pub repositories: BTreeSet<PathBuf>,
    /// The folders that hold what is protected, by their identity: one that stands in another's place shows that the
    /// protected file in it isn't the one that was there.
    pub holders: BTreeMap<PathBuf, FolderId>,
}

/// Device and inode; nothing where the system has no such thing.
pub type FolderId = Option<(u64, u64)>;

/// Why a workspace could not be surveyed: without it nothing may run.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// A folder could not be read.
    #[error("look for protected files in {}: {error}", path.display())]
    Unreadable {
        /// The folder.
        path: PathBuf,
        /// What the OS said.
        error: io::Error,
    },
    /// There is no end to it.
    #[error("look for protected files: the workspace holds more than {MOST} files and folders")]
    TooLarge,
}

/// How many entries are looked at.
pub const MOST: u64 = 2_000_000;

/// Walks `workspace`, a real path, following no link.
///
/// # Errors
/// When a part of it can't be seen. A folder that its own user can't read is left out: a command can't either.
pub fn survey(workspace: &Path) -> Result<Survey, SurveyError> {
    let mut walk = Walk { found: Survey::default(), seen: 0 };
    let mut waiting = vec![Pending { path: workspace.to_owned(), tail: String::new(), protected: false }];
    while let Some(folder) = waiting.pop() {
        walk.folder(&folder, &mut waiting)?;
    }
    Ok(walk.found)
}

/// A folder that is still to be read.
struct Pending {
    path: PathBuf,
    /// Its last parts below the workspace: as many as the longest name in the tables has.
    tail: String,
    /// Whether it lies in a protected folder.
    protected: bool,
}

struct Walk {
    found: Survey,
    seen: u64,
}

impl Walk {
    fn folder(&mut self, folder: &Pending, waiting: &mut Vec<Pending>) -> Result<(), SurveyError> {
        let unreadable = |error| SurveyError::Unreadable { path: folder.path.clone(), error };
        let entries = match std::fs::read_dir(&folder.path) {
            Ok(entries) => entries,
            // Gone since, or closed to its own user.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) =>
            {
                return Ok(());
            }
            Err(error) => return Err(unreadable(error)),
        };
        let entries: Vec<DirEntry> = entries.collect::<Result<_, _>>().map_err(unreadable)?;
        // A repository's own folder under another name than `.git`.
        let is_git_folder = !folder.protected
            && entries.iter().any(|entry| entry.file_name() == "HEAD")
            && is_git_folder(&folder.path);
        if is_git_folder {
            // Where it is the workspace itself, commands go on working in it, but not on what git runs.
            if folder.tail.is_empty() {
                for name in ["config", "hooks", "info"] {
                    self.found.protect(folder.path.join(name));
                }
            } else {
                self.found.protect(folder.path.clone());
            }
            let configurations = ["config", "config.worktree"].map(|name| folder.path.join(name));
            self.found.sensitive.extend(configurations.into_iter().filter(|path| path.exists()));
        }
        let inherited = folder.protected || is_git_folder && !folder.tail.is_empty();
        for entry in entries {
            self.seen = self.seen.saturating_add(1);
            if self.seen > MOST {
                return Err(SurveyError::TooLarge);
            }
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = name.to_string_lossy();
            if !is_folder && is_harmless(&name) {
                continue;
            }
            let tail = joined(&folder.tail, &name, inherited);
            let path = entry.path();
            if name == ".git" {
                self.found.repositories.insert(folder.path.clone());
            }
            let sensitive = is_sensitive(&tail);
            if sensitive {
                self.found.sensitive.insert(path.clone());
            }
            let protected = inherited || is_protected(&tail);
            if protected && !inherited {
                self.found.protect(path.clone());
            }
            if is_folder && !sensitive {
                waiting.push(Pending { path, tail, protected });
            }
        }
        Ok(())
    }
}

/// The longest entry of the tables has this many parts.
const PARTS: usize = 5;

/// In a protected folder all parts count: a repository's configuration lies at any depth of its `.git`.
fn joined(folder: &str, name: &str, whole: bool) -> String {
    let keep = if whole { usize::MAX } else { PARTS.saturating_sub(1) };
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let from = parts.len().saturating_sub(keep);
    let kept = parts.get(from..).unwrap_or_default();
    if kept.is_empty() { name.to_owned() } else { format!("{}/{name}", kept.join("/")) }
}

/// Source files by the thousand: names in plain lower-case ASCII with one of these ends are on no table.
fn is_harmless(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "c", "cc", "cpp", "cs", "css", "d", "go", "h", "hpp", "html", "java", "js", "kt", "map", "md", "mjs",
        "o", "png", "py", "pyc", "rb", "rlib", "rmeta", "rs", "scss", "svg", "swift", "ts", "tsx", "txt",
    ];
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'_');
    !name.starts_with(['.', '_'])
        && name.bytes().all(plain)
        && name.rsplit_once('.').is_some_and(|(stem, end)| {
            ENDS.contains(&end) && !stem.contains('.') && !FAMILIES.iter().any(|family| stem.contains(family))
        })
}

/// What the tables' names with such ends hold.
const FAMILIES: &[&str] =
    &["customize", "lefthook", "id_", "_rsa", "_ed25519", "_ecdsa", "history", "secret", "service"];

/// Protected names that must not come to be in the root, nor beside a `.git`.
const BLOCKED: &[&str] = &[
    ".git",
    ".gitconfig",
    ".gitmodules",
    ".husky",
    ".githooks",
    ".vscode",
    ".idea",
    ".cargo",
    ".devcontainer",
    ".devcontainer.json",
    ".mcp.json",
    ".cursor",
    ".claude",
    ".codex",
    ".gemini",
    ".assent",
    ".circleci",
    ".gitlab-ci.yml",
    ".pre-commit-config.yaml",
    ".envrc",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".bashrc",
    ".profile",
    ".vimrc",
    ".exrc",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "lefthook.yml",
];

/// Blocked where their folder exists.
const BLOCKED_DEEPER: &[&str] = &[".github/workflows", ".github/actions"];

impl Survey {
    /// What is protected and wasn't, or isn't what was there, `before`.
    pub fn new_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a PathBuf> {
        let holder = |survey: &Self, path: &Path| survey.holders.get(path.parent()?).copied();
        self.protected.iter().filter(move |path| {
            !before.protected.contains(*path) || holder(self, path) != holder(before, path)
        })
    }

    /// Adds a protected path, and which folder holds it.
    pub(super) fn protect(&mut self, path: PathBuf) {
        if let Some(folder) = path.parent()
            && !self.holders.contains_key(folder)
        {
            self.holders.insert(folder.to_owned(), id_of(folder));
        }
        self.protected.insert(path);
    }

    /// Protected paths that don't exist and must not come to be.
    pub fn blocked(&self, workspace: &Path) -> impl Iterator<Item = PathBuf> {
        let mut places = self.repositories.clone();
        places.insert(workspace.to_owned());
        let blocked = places.into_iter().flat_map(|folder| {
            let deeper = BLOCKED_DEEPER.iter().map(|name| folder.join(name));
            let deeper: Vec<PathBuf> =
                deeper.filter(|path| path.parent().is_some_and(Path::is_dir)).collect();
            BLOCKED.iter().map(move |name| folder.join(name)).chain(deeper)
        });
        blocked.filter(|path| path.symlink_metadata().is_err())
    }
}

fn id_of(folder: &Path) -> FolderId {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        folder.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        folder
    }

    fn relative(paths: &BTreeSet<PathBuf>, folder: &Path) -> Vec<String> {
        paths.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    /// R50: nothing that a command could have made hides a part of the tree.
    #[test]
    fn nothing_hides_a_secret() {
        let folder = world(&[
            ".gitignore",
            "target/CACHEDIR.TAG",
            "target/.env",
            "node_modules/a/.git/config",
            "node_modules/a/id_rsa",
            "deep/a/b/c/d/e/f/.ssh/known_hosts",
            "deep/a/b/c/.github/workflows/ci.yml",
            "src/main.rs",
            "src/sitecustomize.py",
            ".env.example",
        ]);
        let root = folder.path();
        let found = survey(root).unwrap();
        assert_eq!(
            relative(&found.sensitive, root),
            ["deep/a/b/c/d/e/f/.ssh", "node_modules/a/.git/config", "node_modules/a/id_rsa", "target/.env"]
        );
        assert_eq!(
            relative(&found.protected, root),
            [
                "deep/a/b/c/.github/workflows",
                "deep/a/b/c/d/e/f/.ssh",
                "node_modules/a/.git",
                "src/sitecustomize.py"
            ]
        );
        assert_eq!(relative(&found.repositories, root), ["node_modules/a"]);
    }

    /// R50: a repository's own folder is found by what it holds; where it is the workspace, by what git runs in it.
    #[test]
    fn git_folders_under_other_names_are_found() {
        let folder =
            world(&["sub/meta/HEAD", "sub/meta/objects/x", "sub/meta/refs/x", "sub/meta/config", "not/HEAD"]);
        let found = survey(folder.path()).unwrap();
        assert_eq!(relative(&found.protected, folder.path()), ["sub/meta"]);
        assert_eq!(relative(&found.sensitive, folder.path()), ["sub/meta/config"]);
        let bare = world(&["HEAD", "objects/x", "refs/x", "config", "src/.vscode/x"]);
        let found = survey(bare.path()).unwrap();
        assert_eq!(relative(&found.protected, bare.path()), ["config", "hooks", "info", "src/.vscode"]);
        assert_eq!(relative(&found.sensitive, bare.path()), ["config"]);
    }

    /// R50: the short cut for source files agrees with the tables.
    #[test]
    fn the_short_cut_skips_nothing_on_the_tables() {
        for name in [
            "main.rs",
            "a.env",
            ".env",
            "key.pem",
            "profile.ps1",
            "sitecustomize.py",
            "usercustomize.py",
            "lefthook.md",
            "id_rsa.txt",
            "id_rsa",
            "jenkinsfile",
            "secrets.txt",
            "credentials.md",
            "mcp.json",
            "a_rsa.md",
            "id_xmss.go",
            "consolehost_history.txt",
            "lefthook.rs",
        ] {
            let on_tables = is_protected(name) || is_sensitive(name);
            assert!(!(is_harmless(name) && on_tables), "{name}");
        }
    }

    /// R50
    #[test]
    fn names_are_blocked_in_the_root_and_beside_repositories() {
        let folder = world(&["sub/.git/HEAD", "sub/.npmrc", ".github/x", "other/x"]);
        let root = folder.path();
        let blocked: BTreeSet<PathBuf> = survey(root).unwrap().blocked(root).collect();
        for (name, expected) in [
            (".vscode", true),
            ("sub/.vscode", true),
            ("sub/.npmrc", false),
            (".github/workflows", true),
            ("sub/.github/workflows", false),
            ("other/.vscode", false),
            ("sub/.git", false),
            (".git", true),
        ] {
            assert_eq!(blocked.contains(&root.join(name)), expected, "{name}");
        }
    }
}
