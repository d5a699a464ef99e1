//! The parts, put together in one place (R60). Without an approver and an audit log there is no engine.

use crate::advice::{Advisor, Advisors};
use crate::approval::Approver;
use crate::attachments::{self, NotAttached};
use crate::audit::AuditLog;
use crate::circumstances::{Fixed, PolicyLayers, SessionCircumstances};
use crate::event::{Event, Observer};
use crate::gate::{Circumstances, Gate, Parts, Run};
use crate::hooks::{HookFiles, Hooks, InSandbox};
use crate::instructions::{InstructionFile, Instructions, instruction_files};
use crate::layers::own_paths;
use crate::machine::Machine;
use crate::model::tokens::estimate_message;
use crate::model::{Attachment, Message, ModelClient, ProposedCall};
use crate::places::Places;
use crate::process::background::Background;
use crate::process::environment;
use crate::prompt::{Surroundings, system_prompt};
use crate::reviewer::Reviewer;
use crate::seen_sandbox::SeenSandbox;
use crate::subagent::{self, Task};
use crate::tools::{Registry, RegistryError, Shell, Tool, builtin, shell};
use crate::turn::{Finished, History, HistoryError, Limits, Turn};
use crate::workspace::Workspace;
use assent_policy::{Mode, Origin, ShellTrust};
use assent_sandbox::Sandbox;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// What all sessions of a process share.
#[derive(Clone)]
pub struct Engine {
    /// The machine.
    pub machine: Arc<Machine>,
    /// Our own folders.
    pub places: Places,
    /// The record.
    pub audit: Arc<dyn AuditLog>,
    /// The person.
    pub approver: Arc<dyn Approver>,
    tools: Vec<Arc<dyn Tool>>,
    /// What the sandbox's self-test saw.
    pub sandbox: SeenSandbox,
    environment: Vec<String>,
    confined: Confined,
}

/// What hooks' programs are run with, and what commands go on.
#[derive(Clone)]
struct Confined {
    sandbox: Sandbox,
    seen: SeenSandbox,
    background: Background,
    variables: Vec<(OsString, OsString)>,
}

/// What an engine is made of.
pub struct Setup {
    /// The machine.
    pub machine: Arc<Machine>,
    /// Our own folders.
    pub places: Places,
    /// The record.
    pub audit: Arc<dyn AuditLog>,
    /// The person.
    pub approver: Arc<dyn Approver>,
    /// What confines commands.
    pub sandbox: Sandbox,
    /// What its self-test saw.
    pub seen: SeenSandbox,
    /// Where commands that go on are kept.
    pub background: Background,
    /// The variables of the app or of the login shell; commands get those on the allow-list.
    pub variables: Vec<(OsString, OsString)>,
}

/// What one session is opened with.
pub struct Opening {
    /// Its id.
    pub id: String,
    /// The folder.
    pub workspace: Arc<Workspace>,
    /// The rules that count there.
    pub layers: Arc<dyn PolicyLayers>,
    /// How much is asked.
    pub mode: Mode,
    /// Whether the shell may be used there.
    pub trust: ShellTrust,
    /// The conversation.
    pub history: Arc<dyn History>,
    /// The model.
    pub model: Arc<dyn ModelClient>,
    /// A second model that reviews calls; nobody unless a person set one up.
    pub reviewer: Option<Arc<dyn ModelClient>>,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
    /// When a run stops by itself.
    pub limits: Limits,
    /// Today, `2026-11-29`.
    pub date: String,
}

/// One conversation in one folder.
pub struct Session {
    id: String,
    place: Arc<Place>,
    history: Arc<dyn History>,
    model: Arc<RwLock<Arc<dyn ModelClient>>>,
    reviewer: Arc<Reviewer>,
    gate: Arc<Gate>,
    observer: Arc<dyn Observer>,
    limits: RwLock<Limits>,
}

/// Where a session works, as its model is told.
struct Place {
    machine: Arc<Machine>,
    places: Places,
    workspace: Arc<Workspace>,
    circumstances: Arc<SessionCircumstances>,
    date: RwLock<String>,
}

impl Engine {
    /// The engine with its own tools (R7). There is no way to give it others, or to leave a part out.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let Setup { machine, places, audit, approver, sandbox, seen, background, variables } = setup;
        background.share_unsandboxed(&places.state);
        let environment = variables
            .iter()
            .filter(|(name, _)| environment::is_passed(name))
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect();
        let confined = Confined {
            sandbox: sandbox.clone(),
            seen: seen.clone(),
            background: background.clone(),
            variables: variables.clone(),
        };
        let shell = Shell::new(shell::Parts { sandbox, background, variables });
        let tools = builtin(shell);
        Self { machine, places, audit, approver, tools, sandbox: seen, environment, confined }
    }

    /// Opens a session.
    ///
    /// # Errors
    /// When the tools' names clash.
    pub fn session(&self, opening: Opening) -> Result<Session, RegistryError> {
        let Opening { id, workspace, layers, mode, trust, history, model, reviewer, observer, limits, date } =
            opening;
        let circumstances = Arc::new(self.circumstances(&id, &workspace, layers, mode, trust));
        let reviewer = Reviewer::new(reviewer, Arc::clone(&circumstances) as Arc<dyn Circumstances>);
        let reviewer = Arc::new(reviewer);
        let advisor = self.advisors(&id, &workspace, Arc::clone(&reviewer) as Arc<dyn Advisor>);
        let gate = |registry| {
            Arc::new(Gate::new(Parts {
                registry: Arc::new(registry),
                audit: Arc::clone(&self.audit),
                approver: Arc::clone(&self.approver),
                advisor: Arc::clone(&advisor),
                circumstances: Arc::clone(&circumstances) as Arc<dyn Circumstances>,
                workspace: Arc::clone(&workspace),
                scratch: self.scratch(&id),
                observer: Arc::clone(&observer),
            }))
        };
        let model = Arc::new(RwLock::new(model));
        let place = Arc::new(Place {
            machine: Arc::clone(&self.machine),
            places: self.places.clone(),
            workspace: Arc::clone(&workspace),
            circumstances: Arc::clone(&circumstances),
            date: RwLock::new(date),
        });
        let (now, prompted) = (Arc::clone(&model), Arc::clone(&place));
        let task = Task::new(subagent::Parts {
            gate: gate(self.registry()?),
            model: Arc::new(move || Arc::clone(&now.read().unwrap_or_else(PoisonError::into_inner))),
            system: Arc::new(move || prompted.prompt()),
            hidden: hidden(&circumstances),
            observer: Arc::clone(&observer),
        });
        let tools = self.tools.iter().cloned().chain([Arc::new(task) as Arc<dyn Tool>]);
        let gate = gate(Registry::new(tools)?);
        let limits = RwLock::new(limits);
        Ok(Session { id, place, history, model, reviewer, gate, observer, limits })
    }

    /// The hooks of the user's and the managed file, which no caller can leave out, and the reviewer.
    fn advisors(
        &self,
        session: &str,
        workspace: &Arc<Workspace>,
        reviewer: Arc<dyn Advisor>,
    ) -> Arc<dyn Advisor> {
        let runner = InSandbox {
            sandbox: self.confined.sandbox.clone(),
            seen: self.confined.seen.clone(),
            background: self.confined.background.clone(),
            variables: self.confined.variables.clone(),
            workspace: Arc::clone(workspace),
            scratch: self.scratch(session),
            watches: self.confined.background.watches().clone(),
        };
        let hooks = Hooks::new(
            HookFiles::usual(&self.places),
            Arc::new(runner),
            session,
            workspace.root().to_owned(),
        );
        let hooks: Arc<dyn Advisor> = Arc::new(hooks);
        Arc::new(Advisors(vec![hooks, reviewer]))
    }

    /// What a decision in `workspace` depends on beside the call, for a session or for a judgement without one.
    #[must_use]
    pub fn circumstances(
        &self,
        session: &str,
        workspace: &Arc<Workspace>,
        layers: Arc<dyn PolicyLayers>,
        mode: Mode,
        trust: ShellTrust,
    ) -> SessionCircumstances {
        let fixed = Fixed {
            machine: Arc::clone(&self.machine),
            workspace: Arc::clone(workspace),
            layers,
            own_paths: own_paths(&self.places),
            environment: self.environment.clone(),
            sandbox: self.sandbox.clone(),
            session: session.to_owned(),
        };
        SessionCircumstances::new(fixed, mode, trust)
    }

    /// Every tool that a session has, to judge calls without one; `task` among them, which executes in a session only.
    ///
    /// # Errors
    /// When their names clash.
    pub fn judged_tools(&self) -> Result<Registry, RegistryError> {
        let task = Arc::new(Task::without_session()) as Arc<dyn Tool>;
        Registry::new(self.tools.iter().cloned().chain([task]))
    }

    /// The tools that a sub-agent has too, to prepare calls without running them.
    ///
    /// # Errors
    /// When their names clash.
    pub fn registry(&self) -> Result<Registry, RegistryError> {
        Registry::new(self.tools.iter().cloned())
    }

    /// Ends the commands in the background and what they left, for no longer than `within`; to be called before the
    /// process ends. `false` where that took longer.
    pub async fn finish(&self, within: Duration) -> bool {
        self.confined.background.finish(within).await
    }

    /// A session's folder for whole outputs and undo copies.
    #[must_use]
    pub fn scratch(&self, session: &str) -> PathBuf {
        self.places.data.join("sessions").join(session)
    }
}

impl Session {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The folder.
    #[must_use]
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.place.workspace
    }

    /// Mode, trust and the context of a judgement now.
    #[must_use]
    pub fn circumstances(&self) -> &Arc<SessionCircumstances> {
        &self.place.circumstances
    }

    /// The next run talks to `model`, its calls are reviewed by `reviewer`, it stops by itself at `limits`, and is told
    /// that today is `date`.
    pub fn begin_with(
        &self,
        model: Arc<dyn ModelClient>,
        reviewer: Option<Arc<dyn ModelClient>>,
        limits: Limits,
        date: String,
    ) {
        self.reviewer.answer_by(reviewer);
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = model;
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = limits;
        *self.place.date.write().unwrap_or_else(PoisonError::into_inner) = date;
    }

    /// The files that a person named with `@`, to go along with a message, and those that don't. Folders are only
    /// named.
    #[must_use]
    pub fn mentioned(&self, paths: &[String]) -> (Vec<Attachment>, Vec<NotAttached>) {
        let (mut attached, mut refused) = (Vec::new(), Vec::new());
        for path in paths {
            match attachments::mentioned(path, &self.place.workspace, &self.place.circumstances) {
                Ok(attachment) => attached.extend(attachment),
                Err(error) => refused.push(error),
            }
        }
        (attached, refused)
    }

    /// Has the older part of the conversation sent as a summary from now on; no run may be on.
    ///
    /// # Errors
    /// When there is no older part, or no summary.
    pub async fn compact(&self, cancel: &CancellationToken) -> Result<(), HistoryError> {
        let model = self.model();
        let all = self.history.messages()?.iter().map(estimate_message).fold(0, u64::saturating_add);
        let budget = model.context_window().unwrap_or(all).saturating_mul(6) / 10;
        if let Some(done) = self.history.compact(model.as_ref(), all / 4, budget, cancel).await? {
            self.observer.notice(Event::Spent(done.usage));
            self.observer.notice(Event::Compacted(done));
        }
        Ok(())
    }

    /// Takes one message to its end; `cancel` stops it at any moment.
    pub async fn run(
        &self,
        run_id: &str,
        text: String,
        attachments: Vec<Attachment>,
        cancel: CancellationToken,
    ) -> Finished {
        let run = Run::new(&self.id, run_id, Origin::Task, cancel);
        self.turn().run(Message::User { text, attachments, by_hook: false }, &run).await
    }

    /// Goes on with the run `run_id`, whose process ended before `calls` were answered. None of them begins twice.
    pub async fn resume(
        &self,
        run_id: &str,
        calls: Vec<ProposedCall>,
        cancel: CancellationToken,
    ) -> Finished {
        let run = Run::resumed(&self.id, run_id, Origin::Task, cancel);
        self.turn().resume(calls, &run).await
    }

    fn turn(&self) -> Turn {
        Turn {
            model: self.model(),
            gate: Arc::clone(&self.gate),
            history: Arc::clone(&self.history),
            observer: Arc::clone(&self.observer),
            system: self.place.prompt(),
            hidden: hidden(&self.place.circumstances),
            limits: *self.limits.read().unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn model(&self) -> Arc<dyn ModelClient> {
        Arc::clone(&self.model.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Which tools policy keeps from the model at each moment.
fn hidden(circumstances: &Arc<SessionCircumstances>) -> Arc<dyn Fn(&str) -> bool + Send + Sync> {
    let circumstances = Arc::clone(circumstances);
    Arc::new(move |tool| circumstances.hides(tool))
}

impl Place {
    fn prompt(&self) -> String {
        let files: Vec<Instructions> = self.instructions().into_iter().map(|file| file.sent).collect();
        system_prompt(&Surroundings {
            workspace: &self.workspace.root().to_string_lossy(),
            os: self.machine.os,
            shell: self.machine.shell,
            mode: self.circumstances.mode(),
            date: &self.date.read().unwrap_or_else(PoisonError::into_inner),
            instructions: &files,
        })
    }

    fn instructions(&self) -> Vec<InstructionFile> {
        instruction_files(&self.places, self.workspace.root())
    }
}
