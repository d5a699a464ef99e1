//! Opening beneath a held folder, one component at a time, following no link.

use super::{AccessError, ApprovedPath, Workspace};
use assent_policy::FileKind;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

/// Names that are looked at for a better guess.
const MOST_NAMES: usize = 2_000;

impl Workspace {
    /// Opens the approved file for reading, inside the workspace or where the decision allowed reading.
    ///
    /// # Errors
    /// When it isn't there, isn't the regular file that was judged, or can't be read.
    pub fn open_file(&self, path: &ApprovedPath) -> Result<File, AccessError> {
        match path.kind() {
            FileKind::Regular => {}
            FileKind::Missing => return Err(AccessError::NotFound),
            FileKind::Directory => return Err(AccessError::IsFolder),
            FileKind::Special => return Err(AccessError::Special),
        }
        let (parent, name) = self.parent_of(path)?;
        let file = open_regular(&parent, &name)?;
        if path.is_same_file(&file.metadata()?) { Ok(file) } else { Err(AccessError::Swapped) }
    }

    /// Opens the approved folder.
    ///
    /// # Errors
    /// When it isn't there, isn't the folder that was judged, or can't be read.
    pub fn open_folder(&self, path: &ApprovedPath) -> Result<Dir, AccessError> {
        match path.kind() {
            FileKind::Directory => {}
            FileKind::Missing => return Err(AccessError::NotFound),
            FileKind::Regular => return Err(AccessError::NotAFolder),
            FileKind::Special => return Err(AccessError::Special),
        }
        let (start, rest) = self.way_to(path)?;
        let folder = descend(start, &rest)?;
        if path.is_same_file(&folder.dir_metadata()?) { Ok(folder) } else { Err(AccessError::Swapped) }
    }

    /// The names beside a path that isn't there, in the nearest folder above it that is.
    pub(crate) fn names_near(&self, path: &ApprovedPath) -> Vec<String> {
        let Some(parent) = path.inside.as_deref().and_then(Path::parent) else { return Vec::new() };
        let Ok(folder) = descend_from(self.handle(), parent) else { return Vec::new() };
        let Ok(entries) = folder.entries() else { return Vec::new() };
        entries.flatten().take(MOST_NAMES).filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// The folder that holds the approved path, and the path's last component.
    pub(super) fn parent_of(&self, path: &ApprovedPath) -> Result<(Dir, OsString), AccessError> {
        let (start, rest) = self.way_to(path)?;
        let (Some(parent), Some(name)) = (rest.parent(), rest.file_name()) else {
            return Err(AccessError::IsFolder);
        };
        Ok((descend(start, parent)?, name.to_owned()))
    }

    /// Where to start, and the plain components from there.
    fn way_to(&self, path: &ApprovedPath) -> Result<(Dir, PathBuf), AccessError> {
        if let Some(inside) = &path.inside {
            return Ok((self.handle().try_clone()?, inside.clone()));
        }
        let anchor: PathBuf = path
            .real
            .components()
            .take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir))
            .collect();
        if anchor.as_os_str().is_empty() {
            return Err(AccessError::Unusable("not absolute".to_owned()));
        }
        let rest = path.real.strip_prefix(&anchor).map(Path::to_owned).unwrap_or_default();
        Ok((Dir::open_ambient_dir(&anchor, ambient_authority())?, rest))
    }
}

/// Follows `way`, plain names only, from `start`.
pub(super) fn descend(start: Dir, way: &Path) -> Result<Dir, AccessError> {
    way.components().try_fold(start, |folder, part| match part {
        Component::Normal(name) => enter(&folder, name),
        Component::CurDir => Ok(folder),
        Component::Prefix(_) | Component::RootDir | Component::ParentDir => Err(AccessError::Swapped),
    })
}

/// Follows `way`, plain names only, from `start`, which stays open.
pub(super) fn descend_from(start: &Dir, way: &Path) -> Result<Dir, AccessError> {
    descend(start.try_clone()?, way)
}

/// Opens the folder `name` in `folder`; a link there was put there after the path was resolved.
pub(super) fn enter(folder: &Dir, name: &OsStr) -> Result<Dir, AccessError> {
    one_name::folder(folder, name).map_err(|error| match folder.symlink_metadata(name) {
        Ok(there) if there.is_symlink() => AccessError::Swapped,
        Ok(there) if !there.is_dir() => AccessError::NotAFolder,
        Ok(_) => AccessError::Io(error),
        Err(missing) => from_io(missing),
    })
}

/// Opens the regular file `name` in `folder` for reading. Anything else is recognised before it is opened,
/// and a FIFO put there in that moment can't block.
pub(super) fn open_regular(folder: &Dir, name: &OsStr) -> Result<File, AccessError> {
    regular(&folder.symlink_metadata(name).map_err(from_io)?)?;
    open_listed(folder, name)
}

/// [`open_regular`] for a name that a listing has just called a regular file.
pub(super) fn open_listed(folder: &Dir, name: &OsStr) -> Result<File, AccessError> {
    let file = one_name::file(folder, name).map_err(|error| match folder.symlink_metadata(name) {
        Ok(there) if there.is_symlink() => AccessError::Swapped,
        Ok(_) => AccessError::Io(error),
        Err(missing) => from_io(missing),
    })?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(metadata: &cap_std::fs::Metadata) -> Result<(), AccessError> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(AccessError::IsFolder)
    } else if metadata.is_symlink() {
        Err(AccessError::Swapped)
    } else {
        Err(AccessError::Special)
    }
}

fn from_io(error: io::Error) -> AccessError {
    match error.kind() {
        io::ErrorKind::NotFound => AccessError::NotFound,
        io::ErrorKind::NotADirectory => AccessError::NotAFolder,
        _ => AccessError::Io(error),
    }
}

/// Opening one plain name in a held folder: one system call, no link followed.
#[cfg(unix)]
mod one_name {
    use cap_std::fs::{Dir, File};
    use rustix::fs::{Mode, OFlags, openat};
    use std::ffi::OsStr;
    use std::io;
    use std::os::unix::ffi::OsStrExt as _;

    pub(super) fn folder(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match openat(folder, plain(name)?, flags, Mode::empty()) {
            // A folder may be passed through without being listed.
            #[cfg(target_os = "linux")]
            Err(rustix::io::Errno::ACCESS) => {
                openat(folder, name, flags.difference(OFlags::RDONLY) | OFlags::PATH, Mode::empty())?
            }
            other => other?,
        };
        Ok(Dir::from_std_file(opened.into()))
    }

    pub(super) fn file(folder: &Dir, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = openat(folder, plain(name)?, flags, Mode::empty())?;
        Ok(File::from_std(opened.into()))
    }

    /// `name`, if it is one component.
    fn plain(name: &OsStr) -> io::Result<&OsStr> {
        match name.as_bytes() {
            b"" | b"." | b".." => Err(io::ErrorKind::InvalidInput.into()),
            bytes if bytes.contains(&b'/') => Err(io::ErrorKind::InvalidInput.into()),
            _ => Ok(name),
        }
    }
}

/// Opening one plain name in a held folder, no link followed.
#[cfg(not(unix))]
mod one_name {
    use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
    use cap_std::fs::{Dir, File, OpenOptions};
    use std::ffi::OsStr;
    use std::io;

    pub(super) fn folder(folder: &Dir, name: &OsStr) -> io::Result<Dir> {
        folder.open_dir_nofollow(name)
    }

    pub(super) fn file(folder: &Dir, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        folder.open_with(name, &options)
    }
}
