//! The circumstances a call is judged in: this machine, or another one as named on the command line.

use anyhow::{Context as _, bail};
use assent_agent::layers::{LayerFiles, Layers, ProjectTrust, Snapshot, own_paths};
use assent_agent::machine::Machine;
use assent_agent::places::Places;
use assent_agent::workspace::Workspace;
use assent_policy::rule::Layer;
use assent_policy::{Context, Mode, Os, ProgramLookup, Rules, SandboxState, ShellKind, ShellTrust};
use assent_sandbox::Sandbox;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where and for whom to judge.
#[derive(Debug, Args)]
pub struct StageArguments {
    /// The folder the agent works in; the current one by default
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// How much is asked
    #[arg(long, value_enum, default_value_t = ModeName::Balanced)]
    mode: ModeName,
    /// A policy file that stands in for the user's
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Whose rules for paths and programs hold; this system's by default
    #[arg(long, value_enum)]
    os: Option<OsName>,
    /// The shell that reads commands; the system's by default
    #[arg(long, value_enum)]
    shell: Option<ShellName>,
    /// Whether to judge as if the sandbox were in force
    #[arg(long, value_enum, default_value_t = SandboxName::Detected)]
    sandbox: SandboxName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeName {
    Strict,
    Balanced,
    Sandboxed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OsName {
    Linux,
    Macos,
    Windows,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShellName {
    Bash,
    Powershell,
    Cmd,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SandboxName {
    Detected,
    Available,
    None,
}

/// What calls are judged by.
pub(super) struct Stage {
    pub(super) context: Context,
    pub(super) rules: Arc<Rules>,
    /// One line a layer, for people.
    pub(super) layers: Vec<String>,
}

impl Stage {
    /// Looks at the machine and reads the policy files.
    pub(super) fn set(arguments: &StageArguments, places: &Places) -> anyhow::Result<Self> {
        let machine = Machine::detect();
        let os = arguments.os.map_or(machine.os, OsName::os);
        let shell = arguments.shell.map_or_else(|| usual_shell(os), ShellName::shell);
        let folder = match &arguments.workspace {
            Some(folder) => std::path::absolute(folder)?,
            None => std::env::current_dir()?,
        };
        let workspace = Workspace::open(&folder)?;
        let root = text_of(workspace.root())?;
        let spelled = text_of(workspace.spelled())?;

        let mut files = LayerFiles::usual(places, workspace.root());
        if let Some(policy) = &arguments.policy {
            if !policy.is_file() {
                bail!("read the policy file {}: no such file", policy.display());
            }
            files.user.clone_from(policy);
        }
        let judged_for = Machine { os, shell, ..machine.clone() };
        let layers = Layers::new(files, &judged_for);
        let snapshot = layers.current();
        // A broken project file denies every call in its folder; a broken file of one's own is bad configuration.
        if let Some(problem) = snapshot.problems.iter().find(|problem| problem.layer != Layer::Project) {
            bail!("read the policy file {problem}");
        }
        let context = Context {
            os,
            shell,
            mode: arguments.mode.mode(),
            workspace_aliases: if spelled == root { Vec::new() } else { vec![spelled] },
            workspace: root,
            home: text_of(&machine.home)?,
            own_paths: own_paths(places).iter().map(|path| text_of(path)).collect::<anyhow::Result<_>>()?,
            read_folders: snapshot.read_folders.clone(),
            sandbox: arguments.sandbox.state(os == machine.os),
            shell_trust: ShellTrust::Trusted,
            search_path: machine.search_path,
            programs: if os == machine.os { ProgramLookup::Search } else { ProgramLookup::Assumed },
            environment: Vec::new(),
            user: machine.user,
            session: "check".to_owned(),
            policy_version: snapshot.version.clone(),
        };
        let lines = describe(&layers, &snapshot);
        Ok(Self { context, rules: Arc::clone(&snapshot.rules), layers: lines })
    }
}

impl ModeName {
    fn mode(self) -> Mode {
        match self {
            Self::Strict => Mode::Strict,
            Self::Balanced => Mode::Balanced,
            Self::Sandboxed => Mode::Sandboxed,
        }
    }
}

impl OsName {
    fn os(self) -> Os {
        match self {
            Self::Linux => Os::Linux,
            Self::Macos => Os::Macos,
            Self::Windows => Os::Windows,
        }
    }
}

impl ShellName {
    fn shell(self) -> ShellKind {
        match self {
            Self::Bash => ShellKind::Bash,
            Self::Powershell => ShellKind::PowerShell,
            Self::Cmd => ShellKind::Cmd,
        }
    }
}

impl SandboxName {
    /// What another system's sandbox would hold can't be seen from here.
    fn state(self, on_this_system: bool) -> SandboxState {
        match self {
            Self::Available => SandboxState::InForce,
            Self::Detected
                if on_this_system
                    && Sandbox::beside_executable().is_ok_and(|sandbox| sandbox.self_test().in_force()) =>
            {
                SandboxState::InForce
            }
            Self::Detected | Self::None => SandboxState::NotInForce,
        }
    }
}

fn usual_shell(os: Os) -> ShellKind {
    match os {
        Os::Linux | Os::Macos => ShellKind::Bash,
        Os::Windows => ShellKind::PowerShell,
    }
}

/// A path as the policy writes it: UTF-8, `/` between parts.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().with_context(|| format!("use the path {}: it is not UTF-8", path.display()))?;
    Ok(if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() })
}

fn describe(layers: &Layers, snapshot: &Snapshot) -> Vec<String> {
    let files = layers.files();
    let rules = |layer| snapshot.rules.rules().iter().filter(|rule| rule.layer == layer).count();
    let project = match &snapshot.project {
        ProjectTrust::Absent => "absent".to_owned(),
        ProjectTrust::Trusted => format!("{} rules, trusted", rules(Layer::Project)),
        ProjectTrust::Untrusted { .. } => {
            format!("{} rules that tighten, not trusted", rules(Layer::Project))
        }
    };
    vec![
        format!("managed: {} ({} rules)", files.managed.display(), rules(Layer::Managed)),
        format!("user: {} ({} rules)", files.user.display(), rules(Layer::User)),
        format!("project: {} ({project})", files.project.display()),
    ]
}
