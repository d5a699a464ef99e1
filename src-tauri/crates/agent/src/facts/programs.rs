//! Which file runs under a name, and who could have put it there.

use super::identity;
use super::paths::content_of;
use assent_policy::{Context, ProgramFact, ProgramPlace, path};
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// Folders that belong to the system, where root alone may write.
const SYSTEM_FOLDERS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/opt",
    "/nix/store",
    "/snap",
    "/System",
    "/Library",
    "C:/Windows",
    "C:/Program Files",
];
/// Links followed from a name to its file.
const MAX_LINKS: usize = 16;

/// Looks up `key`: an absolute path, or a bare name along `PATH`.
pub(super) fn look_up(key: &str, context: &Context) -> ProgramFact {
    if key.contains('/') {
        return match executable(Path::new(key)) {
            Some((program, metadata)) => describe(program, &metadata, false, context),
            None => missing(),
        };
    }
    let mut exposed = false;
    for entry in &context.search_path {
        let candidate = Path::new(entry).join(key);
        let is_relative = !path::is_absolute(entry, context.os);
        if let Some((program, metadata)) = (!is_relative).then(|| executable(&candidate)).flatten() {
            return describe(program, &metadata, exposed, context);
        }
        // Whoever can write to an earlier folder decides what the name means.
        exposed |= is_relative || is_inside(entry, context) || others_can_write(Path::new(entry));
    }
    missing()
}

fn missing() -> ProgramFact {
    ProgramFact { found: None, real: None, place: ProgramPlace::Missing, identity: None, content: None }
}

fn describe(found: PathBuf, metadata: &Metadata, exposed: bool, context: &Context) -> ProgramFact {
    let Some((real, steps)) = followed(&found) else { return missing() };
    let text = |path: &Path| path.to_str().map(|text| text.replace('\\', "/"));
    let inside = steps.iter().any(|step| text(step).is_none_or(|step| is_inside(&step, context)));
    let place = if exposed || inside || steps.iter().any(|step| others_can_change(step, context)) {
        ProgramPlace::Untrusted
    } else if steps.iter().all(|step| is_system(step)) {
        ProgramPlace::System
    } else {
        ProgramPlace::User
    };
    ProgramFact {
        found: text(&found),
        real: text(&real),
        place,
        identity: identity::of(&real, metadata).ok().map(|(identity, _)| identity),
        content: if place == ProgramPlace::System { None } else { content_of(&real) },
    }
}

/// The real file, and every place on the way to it where a link could be changed.
fn followed(found: &Path) -> Option<(PathBuf, Vec<PathBuf>)> {
    let mut steps = vec![found.to_owned()];
    let mut current = found.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = std::fs::read_link(&current) else { break };
        current = current.parent()?.join(target);
        steps.push(current.clone());
    }
    let real = found.canonicalize().ok()?;
    steps.push(real.clone());
    Some((real, steps))
}

fn is_inside(path: &str, context: &Context) -> bool {
    let lexical = path::lexical(path);
    let real = Path::new(path).canonicalize().ok().and_then(|real| real.to_str().map(str::to_owned));
    std::iter::once(&context.workspace).chain(&context.workspace_aliases).any(|root| {
        path::contains(root, &lexical, context.os)
            || real.as_deref().is_some_and(|real| path::contains(root, real, context.os))
    })
}

/// Whether the file lies in a system folder, owned by root with every folder above it.
fn is_system(step: &Path) -> bool {
    let Ok(real) = step.canonicalize() else { return false };
    let in_folder = |path: &Path| SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder));
    // Debian's alternatives are links that root keeps in /etc.
    (in_folder(&real) && (in_folder(step) || step.starts_with("/etc/alternatives")))
        && real.ancestors().chain(step.ancestors()).all(belongs_to_root)
}

/// The program itself, if there is one at this path.
#[cfg(unix)]
fn executable(path: &Path) -> Option<(PathBuf, Metadata)> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = std::fs::metadata(path).ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0).then(|| (path.to_owned(), metadata))
}

/// The program itself, if there is one at this path, whose ending may be left out.
#[cfg(not(unix))]
fn executable(path: &Path) -> Option<(PathBuf, Metadata)> {
    let named = |path: PathBuf| {
        let metadata = std::fs::metadata(&path).ok().filter(Metadata::is_file)?;
        Some((path, metadata))
    };
    named(path.to_owned()).or_else(|| named(path.with_extension("exe")))
}

#[cfg(unix)]
fn belongs_to_root(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.uid() == 0 && metadata.mode() & 0o022 == 0)
}

#[cfg(not(unix))]
fn belongs_to_root(_path: &Path) -> bool {
    true
}

/// Whether somebody else than root or this user may replace the file.
#[cfg(unix)]
fn others_can_change(step: &Path, context: &Context) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = std::fs::metadata(&context.home).map_or(0, |metadata| metadata.uid());
    step.ancestors().any(|part| match std::fs::metadata(part) {
        // In a sticky folder others can't replace what isn't theirs.
        Ok(metadata) => {
            let writable = metadata.mode() & 0o002 != 0 && metadata.mode() & 0o1000 == 0;
            writable || metadata.uid() != 0 && metadata.uid() != owner
        }
        Err(_) => false,
    })
}

#[cfg(not(unix))]
fn others_can_change(_step: &Path, _context: &Context) -> bool {
    false
}

#[cfg(unix)]
fn others_can_write(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).is_ok_and(|metadata| metadata.mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn others_can_write(_folder: &Path) -> bool {
    false
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::look_up;
    use crate::facts::sample_context;
    use assent_policy::{Context, ProgramPlace};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn program(path: &str) {
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// R17: only a program that nobody else could have put there counts.
    #[test]
    fn who_could_have_put_it_there() {
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let root = folder.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        for name in ["ws", "home", "open", "ws/bin"] {
            fs::create_dir(format!("{root}/{name}")).unwrap();
        }
        program(&format!("{root}/ws/bin/ls"));
        program(&format!("{root}/home/tool"));
        fs::set_permissions(format!("{root}/open"), fs::Permissions::from_mode(0o777)).unwrap();
        symlink("/usr/bin/env", format!("{root}/ws/linked")).unwrap();
        symlink(format!("{root}/ws/bin/ls"), format!("{root}/home/alias")).unwrap();
        let with = |entries: &[&str]| Context {
            home: format!("{root}/home"),
            search_path: entries.iter().map(|entry| entry.replace('@', &root)).collect(),
            ..sample_context(&format!("{root}/ws"))
        };
        for (key, entries, place) in [
            ("env", vec!["/usr/bin", "/bin"], ProgramPlace::System),
            ("ls", vec!["@/ws/bin", "/usr/bin"], ProgramPlace::Untrusted),
            ("env", vec!["@/ws/bin", "/usr/bin"], ProgramPlace::Untrusted),
            ("env", vec!["@/open", "/usr/bin"], ProgramPlace::Untrusted),
            ("env", vec!["bin", "/usr/bin"], ProgramPlace::Untrusted),
            ("env", vec!["@/home", "/usr/bin"], ProgramPlace::System),
            ("tool", vec!["@/home", "/usr/bin"], ProgramPlace::User),
            ("alias", vec!["@/home", "/usr/bin"], ProgramPlace::Untrusted),
            ("no-such-program", vec!["/usr/bin"], ProgramPlace::Missing),
            ("@/ws/linked", vec!["/usr/bin"], ProgramPlace::Untrusted),
            ("/usr/bin/env", vec![], ProgramPlace::System),
        ] {
            let fact = look_up(&key.replace('@', &root), &with(&entries));
            assert_eq!(fact.place, place, "{key} in {entries:?}");
        }
        let user = look_up("tool", &with(&["@/home"]));
        assert!(user.content.is_some() && user.identity.is_some());
    }
}
