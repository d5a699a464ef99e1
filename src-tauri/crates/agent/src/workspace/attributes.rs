//! What a replaced file hands on: owner, mode, extended attributes.

use super::ReplaceError;
use cap_std::fs::{File, Metadata};

/// Change time in ns since the epoch.
#[cfg(unix)]
pub(super) fn changed_ns(metadata: &Metadata) -> Option<i128> {
    use cap_std::fs::MetadataExt as _;
    Some(i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()))
}

/// Change time in ns since the epoch: the last write, which is what Windows keeps.
#[cfg(not(unix))]
pub(super) fn changed_ns(metadata: &Metadata) -> Option<i128> {
    let modified = metadata.modified().ok()?.into_std();
    let elapsed = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    i128::try_from(elapsed.as_nanos()).ok()
}

/// Gives `to` the owner, the mode and the extended attributes of `from`. Set-user-ID and set-group-ID are
/// dropped, as the kernel does when a file is written (man 2 write).
#[cfg(unix)]
pub(super) fn copy(from: &File, metadata: &Metadata, to: &File) -> Result<(), ReplaceError> {
    use cap_std::fs::{MetadataExt as _, Permissions, PermissionsExt as _};
    use rustix::fs::{Gid, Uid, fchown};

    let fresh = to.metadata()?;
    if (metadata.uid(), metadata.gid()) != (fresh.uid(), fresh.gid()) {
        fchown(to, Some(Uid::from_raw(metadata.uid())), Some(Gid::from_raw(metadata.gid())))
            .map_err(|_| ReplaceError::OtherOwner)?;
    }
    extended::copy(from, to)?;
    Ok(to.set_permissions(Permissions::from_mode(metadata.mode() & 0o1777))?)
}

/// Gives `to` the read-only flag of `from`; access lists come from the folder.
#[cfg(not(unix))]
pub(super) fn copy(_from: &File, metadata: &Metadata, to: &File) -> Result<(), ReplaceError> {
    Ok(to.set_permissions(metadata.permissions())?)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod extended {
    use cap_std::fs::File;
    use rustix::fs::{XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fsetxattr};
    use rustix::io::Errno;
    use std::io;

    /// Attributes the kernel sets by itself, or that only root may set.
    const NOT_OURS: [&[u8]; 3] = [b"security.", b"trusted.", b"com.apple.provenance"];

    pub(super) fn copy(from: &File, to: &File) -> io::Result<()> {
        let mut names = match flistxattr_query(from) {
            Ok(length) => vec![0_u8; length],
            Err(Errno::NOTSUP) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let length = flistxattr(from, names.as_mut_slice())?;
        names.truncate(length);
        for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            if NOT_OURS.iter().any(|prefix| name.starts_with(prefix)) {
                continue;
            }
            let mut value = vec![0_u8; fgetxattr_query(from, name)?];
            let length = fgetxattr(from, name, value.as_mut_slice())?;
            value.truncate(length);
            fsetxattr(to, name, &value, XattrFlags::empty())?;
        }
        Ok(())
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
mod extended {
    use cap_std::fs::File;

    /// Other systems have no common call for it.
    pub(super) fn copy(_from: &File, _to: &File) -> std::io::Result<()> {
        Ok(())
    }
}
