//! The policy files of all layers (R20): found, read whenever they changed, trusted or not.
//!
//! managed > user > project > session is an order of trust, not of strength: any layer's deny stands.

mod edit;
mod reading;
#[cfg(test)]
mod tests;
mod trust;

pub use edit::EditError;
pub use trust::{ProjectTrust, TrustError};

use crate::circumstances::{PolicyLayers, PolicySnapshot};
use crate::clock::{Clock, SystemClock, date};
use crate::machine::Machine;
use crate::places::Places;
use assent_policy::rule::{Grant, Layer, Rule, RuleFile, Rules};
use assent_policy::{Os, ShellKind, canonical_json};
use reading::FileText;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the files of the layers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerFiles {
    /// The administrator's; counts only where it belongs to the administrator.
    pub managed: PathBuf,
    /// The user's.
    pub user: PathBuf,
    /// The workspace's; only its ask and deny rules count until the user trusts that exact content.
    pub project: PathBuf,
    /// Which project files the user trusts; in the user's own folder.
    pub trust: PathBuf,
}

impl LayerFiles {
    /// The usual places for `workspace`, a real path.
    #[must_use]
    pub fn usual(places: &Places, workspace: &Path) -> Self {
        Self {
            managed: managed_file(),
            user: places.config.join("policy.toml"),
            project: workspace.join(".assent").join("policy.toml"),
            trust: places.config.join("trusted-projects.json"),
        }
    }

    /// The usual places where no workspace is open.
    #[must_use]
    pub fn without_workspace(places: &Places) -> Self {
        Self { project: PathBuf::new(), ..Self::usual(places, Path::new("")) }
    }
}

/// The administrator's policy file on this system.
#[must_use]
pub fn managed_file() -> PathBuf {
    if cfg!(windows) {
        let data =
            std::env::var_os("ProgramData").map_or_else(|| PathBuf::from(r"C:\ProgramData"), PathBuf::from);
        data.join("Assent").join("policy.toml")
    } else if cfg!(target_os = "macos") {
        PathBuf::from("/Library/Application Support/Assent/policy.toml")
    } else {
        PathBuf::from("/etc/assent/policy.toml")
    }
}

/// Takes the trust in the policy file of every project back, at once.
///
/// # Errors
/// When the record of it can't be removed.
pub fn distrust_projects(places: &Places) -> Result<(), TrustError> {
    trust::forget(&LayerFiles::without_workspace(places).trust).map_err(TrustError::TakeBack)
}

/// Our own folders and the administrator's file, as real as they are: hard denied to every tool.
#[must_use]
pub fn own_paths(places: &Places) -> Vec<PathBuf> {
    [&places.config, &places.data, &places.state, &managed_file()]
        .into_iter()
        .map(|path| real(path))
        .collect()
}

/// The nearest existing ancestor's real path, and the rest as written.
fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            return match path.strip_prefix(ancestor) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                Ok(_) | Err(_) => real,
            };
        }
    }
    path.to_owned()
}

/// The layers of one workspace.
pub struct Layers {
    files: LayerFiles,
    shell: ShellKind,
    os: Os,
    home: PathBuf,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    grants: Vec<Grant>,
    last: Option<(Texts, Arc<Snapshot>)>,
}

/// The bytes that a snapshot was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Texts {
    managed: FileText,
    user: FileText,
    project: FileText,
    trusted: Option<String>,
    grants: Vec<Grant>,
    /// The day, UTC: rules end with one.
    today: String,
}

/// All layers at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// All rules and grants that count; with a problem, they deny everything.
    pub rules: Arc<Rules>,
    /// Folders that the managed and the user's file opened for reading: absolute, real where they exist.
    pub read_folders: Vec<String>,
    /// SHA-256 (hex) over everything here that decides.
    pub version: String,
    /// What is wrong, and where.
    pub problems: Vec<Problem>,
    /// The workspace's file.
    pub project: ProjectTrust,
    /// Its allow rules that don't count because it isn't trusted.
    pub untrusted: Vec<Rule>,
}

/// A policy file that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its layer.
    pub layer: Layer,
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1, where the text is at fault.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(formatter, ", line {line}, column {column}")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

impl Layers {
    /// The layers of `files`; nothing is read yet. Examples in rules are read as the machine's shell would.
    #[must_use]
    pub fn new(files: LayerFiles, machine: &Machine) -> Self {
        Self {
            files,
            shell: machine.shell,
            os: machine.os,
            home: machine.home.clone(),
            clock: Arc::new(SystemClock),
            state: Mutex::default(),
        }
    }

    /// The same by another clock, which says when a rule has ended.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Where the files are.
    #[must_use]
    pub fn files(&self) -> &LayerFiles {
        &self.files
    }

    /// Everything that counts now. Reads the files each time, parses them only when a byte changed.
    #[must_use]
    pub fn current(&self) -> Arc<Snapshot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = Texts {
            managed: reading::managed(&self.files.managed),
            user: reading::file(&self.files.user),
            project: reading::file(&self.files.project),
            trusted: trust::trusted_digest(&self.files.trust, &self.files.project),
            grants: state.grants.clone(),
            today: date(self.clock.now_ms()),
        };
        if let Some((last, snapshot)) = &state.last
            && *last == texts
        {
            return Arc::clone(snapshot);
        }
        let snapshot = Arc::new(self.build(&texts));
        state.last = Some((texts, Arc::clone(&snapshot)));
        snapshot
    }

    /// Adds a grant for the rest of the session; the caller has asked.
    pub fn grant(&self, grant: Grant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.grants.contains(&grant) {
            state.grants.push(grant);
        }
    }

    /// Takes a grant back, at once.
    pub fn revoke(&self, grant: &Grant) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).grants.retain(|one| one != grant);
    }

    /// Trusts the project file as it is on disk now, if that is still `digest`; the caller has asked.
    ///
    /// # Errors
    /// When the file changed since it was shown, or the record can't be written.
    pub fn trust_project(&self, digest: &str) -> Result<(), TrustError> {
        match reading::file(&self.files.project) {
            FileText::Text(text) if sha256(text.as_bytes()) == digest => {
                trust::remember(&self.files.trust, &self.files.project, Some(digest))?;
                Ok(())
            }
            FileText::Text(_) | FileText::Absent | FileText::Unusable(_) => Err(TrustError::Changed),
        }
    }

    /// Takes the trust back, at once; whether there was any.
    ///
    /// # Errors
    /// When the record can't be written.
    pub fn distrust_project(&self) -> Result<bool, TrustError> {
        trust::remember(&self.files.trust, &self.files.project, None).map_err(TrustError::TakeBack)
    }

    /// Adds a `[[rules]]` table to the user's file; the caller has asked.
    ///
    /// # Errors
    /// When the file is broken, would be broken by the rule, or can't be written.
    pub fn add_rule(&self, table: &str) -> Result<(), EditError> {
        edit::add(&self.files.user, table, self.shell, self.os)
    }

    /// The names of the rules in the user's file that allow something, of those that have ended too.
    ///
    /// # Errors
    /// When the file is broken.
    pub fn user_allow_rules(&self) -> Result<Vec<String>, EditError> {
        edit::allowing(&self.files.user, self.shell, self.os)
    }

    /// Removes the rule called `name`, which allows something, from the user's file.
    ///
    /// # Errors
    /// When the file is broken, has no such rule, that rule asks or forbids, or it can't be written.
    pub fn remove_allow_rule(&self, name: &str) -> Result<(), EditError> {
        edit::remove(&self.files.user, name, self.shell, self.os)
    }

    fn build(&self, texts: &Texts) -> Snapshot {
        let mut problems = Vec::new();
        let mut parse = |layer, path: &Path, text: &FileText| match text {
            FileText::Absent => None,
            FileText::Unusable(why) => {
                problems.push(Problem { layer, path: path.to_owned(), place: None, message: why.clone() });
                None
            }
            FileText::Text(text) => match RuleFile::parse(text, layer, self.shell, self.os) {
                Ok(file) => Some(file),
                Err(error) => {
                    problems.push(Problem {
                        layer,
                        path: path.to_owned(),
                        place: Some((error.line, error.column)),
                        message: error.message,
                    });
                    None
                }
            },
        };
        let managed = parse(Layer::Managed, &self.files.managed, &texts.managed);
        let user = parse(Layer::User, &self.files.user, &texts.user);
        let project = parse(Layer::Project, &self.files.project, &texts.project);

        let content = texts.project.text().map(|text| (sha256(text.as_bytes()), text.to_owned()));
        let trusted =
            content.is_some() && content.as_ref().map(|(digest, _)| digest) == texts.trusted.as_ref();
        let read_folders: Vec<String> = managed
            .iter()
            .filter(|_| reading::MANAGED_IS_VERIFIED)
            .chain(&user)
            .flat_map(|file| &file.read_folders)
            .filter_map(|folder| self.real_folder(folder))
            .collect();
        let (project_trust, untrusted) = match (&project, content) {
            (_, None) => (ProjectTrust::Absent, Vec::new()),
            (Some(_), Some(_)) if trusted => (ProjectTrust::Trusted, Vec::new()),
            (file, Some((digest, content))) => {
                let rules = trust::loosening(file.as_ref());
                let loosens = rules.iter().map(|rule| rule.name.clone()).collect();
                (ProjectTrust::Untrusted { digest, content, loosens }, rules)
            }
        };
        let files = [(managed, reading::MANAGED_IS_VERIFIED), (user, true), (project, trusted)];
        let sound = files.into_iter().filter_map(|(file, trusted)| Some((file?, trusted)));
        let rules = Rules::new(sound, texts.grants.clone());
        let rules = problems.iter().fold(rules, |rules, problem| rules.with_problem(problem.to_string()));
        let ended: Vec<&str> = rules
            .rules()
            .iter()
            .filter(|rule| rule.has_expired(&texts.today))
            .map(|rule| rule.name.as_str())
            .collect();
        let version = sha256(
            canonical_json(&json!({
                "product": env!("CARGO_PKG_VERSION"),
                "managed": texts.managed.digest(),
                "user": texts.user.digest(),
                "project": texts.project.digest(),
                "trusted": trusted,
                "grants": texts.grants,
                "read_folders": read_folders,
                "ended": ended,
            }))
            .as_bytes(),
        );
        Snapshot {
            rules: Arc::new(rules.on(&texts.today)),
            read_folders,
            version,
            problems,
            project: project_trust,
            untrusted,
        }
    }

    /// A folder as written in a policy file: `~` expanded, links followed where it exists.
    fn real_folder(&self, written: &str) -> Option<String> {
        let folder = match written.strip_prefix('~') {
            Some(_) if self.home.as_os_str().is_empty() => return None,
            Some(rest) => self.home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(written),
        };
        Some(real(&folder).to_str()?.replace('\\', "/"))
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Layers").field("files", &self.files).finish_non_exhaustive()
    }
}

impl PolicyLayers for Layers {
    fn snapshot(&self) -> PolicySnapshot {
        let current = self.current();
        PolicySnapshot {
            rules: Arc::clone(&current.rules),
            read_folders: current.read_folders.clone(),
            version: current.version.clone(),
        }
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
