//! What a repository's index tracks, sub-projects among it: git looks into them when it shows a status. Format: gitformat-index(5).

/// Mode of an entry that is another repository.
const GITLINK: u32 = 0o160_000;
/// Bytes of an entry before its name, with a SHA-1 and with a SHA-256 object name.
const SHA1_ENTRY: usize = 62;
const SHA256_ENTRY: usize = 74;
/// A name's length as its flags say it; the largest stands for any longer one.
const NAME_LENGTH: usize = 0xfff;
/// From so many entries on git reads with several threads, each from where a table in the index says (read-cache.c).
const THREADED: u32 = 20_000;

/// Why an index can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("read the index")]
pub(super) struct IndexError;

/// The paths of sub-projects; at most 1000.
///
/// # Errors
/// When the format isn't one that is known, or git could see other entries in it than are seen here.
pub(super) fn gitlinks(bytes: &[u8], sha256: bool) -> Result<Vec<String>, IndexError> {
    let mut found = Vec::new();
    entries(bytes, sha256, |mode, name| {
        if mode & 0o170_000 == GITLINK {
            found.push(String::from_utf8(name.to_vec()).map_err(|_| IndexError)?);
        }
        if found.len() > 1000 { Err(IndexError) } else { Ok(()) }
    })?;
    Ok(found)
}

/// The paths of all files, those that aren't Unicode with replacement characters.
///
/// # Errors
/// Those of [`gitlinks`].
pub(super) fn files(bytes: &[u8], sha256: bool) -> Result<Vec<String>, IndexError> {
    let mut found = Vec::new();
    entries(bytes, sha256, |mode, name| {
        if mode & 0o170_000 != GITLINK {
            found.push(String::from_utf8_lossy(name).into_owned());
        }
        Ok(())
    })?;
    Ok(found)
}

/// Hands each entry's mode and path to `each`.
fn entries(
    bytes: &[u8],
    sha256: bool,
    mut each: impl FnMut(u32, &[u8]) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let version = word(bytes, 4).filter(|_| bytes.starts_with(b"DIRC")).ok_or(IndexError)?;
    let count = word(bytes, 8).ok_or(IndexError)?;
    if !(2..=4).contains(&version) {
        return Err(IndexError);
    }
    if count >= THREADED && bytes.windows(4).any(|window| window == b"IEOT") {
        return Err(IndexError);
    }
    let fixed = if sha256 { SHA256_ENTRY } else { SHA1_ENTRY };
    let mut at = 12_usize;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let mode = word(bytes, at + 24).ok_or(IndexError)?;
        let flags = bytes.get(at + fixed - 2..at + fixed).ok_or(IndexError)?;
        let [high, low] = *flags else { return Err(IndexError) };
        let extended = high & 0x40 != 0;
        if extended && version < 3 {
            return Err(IndexError);
        }
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
        // git goes by this length, whatever the name holds.
        if name.len().min(NAME_LENGTH) != usize::from(u16::from_be_bytes([high, low])) & NAME_LENGTH {
            return Err(IndexError);
        }
        let end = start + length;
        // Entries are padded with NULs to a multiple of eight, except in version 4.
        at = if version == 4 { end + 1 } else { at + ((end - at) / 8 + 1) * 8 };
        each(mode, &name)?;
    }
    Ok(())
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
    use super::{GITLINK, gitlinks};
    use proptest::prelude::*;

    const FILE: u32 = 0o100_644;

    /// An entry of version 2 whose flags say `flags`.
    fn entry(mode: u32, name: &[u8], flags: u16) -> Vec<u8> {
        let mut bytes = vec![0; 24];
        bytes.extend(mode.to_be_bytes());
        bytes.extend([0; 32]);
        bytes.extend(flags.to_be_bytes());
        bytes.extend(name);
        let padding = 8 - bytes.len() % 8;
        bytes.extend(vec![0; padding]);
        bytes
    }

    fn index(version: u8, count: u32, entries: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0".to_vec();
        bytes.push(version);
        bytes.extend(count.to_be_bytes());
        bytes.extend(entries.concat());
        bytes.extend([0; 20]);
        bytes
    }

    #[test]
    fn sub_projects_are_listed() {
        let entries = [entry(FILE, b"a", 1), entry(GITLINK, b"lib/x", 5), entry(FILE, b"z", 1)];
        assert_eq!(gitlinks(&index(2, 3, &entries), false).unwrap(), ["lib/x"]);
        let long = entry(GITLINK, &[b'l'; 5000], 0xfff);
        assert_eq!(gitlinks(&index(2, 1, &[long]), false).unwrap(), ["l".repeat(5000)]);
    }

    /// What git would read otherwise than it looks is not read at all.
    #[test]
    fn entries_that_git_sees_otherwise_are_refused() {
        let hidden = entry(GITLINK, b"sub", 3);
        for (name, entries, count) in [
            ("a length that is too short", vec![entry(FILE, b"abc", 1), hidden.clone()], 2),
            ("a length that is too long", vec![entry(FILE, b"a", 9), hidden.clone()], 2),
            ("a length that is not the longest", vec![entry(FILE, &[b'l'; 5000], 0xffe), hidden.clone()], 2),
            ("an extended entry of version 2", vec![entry(FILE, b"\0\0a", 0x4001), hidden.clone()], 2),
            ("fewer entries than are named", vec![entry(FILE, b"a", 1)], 2),
        ] {
            assert!(gitlinks(&index(2, count, &entries), false).is_err(), "{name}");
        }
        let many = vec![entry(FILE, b"a", 1); 20_000];
        assert!(gitlinks(&index(2, 20_000, &many), false).is_ok());
        let mut table = index(2, 20_000, &many);
        table.extend(b"IEOT\0\0\0\x0c");
        assert!(gitlinks(&table, false).is_err(), "a table of places to read from");
    }

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
