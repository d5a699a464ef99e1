//! The gate's figure: `cargo run --release -p assent-agent --example bench_gate`.
//!
//! An allowed call from proposal to outcome, everything durable, against one bare fsync of the same disk in the same
//! run. The tool does nothing, so what is left is the gate: facts, judgement, records.

mod plain;

use assent_agent::advice::NoAdvisor;
use assent_agent::audit::{AuditPlaces, AuditStore, Redactor, SystemKeys};
use assent_agent::clock::SystemClock;
use assent_agent::event::Event;
use assent_agent::gate::{Gate, Parts, Permit, Run};
use assent_agent::model::{Arguments, ProposedCall};
use assent_agent::tools::{
    Execution, InvalidArguments, Registry, Tool, ToolDefinition, ToolFailure, ToolOutput,
};
use assent_agent::workspace::Workspace;
use assent_figure::{Report, median};
use assent_policy::{Access, FileAccess, Origin, Subject, ToolEffect};
use async_trait::async_trait;
use plain::{Nobody, Plain};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 300;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("workspace");
    std::fs::create_dir(&root)?;
    std::fs::write(root.join("a.txt"), "text\n")?;
    let gate = gate(&root, folder.path())?;
    let bare = File::create(folder.path().join("bare"))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // As the app runs it: in a task of its own.
    let (calls, fsyncs) = runtime.block_on(runtime.spawn(measure(gate, bare)))??;
    let (call, fsync) = (median(calls), median(fsyncs));
    let mut report = Report::from_arguments();
    report.plain("gate_allowed_call_p50", call * 1e6, "µs");
    report.plain("gate_bare_fsync_p50", fsync * 1e6, "µs");
    report.promised("gate_allowed_call_per_fsync", call / fsync);
    Ok(report.end())
}

/// Seconds of each call and of each bare fsync, in turns, so that both meet the same disk.
async fn measure(gate: Gate, mut bare: File) -> Result<(Vec<f64>, Vec<f64>), Failure> {
    let run = Run::new("session", "run", Origin::Task, CancellationToken::new());
    let (mut calls, mut fsyncs) = (Vec::new(), Vec::new());
    for number in 0..ROUNDS {
        let started = Instant::now();
        let answered = gate.run(&call(number), &run).await;
        calls.push(started.elapsed().as_secs_f64());
        if answered.message.is_error {
            return Err(answered.message.content.into());
        }
        bare.write_all(&[0; 4096])?;
        let started = Instant::now();
        bare.sync_data()?;
        fsyncs.push(started.elapsed().as_secs_f64());
    }
    Ok((calls, fsyncs))
}

fn gate(root: &std::path::Path, beside: &std::path::Path) -> Result<Gate, Failure> {
    let places = AuditPlaces { data: beside.join("data"), state: beside.join("state") };
    let keys = SystemKeys::file_only(&places.data);
    let audit = AuditStore::open(places, &keys, Arc::new(SystemClock), Redactor::default())?;
    let workspace = Arc::new(Workspace::open(root)?);
    let tool: Arc<dyn Tool> = Arc::new(Nothing::new());
    Ok(Gate::new(Parts {
        registry: Arc::new(Registry::new([tool])?),
        audit: Arc::new(audit),
        approver: Arc::new(Nobody),
        advisor: Arc::new(NoAdvisor),
        circumstances: Arc::new(Plain(workspace.root().to_string_lossy().into_owned())),
        workspace,
        scratch: beside.join("scratch"),
        observer: Arc::new(|_: Event| {}),
    }))
}

fn call(number: usize) -> ProposedCall {
    ProposedCall {
        id: format!("call_{number}"),
        id_given: true,
        name: "look".to_owned(),
        arguments: Arguments::Object(json!({ "path": "a.txt" }).as_object().cloned().unwrap_or_default()),
        extra: None,
    }
}

/// A reading tool that reads nothing.
struct Nothing(ToolDefinition);

impl Nothing {
    fn new() -> Self {
        Self(ToolDefinition {
            name: "look",
            description: "Looks.",
            schema: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
            effect: ToolEffect::Read,
            schema_version: 1,
        })
    }
}

#[async_trait]
impl Tool for Nothing {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, _: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let accesses = vec![FileAccess { path: "a.txt".to_owned(), access: Access::Read }];
        Ok(Subject::Files { accesses })
    }

    async fn execute(&self, _: Permit, _: &Execution) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput { content: "seen".to_owned(), changes: Vec::new() })
    }
}
