//! The engine as the desktop app puts it together: the window's approver, the log, every tool.

use crate::asking::Asking;
use crate::view;
use assent_agent::approval::Approver;
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditLog, AuditPlaces, AuditStore, SystemKeys};
use assent_agent::clock::SystemClock;
use assent_agent::engine::Engine;
use assent_agent::machine::Machine;
use assent_agent::places::Places;
use assent_agent::tools::{EditFile, Glob, Grep, ListDir, ReadFile, Tool, WriteFile};
use assent_policy::SandboxState;
use std::sync::Arc;

/// Opens the log.
///
/// # Errors
/// What is wrong and what to do, in words for the window; nothing can run without it.
pub fn open_audit(places: &Places, keys: Vec<String>) -> Result<Arc<AuditStore>, String> {
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    AuditStore::open(log, &SystemKeys::new(&places.data), Arc::new(SystemClock), Redactor::new(keys))
        .map(Arc::new)
        .map_err(|error| format!("Can't {error}."))
}

/// The engine of this process.
pub fn engine(places: &Places, audit: &Arc<AuditStore>, asking: &Arc<Asking>) -> Engine {
    let tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(ReadFile::default()),
        Arc::new(WriteFile::default()),
        Arc::new(EditFile::default()),
        Arc::new(Glob::default()),
        Arc::new(Grep::default()),
        Arc::new(ListDir::default()),
    ];
    Engine {
        machine: Arc::new(Machine::detect()),
        places: places.clone(),
        audit: Arc::clone(audit) as Arc<dyn AuditLog>,
        approver: Arc::clone(asking) as Arc<dyn Approver>,
        tools,
        sandbox: SandboxState::NotInForce,
        environment: Vec::new(),
    }
}

/// The sandbox as the window shows it.
pub fn sandbox_view() -> view::Sandbox {
    view::Sandbox {
        state: view::SandboxStatus::None,
        backend: String::new(),
        why: Some("Commands are not available.".to_owned()),
        checks: Vec::new(),
    }
}
