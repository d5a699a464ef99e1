//! A whole engine in a throw-away world: real tools, real sandbox, real policy files; a scripted model and person.

use crate::{MemoryAudit, MemoryHistory, ScriptedModel, ScriptedPerson, World};
use assent_agent::engine::{Engine, Opening, Session, Setup};
use assent_agent::event::Event;
use assent_agent::layers::{LayerFiles, Layers};
use assent_agent::machine::Machine;
use assent_agent::model::{Message, ModelClient, ToolMessage};
use assent_agent::places::Places;
use assent_agent::process::background::Background;
use assent_agent::seen_sandbox::SeenSandbox;
use assent_agent::turn::{Finished, History as _, Limits};
use assent_agent::workspace::Workspace;
use assent_policy::{Mode, ShellTrust};
use assent_sandbox::Sandbox;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// One session and everything a test looks at.
pub struct Desk {
    /// The folders.
    pub world: World,
    /// The log.
    pub audit: MemoryAudit,
    /// The person.
    pub person: ScriptedPerson,
    /// The conversation.
    pub history: Arc<MemoryHistory>,
    /// What was told to watchers.
    pub events: Arc<Mutex<Vec<Event>>>,
    /// The rules.
    pub layers: Arc<Layers>,
    /// What the sandbox's self-test saw.
    pub sandbox: SeenSandbox,
    /// The session.
    pub session: Session,
}

impl Desk {
    /// A session in `mode` with `policy` as the user's file.
    #[must_use]
    pub fn new(world: World, mode: Mode, policy: &str, model: impl ModelClient + 'static) -> Self {
        let config = world.folder("home").join(".config/assent");
        std::fs::create_dir_all(&config).expect("make folders");
        if !policy.is_empty() {
            std::fs::write(config.join("policy.toml"), policy).expect("write the policy");
        }
        let places = Places { config, data: world.folder("data"), state: world.folder("state") };
        let home = world.folder("home");
        let machine = Machine::from_environment(|name| match name {
            "HOME" => Some(home.clone().into_os_string()),
            "PATH" => Some("/usr/bin:/bin".into()),
            _ => None,
        });
        let files = LayerFiles {
            managed: world.folder("state").join("none.toml"),
            ..LayerFiles::usual(&places, &world.workspace())
        };
        let layers = Arc::new(Layers::new(files, &machine));
        let problems = layers.current().problems.clone();
        assert!(problems.is_empty(), "{problems:?}");
        let (audit, person) = (MemoryAudit::default(), ScriptedPerson::default());
        let (history, events): (Arc<MemoryHistory>, Arc<Mutex<Vec<Event>>>) = Default::default();
        let engine = Engine::new(Setup {
            machine: Arc::new(machine),
            places,
            audit: Arc::new(audit.clone()),
            approver: Arc::new(person.clone()),
            sandbox: Sandbox::with_helper(sandbox_program()),
            seen: SeenSandbox::new(true),
            background: Background::default(),
            variables: vec![
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("HOME".into(), world.folder("home").into_os_string()),
            ],
        });
        let (sandbox, seen) = (engine.sandbox.clone(), Arc::clone(&events));
        let session = engine
            .session(Opening {
                id: "s1".to_owned(),
                workspace: Arc::new(Workspace::open(&world.workspace()).expect("a workspace")),
                layers: Arc::clone(&layers) as Arc<_>,
                mode,
                trust: ShellTrust::Trusted,
                history: Arc::clone(&history) as Arc<_>,
                model: Arc::new(model),
                reviewer: None,
                observer: Arc::new(move |event| seen.lock().expect("the events").push(event)),
                limits: Limits::default(),
                date: "2026-11-29".to_owned(),
            })
            .expect("a session");
        Self { world, audit, person, history, events, layers, sandbox, session }
    }

    /// One message, to its end.
    pub async fn say(&self, words: &str) -> Finished {
        self.session.run("r1", words.to_owned(), Vec::new(), CancellationToken::new()).await
    }

    /// The answer to a call, as the model read it.
    #[must_use]
    pub fn answer(&self, call: &str) -> ToolMessage {
        let messages = self.history.messages().expect("messages");
        messages
            .into_iter()
            .find_map(|message| match message {
                Message::Tool(answer) if answer.call_id == call => Some(answer),
                Message::Tool(_) | Message::User { .. } | Message::Assistant(_) => None,
            })
            .unwrap_or_else(|| panic!("no answer to {call}"))
    }
}

/// A desk in balanced mode with no rules.
#[must_use]
pub fn desk(world: World, model: ScriptedModel) -> Desk {
    Desk::new(world, Mode::Balanced, "", model)
}

/// The sandbox's program, built beside the tests.
fn sandbox_program() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let folder = test.ancestors().nth(2).expect("the target folder");
    let program = folder.join(if cfg!(windows) { "assent-sandbox.exe" } else { "assent-sandbox" });
    assert!(program.is_file(), "{} is missing: cargo build -p assent-sandbox", program.display());
    program
}
