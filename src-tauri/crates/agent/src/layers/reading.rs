//! Reading a policy file: absent, a text, or something that can't be trusted to be one.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Largest policy file, in bytes.
const MAX_FILE: u64 = 1024 * 1024;

/// Whether the owner of the managed file is checked on this system. Where it isn't, that file only tightens.
pub(super) const MANAGED_IS_VERIFIED: bool = cfg!(unix);

/// What was found at a policy file's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileText {
    /// Nothing.
    Absent,
    /// A text.
    Text(String),
    /// Something that is no policy file, with the reason.
    Unusable(String),
}

impl FileText {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Absent | Self::Unusable(_) => None,
        }
    }

    /// What stands for it in the policy version.
    pub(super) fn digest(&self) -> String {
        match self {
            Self::Absent => "absent".to_owned(),
            Self::Text(text) => super::sha256(text.as_bytes()),
            Self::Unusable(why) => format!("unusable: {why}"),
        }
    }
}

/// Reads a policy file.
pub(super) fn file(path: &Path) -> FileText {
    read(path, |_| Ok(()))
}

/// Reads the administrator's file, which nobody else may be able to change.
pub(super) fn managed(path: &Path) -> FileText {
    if let Some(folder) = path.parent() {
        match fs::metadata(folder) {
            Ok(metadata) => {
                if let Err(why) = belongs_to_administrator(&metadata) {
                    return match fs::symlink_metadata(path) {
                        Err(error) if error.kind() == io::ErrorKind::NotFound => FileText::Absent,
                        Ok(_) | Err(_) => FileText::Unusable(format!("its folder {why}")),
                    };
                }
            }
            Err(error) if is_absence(&error) => return FileText::Absent,
            Err(error) => return FileText::Unusable(format!("its folder can't be looked at: {error}")),
        }
    }
    read(path, |metadata| belongs_to_administrator(metadata).map_err(|why| format!("it {why}")))
}

fn read(path: &Path, check: impl Fn(&Metadata) -> Result<(), String>) -> FileText {
    // Looked at before it is opened: a pipe would wait for a writer.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return FileText::Unusable("it is not a file".to_owned()),
        Ok(_) => {}
        Err(error) if is_absence(&error) && fs::symlink_metadata(path).is_err() => return FileText::Absent,
        Err(error) => return FileText::Unusable(format!("it can't be looked at: {error}")),
    }
    let read = || -> Result<String, String> {
        let file = File::open(path).map_err(|error| format!("it can't be opened: {error}"))?;
        let metadata = file.metadata().map_err(|error| format!("it can't be looked at: {error}"))?;
        check(&metadata)?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| format!("it can't be read: {error}"))?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_FILE) {
            return Err("it is larger than 1 MiB".to_owned());
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    };
    read().map_or_else(FileText::Unusable, FileText::Text)
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether only the administrator can change it: owned by root, not writable by group or others.
#[cfg(unix)]
fn belongs_to_administrator(metadata: &Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    if metadata.uid() != 0 {
        return Err(format!("belongs to user {}, not to root", metadata.uid()));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err("can be written by others than root".to_owned());
    }
    Ok(())
}

/// The owner is not looked up here; [`MANAGED_IS_VERIFIED`] says so.
#[cfg(not(unix))]
fn belongs_to_administrator(_metadata: &Metadata) -> Result<(), String> {
    Ok(())
}
