//! What was found when somebody looked. Facts are data: the same facts always give the same decision.

use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that is known about the world for one decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// By absolute path, lexically joined with the folder it was written in, `..` kept.
    pub paths: BTreeMap<String, PathFact>,
    /// By the program's name as the command writes it (`ls`, `./run`, `/usr/bin/git`), joined with its folder when it holds a slash.
    pub programs: BTreeMap<String, ProgramFact>,
    /// By the folder in which git would start to look.
    pub repositories: BTreeMap<String, RepositoryFact>,
    /// By the folder that a recursive search would walk.
    pub trees: BTreeMap<String, TreeFact>,
    /// By the folder in which git would start to look.
    pub tracked: BTreeMap<String, TrackedFact>,
}

/// A fact that a decision needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "key")]
pub enum Inquiry {
    /// What is this absolute path really?
    Path(String),
    /// Which file would run under this name?
    Program(String),
    /// Which repository would git find from this folder, and is its configuration plain?
    Repository(String),
    /// Which sensitive files are below this folder?
    Tree(String),
    /// Which files does the repository track that git would find from this folder?
    Tracked(String),
}

/// What a path really is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum PathFact {
    /// It was resolved through its nearest existing ancestor.
    Resolved(Resolved),
    /// It can't be resolved safely (a loop, no permission, a form that is never touched): deny.
    Unresolvable {
        /// Why, in words.
        why: String,
    },
}

/// A path after links, `..` and the nearest existing ancestor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolved {
    /// The real absolute path; parts that don't exist yet are appended as written.
    pub real: String,
    /// What is there now.
    pub file: FileKind,
    /// Which file it is; absent where nothing exists.
    pub identity: Option<Identity>,
    /// Whether the last component is a link.
    pub is_link: bool,
    /// Hard links of a regular file; 1 elsewhere.
    pub links: u64,
    /// Whether it is, or lies in, a folder that git would take for a repository's own, whatever its name.
    pub in_git_folder: bool,
    /// SHA-256 of the content (hex), where it would be overwritten or executed and is no larger than the hash limit.
    pub content: Option<String>,
}

/// What kind of thing a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Nothing exists there.
    Missing,
    /// A regular file.
    Regular,
    /// A folder.
    Directory,
    /// A FIFO, socket, device: refused for the file tools, recognised without opening it.
    Special,
}

/// Which file it is, whatever its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The device (volume).
    pub device: u64,
    /// The inode (file index).
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Change time, ns since the epoch.
    pub changed_ns: i128,
}

/// Which program a name means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramFact {
    /// The path under which it was found, perhaps a link.
    pub found: Option<String>,
    /// The real path, when one was found.
    pub real: Option<String>,
    /// Where it lives.
    pub place: ProgramPlace,
    /// Which file it is.
    pub identity: Option<Identity>,
    /// SHA-256 (hex) of programs outside the system folders.
    pub content: Option<String>,
}

/// Where a program lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramPlace {
    /// A system folder that belongs to root and only root can write.
    System,
    /// Outside the workspace, writable by the user or root only.
    User,
    /// Inside the workspace, or where others can write.
    Untrusted,
    /// Nothing of that name was found.
    Missing,
}

/// What git would find from a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum RepositoryFact {
    /// No repository: git will say so and end.
    None,
    /// A repository whose configuration names no program and includes nothing.
    Plain {
        /// Its git folder.
        gitdir: String,
        /// Its configuration holds a password or token.
        secret: bool,
    },
    /// A repository whose configuration could run something.
    Dangerous {
        /// Its git folder.
        gitdir: String,
        /// The key or form that is in the way.
        why: String,
    },
}

/// What a recursive search would meet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TreeFact {
    /// Sensitive files below it, as paths relative to it, in order; at most 100.
    pub sensitive: Vec<String>,
    /// Links below it that lead out of the workspace, relative to it; at most 100.
    pub outside_links: Vec<String>,
    /// Those of `sensitive` that are hidden, but that an ignore file takes back in (`!.env`), so that `rg` searches them.
    pub reincluded: Vec<String>,
    /// Whether a name directly in it starts with `-`, so that a pattern could turn into an option.
    pub option_like: bool,
    /// Whether a name below it holds anything but plain ASCII characters, or a quote or backslash: a list of names could be
    /// read as other names.
    pub odd_names: bool,
    /// Whether the walk stopped at its budget before it saw everything.
    pub incomplete: bool,
}

/// What a repository's index tracks: what git may print of it without being told a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrackedFact {
    /// The folder that the paths are relative to.
    pub root: String,
    /// Every file, in the index's order.
    pub files: Vec<String>,
    /// Those of them that may hold secrets.
    pub sensitive: Vec<String>,
    /// Whether the index couldn't be read.
    pub incomplete: bool,
}
