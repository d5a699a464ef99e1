//! The surroundings of a call that is measured: a folder with no rules, and nobody to ask.

use assent_agent::approval::{Answer, Approver, Question};
use assent_agent::gate::Circumstances;
use assent_policy::{Context, Mode, Os, ProgramLookup, Rules, SandboxState, ShellKind, ShellTrust};
use async_trait::async_trait;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The circumstances of a folder with no rules: its path.
pub struct Plain(pub String);

impl Circumstances for Plain {
    fn current(&self) -> Result<(Context, Arc<Rules>), String> {
        let context = Context {
            os: if cfg!(windows) {
                Os::Windows
            } else if cfg!(target_os = "macos") {
                Os::Macos
            } else {
                Os::Linux
            },
            shell: ShellKind::Bash,
            mode: Mode::Balanced,
            workspace: self.0.clone(),
            workspace_aliases: Vec::new(),
            home: "/nonexistent".to_owned(),
            own_paths: Vec::new(),
            read_folders: Vec::new(),
            sandbox: SandboxState::InForce,
            shell_trust: ShellTrust::Trusted,
            search_path: Vec::new(),
            programs: ProgramLookup::Search,
            environment: Vec::new(),
            user: "user".to_owned(),
            session: "session".to_owned(),
            policy_version: String::new(),
        };
        Ok((context, Arc::new(Rules::default())))
    }
}

/// Answers no question.
pub struct Nobody;

#[async_trait]
impl Approver for Nobody {
    async fn ask(&self, _: Question, _: &CancellationToken) -> Answer {
        Answer::Unavailable { why: "A benchmark asks nobody.".to_owned() }
    }
}
