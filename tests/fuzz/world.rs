//! A world in which everything is as harmless as it can be, so that only the text decides.

use assent_policy::rule::{Layer, RuleFile};
use assent_policy::{
    Context, Evaluation, Facts, FileKind, Inquiry, Mode, Needs, Origin, Os, PathFact, PreparedCall,
    ProgramFact, ProgramLookup, ProgramPlace, RepositoryFact, Resolved, Rules, SandboxState, ShellKind,
    ShellRequest, ShellTrust, Subject, ToolEffect, TrackedFact, TreeFact, evaluate, path,
};

/// Rounds of questions after which the missing facts stay missing.
const ROUNDS: usize = 6;

/// The workspace `/ws` (`C:/ws`) with the profiles in force.
pub fn context(shell: ShellKind, os: Os) -> Context {
    let workspace = if os == Os::Windows { "C:/ws" } else { "/ws" };
    Context {
        os,
        shell,
        mode: Mode::Balanced,
        workspace: workspace.to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/u".to_owned(),
        own_paths: vec!["/home/u/.config/assent".to_owned()],
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned()],
        programs: ProgramLookup::Assumed,
        environment: Vec::new(),
        user: "u".to_owned(),
        session: "s".to_owned(),
        policy_version: String::new(),
    }
}

/// A `shell` call.
pub fn shell_call(command: &str) -> PreparedCall {
    PreparedCall {
        tool: "shell".to_owned(),
        schema_version: 1,
        arguments: serde_json::Map::from_iter([("command".to_owned(), command.into())]),
        effect: ToolEffect::Execute,
        subject: Subject::Shell(ShellRequest {
            command: command.to_owned(),
            background: false,
            timeout_ms: 120_000,
            needs: Needs::default(),
        }),
        origin: Origin::Task,
    }
}

/// Rules that allow every call of every tool.
pub fn open_rules() -> Rules {
    let text = "version = 1\n[[rules]]\nname = \"all\"\nbehavior = \"allow\"\nreason = \"All of it.\"\n";
    let file = RuleFile::parse(text, Layer::User, ShellKind::Bash, Os::Linux).expect("a sound file");
    Rules::new([(file, true)], Vec::new())
}

/// What comes of `call` once every question has the most harmless answer, and these answers.
pub fn settle(call: &PreparedCall, context: &Context, rules: &Rules) -> (Evaluation, Facts) {
    let mut facts = Facts::default();
    let mut evaluation = evaluate(call, &facts, context, rules, &[]);
    for _ in 0..ROUNDS {
        if evaluation.inquiries.is_empty() {
            break;
        }
        for inquiry in std::mem::take(&mut evaluation.inquiries) {
            answer(inquiry, context, &mut facts);
        }
        evaluation = evaluate(call, &facts, context, rules, &[]);
    }
    (evaluation, facts)
}

fn answer(inquiry: Inquiry, context: &Context, facts: &mut Facts) {
    match inquiry {
        Inquiry::Path(key) => {
            let real = path::lexical(&key);
            let file = if real == context.workspace { FileKind::Directory } else { FileKind::Regular };
            let resolved = Resolved {
                real,
                file,
                identity: None,
                is_link: false,
                links: 1,
                in_git_folder: false,
                content: None,
            };
            facts.paths.insert(key, PathFact::Resolved(resolved));
        }
        Inquiry::Program(key) => {
            let path = format!("/usr/bin/{key}");
            let fact = ProgramFact {
                found: Some(path.clone()),
                real: Some(path),
                place: ProgramPlace::System,
                identity: None,
                content: None,
            };
            facts.programs.insert(key, fact);
        }
        Inquiry::Repository(key) => {
            let gitdir = format!("{}/.git", context.workspace);
            facts.repositories.insert(key, RepositoryFact::Plain { gitdir, secret: false });
        }
        Inquiry::Tracked(key) => {
            facts.tracked.insert(key, TrackedFact::default());
        }
        Inquiry::Tree(key) => {
            facts.trees.insert(key, TreeFact::default());
        }
    }
}
