//! Git's index, as it lies in a repository: no sub-project that git sees in it is overlooked.

use crate::campaign;
use crate::world::{context, shell_call};
use assent_agent::facts;
use assent_policy::{Behavior, Os, Rules, ShellKind};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A sub-project whose configuration makes `git status` start a program.
const HOSTILE: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = ./pwned.sh\n";
const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

/// R17
#[test]
fn git_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a real folder");
    for (at, config) in [("", PLAIN), ("sub", HOSTILE)] {
        let git = root.join(at).join(".git");
        for part in ["objects", "refs"] {
            fs::create_dir_all(git.join(part)).expect("a git folder");
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("HEAD");
        fs::write(git.join("config"), config).expect("a configuration");
    }
    let mut context = context(ShellKind::Bash, Os::Linux);
    context.workspace = root.to_string_lossy().into_owned();
    let call = shell_call("git status");
    campaign::run("git_index", |input| {
        // A checksum of zeros is one that git doesn't compare.
        let bytes = [input, &[0; 20]].concat();
        fs::write(root.join(".git/index"), bytes).expect("an index");
        let (judged, _) = facts::judge(&call, &context, &Rules::default(), &[]);
        let seen = sub_project_seen(&root);
        assert!(seen != Some(true) || judged.behavior >= Behavior::Ask, "git sees the sub-project");
        format!("{seen:?} {:?}", judged.behavior)
    });
}

/// Whether git lists the sub-project; nothing where it can't read the index.
fn sub_project_seen(root: &Path) -> Option<bool> {
    let done = Command::new("git")
        .args(["ls-files", "--stage", "-z"])
        .current_dir(root)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git");
    let is_link = |entry: &[u8]| entry.starts_with(b"160000 ") && entry.ends_with(b"\tsub");
    done.status.success().then(|| done.stdout.split(|byte| *byte == 0).any(is_link))
}
