//! The head: how far the log had come and its MAC there, in a file apart from the log.
//!
//! The log may lead the head (a crash between the two writes), never lag behind it.

use crate::audit::chain::Mac;
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A place in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Sequence of the newest record; 0 before the first.
    pub seq: i64,
    /// Its MAC.
    pub mac: Mac,
}

impl Head {
    /// Before the first record.
    pub const EMPTY: Self = Self { seq: 0, mac: Mac::ZERO };
}

/// The file, opened.
pub struct HeadFile {
    path: PathBuf,
    file: Box<dyn Backing>,
}

/// What the head needs of a file.
pub(super) trait Backing: Read + Write + Seek + Send {
    /// Waits until no other process holds it.
    fn lock(&self) -> io::Result<()>;

    /// Lets others have it.
    fn unlock(&self) -> io::Result<()>;

    /// Returns once what was written is on the disk.
    fn sync_data(&self) -> io::Result<()>;
}

impl Backing for File {
    fn lock(&self) -> io::Result<()> {
        File::lock(self)
    }

    fn unlock(&self) -> io::Result<()> {
        File::unlock(self)
    }

    fn sync_data(&self) -> io::Result<()> {
        File::sync_data(self)
    }
}

/// Bytes of the file's one line: `assent-head 1 SEQ MAC\n`, fixed, so that it is replaced by one write.
const LENGTH: usize = 12 + 2 + 20 + 1 + 64 + 1;

impl HeadFile {
    /// The head's path for the data folder whose real path is `data`.
    #[must_use]
    pub fn path(state: &Path, data: &Path) -> PathBuf {
        let name: String = Sha256::digest(data.as_os_str().as_encoded_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        state.join(format!("audit-head-{name}"))
    }

    /// Opens the file, creating it empty.
    ///
    /// # Errors
    /// What the OS says.
    pub fn open(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        Ok(Self { path, file: Box::new(file) })
    }

    /// The same head with another file layer under it.
    #[cfg(test)]
    pub(super) fn over(self, layer: impl FnOnce(Box<dyn Backing>) -> Box<dyn Backing>) -> Self {
        Self { path: self.path, file: layer(self.file) }
    }

    /// Where it is.
    #[must_use]
    pub fn location(&self) -> &Path {
        &self.path
    }

    /// What it says; `None` while it is empty.
    ///
    /// # Errors
    /// What the OS says, or that the content isn't a head.
    pub fn read(&mut self) -> io::Result<Option<Head>> {
        let mut line = [0_u8; LENGTH + 1];
        let mut filled = 0;
        self.file.seek(SeekFrom::Start(0))?;
        while let Some(rest) = line.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.file.read(rest)? {
                0 => break,
                count => filled += count,
            }
        }
        let text = line.get(..filled).unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        std::str::from_utf8(text).ok().and_then(parse).map(Some).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{} is no audit head", self.path.display()))
        })
    }

    /// Moves it forward under a cross-process lock; never backwards. `sync` makes it durable.
    ///
    /// # Errors
    /// What the OS says.
    pub fn advance(&mut self, head: Head, sync: bool) -> io::Result<()> {
        self.file.lock()?;
        let moved = self.advance_locked(head, sync);
        let unlocked = self.file.unlock();
        moved.and(unlocked)
    }

    fn advance_locked(&mut self, head: Head, sync: bool) -> io::Result<()> {
        if self.read()?.is_none_or(|current| current.seq < head.seq) {
            let line = format!("assent-head 1 {:020} {}\n", head.seq, head.mac.to_hex());
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(line.as_bytes())?;
        }
        if sync { self.file.sync_data() } else { Ok(()) }
    }
}

/// Reads the head at `path` without creating or locking anything; `None` where there is no file or it is empty.
///
/// # Errors
/// What the OS says, or that the content isn't a head.
pub fn read_head(path: &Path) -> io::Result<Option<Head>> {
    match fs::read_to_string(path) {
        Ok(text) if text.is_empty() => Ok(None),
        Ok(text) => parse(&text).map(Some).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{} is no audit head", path.display()))
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn parse(text: &str) -> Option<Head> {
    if text.len() != LENGTH {
        return None;
    }
    let (seq, mac) = text.strip_prefix("assent-head 1 ")?.strip_suffix('\n')?.split_once(' ')?;
    Some(Head { seq: seq.parse().ok().filter(|seq| *seq >= 0)?, mac: Mac::from_hex(mac)? })
}

#[cfg(test)]
mod tests;
