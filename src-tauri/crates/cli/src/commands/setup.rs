//! The engine for the terminal: the same parts as the desktop app's, put together without a display.

use anyhow::{Context as _, bail};
use assent_agent::approval::terminal::TerminalSurface;
use assent_agent::approval::{Approver, Broker};
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditLog, AuditPlaces, AuditStore, SystemKeys};
use assent_agent::circumstances::PolicyLayers;
use assent_agent::clock::SystemClock;
use assent_agent::engine::{Engine, Setup};
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::machine::Machine;
use assent_agent::places::Places;
use assent_agent::process::background::Background;
use assent_agent::seen_sandbox::SeenSandbox;
use assent_agent::session::SessionStore;
use assent_policy::rule::Layer;
use assent_sandbox::Sandbox;
use std::path::Path;
use std::sync::Arc;

/// What a command needs to open a session.
pub struct Parts {
    /// The engine.
    pub engine: Engine,
    /// The rules of the folder.
    pub layers: Arc<dyn PolicyLayers>,
    /// The calls that wait.
    pub broker: Arc<Broker>,
    /// All conversations.
    pub sessions: Arc<SessionStore>,
}

/// The engine for work in `workspace`; `secrets` are taken out of what is stored, and so is the key of `ASSENT_API_KEY`.
///
/// # Errors
/// When a policy file is broken, or the audit log or the sessions can't be opened.
pub fn engine(places: &Places, workspace: &Path, secrets: Vec<String>) -> anyhow::Result<Parts> {
    let machine = Machine::detect();
    let layers = Layers::new(LayerFiles::usual(places, workspace), &machine);
    // A broken project file denies every call in its folder; a broken file of one's own is bad configuration.
    if let Some(problem) = layers.current().problems.iter().find(|problem| problem.layer != Layer::Project) {
        bail!("read the policy file {problem}");
    }
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    let redactor = Redactor::new(secrets.into_iter().chain(std::env::var("ASSENT_API_KEY").ok()));
    let audit = AuditStore::open(log, &SystemKeys::new(&places.data), Arc::new(SystemClock), redactor)
        .context("open the audit log, so nothing can run")?;
    let audit: Arc<dyn AuditLog> = Arc::new(audit);
    let broker = Broker::open(&places.data, Arc::new(SystemClock), Arc::clone(&audit))
        .context("keep approvals, so nothing could be asked")?;
    let broker = Arc::new(broker);
    // No terminal means that there is nobody to ask: such calls are denied at once.
    if let Some(terminal) = TerminalSurface::on_standard_input(&broker) {
        broker.present_to(Arc::new(terminal)).context("ask on this terminal")?;
    }
    let sessions = SessionStore::open(&places.data, Arc::new(SystemClock))?;
    let sandbox = Sandbox::beside_executable()?;
    let engine = Engine::new(Setup {
        machine: Arc::new(machine),
        places: places.clone(),
        audit,
        approver: Arc::clone(&broker) as Arc<dyn Approver>,
        seen: SeenSandbox::new(sandbox.self_test().in_force()),
        sandbox,
        background: Background::default(),
        variables: std::env::vars_os().collect(),
    });
    Ok(Parts { engine, broker, layers: Arc::new(layers), sessions: Arc::new(sessions) })
}
