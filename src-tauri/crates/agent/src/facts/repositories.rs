//! The repository git would find from a folder, and whether anything in it could run a program. git is never started to
//! find out: its configuration is what decides what starting it would do.

use super::{git_config, git_index};
use assent_policy::{Context, RepositoryFact, TrackedFact, path};
use std::fs;
use std::path::{Path, PathBuf};

/// Sub-projects inside sub-projects that are followed.
const MAX_DEPTH: usize = 4;
/// Largest index that is read, in bytes.
const MAX_INDEX: u64 = 128 * 1024 * 1024;
/// Largest configuration that is read, in bytes.
const MAX_CONFIG: u64 = 1024 * 1024;
/// Hooks that commands which only look may start (githooks(5)).
const HOOKS: &[&str] = &["post-index-change", "fsmonitor-watchman"];

/// Looks for the repository as git does: a `.git` folder or file, or a bare repository, here or in a folder above.
pub(super) fn look_up(key: &str, context: &Context) -> RepositoryFact {
    let Ok(folder) = Path::new(key).canonicalize() else { return RepositoryFact::None };
    match discover(&folder) {
        None => RepositoryFact::None,
        Some(Discovery::Unclear { at, why }) => dangerous(&at, why),
        Some(Discovery::Found { gitdir, worktree }) => {
            match inspect(&gitdir, worktree.as_deref(), context, 0) {
                Ok(secret) => RepositoryFact::Plain { gitdir: text(&gitdir), secret },
                Err(why) => dangerous(&gitdir, why),
            }
        }
    }
}

/// What the repository tracks that git would find from `key`; nothing where there is none.
pub(super) fn tracked(key: &str, context: &Context) -> TrackedFact {
    let unknown = |root: &Path| TrackedFact { root: text(root), incomplete: true, ..TrackedFact::default() };
    let found = Path::new(key).canonicalize().ok().and_then(|folder| discover(&folder));
    let (gitdir, worktree) = match found {
        Some(Discovery::Found { gitdir, worktree: Some(worktree) }) => (gitdir, worktree),
        // Without a folder of files there is no index that could say it.
        Some(Discovery::Found { gitdir, worktree: None }) => {
            return TrackedFact { root: text(&gitdir), ..TrackedFact::default() };
        }
        Some(Discovery::Unclear { at, .. }) => return unknown(&at),
        None => return TrackedFact { root: key.to_owned(), ..TrackedFact::default() },
    };
    let index = gitdir.join("index");
    let bytes = match fs::metadata(&index) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_INDEX => fs::read(&index).ok(),
        Ok(_) => None,
        Err(_) => return TrackedFact { root: text(&worktree), ..TrackedFact::default() },
    };
    let sha256 = uses_sha256(&gitdir);
    let Some(files) = bytes.and_then(|bytes| git_index::files(&bytes, sha256).ok()) else {
        return unknown(&worktree);
    };
    let root = text(&worktree);
    let is_secret = |file: &&String| path::classify(&format!("{root}/{file}"), context).sensitive;
    let sensitive = files.iter().filter(is_secret).cloned().collect();
    TrackedFact { root, files, sensitive, incomplete: false }
}

/// Whether object names are longer ones, as the shared configuration says.
fn uses_sha256(gitdir: &Path) -> bool {
    let common = small_text(&gitdir.join("commondir"))
        .and_then(|text| gitdir.join(text.trim()).canonicalize().ok())
        .unwrap_or_else(|| gitdir.to_owned());
    let settings = read_config(&common.join("config")).ok().flatten().unwrap_or_default();
    settings.iter().any(is_sha256)
}

fn is_sha256(setting: &git_config::Setting) -> bool {
    setting.key == "objectformat" && setting.value == "sha256"
}

enum Discovery {
    Found { gitdir: PathBuf, worktree: Option<PathBuf> },
    Unclear { at: PathBuf, why: String },
}

fn discover(folder: &Path) -> Option<Discovery> {
    for ancestor in folder.ancestors() {
        let dot_git = ancestor.join(".git");
        match fs::symlink_metadata(&dot_git) {
            Ok(metadata) if metadata.is_file() => {
                return Some(match pointed_at(&dot_git) {
                    Some(gitdir) => Discovery::Found { gitdir, worktree: Some(ancestor.to_owned()) },
                    None => {
                        Discovery::Unclear { at: dot_git, why: "its .git file can't be followed".to_owned() }
                    }
                });
            }
            Ok(metadata) if metadata.is_symlink() => {
                return Some(Discovery::Unclear { at: dot_git, why: "its .git is a link".to_owned() });
            }
            Ok(_) if is_git_folder(&dot_git) => {
                return Some(Discovery::Found { gitdir: dot_git, worktree: Some(ancestor.to_owned()) });
            }
            Ok(_) | Err(_) => {}
        }
        if is_git_folder(ancestor) {
            return Some(Discovery::Found { gitdir: ancestor.to_owned(), worktree: None });
        }
    }
    None
}

/// What git takes for a repository: `HEAD`, `objects` and `refs` (or where they are shared).
pub(crate) fn is_git_folder(folder: &Path) -> bool {
    let has = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

/// The folder that a `.git` file names.
fn pointed_at(file: &Path) -> Option<PathBuf> {
    let text = small_text(file)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    file.parent()?.join(target).canonicalize().ok().filter(|gitdir| is_git_folder(gitdir))
}

fn small_text(file: &Path) -> Option<String> {
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > 64 * 1024 {
        return None;
    }
    fs::read_to_string(file).ok()
}

/// Whether the repository's configuration holds a secret.
///
/// # Errors
/// The first thing that could run a program, or that isn't understood, in words.
fn inspect(gitdir: &Path, worktree: Option<&Path>, context: &Context, depth: usize) -> Result<bool, String> {
    if depth > MAX_DEPTH {
        return Err("its sub-projects are nested too deeply".to_owned());
    }
    let common = match fs::symlink_metadata(gitdir.join("commondir")) {
        Err(_) => gitdir.to_owned(),
        Ok(_) => small_text(&gitdir.join("commondir"))
            .and_then(|text| gitdir.join(text.trim()).canonicalize().ok())
            .ok_or_else(|| "its shared folder can't be followed".to_owned())?,
    };
    for folder in [gitdir, &common] {
        if !is_inside(folder, context) {
            return Err(format!("its folder {} is outside the workspace", text(folder)));
        }
    }
    let mut secret = false;
    let mut sha256 = false;
    for file in [common.join("config"), gitdir.join("config.worktree"), common.join("config.worktree")] {
        let settings = match read_config(&file)? {
            Some(settings) => settings,
            None => continue,
        };
        let verdict = git_config::judge(&settings);
        if let Some(danger) = verdict.danger {
            return Err(danger);
        }
        if let Some(elsewhere) = verdict.worktree {
            let real = gitdir.join(&elsewhere).canonicalize().ok();
            if real.is_none() || real.as_deref() != worktree {
                return Err("core.worktree is set".to_owned());
            }
        }
        secret |= verdict.secret;
        sha256 |= settings.iter().any(is_sha256);
    }
    if let Some(hook) =
        HOOKS.iter().find(|hook| fs::symlink_metadata(common.join("hooks").join(hook)).is_ok())
    {
        return Err(format!("the hook {hook} is there"));
    }
    if fs::symlink_metadata(common.join("objects/info/alternates")).is_ok() {
        return Err("it takes objects from another repository".to_owned());
    }
    if let Some(worktree) = worktree {
        secret |= sub_projects(gitdir, worktree, sha256, context, depth)?;
    }
    Ok(secret)
}

/// git looks into each sub-project that has a repository of its own.
fn sub_projects(
    gitdir: &Path,
    worktree: &Path,
    sha256: bool,
    context: &Context,
    depth: usize,
) -> Result<bool, String> {
    let index = gitdir.join("index");
    let Ok(metadata) = fs::metadata(&index) else { return Ok(false) };
    let shared = fs::read_dir(gitdir).ok().is_none_or(|mut entries| {
        entries.any(|entry| {
            entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with("sharedindex."))
        })
    });
    if shared || !metadata.is_file() || metadata.len() > MAX_INDEX {
        return Err("its index isn't understood".to_owned());
    }
    let bytes = fs::read(&index).map_err(|_| "its index can't be read".to_owned())?;
    let links = git_index::gitlinks(&bytes, sha256).map_err(|_| "its index isn't understood".to_owned())?;
    let mut secret = false;
    for link in links {
        let folder = worktree.join(&link);
        let dot_git = folder.join(".git");
        let Ok(metadata) = fs::symlink_metadata(&dot_git) else { continue };
        let found = if metadata.is_file() {
            pointed_at(&dot_git)
        } else {
            Some(dot_git).filter(|_| metadata.is_dir())
        };
        let Some(found) = found else { return Err(format!("the sub-project {link} can't be followed")) };
        let real = folder.canonicalize().map_err(|_| format!("the sub-project {link} can't be followed"))?;
        secret |= inspect(&found, Some(&real), context, depth + 1)
            .map_err(|why| format!("in the sub-project {link}, {why}"))?;
    }
    Ok(secret)
}

fn read_config(file: &Path) -> Result<Option<Vec<git_config::Setting>>, String> {
    let metadata = match fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Err("its configuration can't be read".to_owned()),
    };
    if !metadata.is_file() || metadata.len() > MAX_CONFIG {
        return Err("its configuration is no ordinary file".to_owned());
    }
    let bytes = fs::read(file).map_err(|_| "its configuration can't be read".to_owned())?;
    git_config::read(&bytes)
        .map(Some)
        .map_err(|error| format!("line {} of its configuration isn't understood", error.line))
}

fn is_inside(folder: &Path, context: &Context) -> bool {
    match path::classify(&text(folder), context).place {
        path::Place::Workspace | path::Place::ReadFolder => true,
        path::Place::Own | path::Place::System | path::Place::Outside => false,
    }
}

fn dangerous(gitdir: &Path, why: String) -> RepositoryFact {
    RepositoryFact::Dangerous { gitdir: text(gitdir), why }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::look_up;
    use crate::facts::sample_context;
    use assent_policy::RepositoryFact;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "init.defaultBranch=main", "-c", "user.name=a", "-c", "user.email=a@example.test"])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(folder)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn world() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("ws");
        fs::create_dir(&workspace).unwrap();
        git(&workspace, &["init", "-q"]);
        (folder, workspace)
    }

    fn fact(folder: &Path, workspace: &Path) -> RepositoryFact {
        look_up(folder.to_str().unwrap(), &sample_context(workspace.to_str().unwrap()))
    }

    fn is_plain(folder: &Path, workspace: &Path) -> bool {
        matches!(fact(folder, workspace), RepositoryFact::Plain { .. })
    }

    #[test]
    fn ordinary_repositories_are_plain() {
        let (_guard, workspace) = world();
        fs::create_dir(workspace.join("src")).unwrap();
        fs::write(workspace.join("a"), "x").unwrap();
        git(&workspace, &["add", "a"]);
        git(&workspace, &["commit", "-qm", "a"]);
        assert!(is_plain(&workspace, &workspace) && is_plain(&workspace.join("src"), &workspace));
        git(&workspace, &["worktree", "add", "-q", "tree"]);
        assert!(is_plain(&workspace.join("tree"), &workspace));
        git(&workspace, &["init", "-q", "--bare", "bare.git"]);
        assert!(is_plain(&workspace.join("bare.git"), &workspace));
        git(&workspace, &["update-index", "--index-version", "4"]);
        assert!(is_plain(&workspace, &workspace));
        git(&workspace, &["config", "remote.origin.url", "https://u:t@example.test/x.git"]);
        assert!(matches!(fact(&workspace, &workspace), RepositoryFact::Plain { secret: true, .. }));
    }

    /// Everything in a repository that could make `git status`, `diff` or `log` start a program.
    #[test]
    fn repositories_that_could_run_something() {
        for (name, key) in [
            ("monitor", "core.fsmonitor"),
            ("pager", "core.pager"),
            ("external", "diff.external"),
            ("driver", "diff.x.command"),
            ("textconv", "diff.x.textconv"),
            ("filter", "filter.x.clean"),
            ("ssh", "core.sshCommand"),
            ("hooks", "core.hooksPath"),
            ("gpg", "gpg.program"),
            ("alias", "alias.st"),
            ("include", "include.path"),
        ] {
            let (_guard, workspace) = world();
            git(&workspace, &["config", key, "./x.sh"]);
            assert!(!is_plain(&workspace, &workspace), "{name}");
        }
    }

    #[test]
    fn forms_that_hide_a_configuration() {
        let (_guard, workspace) = world();
        // A bare layout in an ordinary folder.
        git(&workspace, &["init", "-q", "--bare", "docs"]);
        git(&workspace.join("docs"), &["config", "core.fsmonitor", "./x.sh"]);
        assert!(is_plain(&workspace, &workspace) && !is_plain(&workspace.join("docs"), &workspace));
        // A .git file that leads outside.
        let outside = workspace.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        git(&outside, &["init", "-q"]);
        fs::create_dir(workspace.join("sub")).unwrap();
        fs::write(workspace.join("sub/.git"), "gitdir: ../../outside/.git\n").unwrap();
        assert!(!is_plain(&workspace.join("sub"), &workspace));
        // The repository around the workspace.
        let inner = outside.join("inner");
        fs::create_dir(&inner).unwrap();
        assert!(!is_plain(&inner, &inner));
        // A hook that a refreshed index starts.
        fs::write(workspace.join(".git/hooks/post-index-change"), "#!/bin/sh\n").unwrap();
        assert!(!is_plain(&workspace, &workspace));
    }

    #[test]
    fn sub_projects_count() {
        let (_guard, workspace) = world();
        let sub = workspace.join("sub");
        fs::create_dir(&sub).unwrap();
        git(&sub, &["init", "-q"]);
        git(&sub, &["commit", "-q", "--allow-empty", "-m", "x"]);
        git(&workspace, &["add", "sub"]);
        assert!(is_plain(&workspace, &workspace));
        git(&sub, &["config", "core.fsmonitor", "./x.sh"]);
        assert!(!is_plain(&workspace, &workspace));
        git(&workspace, &["update-index", "--index-version", "4"]);
        assert!(!is_plain(&workspace, &workspace));
    }

    #[test]
    fn no_repository() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        assert_eq!(fact(&workspace, &workspace), RepositoryFact::None);
    }

    /// R15: the index says what git may print, in every version it is written in.
    #[test]
    fn what_is_tracked() {
        let (_guard, workspace) = world();
        fs::create_dir_all(workspace.join("conf/deep")).unwrap();
        for file in ["a.txt", "conf/.env", "conf/deep/tls.key", "untracked.pem"] {
            fs::write(workspace.join(file), "x").unwrap();
        }
        git(&workspace, &["add", "-f", "a.txt", "conf"]);
        let root = workspace.to_str().unwrap();
        for version in ["2", "3", "4"] {
            git(&workspace, &["update-index", "--index-version", version]);
            let context = crate::facts::sample_context(root);
            let fact = super::tracked(workspace.join("conf").to_str().unwrap(), &context);
            assert_eq!(fact.root, root);
            assert!(fact.files.contains(&"a.txt".to_owned()) && !fact.incomplete, "{fact:?}");
            assert_eq!(fact.sensitive, ["conf/.env", "conf/deep/tls.key"]);
        }
        fs::write(workspace.join(".git/index"), "DIRC?").unwrap();
        let fact = super::tracked(root, &crate::facts::sample_context(root));
        assert!(fact.incomplete && fact.files.is_empty());
    }
}
