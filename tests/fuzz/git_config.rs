//! Git's configuration, as it lies in a repository: a key that names a program is seen, whatever stands before it.

use crate::campaign;
use crate::world::{context, shell_call};
use assent_agent::facts;
use assent_policy::{Behavior, Facts, Os, RepositoryFact, Rules, ShellKind};
use std::fs;

/// Settings that make `git status` start a program.
const PROGRAM: &[u8] = b"\n\n[core]\n\tfsmonitor = ./pwned.sh\n";

/// R17
#[test]
fn git_config() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a real folder");
    let git = root.join(".git");
    for part in ["objects", "refs"] {
        fs::create_dir_all(git.join(part)).expect("a git folder");
    }
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("HEAD");
    let mut context = context(ShellKind::Bash, Os::Linux);
    context.workspace = root.to_string_lossy().into_owned();
    let call = shell_call("git status");
    campaign::run("git_config", |input| {
        let config = git.join("config");
        fs::write(&config, input).expect("a configuration");
        let (plain, known) = facts::judge(&call, &context, &Rules::default(), &[]);
        assert!(!known.repositories.is_empty(), "git's configuration was not looked at");
        fs::write(&config, [input, PROGRAM].concat()).expect("a configuration");
        let (hostile, _) = facts::judge(&call, &context, &Rules::default(), &[]);
        assert!(hostile.behavior >= Behavior::Ask, "allowed with a program in it");
        format!("{:?} {}", plain.behavior, outcome(&known))
    });
}

/// What was found, without the keys' names.
fn outcome(facts: &Facts) -> String {
    let outcome = |fact: &RepositoryFact| match fact {
        RepositoryFact::None => "none".to_owned(),
        RepositoryFact::Plain { secret, .. } => format!("plain {secret}"),
        RepositoryFact::Dangerous { why, .. } => {
            format!("dangerous {} {}", why.split(' ').count(), why.split('.').count())
        }
    };
    facts.repositories.values().map(outcome).collect()
}
