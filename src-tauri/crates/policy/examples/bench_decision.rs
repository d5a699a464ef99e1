//! How long a decision takes: `cargo run --release -p assent-policy --example bench_decision`.
//! Every fact is there already, as in the last round of a real decision.

use assent_figure::Report;
use assent_policy::{
    Context, Facts, FileKind, Inquiry, Mode, Needs, Origin, Os, PathFact, PreparedCall, ProgramFact,
    ProgramLookup, ProgramPlace, RepositoryFact, Resolved, Rules, SandboxState, ShellKind, ShellRequest,
    ShellTrust, Subject, ToolEffect, TrackedFact, TreeFact, evaluate,
};
use std::process::ExitCode;
use std::time::Instant;

/// Decisions of each text.
const RUNS: usize = 2_000;

fn main() -> ExitCode {
    let context = context();
    let rules = Rules::default();
    let script = "echo one; cat src/a.txt | grep -n foo | sort -u | head -5\n".repeat(18);
    let rows = [
        ("decision_list", "ls -la src".to_owned()),
        ("decision_search", "grep -rn --include='*.rs' TODO src | head -20".to_owned()),
        ("decision_git", "git log --oneline -10".to_owned()),
        ("decision_chain", "cd src && cat a.txt && cd .. && git status --short".to_owned()),
        ("decision_denied", "env LANG=C bash -c 'sudo rm -rf /'".to_owned()),
        ("decision_asked", "npm run build 2>&1 | tail -20".to_owned()),
        ("decision_script_1kib", script),
    ];
    let mut report = Report::from_arguments();
    for (name, command) in rows {
        let call = call(&command);
        let facts = settled(&call, &context, &rules);
        let mut times: Vec<u128> = (0..RUNS).map(|_| timed(&call, &facts, &context, &rules)).collect();
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of one decision fit")]
        let micros = |nanos: u128| nanos as f64 / 1000.0;
        report.promised(name, micros(at(50)));
        report.plain(&format!("{name}_p99"), micros(at(99)), "µs");
    }
    report.end()
}

#[expect(clippy::disallowed_methods, reason = "a bench reads the clock; the decision doesn't")]
fn timed(call: &PreparedCall, facts: &Facts, context: &Context, rules: &Rules) -> u128 {
    let start = Instant::now();
    let evaluation = evaluate(call, facts, context, rules, &[]);
    let elapsed = start.elapsed().as_nanos();
    std::hint::black_box(evaluation);
    elapsed
}

fn call(command: &str) -> PreparedCall {
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

fn context() -> Context {
    Context {
        os: Os::Linux,
        shell: ShellKind::Bash,
        mode: Mode::Balanced,
        workspace: "/w".to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/ada".to_owned(),
        own_paths: vec!["/home/ada/.config/assent".to_owned()],
        read_folders: Vec::new(),
        sandbox: SandboxState::InForce,
        shell_trust: ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
        programs: ProgramLookup::Search,
        environment: Vec::new(),
        user: "ada".to_owned(),
        session: "s".to_owned(),
        policy_version: "v".to_owned(),
    }
}

fn settled(call: &PreparedCall, context: &Context, rules: &Rules) -> Facts {
    let mut facts = Facts::default();
    loop {
        let evaluation = evaluate(call, &facts, context, rules, &[]);
        if evaluation.inquiries.is_empty() {
            return facts;
        }
        for inquiry in evaluation.inquiries {
            match inquiry {
                Inquiry::Path(key) => {
                    let real = assent_policy::path::lexical(&key);
                    let file = if key.ends_with("src") { FileKind::Directory } else { FileKind::Regular };
                    let found = Resolved {
                        real,
                        file,
                        identity: None,
                        is_link: false,
                        links: 1,
                        in_git_folder: false,
                        content: None,
                    };
                    facts.paths.insert(key, PathFact::Resolved(found));
                }
                Inquiry::Program(key) => {
                    let found = ProgramFact {
                        found: None,
                        real: None,
                        place: ProgramPlace::System,
                        identity: None,
                        content: None,
                    };
                    facts.programs.insert(key, found);
                }
                Inquiry::Repository(key) => {
                    let plain = RepositoryFact::Plain { gitdir: "/w/.git".to_owned(), secret: false };
                    facts.repositories.insert(key, plain);
                }
                Inquiry::Tracked(key) => {
                    facts.tracked.insert(key, TrackedFact::default());
                }
                Inquiry::Tree(key) => {
                    facts.trees.insert(key, TreeFact::default());
                }
            }
        }
    }
}
