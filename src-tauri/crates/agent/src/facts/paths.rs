//! What a path really is: every link followed on disk, part by part, nothing opened but a file to be hashed.

use super::identity;
use super::repositories::is_git_folder;
use assent_policy::{Context, FileKind, Os, PathFact, Resolved, path};
use sha2::{Digest as _, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

/// Links followed for one path before it counts as a loop (Linux's own limit, path_resolution(7)).
const MAX_LINKS: usize = 40;
/// Largest file whose content is hashed for the digest, in bytes; larger ones count by identity.
const HASH_LIMIT: u64 = 64 * 1024 * 1024;

/// Looks up the absolute path `key`, `..` included; `hash` says whether its content matters.
pub(super) fn look_up(key: &str, hash: bool, context: &Context) -> PathFact {
    if context.os == Os::Windows && !cfg!(windows) && !key.starts_with('/') {
        // A drive of another machine: nothing is there.
        return PathFact::Resolved(missing(path::lexical(key)));
    }
    match resolve(Path::new(key)) {
        Ok(found) => describe(&found, hash),
        Err(why) => PathFact::Unresolvable { why: why.to_string() },
    }
}

/// Where a path leads.
#[derive(Debug)]
struct Found {
    real: PathBuf,
    is_link: bool,
}

/// Why a path can't be resolved.
#[derive(Debug, thiserror::Error)]
enum ResolveError {
    #[error("its links form a loop")]
    Loop,
    #[error("a part of it can't be looked at ({0})")]
    Hidden(io::ErrorKind),
    #[error("it leads to another machine or device")]
    Foreign,
    #[error("it changed while it was looked up")]
    Changed,
}

/// Follows every link of `written`. Parts that don't exist are kept as written; `..` goes to the real parent.
fn resolve(written: &Path) -> Result<Found, ResolveError> {
    let mut rest: Vec<PathBuf> = parts_reversed(written);
    let mut current = PathBuf::new();
    let mut links = 0_usize;
    let mut is_link = false;
    while let Some(part) = rest.pop() {
        match part.components().next() {
            Some(Component::Prefix(_) | Component::RootDir) => current.push(&part),
            Some(Component::ParentDir) => {
                current.pop();
            }
            Some(Component::CurDir) | None => {}
            Some(Component::Normal(name)) => {
                let next = current.join(name);
                let target = link_target(&next)?;
                is_link |= target.is_some() && rest.is_empty() && links == 0;
                match target {
                    None => current = next,
                    Some(target) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(ResolveError::Loop);
                        }
                        if target.is_absolute() {
                            current = PathBuf::new();
                        }
                        rest.extend(parts_reversed(&target));
                    }
                }
            }
        }
    }
    Ok(Found { real: spelled_by_system(&current)?, is_link })
}

fn parts_reversed(path: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = path.components().map(|part| PathBuf::from(part.as_os_str())).collect();
    parts.reverse();
    parts
}

/// The target, if `path` is a link (or a junction).
fn link_target(path: &Path) -> Result<Option<PathBuf>, ResolveError> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_symlink() => {
            std::fs::read_link(path).map(Some).map_err(|error| ResolveError::Hidden(error.kind()))
        }
        Ok(_) => Ok(None),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                Ok(None)
            }
            other => Err(ResolveError::Hidden(other)),
        },
    }
}

/// The nearest existing ancestor as the system itself spells it (true case, long names), the rest as written.
fn spelled_by_system(path: &Path) -> Result<PathBuf, ResolveError> {
    for ancestor in path.ancestors() {
        match ancestor.canonicalize() {
            Ok(real) => {
                let real = without_verbatim_prefix(real)?;
                if cfg!(target_os = "linux") && real != ancestor {
                    return Err(ResolveError::Changed);
                }
                let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
                return Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) });
            }
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {}
                other => return Err(ResolveError::Hidden(other)),
            },
        }
    }
    Ok(path.to_owned())
}

/// `\\?\C:\x` as `C:\x`; a share or device behind a junction is nothing we touch.
fn without_verbatim_prefix(path: PathBuf) -> Result<PathBuf, ResolveError> {
    if !cfg!(windows) {
        return Ok(path);
    }
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if rest.get(1..2) == Some(":") => Ok(PathBuf::from(rest)),
        Some(_) => Err(ResolveError::Foreign),
        None => Ok(path),
    }
}

fn describe(found: &Found, hash: bool) -> PathFact {
    let Some(text) = found.real.to_str() else {
        return PathFact::Unresolvable { why: "its real name is not UTF-8".to_owned() };
    };
    let real = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
    let in_git_folder = found.real.ancestors().any(is_git_folder);
    let metadata = match std::fs::symlink_metadata(&found.real) {
        Ok(metadata) => metadata,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                    PathFact::Resolved(Resolved { is_link: found.is_link, in_git_folder, ..missing(real) })
                }
                other => PathFact::Unresolvable { why: format!("it can't be looked at ({other})") },
            };
        }
    };
    let file = kind_of(&metadata);
    let content = if hash && file == FileKind::Regular && metadata.len() <= HASH_LIMIT {
        match content_hash(&found.real, &metadata) {
            Ok(content) => content,
            Err(error) => {
                return PathFact::Unresolvable {
                    why: format!("its content can't be read ({})", error.kind()),
                };
            }
        }
    } else {
        None
    };
    let (identity, links) = match identity::of(&found.real, &metadata) {
        Ok(found) => found,
        Err(error) => {
            return PathFact::Unresolvable { why: format!("it can't be looked at ({})", error.kind()) };
        }
    };
    PathFact::Resolved(Resolved {
        real,
        file,
        identity: Some(identity),
        is_link: found.is_link,
        links: if file == FileKind::Regular { links } else { 1 },
        in_git_folder,
        content,
    })
}

/// The SHA-256 (hex) of the file at `path`, where it can be read and isn't larger than the limit.
pub(super) fn content_of(path: &Path) -> Option<String> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    let small = metadata.is_file() && metadata.len() <= HASH_LIMIT;
    small.then(|| content_hash(path, &metadata).ok()).flatten().flatten()
}

fn missing(real: String) -> Resolved {
    Resolved {
        real,
        file: FileKind::Missing,
        identity: None,
        is_link: false,
        links: 1,
        in_git_folder: false,
        content: None,
    }
}

fn kind_of(metadata: &Metadata) -> FileKind {
    let kind = metadata.file_type();
    if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_file() {
        FileKind::Regular
    } else {
        FileKind::Special
    }
}

/// The SHA-256 of the very file that was looked at; nothing where it can't be opened for reading by this user.
fn content_hash(path: &Path, expected: &Metadata) -> io::Result<Option<String>> {
    let mut file = match open_without_waiting(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
        Err(error) => return Err(error),
    };
    let opened = file.metadata()?;
    if !opened.is_file() || !identity::are_alike(&opened, expected) {
        return Err(io::Error::from(io::ErrorKind::StaleNetworkFileHandle));
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 128 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        let Some(read) = buffer.get(..count).filter(|read| !read.is_empty()) else { break };
        hasher.update(read);
    }
    Ok(Some(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

/// Opens `path` for reading: no link at its end is followed, and a FIFO that was put there can't block. Whoever opens
/// looks at what was opened, not at what stood there before.
///
/// # Errors
/// What the OS said.
#[cfg(unix)]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)
}

/// Opens `path` for reading.
///
/// # Errors
/// What the OS said.
#[cfg(not(unix))]
pub fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::{look_up, resolve};
    use crate::facts::sample_context;
    use assent_policy::{Context, FileKind, Os, PathFact, Resolved};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn world() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        fs::create_dir_all(format!("{root}/ws/src")).unwrap();
        fs::create_dir_all(format!("{root}/out/sub")).unwrap();
        fs::write(format!("{root}/ws/a.txt"), "hello").unwrap();
        (folder, root)
    }

    fn resolved(key: &str, hash: bool) -> Resolved {
        match look_up(key, hash, &sample_context("/ws")) {
            PathFact::Resolved(resolved) => resolved,
            PathFact::Unresolvable { why } => panic!("{key}: {why}"),
        }
    }

    /// R14
    #[test]
    fn links_and_parents_are_followed_on_disk() {
        let (_guard, root) = world();
        symlink(format!("{root}/out/sub"), format!("{root}/ws/drop")).unwrap();
        symlink(format!("{root}/out/created.txt"), format!("{root}/ws/dangling")).unwrap();
        symlink("../out", format!("{root}/ws/relative")).unwrap();
        symlink("a.txt", format!("{root}/ws/inside")).unwrap();
        for (key, real, file) in [
            ("ws/a.txt", "ws/a.txt", FileKind::Regular),
            ("ws/src/../a.txt", "ws/a.txt", FileKind::Regular),
            ("ws/drop/../x.txt", "out/x.txt", FileKind::Missing),
            ("ws/drop/x.txt", "out/sub/x.txt", FileKind::Missing),
            ("ws/dangling", "out/created.txt", FileKind::Missing),
            ("ws/relative/x", "out/x", FileKind::Missing),
            ("ws/missing/../../x", "x", FileKind::Missing),
            ("ws/new/deep/x", "ws/new/deep/x", FileKind::Missing),
            ("ws/inside", "ws/a.txt", FileKind::Regular),
            ("ws/src", "ws/src", FileKind::Directory),
        ] {
            let found = resolved(&format!("{root}/{key}"), false);
            assert_eq!((found.real.as_str(), found.file), (format!("{root}/{real}").as_str(), file), "{key}");
        }
        assert!(resolved(&format!("{root}/ws/inside"), false).is_link);
        assert!(!resolved(&format!("{root}/ws/a.txt"), false).is_link);
    }

    /// R14
    #[test]
    fn loops_end() {
        let (_guard, root) = world();
        symlink("b", format!("{root}/ws/a")).unwrap();
        symlink("a", format!("{root}/ws/b")).unwrap();
        assert!(resolve(Path::new(&format!("{root}/ws/a"))).is_err());
        symlink(".", format!("{root}/ws/dot")).unwrap();
        assert_eq!(resolved(&format!("{root}/ws/dot/dot/a.txt"), false).real, format!("{root}/ws/a.txt"));
    }

    /// R14: a pipe without a writer would block whoever opens it.
    #[test]
    fn special_files_are_recognised_without_opening_them() {
        let (_guard, root) = world();
        let pipe = std::ffi::CString::new(format!("{root}/ws/pipe")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(pipe.to_str().unwrap()).status().unwrap();
        assert!(made.success());
        let found = resolved(&format!("{root}/ws/pipe"), true);
        assert_eq!((found.file, found.content), (FileKind::Special, None));
        assert_eq!(resolved("/dev/zero", true).file, FileKind::Special);
    }

    /// R33
    #[test]
    fn content_and_links_are_counted() {
        let (_guard, root) = world();
        fs::hard_link(format!("{root}/ws/a.txt"), format!("{root}/out/twin")).unwrap();
        let found = resolved(&format!("{root}/ws/a.txt"), true);
        assert_eq!(found.links, 2);
        let sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        assert_eq!(found.content.as_deref(), Some(sha));
        assert_eq!(resolved(&format!("{root}/ws/a.txt"), false).content, None);
    }

    /// R16: a repository's own folder is known by what it holds, and so is what doesn't exist in it yet.
    #[test]
    fn git_folders_are_known_by_what_they_hold() {
        let (_guard, root) = world();
        for folder in
            ["ws/meta/objects", "ws/meta/refs", "ws/.git/objects", "ws/tree/refs", "ws/plain/objects"]
        {
            fs::create_dir_all(format!("{root}/{folder}")).unwrap();
        }
        for head in ["ws/meta", "ws/tree", "ws/plain"] {
            fs::write(format!("{root}/{head}/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        fs::write(format!("{root}/ws/tree/commondir"), "../meta\n").unwrap();
        for (path, expected) in [
            ("ws/meta", true),
            ("ws/meta/config", true),
            ("ws/meta/hooks/new/x", true),
            ("ws/tree/x", true),
            ("ws/plain/x", false),
            ("ws/.git/x", false),
            ("ws/a.txt", false),
            ("ws/meta/../a.txt", false),
        ] {
            assert_eq!(resolved(&format!("{root}/{path}"), false).in_git_folder, expected, "{path}");
        }
    }

    #[test]
    fn a_drive_of_another_machine_is_empty() {
        let context = Context { os: Os::Windows, ..sample_context("/ws") };
        let fact = look_up("C:/Windows/../x", true, &context);
        assert!(
            matches!(fact, PathFact::Resolved(found) if found.real == "C:/x" && found.file == FileKind::Missing)
        );
    }
}
