//! From what was decided about a call to what its command is confined to.

use super::approved::Approved;
use super::git_config;
use super::survey::Survey;
use super::toolchains::Toolchains;
use crate::facts::is_git_folder;
use assent_policy::{Evaluation, Facts, Needs, Os, PathFact, Profile};
use assent_sandbox::{Confinement, Level, Replacement};
use std::path::{Path, PathBuf};

/// Everything a confinement is made from.
#[derive(Debug)]
pub struct Inputs<'a> {
    /// The workspace's real path.
    pub workspace: &'a Path,
    /// The profile the call was judged for.
    pub profile: Profile,
    /// What it asked for beyond that, and got.
    pub needs: &'a Needs,
    /// How it was judged.
    pub evaluation: &'a Evaluation,
    /// What was found when it was judged.
    pub facts: &'a Facts,
    /// What the workspace holds.
    pub survey: &'a Survey,
    /// What builds need from outside.
    pub toolchains: &'a Toolchains,
    /// Whether the self-test found less than the profiles promise, and the person was told so.
    pub best_effort: bool,
}

/// Why a permitted call can't be confined as it was judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// The profile isn't one for processes.
    #[error("the call was not judged as a process")]
    NoProcess,
    /// A further path was not looked up when it was judged.
    #[error("`{0}` was not resolved when the call was judged")]
    Unresolved(String),
}

const OS: Os = if cfg!(windows) {
    Os::Windows
} else if cfg!(target_os = "macos") {
    Os::Macos
} else {
    Os::Linux
};

/// The level of a profile.
///
/// # Errors
/// For a profile that isn't one for processes.
pub fn level(profile: Profile) -> Result<Level, ProfileError> {
    match profile {
        Profile::ReadOnly => Ok(Level::ReadOnly),
        Profile::WorkspaceWrite => Ok(Level::WorkspaceWrite),
        Profile::Unsandboxed => Ok(Level::Unsandboxed),
        Profile::InProcess => Err(ProfileError::NoProcess),
    }
}

/// The confinement of a permitted call: its profile, plus exactly what was shown and approved.
///
/// # Errors
/// When what was judged doesn't say what to confine to.
pub fn confinement(inputs: &Inputs<'_>) -> Result<Confinement, ProfileError> {
    let mut confinement = Confinement::new(level(inputs.profile)?, inputs.workspace);
    confinement.best_effort = inputs.best_effort;
    confinement.hosts.clone_from(&inputs.needs.hosts);
    confinement.listen.clone_from(&inputs.needs.listen);
    confinement.read = resolved(&inputs.needs.read, inputs)?;
    confinement.write = resolved(&inputs.needs.write, inputs)?;
    let written = Approved::to_be_written(inputs.evaluation);
    let read = Approved::to_be_read(inputs.evaluation);
    guard(&mut confinement, inputs.survey, inputs.toolchains, &written, &read);
    Ok(confinement)
}

/// The confinement of a program that writes the workspace and that nobody approved anything further for.
#[must_use]
pub fn of_workspace(workspace: &Path, survey: &Survey, toolchains: &Toolchains) -> Confinement {
    let mut confinement = Confinement::new(Level::WorkspaceWrite, workspace);
    let nothing = Approved::default();
    guard(&mut confinement, survey, toolchains, &nothing, &nothing);
    confinement
}

/// Adds what builds need, and takes away what is protected or sensitive and wasn't approved.
fn guard(
    confinement: &mut Confinement,
    survey: &Survey,
    toolchains: &Toolchains,
    written: &Approved,
    read: &Approved,
) {
    confinement.toolchains.clone_from(&toolchains.programs);
    confinement.overlays.clone_from(&toolchains.caches);
    for path in &survey.protected {
        if written.covers(path) || written.opens_repository(path) {
            // The repository may be written, what runs programs in it may not.
            confinement.protected.extend(kept_in_repository(path));
        } else if written.reaches_into(path) {
            // One of its files may be written, its neighbours may not. A mount of its own keeps the folder in its
            // place: moved away, it would take its neighbours' protection along.
            confinement.write.extend(written.opened_in(path));
            confinement.protected.extend(written.beside(path));
        } else {
            confinement.protected.push(path.clone());
        }
    }
    let blocked = survey.blocked(&confinement.workspace);
    confinement.protected.extend(blocked.filter(|path| !written.covers(path) && !written.reaches_into(path)));
    for path in &survey.sensitive {
        if read.covers(path) {
            continue;
        }
        if read.reaches_into(path) {
            confinement.hidden.extend(read.beside(path));
            continue;
        }
        match sanitised_copy(path) {
            Some(content) => confinement.replaced.push(Replacement { path: path.clone(), content }),
            None => confinement.hidden.push(path.clone()),
        }
    }
    confinement.hidden.extend(toolchains.secrets.iter().cloned());
}

/// The real paths behind further paths, as they were judged.
fn resolved(written: &[String], inputs: &Inputs<'_>) -> Result<Vec<PathBuf>, ProfileError> {
    let folder = inputs.workspace.to_string_lossy();
    let real = |path: &String| {
        let unresolved = || ProfileError::Unresolved(path.clone());
        let key = assent_policy::path::join(path, &folder, OS).map_err(|_| unresolved())?;
        match inputs.facts.paths.get(&key) {
            Some(PathFact::Resolved(found)) => Ok(PathBuf::from(&found.real)),
            Some(PathFact::Unresolvable { .. }) | None => Err(unresolved()),
        }
    };
    written.iter().map(real).collect()
}

/// What stays protected in a git folder that may be written: what configures git, and what git runs.
fn kept_in_repository(gitdir: &Path) -> Vec<PathBuf> {
    const KEPT: &[&str] = &["config", "config.worktree", "hooks", "info"];
    if gitdir.file_name().is_none_or(|name| name != ".git") && !is_git_folder(gitdir) {
        return Vec::new();
    }
    let mut folders = vec![gitdir.to_owned()];
    let modules = gitdir.join("modules");
    // Submodules' own folders, at any depth.
    let mut waiting = vec![modules];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let path = entry.path();
            if path.join("HEAD").exists() {
                folders.push(path.clone());
                waiting.push(path.join("modules"));
            } else {
                waiting.push(path);
            }
        }
    }
    folders.iter().flat_map(|folder| KEPT.iter().map(move |name| folder.join(name))).collect()
}

/// What a command reads instead of a repository's configuration.
fn sanitised_copy(path: &Path) -> Option<Vec<u8>> {
    let name = path.file_name()?;
    let of_git =
        path.components().any(|part| part.as_os_str() == ".git") || path.parent().is_some_and(is_git_folder);
    let plain = path.symlink_metadata().is_ok_and(|data| data.is_file());
    if !(of_git && plain && (name == "config" || name == "config.worktree")) {
        return None;
    }
    let content = std::fs::read(path).ok()?;
    Some(git_config::sanitised(&String::from_utf8_lossy(&content)).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use assent_policy::{Access, Behavior, Reason, Risk, RiskKind, RiskLevel, Source, Touched};
    use std::collections::BTreeSet;

    fn evaluation(touches: &[(&str, Access)]) -> Evaluation {
        Evaluation {
            behavior: Behavior::Allow,
            source: Source::DEFAULT,
            reason: Reason::new("A test."),
            verdicts: Vec::new(),
            risk: Risk::new(RiskLevel::Low, RiskKind::Reads),
            error_code: None,
            touches: touches
                .iter()
                .map(|(path, access)| Touched {
                    path: (*path).to_owned(),
                    access: *access,
                    protected: true,
                    sensitive: true,
                })
                .collect(),
            hosts: Vec::new(),
            profile: Profile::WorkspaceWrite,
            inquiries: BTreeSet::new(),
        }
    }

    fn confined(touches: &[(&str, Access)]) -> Confinement {
        let survey = Survey {
            protected: ["/w/.git", "/w/.vscode"].map(PathBuf::from).into(),
            sensitive: ["/w/.env", "/w/.git/config"].map(PathBuf::from).into(),
            repositories: [PathBuf::from("/w")].into(),
            ..Survey::default()
        };
        confined_in(Path::new("/w"), &survey, touches)
    }

    fn confined_in(workspace: &Path, survey: &Survey, touches: &[(&str, Access)]) -> Confinement {
        confinement(&Inputs {
            workspace,
            profile: Profile::WorkspaceWrite,
            needs: &Needs::default(),
            evaluation: &evaluation(touches),
            facts: &Facts::default(),
            survey,
            toolchains: &Toolchains::default(),
            best_effort: false,
        })
        .unwrap()
    }

    fn has(paths: &[PathBuf], path: &str) -> bool {
        paths.iter().any(|known| known == Path::new(path))
    }

    /// R50: what nobody approved stays closed.
    #[test]
    fn by_default_all_is_protected_and_hidden() {
        let confined = confined(&[]);
        assert!(has(&confined.protected, "/w/.git") && has(&confined.protected, "/w/.vscode"));
        assert!(has(&confined.hidden, "/w/.env"));
        assert!(has(&confined.protected, "/w/.npmrc"), "a name that must not come to be");
    }

    /// R50: an approved git command writes the repository, not what configures it.
    #[test]
    fn an_approved_repository_keeps_its_configuration_closed() {
        let confined = confined(&[("/w/.git", Access::Write)]);
        assert!(!has(&confined.protected, "/w/.git"));
        for kept in ["/w/.git/config", "/w/.git/hooks", "/w/.git/info", "/w/.vscode"] {
            assert!(has(&confined.protected, kept), "{kept}");
        }
    }

    /// R50: reading what was approved for reading doesn't open it for writing.
    #[test]
    fn an_approved_read_is_no_write() {
        let confined = confined(&[("/w/.vscode", Access::Read), ("/w/.env", Access::Read)]);
        assert!(has(&confined.protected, "/w/.vscode"));
        assert!(!has(&confined.hidden, "/w/.env"));
    }

    /// R50: one file of a folder was approved, not its neighbours; starting it is no writing.
    #[test]
    fn an_approved_file_opens_no_neighbour() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in [
            ".vscode/settings.json",
            ".vscode/tasks.json",
            ".vscode/deep/a",
            ".aws/config",
            ".aws/credentials",
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "x").unwrap();
        }
        let found = crate::process::survey::survey(&root).unwrap();
        let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
        let touches = [(".vscode/settings.json", Access::Write), (".aws/config", Access::Read)];
        let touches = touches.map(|(name, access)| (path(name), access));
        let touches = touches.each_ref().map(|(name, access)| (name.as_str(), *access));
        let confined = confined_in(&root, &found, &touches);
        assert!(!has(&confined.protected, &path(".vscode")), "the folder takes the new file");
        for (name, is_kept) in
            [(".vscode/settings.json", false), (".vscode/tasks.json", true), (".vscode/deep", true)]
        {
            assert_eq!(has(&confined.protected, &path(name)), is_kept, "{name}");
        }
        assert_eq!(confined.write, [root.join(".vscode")]);
        for (name, is_hidden) in [(".aws", false), (".aws/config", false), (".aws/credentials", true)] {
            assert_eq!(has(&confined.hidden, &path(name)), is_hidden, "{name}");
        }
        let started = confined_in(&root, &found, &[(&path(".vscode/settings.json"), Access::Execute)]);
        assert!(has(&started.protected, &path(".vscode")));
    }
}
