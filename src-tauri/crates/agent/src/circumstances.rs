//! What a decision depends on beside the call, as it is at this moment: mode, trust, layers, sandbox (R18).

use crate::gate::Circumstances;
use crate::machine::Machine;
use crate::seen_sandbox::SeenSandbox;
use crate::workspace::Workspace;
use assent_policy::{Context, Mode, ProgramLookup, Rules, ShellTrust};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

/// Where the rules of all layers come from; read anew whenever a file changed.
pub trait PolicyLayers: Send + Sync {
    /// Everything that counts now. A file that can't be read is a problem inside the rules, which denies.
    fn snapshot(&self) -> PolicySnapshot;
}

/// The layers at one moment.
#[derive(Clone, Debug, Default)]
pub struct PolicySnapshot {
    /// All rules and grants that count.
    pub rules: Arc<Rules>,
    /// Folders that the user's or the managed file opened for reading.
    pub read_folders: Vec<String>,
    /// Digest of everything in it.
    pub version: String,
}

/// The circumstances of one session.
pub struct SessionCircumstances {
    machine: Arc<Machine>,
    workspace: Arc<Workspace>,
    layers: Arc<dyn PolicyLayers>,
    own_paths: Vec<String>,
    environment: Vec<String>,
    sandbox: SeenSandbox,
    session: String,
    state: RwLock<State>,
}

struct State {
    mode: Mode,
    trust: ShellTrust,
}

/// What [`SessionCircumstances`] is made of.
pub struct Fixed {
    /// The machine.
    pub machine: Arc<Machine>,
    /// The folder.
    pub workspace: Arc<Workspace>,
    /// The rules.
    pub layers: Arc<dyn PolicyLayers>,
    /// Our own folders and files, real paths.
    pub own_paths: Vec<PathBuf>,
    /// Names of the variables that commands get.
    pub environment: Vec<String>,
    /// What the self-test saw.
    pub sandbox: SeenSandbox,
    /// The session.
    pub session: String,
}

impl SessionCircumstances {
    /// The circumstances of a session that begins in `mode`.
    #[must_use]
    pub fn new(fixed: Fixed, mode: Mode, trust: ShellTrust) -> Self {
        let Fixed { machine, workspace, layers, own_paths, environment, sandbox, session } = fixed;
        let own_paths = own_paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Self {
            machine,
            workspace,
            layers,
            own_paths,
            environment,
            sandbox,
            session,
            state: RwLock::new(State { mode, trust }),
        }
    }

    /// The mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.state.read().unwrap_or_else(PoisonError::into_inner).mode
    }

    /// Changes the mode; counts for calls that wait, too. The caller has asked where it loosens, and records it.
    pub fn set_mode(&self, mode: Mode) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).mode = mode;
    }

    /// Whether the shell may be used here.
    #[must_use]
    pub fn trust(&self) -> ShellTrust {
        self.state.read().unwrap_or_else(PoisonError::into_inner).trust
    }

    /// Changes it; the caller has asked where it loosens, and records it.
    pub fn set_trust(&self, trust: ShellTrust) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).trust = trust;
    }

    /// Whether `tool` is kept from the model altogether: denied by name, or shell where it may not be used (R20).
    #[must_use]
    pub fn hides(&self, tool: &str) -> bool {
        let no_shell = tool == "shell" && self.trust() != ShellTrust::Trusted;
        no_shell || self.layers.snapshot().rules.hidden_tools().contains(&tool)
    }
}

impl Circumstances for SessionCircumstances {
    fn current(&self) -> Result<(Context, Arc<Rules>), String> {
        let root = self.workspace.root();
        let spelled = self.workspace.spelled();
        // A folder that was moved or replaced under its path is not the one that was opened.
        let now = spelled
            .canonicalize()
            .map_err(|error| format!("The workspace {} can't be reached: {error}.", spelled.display()))?;
        if now != root {
            return Err(format!(
                "The workspace {} leads to another folder since it was opened.",
                spelled.display()
            ));
        }
        let snapshot = self.layers.snapshot();
        let workspace =
            root.to_str().ok_or_else(|| "The workspace's path is not UTF-8.".to_owned())?.to_owned();
        let alias =
            spelled.to_str().filter(|path| spelled.is_absolute() && *path != workspace).map(str::to_owned);
        let context = Context {
            os: self.machine.os,
            shell: self.machine.shell,
            mode: self.mode(),
            workspace,
            workspace_aliases: alias.into_iter().collect(),
            home: self.machine.home.to_string_lossy().into_owned(),
            own_paths: self.own_paths.clone(),
            read_folders: snapshot.read_folders,
            sandbox: self.sandbox.state(),
            shell_trust: self.trust(),
            search_path: self.machine.search_path.clone(),
            programs: ProgramLookup::Search,
            environment: self.environment.clone(),
            user: self.machine.user.clone(),
            session: self.session.clone(),
            policy_version: snapshot.version,
        };
        Ok((context, snapshot.rules))
    }
}
