//! A hooks file, and what a hook answers: neither can loosen, and a file that isn't understood denies.

use crate::campaign;
use crate::world::shell_call;
use assent_agent::advice::Advisor as _;
use assent_agent::hooks::{Ended, Hook, HookFiles, Hooks, ProgramError, Runner};
use assent_policy::Behavior;
use async_trait::async_trait;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A hook that always gives one answer.
struct Always(Ended);

#[async_trait]
impl Runner for Always {
    async fn run(&self, _: &Hook, _: &[u8], _: &CancellationToken) -> Result<Ended, ProgramError> {
        Ok(self.0.clone())
    }
}

/// R21
#[test]
fn hooks_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hooks.json");
    campaign::run("hooks_file", |input| {
        fs::write(&file, input).expect("a hooks file");
        let files = HookFiles { managed: folder.path().join("none.json"), user: file.clone() };
        let set = files.load();
        let sound = set.is_ok();
        let count = set.as_ref().map_or(0, |set| set.hooks().len());
        let complaint = set.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let behaviors = asked(files, Ended::default());
        assert!(sound || behaviors == [Behavior::Deny], "{behaviors:?} with a broken file");
        assert!(behaviors.iter().all(|behavior| *behavior > Behavior::Allow), "{behaviors:?}");
        let complaint = complaint.rsplit("json: ").next().and_then(|why| why.split(['`', '"', ':']).next());
        let complaint: String =
            complaint.unwrap_or_default().chars().filter(|one| !one.is_ascii_digit()).collect();
        format!("{complaint} {} {}", count.min(4), behaviors.len().min(4))
    });
}

/// R21
#[test]
fn hook_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hooks.json");
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "check"}]}]}}"#;
    fs::write(&file, text).expect("a hooks file");
    let files = HookFiles { managed: folder.path().join("none.json"), user: file };
    campaign::run("hook_answer", |input| {
        // The first byte is the exit code.
        let (code, said) = input.split_first().map_or((0, input), |(first, rest)| (first % 4, rest));
        let ended = Ended { code: code.into(), stdout: said.to_vec(), stderr: said.to_vec() };
        let behaviors = asked(files.clone(), ended);
        assert!(behaviors.iter().all(|behavior| *behavior > Behavior::Allow), "{behaviors:?}");
        assert!(code == 0 || behaviors == [Behavior::Deny], "exit code {code} gives {behaviors:?}");
        format!("{code} {behaviors:?}")
    });
}

/// What the hooks of `files` make of a call, where each ends so.
fn asked(files: HookFiles, ended: Ended) -> Vec<Behavior> {
    let hooks = Hooks::new(files, Arc::new(Always(ended)), "s", PathBuf::from(Path::new("/ws")));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let verdicts = runtime.block_on(hooks.before(&shell_call("ls"), "1", &CancellationToken::new()));
    verdicts.into_iter().map(|verdict| verdict.behavior).collect()
}
