//! Which file it is: its place on the disk, its size, when it last changed, and how many names it has.

use assent_policy::Identity;
use std::fs::Metadata;
use std::io;
use std::path::Path;

/// The identity of the file at `path`, which holds no link, and the number of its names.
///
/// # Errors
/// It can't be opened, where the system tells only of an open file (Windows).
pub fn of(path: &Path, metadata: &Metadata) -> io::Result<(Identity, u64)> {
    system::of(path, metadata)
}

/// Whether both were taken of the same, unchanged file.
pub fn are_alike(one: &Metadata, other: &Metadata) -> bool {
    system::mark(one) == system::mark(other)
}

#[cfg(unix)]
mod system {
    use super::{Identity, Metadata, Path, io};
    use std::os::unix::fs::MetadataExt as _;

    pub fn of(_path: &Path, metadata: &Metadata) -> io::Result<(Identity, u64)> {
        Ok((mark(metadata), metadata.nlink()))
    }

    /// Device, inode, size and change time.
    pub fn mark(metadata: &Metadata) -> Identity {
        Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed_ns: i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec()),
        }
    }
}

#[cfg(windows)]
mod system {
    use super::{Identity, Metadata, Path, io};
    use std::os::windows::fs::MetadataExt as _;
    use winapi_util::{Handle, file};

    /// Volume, file index, size and last write (`GetFileInformationByHandle`).
    pub fn of(path: &Path, _metadata: &Metadata) -> io::Result<(Identity, u64)> {
        let found = file::information(Handle::from_path_any(path)?)?;
        let identity = Identity {
            device: found.volume_serial_number(),
            inode: found.file_index(),
            size: found.file_size(),
            changed_ns: i128::from(found.last_write_time().unwrap_or(0)) * TICK_NS,
        };
        Ok((identity, found.number_of_links()))
    }

    /// Creation, size and last write.
    pub fn mark(metadata: &Metadata) -> (u64, u64, u64) {
        (metadata.creation_time(), metadata.file_size(), metadata.last_write_time())
    }

    /// The unit of Windows' times, ns.
    const TICK_NS: i128 = 100;
}
