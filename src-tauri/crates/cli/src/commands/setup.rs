//! The engine for the terminal: the same parts as the desktop app's, put together without a display.

use anyhow::Context as _;
use assent_agent::advice::Advisor;
use assent_agent::approval::{Answer, Approver, Question};
use assent_agent::audit::redact::Redactor;
use assent_agent::audit::{AuditPlaces, AuditStore, SystemKeys};
use assent_agent::circumstances::{PolicyLayers, PolicySnapshot};
use assent_agent::clock::SystemClock;
use assent_agent::engine::Engine;
use assent_agent::machine::Machine;
use assent_agent::model::Message;
use assent_agent::places::Places;
use assent_agent::tools::{Change, EditFile, Glob, Grep, ListDir, ReadFile, Tool, WriteFile};
use assent_agent::turn::{History, HistoryError};
use assent_policy::SandboxState;
use async_trait::async_trait;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// What a command needs to open a session.
pub struct Parts {
    /// The engine.
    pub engine: Engine,
    /// The rules of the folder.
    pub layers: Arc<dyn PolicyLayers>,
    /// The conversation.
    pub history: Arc<dyn History>,
    /// Hooks and reviewer.
    pub advisor: Option<Arc<dyn Advisor>>,
}

/// The engine for work in `workspace`.
///
/// # Errors
/// When the audit log can't be opened.
pub fn engine(places: &Places, _workspace: &Path) -> anyhow::Result<Parts> {
    let log = AuditPlaces { data: places.data.clone(), state: places.state.clone() };
    let audit =
        AuditStore::open(log, &SystemKeys::new(&places.data), Arc::new(SystemClock), Redactor::default())
            .context("can't open the audit log, so nothing can run")?;
    let tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(ReadFile::default()),
        Arc::new(WriteFile::default()),
        Arc::new(EditFile::default()),
        Arc::new(Glob::default()),
        Arc::new(Grep::default()),
        Arc::new(ListDir::default()),
    ];
    let engine = Engine {
        machine: Arc::new(Machine::detect()),
        places: places.clone(),
        audit: Arc::new(audit),
        approver: Arc::new(Nobody),
        tools,
        sandbox: SandboxState::NotInForce,
        environment: Vec::new(),
    };
    Ok(Parts { engine, layers: Arc::new(NoRules), history: Arc::new(Memory::default()), advisor: None })
}

struct Nobody;

#[async_trait]
impl Approver for Nobody {
    async fn ask(&self, _question: Question, _cancel: &CancellationToken) -> Answer {
        Answer::Unavailable { why: "There is no terminal.".to_owned() }
    }
}

struct NoRules;

impl PolicyLayers for NoRules {
    fn snapshot(&self) -> PolicySnapshot {
        PolicySnapshot::default()
    }
}

#[derive(Default)]
struct Memory(Mutex<Vec<Message>>);

impl History for Memory {
    fn messages(&self) -> Result<Vec<Message>, HistoryError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn append(&self, message: &Message) -> Result<(), HistoryError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(message.clone());
        Ok(())
    }

    fn changed(&self, _call_id: &str, _changes: &[Change]) -> Result<(), HistoryError> {
        Ok(())
    }
}
