//! Looks up what a decision needs to know, asks again, until nothing is missing.

mod git_config;
mod git_index;
mod identity;
mod paths;
mod programs;
mod repositories;
mod trees;

pub use paths::open_without_waiting;
pub(crate) use repositories::is_git_folder;

use assent_policy::{Access, Context, Evaluation, Facts, Inquiry, PreparedCall, Rules, Verdict, evaluate};

/// How often the decision may ask for more; past that the missing facts stay missing, and the call asks.
const ROUNDS: usize = 6;

/// Judges `call` with facts looked up as the decision asks for them.
#[must_use]
pub fn judge(
    call: &PreparedCall,
    context: &Context,
    rules: &Rules,
    recommendations: &[Verdict],
) -> (Evaluation, Facts) {
    let mut facts = Facts::default();
    let evaluation = judge_knowing(&mut facts, call, context, rules, recommendations);
    (evaluation, facts)
}

/// The same for many calls in the same `context`, none of which will run: what is in `known` isn't looked up again.
pub fn judge_knowing(
    known: &mut Facts,
    call: &PreparedCall,
    context: &Context,
    rules: &Rules,
    recommendations: &[Verdict],
) -> Evaluation {
    let mut evaluation = evaluate(call, known, context, rules, recommendations);
    for _ in 0..ROUNDS {
        if evaluation.inquiries.is_empty() {
            break;
        }
        for inquiry in std::mem::take(&mut evaluation.inquiries) {
            answer(inquiry, &evaluation, context, known);
        }
        evaluation = evaluate(call, known, context, rules, recommendations);
    }
    evaluation
}

fn answer(inquiry: Inquiry, evaluation: &Evaluation, context: &Context, facts: &mut Facts) {
    match inquiry {
        Inquiry::Path(key) => {
            let fact = paths::look_up(&key, content_matters(&key, evaluation), context);
            facts.paths.insert(key, fact);
        }
        Inquiry::Program(key) => {
            let fact = programs::look_up(&key, context);
            facts.programs.insert(key, fact);
        }
        Inquiry::Repository(key) => {
            let fact = repositories::look_up(&key, context);
            facts.repositories.insert(key, fact);
        }
        Inquiry::Tracked(key) => {
            let fact = repositories::tracked(&key, context);
            facts.tracked.insert(key, fact);
        }
        Inquiry::Tree(key) => {
            let fact = trees::look_up(&key, context);
            facts.trees.insert(key, fact);
        }
    }
}

/// Whether the call would overwrite or start what is at `key`.
fn content_matters(key: &str, evaluation: &Evaluation) -> bool {
    let lexical = assent_policy::path::lexical(key);
    evaluation.touches.iter().any(|touched| touched.access != Access::Read && touched.path == lexical)
}

/// A Linux context for tests, with `workspace`.
#[cfg(test)]
pub(crate) fn sample_context(workspace: &str) -> Context {
    Context {
        os: assent_policy::Os::Linux,
        shell: assent_policy::ShellKind::Bash,
        mode: assent_policy::Mode::Balanced,
        workspace: workspace.to_owned(),
        workspace_aliases: Vec::new(),
        home: "/home/u".to_owned(),
        own_paths: Vec::new(),
        read_folders: Vec::new(),
        sandbox: assent_policy::SandboxState::InForce,
        shell_trust: assent_policy::ShellTrust::Trusted,
        search_path: vec!["/usr/bin".to_owned(), "/bin".to_owned()],
        programs: assent_policy::ProgramLookup::Search,
        environment: Vec::new(),
        user: "u".to_owned(),
        session: "s".to_owned(),
        policy_version: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{judge_knowing, sample_context};
    use assent_policy::{
        Behavior, Facts, Needs, Origin, PreparedCall, Rules, ShellRequest, Subject, ToolEffect,
    };

    fn shell(command: &str) -> PreparedCall {
        let request = ShellRequest {
            command: command.to_owned(),
            background: false,
            timeout_ms: 120_000,
            needs: Needs::default(),
        };
        PreparedCall {
            tool: "shell".to_owned(),
            schema_version: 1,
            arguments: serde_json::Map::new(),
            effect: ToolEffect::Execute,
            subject: Subject::Shell(request),
            origin: Origin::Task,
        }
    }

    /// A folder is walked once for many calls; without what is known it is walked again.
    #[test]
    fn what_is_known_is_not_looked_up_again() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        let context = sample_context(workspace.to_str().unwrap());
        let judge = |known: &mut Facts| {
            judge_knowing(known, &shell("grep -r x ."), &context, &Rules::default(), &[]).behavior
        };
        let mut known = Facts::default();
        assert_eq!(judge(&mut known), Behavior::Allow);
        std::fs::write(workspace.join("x.pem"), "secret").unwrap();
        assert_eq!(judge(&mut known), Behavior::Allow);
        assert_eq!(judge(&mut Facts::default()), Behavior::Ask);
    }
}
