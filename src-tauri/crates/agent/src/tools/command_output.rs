//! Where the whole output of a command is kept, and the name a model reads it by.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What such a name begins with.
const PREFIX: &str = "output:";

/// The call whose output `path` names, if it is such a name.
#[must_use]
pub fn call_of(path: &str) -> Option<&str> {
    path.strip_prefix(PREFIX).filter(|call| !call.is_empty())
}

/// The name under which a model reads the output of `call_id`.
#[must_use]
pub fn name(call_id: &str) -> String {
    format!("{PREFIX}{call_id}")
}

/// The file in `scratch`, a session's own folder, that keeps the output of `call_id`. Ids come from the
/// model's server and may hold anything, so the file's name is a hash.
#[must_use]
pub fn path(scratch: &Path, call_id: &str) -> PathBuf {
    let digest = Sha256::digest(call_id.as_bytes());
    let mut file = String::from("output/");
    for byte in digest.iter().take(16) {
        let _ = write!(file, "{byte:02x}");
    }
    scratch.join(file)
}
