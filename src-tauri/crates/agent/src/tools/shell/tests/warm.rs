//! Projects whose dependencies are there build and test in the sandbox as they do without it: offline, in private views
//! of the caches, and in the `sandboxed` mode unasked.

use super::*;
use crate::advice::NoAdvisor;
use crate::approval::fixture::Notes;
use crate::approval::{Answer, Approver, Question};
use crate::event::Event;
use crate::facts::sample_context;
use crate::gate::{Circumstances, Gate};
use crate::machine::Machine;
use crate::model::{Arguments, ProposedCall};
use crate::tools::Registry;
use assent_policy::{Context, Mode, Rules, SandboxState, ShellTrust};
use async_trait::async_trait;

struct Project {
    /// What must be installed.
    tool: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What is done beforehand, outside.
    warm_up: &'static [&'static str],
    command: &'static str,
    says: &'static str,
}

const PROJECTS: &[Project] = &[
    Project {
        tool: "cargo",
        files: &[
            (
                "Cargo.toml",
                "[package]\nname = \"warm\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nlibc = \"0.2\"\n[workspace]\n",
            ),
            ("src/lib.rs", "#[test]\nfn passes() { assert!(libc::EPERM > 0); }\n"),
        ],
        warm_up: &["cargo", "generate-lockfile", "--offline"],
        command: "cargo test",
        says: "test passes ... ok",
    },
    Project {
        tool: "npm",
        files: &[
            ("package.json", "{\"name\": \"warm\", \"scripts\": {\"test\": \"node test.js\"}}"),
            ("test.js", "require('assert').equal(1 + 1, 2); console.log('passes');"),
        ],
        warm_up: &[],
        command: "npm test",
        says: "passes",
    },
    Project {
        tool: "pytest",
        files: &[("test_warm.py", "def test_passes():\n    assert 1 + 1 == 2\n")],
        warm_up: &[],
        command: "pytest -q",
        says: "1 passed",
    },
    Project {
        tool: "go",
        files: &[
            ("go.mod", "module example.com/warm\n\ngo 1.19\n"),
            ("main.go", "package main\n\nfunc main() { println(\"passes\") }\n"),
        ],
        warm_up: &[],
        command: "go build -o built . && ./built && go vet .",
        says: "passes",
    },
];

/// R50, R17: `cargo test`, `npm test`, `pytest` and `go build` need nothing more than the profile gives, and the
/// `sandboxed` mode asks for none of them.
#[tokio::test]
async fn warm_projects_build_offline() {
    for project in PROJECTS {
        if !is_installed(project.tool) {
            // `cargo xtask test` installs all of them on the systems it knows, and names those that are missing.
            assert!(std::env::var_os("CI").is_none(), "{} must be installed here", project.tool);
            continue;
        }
        let world = World::new();
        for (name, text) in project.files {
            world.file(name, text);
        }
        if let [program, arguments @ ..] = project.warm_up {
            let mut command = std::process::Command::new(program);
            let warmed = command.args(arguments).current_dir(world.path("")).output().expect("a warm-up");
            assert!(warmed.status.success(), "{}", String::from_utf8_lossy(&warmed.stderr));
        }
        let gate = gate(&world);
        // Outside a repository and in one: some tools ask version control.
        for repository in [false, true] {
            if repository {
                let git = std::process::Command::new("git")
                    .args(["init", "-q"])
                    .current_dir(world.path(""))
                    .status();
                assert!(git.expect("git").success());
            }
            let run = crate::gate::Run::new("session", "run", Origin::Task, CancellationToken::new());
            let message = gate.run(&proposed(project.command, repository), &run).await.message;
            assert!(
                message.content.contains(project.says) && !message.is_error,
                "{}, {repository}: {}",
                project.tool,
                message.content
            );
        }
    }
}

fn proposed(command: &str, repository: bool) -> ProposedCall {
    let arguments = json!({"command": command, "timeout_ms": 600_000});
    ProposedCall {
        id: format!("call_{repository}"),
        id_given: true,
        name: "shell".to_owned(),
        arguments: Arguments::Object(arguments.as_object().cloned().expect("an object")),
        extra: None,
    }
}

/// The gate of a trusted folder in the `sandboxed` mode, on this machine as it is, with nobody to ask.
fn gate(world: &World) -> Gate {
    let shell: Arc<dyn Tool> = Arc::new(Shell::new(Parts {
        sandbox: Sandbox::with_helper(helper()),
        background: Background::default(),
        variables: std::env::vars_os().collect(),
    }));
    let machine = Machine::detect();
    let context = Context {
        mode: Mode::Sandboxed,
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        home: machine.home.to_string_lossy().into_owned(),
        search_path: machine.search_path,
        ..sample_context(&world.workspace.root().to_string_lossy())
    };
    Gate::new(crate::gate::Parts {
        registry: Arc::new(Registry::new([shell]).expect("a registry")),
        audit: Arc::new(Notes::default()),
        approver: Arc::new(Nobody),
        advisor: Arc::new(NoAdvisor),
        circumstances: Arc::new(Here(context)),
        workspace: Arc::clone(&world.workspace),
        scratch: world.scratch(),
        observer: Arc::new(|_: Event| {}),
    })
}

struct Here(Context);

impl Circumstances for Here {
    fn current(&self) -> Result<(Context, Arc<Rules>), String> {
        Ok((self.0.clone(), Arc::default()))
    }
}

/// A question is an error here.
struct Nobody;

#[async_trait]
impl Approver for Nobody {
    async fn ask(&self, _: Question, _: &CancellationToken) -> Answer {
        Answer::Unavailable { why: "This must not be asked.".to_owned() }
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
