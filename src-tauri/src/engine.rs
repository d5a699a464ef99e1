//! The engine as the desktop app sets it up: the broker of waiting calls, the log, the sandbox as it was seen to hold.

use crate::audit_watch::{AuditWatch, WatchedLog};
use crate::view;
use assent_agent::approval::{Approver, Broker};
use assent_agent::audit::otlp::Export;
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditLog, AuditPlaces, AuditStore, SystemKeys};
use assent_agent::clock::SystemClock;
use assent_agent::engine::{Engine, Setup};
use assent_agent::machine::Machine;
use assent_agent::places::Places;
use assent_agent::process::background::Background;
use assent_agent::seen_sandbox::SeenSandbox;
use assent_sandbox::{Attempt, Sandbox, SandboxReport, Strength};
use std::ffi::OsString;
use std::sync::Arc;

/// Opens the log.
///
/// # Errors
/// What is wrong and what to do, in words for the window; nothing can run without it.
pub fn open_audit(places: &Places, keys: Vec<String>) -> Result<Arc<WatchedLog>, String> {
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    AuditStore::open(log, &SystemKeys::new(&places.data), Arc::new(SystemClock), Redactor::new(keys))
        .map(|store| Arc::new(AuditWatch::new(Arc::new(store))))
        .map_err(|error| format!("Can't {error}."))
}

/// Sends the log to the collector that the settings name by then, for as long as the app runs; nothing waits for it.
pub fn export_audit(places: &Places) {
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    let mut export = Export::new(log, places.config.clone(), |name| std::env::var(name).ok());
    drop(tauri::async_runtime::spawn(async move { export.keep_sending().await }));
}

/// Opens the store of waiting calls.
///
/// # Errors
/// In words for the window, when it or the log can't be used; nothing can run without them.
pub fn open_broker(places: &Places, audit: &Result<Arc<WatchedLog>, String>) -> Result<Arc<Broker>, String> {
    let audit = Arc::clone(audit.as_ref().map_err(Clone::clone)?);
    Broker::open(&places.data, Arc::new(SystemClock), audit as Arc<dyn AuditLog>)
        .map(Arc::new)
        .map_err(|error| format!("Can't {error}."))
}

/// What was found out about the machine once the window has painted.
pub struct Surroundings {
    /// What confines commands, or why it can't be found: a broken installation.
    pub sandbox: Result<Sandbox, String>,
    /// What its self-test saw.
    pub seen: view::Sandbox,
    /// The variables of the person's login shell, or our own.
    pub variables: Vec<(OsString, OsString)>,
}

impl Surroundings {
    /// Looks. Takes a moment: for a thread of its own.
    pub fn look() -> Self {
        std::thread::scope(|scope| {
            let variables = scope.spawn(crate::login::variables);
            let (sandbox, seen) = test_sandbox();
            let variables = variables.join().unwrap_or_else(|_| std::env::vars_os().collect());
            Self { sandbox, seen, variables }
        })
    }
}

/// The engine of this process.
///
/// # Errors
/// In words for the window, when the log, the store of waiting calls or the sandbox's program isn't there.
pub fn engine(
    places: &Places,
    audit: &Result<Arc<WatchedLog>, String>,
    broker: &Result<Arc<Broker>, String>,
    around: Surroundings,
    background: Background,
) -> Result<Engine, String> {
    let audit = Arc::clone(audit.as_ref().map_err(Clone::clone)?);
    let Surroundings { sandbox, seen, variables } = around;
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).or_else(|| std::env::var_os(name))
    };
    let machine = Arc::new(Machine::from_environment(variable));
    Ok(Engine::new(Setup {
        machine,
        places: places.clone(),
        audit: audit as Arc<dyn AuditLog>,
        approver: Arc::clone(broker.as_ref().map_err(Clone::clone)?) as Arc<dyn Approver>,
        sandbox: sandbox?,
        seen: SeenSandbox::new(seen.state == view::SandboxStatus::InForce),
        background,
        variables,
    }))
}

/// Runs the sandbox's self-test.
pub fn test_sandbox() -> (Result<Sandbox, String>, view::Sandbox) {
    match Sandbox::beside_executable() {
        Ok(sandbox) => {
            let seen = seen(&sandbox.self_test());
            (Ok(sandbox), seen)
        }
        Err(error) => {
            let why = format!("Can't {error}.");
            let seen = view::Sandbox {
                state: view::SandboxStatus::None,
                backend: "".into(),
                why: Some(why.clone().into()),
                checks: Vec::new(),
            };
            (Err(why), seen)
        }
    }
}

fn seen(report: &SandboxReport) -> view::Sandbox {
    view::Sandbox {
        state: match report.strength {
            Strength::Full => view::SandboxStatus::InForce,
            Strength::Floor => view::SandboxStatus::Limited,
            Strength::None => view::SandboxStatus::None,
        },
        backend: report.backend.into(),
        why: (!report.missing.is_empty()).then(|| view::Sentence::all(report.missing.clone())),
        checks: checks(&report.attempts),
    }
}

/// One line for each thing that was tried: it is tried in both profiles, and held where both hold it.
fn checks(attempts: &[Attempt]) -> Vec<view::SandboxCheck> {
    let mut checks: Vec<view::SandboxCheck> = Vec::new();
    for attempt in attempts {
        let check = view::SandboxCheck {
            name: attempt.tried.into(),
            held: attempt.held,
            detail: attempt.seen.as_str().into(),
        };
        match checks.iter_mut().find(|known| known.name == check.name) {
            Some(known) if known.held => *known = check,
            Some(_) => {}
            None => checks.push(check),
        }
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::checks;
    use assent_sandbox::{Attempt, Level};

    #[test]
    fn what_one_profile_does_not_hold_is_not_held() {
        let attempt = |level, tried, held| Attempt { level, tried, seen: format!("{level:?}"), held };
        for (first, second, held, seen) in [
            (true, true, true, "WorkspaceWrite"),
            (true, false, false, "WorkspaceWrite"),
            (false, true, false, "ReadOnly"),
        ] {
            let shown = checks(&[
                attempt(Level::ReadOnly, "connect over TCP", first),
                attempt(Level::ReadOnly, "send over UDP", true),
                attempt(Level::WorkspaceWrite, "connect over TCP", second),
            ]);
            assert_eq!(shown.len(), 2);
            assert_eq!((shown[0].held, shown[0].detail.to_string().as_str()), (held, seen));
        }
    }
}
