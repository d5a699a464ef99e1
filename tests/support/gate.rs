//! A gate with every outside part replaced by one that a test can look into.

use crate::{MemoryAudit, Probe, ScriptedModel, ScriptedPerson, World};
use assent_agent::advice::{Advisor, NoAdvisor};
use assent_agent::event::Event;
use assent_agent::gate::{Circumstances, Gate, Parts, Run};
use assent_agent::model::Message;
use assent_agent::tools::Registry;
use assent_agent::turn::{Finished, History, HistoryError, Limits, Turn};
use assent_agent::workspace::Workspace;
use assent_policy::{
    Context, Mode, Origin, Os, ProgramLookup, Rules, SandboxState, ShellKind, ShellTrust, ToolEffect,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Everything of one test.
pub struct Bench {
    /// The folders.
    pub world: World,
    /// The log.
    pub audit: MemoryAudit,
    /// The person.
    pub person: ScriptedPerson,
    /// The only tool.
    pub probe: Probe,
    /// What the decision depends on; a test may change it at any moment.
    pub circumstances: Arc<Shifting>,
    /// The conversation.
    pub history: Arc<MemoryHistory>,
    /// What was told to watchers.
    pub events: Arc<Mutex<Vec<Event>>>,
    /// The gate.
    pub gate: Arc<Gate>,
    /// The run.
    pub run: Run,
}

/// Circumstances that a test can change while a question is open.
pub struct Shifting {
    context: Mutex<Result<Context, String>>,
}

impl Shifting {
    /// Changes the context.
    pub fn change(&self, edit: impl FnOnce(&mut Context)) {
        if let Ok(context) = self.context.lock().expect("the context").as_mut() {
            edit(context);
        }
    }

    /// From here on the circumstances can't be known.
    pub fn break_with(&self, why: &str) {
        *self.context.lock().expect("the context") = Err(why.to_owned());
    }
}

impl Circumstances for Shifting {
    fn current(&self) -> Result<(Context, Arc<Rules>), String> {
        self.context.lock().expect("the context").clone().map(|context| (context, Arc::new(Rules::default())))
    }
}

/// A conversation in memory.
#[derive(Default)]
pub struct MemoryHistory {
    messages: Mutex<Vec<Message>>,
    refuses_answers: AtomicBool,
}

impl MemoryHistory {
    /// From here on answers to calls can, or can't, be stored.
    pub fn refuse_answers(&self, refuse: bool) {
        self.refuses_answers.store(refuse, Ordering::SeqCst);
    }
}

impl History for MemoryHistory {
    fn messages(&self) -> Result<Vec<Message>, HistoryError> {
        Ok(self.messages.lock().expect("the history").clone())
    }

    fn append(&self, message: &Message) -> Result<(), HistoryError> {
        if matches!(message, Message::Tool(_)) && self.refuses_answers.load(Ordering::SeqCst) {
            return Err(HistoryError("the disk is full".to_owned()));
        }
        self.messages.lock().expect("the history").push(message.clone());
        Ok(())
    }
}

/// A bench with a probe of `effect`, where nobody advises.
#[must_use]
pub fn bench(effect: ToolEffect) -> Bench {
    bench_with(effect, Arc::new(NoAdvisor))
}

/// A bench with a probe of `effect` and an advisor.
#[must_use]
pub fn bench_with(effect: ToolEffect, advisor: Arc<dyn Advisor>) -> Bench {
    let world = World::new();
    let audit = MemoryAudit::default();
    let person = ScriptedPerson::default();
    let probe = Probe::new(effect);
    let root = world.workspace();
    let context = Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: root.to_string_lossy().into_owned(),
        workspace_aliases: Vec::new(),
        home: world.folder("home").to_string_lossy().into_owned(),
        own_paths: vec![world.folder("data").to_string_lossy().into_owned()],
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
        programs: ProgramLookup::Search,
        environment: Vec::new(),
        user: "tester".to_owned(),
        session: "s1".to_owned(),
        policy_version: "v1".to_owned(),
    };
    let circumstances = Arc::new(Shifting { context: Mutex::new(Ok(context)) });
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let seen = Arc::clone(&events);
    let gate = Arc::new(Gate::new(Parts {
        registry: Arc::new(Registry::new([Arc::new(probe.clone()) as Arc<_>]).expect("a registry")),
        audit: Arc::new(audit.clone()),
        approver: Arc::new(person.clone()),
        advisor,
        circumstances: Arc::clone(&circumstances) as Arc<_>,
        workspace: Arc::new(Workspace::open(&root).expect("a workspace")),
        scratch: world.folder("data"),
        observer: Arc::new(move |event| seen.lock().expect("the events").push(event)),
    }));
    let run = Run::new("s1", "r1", Origin::Task, CancellationToken::new());
    Bench { world, audit, person, probe, circumstances, history: Arc::default(), events, gate, run }
}

impl Bench {
    /// Runs a whole turn with `model`.
    pub async fn turn(&self, model: ScriptedModel) -> Finished {
        let seen = Arc::clone(&self.events);
        let turn = Turn {
            model: Arc::new(model),
            gate: Arc::clone(&self.gate),
            history: Arc::clone(&self.history) as Arc<_>,
            observer: Arc::new(move |event| seen.lock().expect("the events").push(event)),
            system: "You are a test.".to_owned(),
            hidden: Arc::new(|_| false),
            limits: Limits::default(),
        };
        let message = Message::User { text: "hello".to_owned(), attachments: Vec::new(), by_hook: false };
        turn.run(message, &self.run).await
    }
}
