//! A copy of a file's content in the scratch folder, hashed on the way.

use cap_std::fs::File;
use sha2::{Digest as _, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

/// What a file held.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    /// The copy.
    pub(super) copy: PathBuf,
    /// SHA-256, hex.
    pub(super) sha256: String,
}

impl Snapshot {
    /// Copies `file` from its start to `copy`, which must not exist, and makes the copy durable.
    pub(super) fn take(file: &mut File, copy: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut target = options.open(copy)?;
        let done = copy_hashed(file, |piece| target.write_all(piece)).and_then(|sha256| {
            target.sync_all()?;
            Ok(sha256)
        });
        match done {
            Ok(sha256) => Ok(Self { copy: copy.to_owned(), sha256 }),
            Err(error) => {
                // The copy is useless; the error that made it so is the one to report.
                let _ = fs::remove_file(copy);
                Err(error)
            }
        }
    }
}

/// SHA-256 (hex) of everything `source` gives.
pub(super) fn hash_of(source: &mut impl Read) -> io::Result<String> {
    copy_hashed(source, |_| Ok(()))
}

/// SHA-256 (hex) of `bytes`.
#[must_use]
pub(super) fn hash_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn copy_hashed(source: &mut impl Read, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let length = match source.read(&mut buffer) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = buffer.get(..length).unwrap_or_default();
        hasher.update(piece);
        take(piece)?;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
