//! A small world for decisions: calls, facts and a context as data.
#![expect(clippy::panic, reason = "a broken fixture is a bug in the test")]

use assent_policy::rule::{Layer, RuleFile};
use assent_policy::{
    Access, Context, Evaluation, Facts, FileAccess, FileKind, Inquiry, Mode, Needs, NetworkRequest, Origin,
    Os, PathFact, PreparedCall, ProgramFact, ProgramLookup, ProgramPlace, RepositoryFact, Resolved, Rules,
    SandboxState, SearchRequest, ShellKind, ShellRequest, ShellTrust, Subject, ToolEffect, TrackedFact,
    TreeFact, Verdict, evaluate, path,
};
use serde_json::{Map, Value, json};

/// Linux, bash, balanced, workspace `/ws`, home `/home/u`, the sandbox in force.
pub fn context() -> Context {
    Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: "/ws".to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/u".to_owned(),
        own_paths: vec!["/home/u/.config/assent".to_owned(), "/home/u/.local/share/assent".to_owned()],
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
        programs: ProgramLookup::Search,
        environment: Vec::new(),
        user: "u".to_owned(),
        session: "s".to_owned(),
        policy_version: String::new(),
    }
}

pub fn windows() -> Context {
    Context { os: Os::Windows, shell: ShellKind::PowerShell, workspace: "C:/ws".to_owned(), ..context() }
}

fn call(tool: &str, effect: ToolEffect, arguments: Value, subject: Subject) -> PreparedCall {
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    PreparedCall {
        tool: tool.to_owned(),
        schema_version: 1,
        arguments,
        effect,
        subject,
        origin: Origin::Task,
    }
}

fn files(path: &str, access: Access) -> Subject {
    Subject::Files { accesses: vec![FileAccess { path: path.to_owned(), access }] }
}

pub fn read(path: &str) -> PreparedCall {
    call("read_file", ToolEffect::Read, json!({"path": path}), files(path, Access::Read))
}

pub fn write(path: &str) -> PreparedCall {
    let arguments = json!({"path": path, "content": "x"});
    call("write_file", ToolEffect::Write, arguments, files(path, Access::Write))
}

pub fn glob(pattern: &str) -> PreparedCall {
    let subject = SearchRequest { path: ".".to_owned(), globs: vec![pattern.to_owned()], contents: false };
    call("glob", ToolEffect::Read, json!({"pattern": pattern}), Subject::Search(subject))
}

pub fn grep(path: &str, glob: Option<&str>) -> PreparedCall {
    let globs = glob.map(str::to_owned).into_iter().collect();
    let subject = SearchRequest { path: path.to_owned(), globs, contents: true };
    call("grep", ToolEffect::Read, json!({"pattern": "x", "path": path}), Subject::Search(subject))
}

pub fn fetch(url: &str) -> PreparedCall {
    let subject = Subject::Network(NetworkRequest { url: url.to_owned() });
    call("fetch_url", ToolEffect::Network, json!({"url": url}), subject)
}

pub fn shell(command: &str) -> PreparedCall {
    shell_with(command, Needs::default())
}

pub fn shell_with(command: &str, needs: Needs) -> PreparedCall {
    let subject = ShellRequest { command: command.to_owned(), background: false, timeout_ms: 120_000, needs };
    call("shell", ToolEffect::Execute, json!({"command": command}), Subject::Shell(subject))
}

/// A world on which everything asked about exists: paths as their text says, programs in `/usr/bin`.
#[derive(Default)]
pub struct World {
    /// Paths that are something else than their text says, by key.
    pub paths: Vec<(String, Resolved)>,
    /// Programs that aren't in a system folder.
    pub programs: Vec<(String, ProgramFact)>,
    /// Sensitive files: of every tree that is asked about, or where an absolute path says.
    pub sensitive: Vec<String>,
    /// What git finds from anywhere; nothing where absent.
    pub repository: Option<RepositoryFact>,
    /// What the repository tracks.
    pub tracked: Vec<String>,
    pub rules: Rules,
}

impl World {
    pub fn with_rules(text: &str) -> Self {
        Self { rules: rules(text), ..Self::default() }
    }

    pub fn link(mut self, from: &str, to: &str) -> Self {
        self.paths.push((from.to_owned(), Resolved { is_link: true, ..regular(to) }));
        self
    }

    pub fn judge(&self, call: &PreparedCall, context: &Context) -> Evaluation {
        self.judge_with(call, context, &[])
    }

    pub fn judge_with(&self, call: &PreparedCall, context: &Context, advice: &[Verdict]) -> Evaluation {
        evaluate(call, &self.facts(call, context), context, &self.rules, advice)
    }

    pub fn facts(&self, call: &PreparedCall, context: &Context) -> Facts {
        let mut facts = Facts::default();
        for _ in 0..6 {
            let evaluation = evaluate(call, &facts, context, &self.rules, &[]);
            if evaluation.inquiries.is_empty() {
                break;
            }
            for inquiry in evaluation.inquiries {
                self.answer(inquiry, &mut facts);
            }
        }
        facts
    }

    /// The facts of a call, and of the programs its words name, as a candidate needs them.
    pub fn facts_with_programs(&self, call: &PreparedCall) -> Facts {
        let mut facts = self.facts(call, &context());
        if let Subject::Shell(request) = &call.subject {
            for word in request.command.split(' ') {
                self.answer(Inquiry::Program(word.to_owned()), &mut facts);
            }
        }
        facts
    }

    fn answer(&self, inquiry: Inquiry, facts: &mut Facts) {
        match inquiry {
            Inquiry::Path(key) => {
                let known = self.paths.iter().find(|(path, _)| *path == key).map(|(_, fact)| fact.clone());
                let fact = known.unwrap_or_else(|| regular(&assent_policy::path::lexical(&key)));
                facts.paths.insert(key, PathFact::Resolved(fact));
            }
            Inquiry::Program(key) => {
                let known = self.programs.iter().find(|(name, _)| *name == key).map(|(_, fact)| fact.clone());
                let path = format!("/usr/bin/{key}");
                let place = if key.contains('/') { ProgramPlace::Untrusted } else { ProgramPlace::System };
                let fact = known.unwrap_or(ProgramFact {
                    found: Some(path.clone()),
                    real: Some(path),
                    place,
                    identity: None,
                    content: None,
                });
                facts.programs.insert(key, fact);
            }
            Inquiry::Repository(key) => {
                facts.repositories.insert(key, self.repository.clone().unwrap_or(RepositoryFact::None));
            }
            Inquiry::Tracked(key) => {
                let is_secret = |path: &&String| path::is_sensitive(path);
                let sensitive = self.tracked.iter().filter(is_secret).cloned().collect();
                let gitdir = match &self.repository {
                    Some(RepositoryFact::Plain { gitdir, .. } | RepositoryFact::Dangerous { gitdir, .. }) => {
                        gitdir.as_str()
                    }
                    Some(RepositoryFact::None) | None => "",
                };
                let (root, files) = (gitdir.trim_end_matches("/.git").to_owned(), self.tracked.clone());
                facts.tracked.insert(key, TrackedFact { root, files, sensitive, incomplete: false });
            }
            Inquiry::Tree(key) => {
                let tree = format!("{}/", path::lexical(&key));
                let sensitive = self
                    .sensitive
                    .iter()
                    .filter(|path| !path.contains(":/") || path.starts_with(&tree))
                    .map(|path| path.strip_prefix(&tree).unwrap_or(path).to_owned())
                    .collect();
                facts.trees.insert(key, TreeFact { sensitive, ..TreeFact::default() });
            }
        }
    }
}

pub fn regular(path: &str) -> Resolved {
    Resolved {
        real: path.to_owned(),
        file: FileKind::Regular,
        identity: None,
        is_link: false,
        links: 1,
        in_git_folder: false,
        content: None,
    }
}

pub fn rules(text: &str) -> Rules {
    let file = RuleFile::parse(&format!("version = 1\n{text}"), Layer::User, ShellKind::Bash, Os::Linux)
        .unwrap_or_else(|error| panic!("{error}"));
    Rules::new([(file, true)], Vec::new())
}
