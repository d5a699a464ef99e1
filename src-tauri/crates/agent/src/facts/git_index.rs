//! The sub-projects in a repository's index: git looks into them when it shows a status. Format: gitformat-index(5).

/// Mode of an entry that is another repository.
const GITLINK: u32 = 0o160_000;
/// Bytes of an entry before its name, with a SHA-1 and with a SHA-256 object name.
const SHA1_ENTRY: usize = 62;
const SHA256_ENTRY: usize = 74;

/// Why an index can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the index")]
pub(super) struct IndexError;

/// The paths of sub-projects; at most 1000.
///
/// # Errors
/// When the format isn't one that is known.
pub(super) fn gitlinks(bytes: &[u8], sha256: bool) -> Result<Vec<String>, IndexError> {
    let version = word(bytes, 4).filter(|_| bytes.starts_with(b"DIRC")).ok_or(IndexError)?;
    let count = word(bytes, 8).ok_or(IndexError)?;
    if !(2..=4).contains(&version) {
        return Err(IndexError);
    }
    let fixed = if sha256 { SHA256_ENTRY } else { SHA1_ENTRY };
    let mut at = 12_usize;
    let mut name: Vec<u8> = Vec::new();
    let mut found = Vec::new();
    for _ in 0..count {
        let mode = word(bytes, at + 24).ok_or(IndexError)?;
        let flags = bytes.get(at + fixed - 2..at + fixed).ok_or(IndexError)?;
        let extended = version >= 3 && flags.first().is_some_and(|flags| flags & 0x40 != 0);
        let mut start = at + fixed + if extended { 2 } else { 0 };
        if version == 4 {
            let (strip, after) = varint(bytes, start).ok_or(IndexError)?;
            let keep = name.len().checked_sub(strip).ok_or(IndexError)?;
            name.truncate(keep);
            start = after;
        } else {
            name.clear();
        }
        let length =
            bytes.get(start..).and_then(|rest| rest.iter().position(|byte| *byte == 0)).ok_or(IndexError)?;
        name.extend_from_slice(bytes.get(start..start + length).ok_or(IndexError)?);
        let end = start + length;
        // Entries are padded with NULs to a multiple of eight, except in version 4.
        at = if version == 4 { end + 1 } else { at + ((end - at) / 8 + 1) * 8 };
        if mode & 0o170_000 == GITLINK {
            found.push(String::from_utf8(name.clone()).map_err(|_| IndexError)?);
            if found.len() > 1000 {
                return Err(IndexError);
            }
        }
    }
    Ok(found)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_be_bytes(four))
}

/// git's offset encoding, and the place behind it.
fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::gitlinks;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), version in 2_u8..5, sha256: bool) {
            let _ = gitlinks(&bytes, sha256);
            let mut headed = b"DIRC\0\0\0".to_vec();
            headed.push(version);
            headed.extend([0, 0, 0, 3]);
            headed.extend(bytes);
            let _ = gitlinks(&headed, sha256);
        }
    }
}
