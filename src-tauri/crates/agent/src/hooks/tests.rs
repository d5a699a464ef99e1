//! Hooks asked around calls and runs: what each reply does, and that a failing one denies or is shown.

use super::{Ended, Hook, HookFiles, Hooks, ProgramError, Runner};
use crate::advice::Advisor as _;
use crate::model::ToolMessage;
use crate::samples;
use assent_policy::{PreparedCall, Subject, ToolEffect};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Answers from a list, and keeps what it was told.
#[derive(Default)]
struct Scripted {
    answers: Mutex<Vec<Result<Ended, ProgramError>>>,
    told: Mutex<Vec<(String, Value)>>,
}

#[async_trait]
impl Runner for Scripted {
    async fn run(&self, hook: &Hook, input: &[u8], _: &CancellationToken) -> Result<Ended, ProgramError> {
        let told = serde_json::from_slice(input).expect("JSON");
        self.told.lock().expect("a lock").push((hook.command.clone(), told));
        self.answers.lock().expect("a lock").remove(0)
    }
}

fn ended(code: i32, stdout: &str, stderr: &str) -> Result<Ended, ProgramError> {
    Ok(Ended { code, stdout: stdout.into(), stderr: stderr.into() })
}

/// A user's `hooks.json` and an administrator's that isn't there.
fn files(text: &str) -> (TempDir, HookFiles) {
    let folder = tempfile::tempdir().expect("a folder");
    let user = folder.path().join("hooks.json");
    std::fs::write(&user, text).expect("a file");
    let managed = folder.path().join("missing/hooks.json");
    (folder, HookFiles { managed, user })
}

/// Hooks whose files are there as long as they are.
struct Filed {
    hooks: Hooks,
    folder: TempDir,
}

impl std::ops::Deref for Filed {
    type Target = Hooks;

    fn deref(&self) -> &Hooks {
        &self.hooks
    }
}

fn hooks(text: &str, answers: Vec<Result<Ended, ProgramError>>) -> (Filed, Arc<Scripted>) {
    let (folder, files) = files(text);
    let runner = Arc::new(Scripted { answers: Mutex::new(answers), ..Scripted::default() });
    let hooks =
        Hooks::new(files, Arc::clone(&runner) as Arc<dyn Runner>, "session", PathBuf::from("/workspace"));
    (Filed { hooks, folder }, runner)
}

fn call(tool: &str, arguments: Value) -> PreparedCall {
    samples::call(tool, ToolEffect::Write, arguments, Subject::Internal)
}

fn write_call() -> PreparedCall {
    call("write_file", json!({"path": "a.txt", "content": "x"}))
}

fn result() -> ToolMessage {
    ToolMessage {
        call_id: "call_1".to_owned(),
        content: "Created a.txt".to_owned(),
        ..ToolMessage::default()
    }
}

const BEFORE: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "check"}]}]}}"#;
const AFTER: &str = r#"{"hooks": {"PostToolUse": [{"matcher": "write_file|edit_file", "hooks": [{"type": "command", "command": "npm run lint"}]}]}}"#;

/// R21, R63: every way to answer, and what comes of it. Nothing a hook says allows anything.
#[tokio::test]
async fn hooks_before_a_call_only_tighten() {
    let cases = [
        ended(0, "", ""),
        ended(0, "some log line", ""),
        ended(0, r#"{"decision": "approve"}"#, ""),
        ended(
            0,
            r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}"#,
            "",
        ),
        ended(
            0,
            r#"{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "Look closely."}}"#,
            "",
        ),
        ended(
            0,
            r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "Frozen."}}"#,
            "",
        ),
        ended(0, r#"{"decision": "block", "reason": "Not on Fridays."}"#, ""),
        ended(0, r#"{"continue": false, "stopReason": "Stop here."}"#, ""),
        ended(2, "", "Generated files are not edited.\n"),
        ended(2, "", ""),
        ended(1, "", "syntax error\n"),
        ended(127, "", ""),
        ended(0, r#"{"decision": "#, ""),
        ended(0, r#"{"decision": "perhaps"}"#, ""),
        Err(ProgramError::Timeout(60)),
        Err(ProgramError::NotStarted("no such file".to_owned())),
        Err(ProgramError::Cancelled),
    ];
    let mut said = Vec::new();
    for case in cases {
        let (hooks, _) = hooks(BEFORE, vec![case]);
        let verdicts = hooks.before(&write_call(), "call_1", &CancellationToken::new()).await;
        let shown = verdicts.iter().map(|it| format!("{} ({}): {}", it.behavior, it.source, it.reason));
        said.push(shown.collect::<Vec<_>>());
    }
    insta::assert_debug_snapshot!(said);
}

/// R23, R63: what a check finds after a write reaches the model.
#[tokio::test]
async fn findings_after_a_call_reach_the_model() {
    let cases = [
        ended(0, "all good", ""),
        ended(2, "", "a.txt:1: trailing blank\n"),
        ended(0, r#"{"decision": "block", "reason": "3 lint errors"}"#, ""),
        ended(0, r#"{"hookSpecificOutput": {"additionalContext": "Formatted a.txt."}}"#, ""),
        ended(1, "", "npm: not found"),
        ended(2, "", &"long ".repeat(4_000)),
        Err(ProgramError::Timeout(30)),
    ];
    let mut said = Vec::new();
    for case in cases {
        let (hooks, _) = hooks(AFTER, vec![case]);
        let findings = hooks.after(&write_call(), &result(), &CancellationToken::new()).await;
        assert!(findings.iter().all(|finding| finding.len() < 9_000));
        said.push(findings.into_iter().map(|text| text.chars().take(100).collect()).collect::<Vec<String>>());
    }
    insta::assert_debug_snapshot!(said);
}

/// What a hook is told; in the words that its matcher speaks.
#[tokio::test]
async fn a_hook_is_told_in_its_own_words() {
    let text = r#"{"hooks": {
        "PreToolUse": [
            {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "common"}]},
            {"matcher": "write_.*", "hooks": [{"type": "command", "command": "own"}]},
            {"matcher": "write", "hooks": [{"type": "command", "command": "not asked: only a part matches"}]}
        ],
        "PostToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "after"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "prompt"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "stop"}]}]
    }}"#;
    let (hooks, runner) = hooks(text, (0..5).map(|_| ended(0, "", "")).collect());
    let cancel = CancellationToken::new();
    hooks.before(&write_call(), "call_1", &cancel).await;
    hooks.after(&write_call(), &result(), &cancel).await;
    hooks.prompted("Hello", &cancel).await;
    hooks.stopping(true, &cancel).await;
    insta::assert_json_snapshot!(*runner.told.lock().expect("a lock"));
}

/// A message may be blocked or added to, an end put off; failures are for the person.
#[tokio::test]
async fn prompts_and_ends_are_asked_about() {
    let prompt = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "p"}]}]}}"#;
    let stop = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "s"}]}]}}"#;
    let cancel = CancellationToken::new();
    let mut said = Vec::new();
    for case in [
        ended(0, "Today is Monday.", ""),
        ended(0, r#"{"hookSpecificOutput": {"additionalContext": "Branch: main"}}"#, ""),
        ended(2, "", "It holds a password."),
        ended(1, "", "broken"),
    ] {
        said.push(format!("{:?}", hooks(prompt, vec![case]).0.prompted("Hello", &cancel).await));
    }
    for case in [
        ended(0, "", ""),
        ended(0, r#"{"decision": "block", "reason": "Tests fail."}"#, ""),
        ended(3, "", "broken"),
    ] {
        said.push(format!("{:?}", hooks(stop, vec![case]).0.stopping(false, &cancel).await));
    }
    insta::assert_snapshot!(said.join("\n"));
}

/// A tool that no hook matches is nobody's business, and nothing is started for it.
#[tokio::test]
async fn unmatched_tools_start_nothing() {
    let (hooks, runner) = hooks(AFTER, Vec::new());
    let glob = call("glob", json!({"pattern": "*"}));
    assert!(!hooks.concerns(&glob));
    assert!(hooks.concerns(&write_call()));
    assert!(hooks.before(&write_call(), "call_1", &CancellationToken::new()).await.is_empty());
    assert!(hooks.after(&glob, &result(), &CancellationToken::new()).await.is_empty());
    assert!(runner.told.lock().expect("a lock").is_empty());
}

/// A file that can't be used denies every call, with the place of the mistake.
#[tokio::test]
async fn a_broken_file_denies() {
    let mut said = Vec::new();
    for text in [
        "{\n  \"hooks\": [}",
        r#"{"hooks": {"BeforeTool": []}}"#,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "command": "x"}]}]}}"#,
        r#"{"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": "x"}]}]}}"#,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": " "}]}]}}"#,
        r#"{"permissions": {}}"#,
    ] {
        let (hooks, _) = hooks(text, Vec::new());
        assert!(hooks.concerns(&write_call()));
        let verdicts = hooks.before(&write_call(), "call_1", &CancellationToken::new()).await;
        // One that breaks while a call or a run goes on isn't left out without a word either.
        let cancel = CancellationToken::new();
        let mut told = hooks.after(&write_call(), &result(), &cancel).await;
        told.extend(hooks.stopping(false, &cancel).await.failures);
        assert_eq!(told, vec![verdicts[0].reason.to_string(); 2]);
        let name = hooks.folder.path().display().to_string();
        said.extend(
            verdicts.iter().map(|it| format!("{}: {}", it.behavior, it.reason).replace(&name, "CONFIG")),
        );
    }
    insta::assert_snapshot!(said.join("\n---\n"));
}

/// R21: what is mended, added or broken in the file counts from the next call on, in a session that is open.
#[tokio::test]
async fn a_file_that_changes_counts_at_once() {
    let (hooks, runner) = hooks("no JSON", vec![ended(2, "", "no"), ended(0, "", "")]);
    let cancel = CancellationToken::new();
    for (text, denied) in [(None, 1), (Some(BEFORE), 1), (Some(BEFORE), 0), (Some(AFTER), 0), (Some("{"), 1)]
    {
        if let Some(text) = text {
            std::fs::write(hooks.folder.path().join("hooks.json"), text).expect("a file");
        }
        assert!(hooks.concerns(&write_call()));
        let verdicts = hooks.before(&write_call(), "call_1", &cancel).await;
        assert_eq!(verdicts.len(), denied, "{text:?}: {verdicts:?}");
    }
    assert_eq!(runner.told.lock().expect("a lock").len(), 2);
}

/// The administrator's hooks come first, and count only if nobody else could have written them.
#[test]
#[cfg(unix)]
fn a_managed_file_must_belong_to_the_administrator() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let managed = folder.path().join("managed.json");
    std::fs::write(&managed, BEFORE).expect("a file");
    std::fs::set_permissions(&managed, std::fs::Permissions::from_mode(0o666)).expect("a mode");
    let files = HookFiles { managed, user: PathBuf::from("/nowhere/hooks.json") };
    let error = files.load().expect_err("refused");
    assert!(error.to_string().ends_with("it doesn't belong to the administrator"), "{error}");
}

/// Hooks as real programs, in the real sandbox.
#[cfg(target_os = "linux")]
mod real {
    use super::{AFTER, Filed, Hooks, call, files, result, write_call};
    use crate::advice::Advisor as _;
    use crate::hooks::InSandbox;
    use crate::process::background::Background;
    use crate::seen_sandbox::SeenSandbox;
    use crate::tools::testing::{World, helper, tree};
    use assent_sandbox::Sandbox;
    use serde_json::json;
    use std::sync::Arc;
    use tokio_util::sync::CancellationToken;

    fn hooks(world: &World, text: &str, in_force: bool) -> Filed {
        hooks_known_to(&Background::default(), world, text, in_force)
    }

    fn hooks_known_to(background: &Background, world: &World, text: &str, in_force: bool) -> Filed {
        let (folder, files) = files(text);
        let runner = InSandbox {
            sandbox: Sandbox::with_helper(helper()),
            seen: SeenSandbox::new(in_force),
            background: background.clone(),
            variables: vec![
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("HOME".into(), "/nonexistent".into()),
                ("API_KEY".into(), "secret".into()),
            ],
            workspace: Arc::clone(&world.workspace),
            scratch: world.scratch(),
            watches: crate::process::watch::Watches::default(),
        };
        let hooks = Hooks::new(files, Arc::new(runner), "session", world.workspace.root().to_owned());
        Filed { hooks, folder }
    }

    fn one(event: &str, command: &str, more: serde_json::Value) -> String {
        let mut hook = json!({"type": "command", "command": command});
        for (key, value) in more.as_object().into_iter().flatten() {
            hook[key] = value.clone();
        }
        json!({"hooks": {event: [{"hooks": [hook]}]}}).to_string()
    }

    /// R23, R55: a check reads the call on its input, looks at the workspace, and what it finds reaches the model; no
    /// secret of the app is in its environment.
    #[tokio::test]
    async fn a_check_after_a_write() {
        let world = World::new();
        world.file("a.txt", "trailing \n");
        let command = r#"read -r told; case $told in *'"path":"a.txt"'*) ;; *) exit 1;; esac
            [ -z "$API_KEY" ] || exit 1
            [ "$ASSENT_PROJECT_DIR" = "$PWD" ] || exit 1
            grep -n ' $' a.txt >&2 && exit 2"#;
        let text = AFTER.replace("\"npm run lint\"", &json!(command).to_string());
        let findings =
            hooks(&world, &text, true).after(&write_call(), &result(), &CancellationToken::new()).await;
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].ends_with("…`: 1:trailing"), "{findings:?}");
        assert_eq!(std::fs::read_dir(world.scratch().join("hooks")).expect("the folder").count(), 0);
    }

    /// R50: a hook can neither write outside nor change what runs code later.
    #[tokio::test]
    async fn a_hook_is_confined() {
        let world = World::new();
        world.file(".git/config", "[core]\n");
        let outside = tree(&world.outside(""));
        let inside = tree(world.workspace.root());
        let command = format!(
            "echo x > '{}'; echo x > .git/hooks-here; mkdir -p .git/hooks && echo x > .git/hooks/pre-commit; exit 0",
            world.outside("escaped").display()
        );
        let hooks = hooks(&world, &one("PreToolUse", &command, json!({})), true);
        let verdicts = hooks.before(&write_call(), "call_1", &CancellationToken::new()).await;
        assert!(verdicts.is_empty(), "{verdicts:?}");
        assert_eq!(tree(&world.outside("")), outside);
        assert_eq!(tree(world.workspace.root()), inside);
    }

    /// A hook that hangs is ended and denies; so does one where there is no sandbox, unless its file says otherwise.
    #[tokio::test]
    async fn hooks_that_cannot_answer_deny() {
        let world = World::new();
        let cancel = CancellationToken::new();
        for (text, in_force, said) in [
            (
                one("PreToolUse", "sleep 600", json!({"timeout": 1})),
                true,
                "it took longer than 1 s and was ended",
            ),
            (one("PreToolUse", "true", json!({})), false, "the sandbox is not in force here"),
            (one("PreToolUse", "missing-program-of-nobody", json!({})), true, "exit code 127"),
        ] {
            let verdicts = hooks(&world, &text, in_force).before(&write_call(), "call_1", &cancel).await;
            assert_eq!(verdicts.len(), 1);
            assert!(verdicts[0].reason.as_str().contains(said), "{verdicts:?}");
        }
        let without = one("PreToolUse", "true", json!({"sandbox": false}));
        assert!(hooks(&world, &without, false).before(&write_call(), "call_1", &cancel).await.is_empty());
    }

    /// R30: while a hook runs without the sandbox, that is known, and while one runs in it, not.
    #[tokio::test]
    async fn a_hook_without_the_sandbox_is_known_to_run() {
        for sandboxed in [true, false] {
            let (world, background) = (World::new(), Background::default());
            let waits = "echo >began; until [ -e go ]; do sleep 0.02; done";
            let text = one("PreToolUse", waits, json!({"sandbox": sandboxed}));
            let hooks = hooks_known_to(&background, &world, &text, true);
            let (write, cancel) = (write_call(), CancellationToken::new());
            let run = async { assert!(hooks.before(&write, "call_1", &cancel).await.is_empty()) };
            let look = async {
                while !world.path("began").exists() {
                    tokio::task::yield_now().await;
                }
                let known = background.any_unsandboxed();
                std::fs::write(world.path("go"), "").expect("a file");
                assert_eq!(known, !sandboxed);
            };
            tokio::join!(run, look);
            assert!(!background.any_unsandboxed());
        }
    }

    /// Stop ends a hook at once.
    #[tokio::test]
    async fn stop_ends_a_hook() {
        let world = World::new();
        let cancel = CancellationToken::new();
        cancel.cancel();
        let hooks = hooks(&world, &one("PreToolUse", "sleep 600", json!({})), true);
        let verdicts = hooks.before(&call("shell", json!({"command": "ls"})), "call_1", &cancel).await;
        assert!(verdicts[0].reason.as_str().ends_with("the run was stopped"), "{verdicts:?}");
    }
}
