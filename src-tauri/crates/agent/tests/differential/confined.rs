//! Scripts that need no question, run for real in the sandbox: they change nothing, even where they could.
#![cfg(target_os = "linux")]

use crate::recorder::Recorder;
use crate::scripts;
use assent_agent::facts;
use assent_policy::{Behavior, Rules};
use assent_sandbox::{Command, Confinement, Ended, Level, Limits, Outcome, Sandbox, Streams};
use proptest::strategy::{Strategy as _, ValueTree as _};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Allowed scripts that are usually run, each in both profiles.
const SCRIPTS: u32 = 40;
/// Scripts that are generated at most to find one of these.
const GENERATED: u32 = 15;

/// R17: the profile for reading is enough for an allowed script, and one that may write the workspace leaves it as it was;
/// neither tries for the network.
#[test]
fn allowed_scripts_leave_the_tree_untouched() {
    let sandbox = Sandbox::with_helper(helper());
    let recorder = Recorder::new();
    let before = tree(recorder.workspace());
    let mut runner = scripts::runner();
    let wanted = crate::effort::cases(SCRIPTS).cases;
    let strategy = scripts::script();
    let mut allowed = 0;
    for _ in 0..GENERATED * wanted {
        if allowed == wanted {
            break;
        }
        let script = strategy.new_tree(&mut runner).unwrap().current();
        let (evaluation, _) =
            facts::judge(&recorder.call(&script), recorder.context(), &Rules::default(), &[]);
        if evaluation.behavior != Behavior::Allow {
            continue;
        }
        allowed += 1;
        for level in [Level::ReadOnly, Level::WorkspaceWrite] {
            let ended = run(&sandbox, recorder.workspace(), level, &script);
            assert!(matches!(ended.outcome, Outcome::Exited(_)), "{script:?}: {:?}", ended.outcome);
            // glibc asks a name cache over a local socket before it reads the list of users, as `ls -l` makes it.
            let refused = ended.refusals.iter().find(|refusal| refusal.what != "unix");
            assert_eq!(refused, None, "{script:?}");
            assert_eq!(tree(recorder.workspace()), before, "{script:?} changed the tree");
        }
    }
    assert_eq!(allowed, wanted, "too few scripts were allowed");
    // The tree would show it.
    run(&sandbox, recorder.workspace(), Level::WorkspaceWrite, "touch pwned");
    assert_ne!(tree(recorder.workspace()), before, "a change doesn't show");
}

fn run(sandbox: &Sandbox, workspace: &Path, level: Level, script: &str) -> Ended {
    let command = Command {
        limits: Limits::default(),
        ..Command::new("/bin/bash", workspace)
            .arg("--noprofile")
            .arg("--norc")
            .arg("-c")
            .arg(script)
            .var("PATH", "/usr/bin:/bin")
    };
    let mut started = sandbox.start(command, Confinement::new(level, workspace), Streams::Merged).unwrap();
    started.output.read_to_end(&mut Vec::new()).unwrap();
    started.running.wait(|_| {})
}

/// Every file and folder with when it was changed, and what files hold.
fn tree(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Option<Vec<u8>>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content = metadata.is_file().then(|| fs::read(&path).unwrap());
            found.insert(path.clone(), (metadata.modified().unwrap(), content));
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

fn helper() -> PathBuf {
    let built = std::process::Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "assent-sandbox"])
        .status();
    assert!(built.unwrap().success(), "assent-sandbox doesn't build");
    let own = std::env::current_exe().unwrap();
    own.parent().and_then(Path::parent).unwrap().join("assent-sandbox")
}
