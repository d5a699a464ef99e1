//! A repository whose configuration names programs: nothing the model asks of git runs one of them without a person.

use crate::recorder::Recorder;
use assent_agent::facts;
use assent_policy::{Behavior, Rules};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const QUERIES: &[&str] = &[
    "git status",
    "git status --short",
    "git diff",
    "git diff --stat",
    "git log",
    "git log -p -1",
    "git show HEAD",
    "git branch",
    "git blame a.txt",
    "git grep -n text",
    "git -C src status",
    "cd src && git diff",
    "git stash list",
    "git ls-files -m",
];

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "init.defaultBranch=main", "-c", "user.name=a", "-c", "user.email=a@example.test"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn behaviors(recorder: &Recorder) -> Vec<(&'static str, Behavior)> {
    QUERIES
        .iter()
        .map(|query| {
            let call = recorder.call(query);
            (*query, facts::judge(&call, recorder.context(), &Rules::default(), &[]).0.behavior)
        })
        .collect()
}

/// R17: judging looks at the configuration itself and starts nothing; the answer is a question, for every key that names a program.
#[test]
fn configured_programs_never_run_without_a_question() {
    for key in [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.x.textconv",
        "diff.x.command",
        "filter.x.clean",
        "filter.x.process",
        "core.sshCommand",
        "core.hooksPath",
        "gpg.program",
        "alias.log",
        "include.path",
        "core.editor",
    ] {
        let recorder = Recorder::new();
        let workspace = recorder.workspace();
        git(workspace, &["init", "-q"]);
        git(workspace, &["add", "a.txt"]);
        git(workspace, &["commit", "-qm", "a"]);
        let marker = workspace.join("started");
        let program = workspace.join("evil.sh");
        fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", marker.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(workspace.join(".gitattributes"), "* diff=x filter=x\n").unwrap();
        git(workspace, &["config", key, program.to_str().unwrap()]);
        fs::write(workspace.join("a.txt"), "changed\n").unwrap();
        for (query, behavior) in behaviors(&recorder) {
            assert_eq!(behavior, Behavior::Ask, "{key}: {query}");
        }
        assert!(!marker.exists(), "{key}: looking started the program");
    }
}

/// R17: the same questions in a plain repository need no person.
#[test]
fn a_plain_repository_needs_no_question() {
    let recorder = Recorder::new();
    git(recorder.workspace(), &["init", "-q"]);
    git(recorder.workspace(), &["add", "a.txt"]);
    git(recorder.workspace(), &["commit", "-qm", "a"]);
    for (query, behavior) in behaviors(&recorder) {
        assert_eq!(behavior, Behavior::Allow, "{query}");
    }
}
