//! A file's new content beside it, until the two are exchanged.

use super::snapshot::{hash_bytes, hash_of};
use super::{ReplaceError, attributes};
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;

/// What is put into a file.
pub(super) enum Content<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// What this file holds, one of our own.
    File(&'a Path),
}

impl Content<'_> {
    /// SHA-256, hex.
    pub(super) fn hash(&self) -> io::Result<String> {
        match self {
            Self::Bytes(bytes) => Ok(hash_bytes(bytes)),
            Self::File(path) => hash_of(&mut std::fs::File::open(path)?),
        }
    }

    fn write_to(&self, target: &mut File) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => target.write_all(bytes),
            Self::File(path) => io::copy(&mut std::fs::File::open(path)?, target).map(|_| ()),
        }
    }
}

/// The name beside its target of the file of the change `id`, so that one a crash left behind is known.
pub(super) fn temporary_name(id: &str) -> OsString {
    format!(".assent-{id}.tmp").into()
}

/// The name beside its target of what the change `id` could not give its name back.
pub(super) fn aside_name(id: &str) -> OsString {
    format!(".assent-{id}.kept").into()
}

/// A file beside its target, removed unless it is kept.
pub(super) struct Temporary<'a> {
    folder: &'a Dir,
    name: OsString,
    kept: bool,
}

impl<'a> Temporary<'a> {
    pub(super) fn create(
        folder: &'a Dir,
        id: &str,
        replaces: Option<(&File, &Metadata)>,
        content: &Content<'_>,
    ) -> Result<Self, ReplaceError> {
        let name = temporary_name(id);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        if replaces.is_some() {
            // Private until it has the old file's mode.
            cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = folder.open_with(&name, &options)?;
        let temporary = Self { folder, name, kept: false };
        content.write_to(&mut file)?;
        if let Some((file_before, metadata)) = replaces {
            attributes::copy(file_before, metadata, &file)?;
        }
        file.sync_all()?;
        Ok(temporary)
    }

    /// What it is called.
    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    /// Leaves it where it is.
    pub(super) fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.kept {
            // It may hold the replaced file after an exchange; either way nothing needs it any more.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}
