//! Where a real path lies, and what kind of place that is.

use super::{contains, is_protected, is_sensitive, relative_to};
use crate::{Context, Os};

/// What is known about a real path from its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Where it lies.
    pub place: Place,
    /// Changing it runs code later: writing asks.
    pub protected: bool,
    /// It may hold secrets: reading asks.
    pub sensitive: bool,
}

/// Where a real path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Our own policy, audit, approvals, keys and heads: never touched by a tool.
    Own,
    /// Beneath the workspace.
    Workspace,
    /// Beneath a folder that was opened for reading.
    ReadFolder,
    /// Programs and libraries that every program reads.
    System,
    /// Anywhere else.
    Outside,
}

/// Folders of programs, libraries and their data: readable by everyone, no user's files.
const SYSTEM_FOLDERS: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/lib64", "/System", "/Library/Developer"];

/// Classifies an absolute path. Give it the resolved path; a second look at the lexical one
/// (deny needs either, allow needs both) is the caller's.
#[must_use]
pub fn classify(path: &str, context: &Context) -> Class {
    let os = context.os;
    let inside = inside(path, context);
    let named = inside.unwrap_or(path);
    let place = if context.own_paths.iter().any(|own| contains(own, path, os)) {
        Place::Own
    } else if inside.is_some() {
        Place::Workspace
    } else if context.read_folders.iter().any(|folder| contains(folder, path, os)) {
        Place::ReadFolder
    } else if SYSTEM_FOLDERS.iter().any(|folder| contains(folder, path, os)) {
        Place::System
    } else {
        Place::Outside
    };
    Class {
        place,
        protected: is_protected(named) || is_short_name(named, os),
        sensitive: is_sensitive(named),
    }
}

/// Whether reading the absolute `path` asks: of [`classify`] that part alone, for a walk over many.
#[must_use]
pub fn is_sensitive_at(path: &str, context: &Context) -> bool {
    is_sensitive(inside(path, context).unwrap_or(path))
}

/// The path as the workspace sees it; `None` outside.
fn inside<'path>(path: &'path str, context: &Context) -> Option<&'path str> {
    let mut roots = std::iter::once(&context.workspace).chain(&context.workspace_aliases);
    roots.find_map(|root| relative_to(path, root, context.os))
}

/// A part like `PROGRA~1` that resolving left as it is: on Windows it may come to name something else.
pub(crate) fn is_short_name(path: &str, os: Os) -> bool {
    match os {
        Os::Linux | Os::Macos => false,
        Os::Windows => path.split('/').any(|part| {
            let (stem, extension) = part.split_once('.').unwrap_or((part, ""));
            let Some((name, number)) = stem.rsplit_once('~') else { return false };
            !name.is_empty()
                && stem.len() <= 8
                && extension.len() <= 3
                && !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
        }),
    }
}
