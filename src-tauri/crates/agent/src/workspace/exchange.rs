//! Renames inside one folder that say no where a plain rename would overwrite.

use cap_std::fs::Dir;
use std::ffi::OsStr;
use std::io;

/// Exchanges two names in one step (`renameat2` with `RENAME_EXCHANGE`, `renameatx_np` on macOS).
///
/// # Errors
/// See [`is_unsupported`] for file systems that can't.
pub(super) fn exchange(folder: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        Ok(rustix::fs::renameat_with(folder, one, folder, other, rustix::fs::RenameFlags::EXCHANGE)?)
    }
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    {
        let _ = (folder, one, other);
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Renames `from` to `to`, which must not exist.
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`] where something has the name.
pub(super) fn move_new(folder: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    match rustix::fs::renameat_with(folder, from, folder, to, rustix::fs::RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(()),
        Err(error) if is_unsupported(&error.into()) => {}
        Err(error) => return Err(error.into()),
    }
    if folder.symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    folder.rename(from, folder, to)
}

/// Whether the file system, or the system, has no such rename.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP]
            .iter()
            .any(|code| error.raw_os_error() == Some(code.raw_os_error()))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::Unsupported
    }
}
