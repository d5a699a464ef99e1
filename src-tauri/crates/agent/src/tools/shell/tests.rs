//! The shell tool with the real helper on the real kernel.

mod warm;

use super::*;
use crate::samples;
use crate::tools::testing::{World, helper};
use crate::tools::{ReadFile, WriteFile};
use assent_policy::{Access, Evaluation, Facts, Origin, Profile, Touched};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

fn few_variables() -> Vec<(OsString, OsString)> {
    [("PATH", "/usr/bin:/bin"), ("HOME", "/nonexistent"), ("OPENAI_API_KEY", "sk-secret")]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec()
}

struct Case {
    world: World,
    profile: Profile,
    touches: Vec<Touched>,
    cancel: CancellationToken,
    shown: Arc<std::sync::Mutex<String>>,
    background: Background,
    variables: Vec<(OsString, OsString)>,
}

impl Case {
    fn new(profile: Profile) -> Self {
        Self {
            world: World::new(),
            profile,
            touches: Vec::new(),
            cancel: CancellationToken::new(),
            shown: Arc::default(),
            background: Background::default(),
            variables: few_variables(),
        }
    }

    fn touching(mut self, path: &str, access: Access) -> Self {
        let path = self.world.path(path).to_string_lossy().into_owned();
        self.touches.push(Touched { path, access, protected: true, sensitive: true });
        self
    }

    async fn run(&self, arguments: Value) -> String {
        let shell = Shell::new(Parts {
            sandbox: Sandbox::with_helper(helper()),
            background: self.background.clone(),
            variables: self.variables.clone(),
        });
        let subject = shell.prepare(arguments.as_object().expect("an object")).expect("valid arguments");
        let call = samples::call("shell", ToolEffect::Execute, arguments, subject);
        let evaluation =
            Evaluation { touches: self.touches.clone(), profile: self.profile, ..samples::evaluation() };
        let shown = Arc::clone(&self.shown);
        let run = Execution {
            workspace: Arc::clone(&self.world.workspace),
            session: "session".to_owned(),
            run: crate::gate::Run::new("session", "run", Origin::Task, CancellationToken::new()),
            call_id: "call".to_owned(),
            cancel: self.cancel.clone(),
            scratch: self.world.scratch(),
            output: Arc::new(move |text| shown.lock().expect("the text").push_str(&text)),
        };
        match shell.execute(Permit::for_test(call, evaluation, Facts::default()), &run).await {
            Ok(output) => output.content,
            Err(failure) => failure.to_string(),
        }
    }

    async fn bash(&self, command: &str) -> String {
        self.run(json!({"command": command})).await
    }
}

/// R52
#[tokio::test]
async fn output_reaches_the_model_and_the_card() {
    let case = Case::new(Profile::WorkspaceWrite);
    let answer = case.bash("pwd; echo out; echo err >&2; echo x > made; cat").await;
    assert_eq!(answer, format!("{}\nout\nerr\n", case.world.path("").display()).replace("ws/", "ws"));
    assert_eq!(*case.shown.lock().unwrap(), answer);
    assert_eq!(case.world.read("made"), b"x\n");
}

/// R50, R52: each way to fail has its code, and what was refused did not happen.
#[tokio::test]
async fn failures_have_their_codes() {
    let case = Case::new(Profile::WorkspaceWrite);
    let outside = case.world.outside("made");
    let code = |answer: &str| answer.split([']', '[']).nth(1).unwrap_or_default().to_owned();
    assert_eq!(case.bash("echo no; exit 3").await, "Error [shell_failed]: Exit code 3.\nOutput:\nno\n");
    let refused = case.bash(&format!("mkdir -p {0} && echo x > {0}/y", outside.display())).await;
    assert_eq!(code(&refused), "sandbox_denied", "{refused}");
    assert!(!outside.exists());
    let refused = case.bash("exec 3<>/dev/tcp/192.0.2.1/80").await;
    assert!(
        code(&refused) == "sandbox_denied" && refused.contains("connecting to 192.0.2.1:80"),
        "{refused}"
    );
    assert_eq!(code(&case.bash("kill -9 $$").await), "shell_failed");
    let read_only = Case::new(Profile::ReadOnly);
    let refused = read_only.bash("echo x > made").await;
    assert_eq!(code(&refused), "sandbox_denied", "{refused}");
    assert!(!read_only.world.path("made").exists());
}

/// R52, R53: the whole tree is gone within a second of the time limit, and of Stop.
#[tokio::test]
async fn time_out_and_stop_end_the_tree() {
    for profile in [Profile::ReadOnly, Profile::WorkspaceWrite, Profile::Unsandboxed] {
        let case = Case::new(profile);
        helper();
        let tree = "for i in 1 2 3; do (setsid sleep 4242 &) ; done; sleep 4242";
        let since = Instant::now();
        let answer = case.run(json!({"command": tree, "timeout_ms": 300})).await;
        assert!(answer.starts_with("Error [shell_timeout]"), "{answer}");
        assert!(since.elapsed() < Duration::from_millis(1300), "{profile:?} took {:?}", since.elapsed());

        let since = Instant::now();
        let stop = case.cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            stop.cancel();
        });
        let answer = case.bash(tree).await;
        let expected =
            if profile == Profile::ReadOnly { "Error [cancelled]" } else { "Error [outcome_unknown]" };
        assert!(answer.starts_with(expected), "{answer}");
        assert!(since.elapsed() < Duration::from_millis(1200), "{profile:?} took {:?}", since.elapsed());
    }
    assert!(!processes().contains("sleep\u{0}4242"), "a process got away");
}

/// Every command line of this machine.
fn processes() -> String {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    entries
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .collect()
}

/// R55, R50: no key in the environment, no secret in the workspace, no program in git's configuration.
#[tokio::test]
async fn secrets_are_not_there() {
    let case = Case::new(Profile::WorkspaceWrite);
    case.world.file(".env", "TOKEN=sk-secret");
    case.world.file("sub/.env.local", "TOKEN=sk-secret");
    case.world.file(".git/HEAD", "ref: refs/heads/main\n");
    case.world.file(
        ".git/config",
        "[core]\n\tbare = false\n\tfsmonitor = sk-secret\n[remote \"o\"]\n\turl = https://sk-secret@h/p\n",
    );
    let answer = case.bash("env; cat .env sub/.env.local .git/config; grep -r sk- . && echo found; find / -name '*.env*' -size +0 2>/dev/null").await;
    assert!(!answer.contains("secret") && answer.contains("bare = false"), "{answer}");
    assert_eq!(case.world.read(".env"), b"TOKEN=sk-secret");
}

/// R50: what was opened and read as empty is named, each file once, and nothing else; one that was only looked at isn't.
#[tokio::test]
async fn a_hidden_file_that_was_opened_is_named() {
    let hidden = |answer: &str| {
        let line = answer.lines().find(|line| line.contains("reads as empty")).unwrap_or_default().to_owned();
        [".env", "id_rsa", ".netrc"]
            .into_iter()
            .filter(|name| line.contains(&format!("ws/{name}")))
            .collect::<Vec<_>>()
    };
    for profile in [Profile::ReadOnly, Profile::WorkspaceWrite] {
        let case = Case::new(profile);
        for name in [".env", "id_rsa", ".netrc", "plain"] {
            case.world.file(name, "sk-secret");
        }
        let answer = case.bash("cat .env; cat .env id_rsa; ls -la; cat plain").await;
        assert_eq!(hidden(&answer), [".env", "id_rsa"], "{answer}");
        assert_eq!(answer.matches("sk-secret").count(), 1, "{answer}");
        let answer = case.bash("test -s .env; ls; echo done").await;
        assert!(!answer.contains("reads as empty") && answer.contains("done"), "{answer}");
        let answer = case.bash("grep -q sk-secret .env").await;
        assert!(answer.starts_with("Error [shell_failed]") && hidden(&answer) == [".env"], "{answer}");
    }
}

/// R50: protected files stay as they are, those that don't exist don't come to be, and nothing is left behind.
#[tokio::test]
async fn protected_paths_hold() {
    let case = Case::new(Profile::WorkspaceWrite);
    case.world.file(".git/hooks/pre-commit", "old");
    case.world.file("sub/deep/x", "x");
    for part in ["HEAD", "objects/x", "refs/x", "hooks/pre-commit"] {
        case.world.file(&format!("sub/meta/{part}"), "old");
    }
    let before = crate::tools::testing::tree(case.world.workspace.root());
    for attack in [
        "echo new > .git/hooks/pre-commit",
        "mv .git .g",
        "echo new > sub/meta/hooks/pre-commit",
        "echo '[core]' > sub/meta/config",
        "rm -rf .git",
        "mkdir -p .vscode && echo x > .vscode/tasks.json",
        "echo x > .npmrc",
        "ln -s /tmp .husky",
        "mv sub .cargo",
        "ln sub/deep/x .envrc",
        "echo x > .mcp.json",
    ] {
        let answer = case.bash(attack).await;
        assert!(answer.starts_with("Error [sandbox_denied]"), "{attack}: {answer}");
        assert_eq!(crate::tools::testing::tree(case.world.workspace.root()), before, "{attack}");
    }
    let answer = case.bash("mkdir -p sub/.husky && echo x > sub/.husky/pre-push && echo done").await;
    assert!(
        answer.starts_with("Error [sandbox_denied]")
            && answer.contains("sub/.husky")
            && answer.contains("done"),
        "{answer}"
    );
    assert_eq!(crate::tools::testing::tree(case.world.workspace.root()), before);
}

/// R50: approving one protected file opens no other of its folder, in no way.
#[tokio::test]
async fn an_approved_file_opens_no_other() {
    let case = Case::new(Profile::WorkspaceWrite).touching(".vscode/settings.json", Access::Write);
    case.world.file(".vscode/settings.json", "old");
    case.world.file(".vscode/tasks.json", "old");
    let answer = case.bash("echo new > .vscode/settings.json && echo done").await;
    assert_eq!(answer, "done\n");
    assert_eq!(case.world.read(".vscode/settings.json"), b"new\n");
    let before = crate::tools::testing::tree(case.world.workspace.root());
    for attack in [
        "echo new > .vscode/tasks.json",
        "rm .vscode/tasks.json",
        "echo x > .vscode/x; mv .vscode/x .vscode/tasks.json || { rm .vscode/x; exit 1; }",
        "mv .vscode away",
        "echo new > .vscode/launch.json",
    ] {
        let answer = case.bash(attack).await;
        assert!(answer.starts_with("Error ["), "{attack}: {answer}");
        assert_eq!(crate::tools::testing::tree(case.world.workspace.root()), before, "{attack}");
    }
}

/// R50: an approved git command commits, under the user's name, and still can't change what git runs.
#[tokio::test]
async fn an_approved_commit_works() {
    let case = Case::new(Profile::WorkspaceWrite).touching(".git", Access::Write);
    let root = case.world.path("");
    let git = std::process::Command::new("git")
        .args(["init", "-q", "-b", "main"])
        .current_dir(&root)
        .status()
        .expect("git");
    assert!(git.success());
    case.world.file("a.txt", "a");
    let answer = case.bash("export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; git add -A && git commit -qm first && git log --format=%s && git status --short").await;
    assert_eq!(answer, "first\n");
    for attack in ["git config core.fsmonitor evil", "echo x > .git/hooks/pre-commit", "mkdir .git/info/x"] {
        let answer = case.bash(attack).await;
        assert!(answer.starts_with("Error [sandbox_denied]"), "{attack}: {answer}");
    }
    assert!(!String::from_utf8(case.world.read(".git/config")).unwrap().contains("evil"));
}

/// R52: head and tail for the model, the whole for `read_file`.
#[tokio::test]
async fn a_long_output_can_be_read_whole() {
    let case = Case::new(Profile::ReadOnly);
    let answer = case.bash("seq 1 200000").await;
    assert!(answer.len() < 52 * 1024 && answer.starts_with("1\n2\n") && answer.ends_with("199999\n200000\n"));
    assert!(answer.contains("output:call"), "{answer}");
    let read = ReadFile::default();
    let whole = case.world.call(&read, json!({"path": "output:call", "offset": 100_000, "limit": 2})).await;
    assert!(whole.contains("100000") && whole.contains("100001"), "{whole}");
}

/// R52: a background command answers at once, its output grows in its file, and stopping ends it.
#[tokio::test]
async fn background_commands_go_on_until_stopped() {
    let case = Case::new(Profile::WorkspaceWrite);
    let answer = case.run(json!({"command": "echo ready; sleep 4343", "background": true})).await;
    insta::assert_snapshot!(answer);
    let kept = command_output::path(&case.world.scratch(), "call");
    until(|| std::fs::read_to_string(&kept).is_ok_and(|text| text == "ready\n")).await;
    assert_eq!(case.background.list()[0].ended, None);
    assert!(case.background.stop("session", "call"));
    until(|| case.background.list()[0].ended.is_some()).await;
    assert!(!processes().contains("sleep\u{0}4343"));
}

/// R50: what a background command plants is gone before anything else runs, and at the app's end; what the file tools
/// wrote meanwhile stays.
#[tokio::test]
async fn a_background_command_plants_nothing() {
    let case = Case::new(Profile::WorkspaceWrite);
    case.world.file("a/x", "x");
    let plant = "mkdir a/.husky && echo evil > a/.husky/pre-commit";
    let server = format!("{plant}; while ! [ -e go ]; do sleep 0.02; done; {plant}; sleep 4344");
    case.run(json!({"command": server, "background": true})).await;
    until(|| case.world.path("a/.husky/pre-commit").exists()).await;
    let said =
        case.world.call(&WriteFile::default(), json!({"path": "b/.envrc", "content": "asked\n"})).await;
    assert!(said.starts_with("Created"), "{said}");
    let answer = case.bash("cat a/.husky/pre-commit; ls -A a b").await;
    assert!(!answer.contains("evil") && answer.contains("a/.husky"), "{answer}");
    assert_eq!(case.world.read("b/.envrc"), b"asked\n");
    case.world.file("go", "");
    until(|| case.world.path("a/.husky/pre-commit").exists()).await;
    assert!(case.background.finish(Duration::from_secs(60)).await);
    assert!(!case.world.path("a/.husky").exists());
    assert_eq!(case.world.read("b/.envrc"), b"asked\n");
}

/// R52: the model ends a background command by naming its output; the answer comes when nothing of it is left.
#[tokio::test]
async fn the_model_stops_a_background_command() {
    for profile in [Profile::WorkspaceWrite, Profile::Unsandboxed] {
        let case = Case::new(profile);
        let mark = mark();
        let server = format!("echo ready; (setsid sleep {mark} &); exec sleep {mark}");
        case.run(json!({"command": server, "background": true})).await;
        until(|| alive(&mark) == 2).await;
        insta::assert_snapshot!("stopped", case.bash("kill output:call").await);
        assert_eq!(alive(&mark), 0);
        insta::assert_snapshot!("stopped_before", case.bash("kill 'output:call'").await);
        let read = ReadFile::default();
        assert!(case.world.call(&read, json!({"path": "output:call"})).await.contains("ready"));
    }
}

/// R30: a program that runs without the sandbox is known from its start to its end, in the background or not.
#[tokio::test]
async fn a_command_without_the_sandbox_is_known_to_run() {
    for profile in [Profile::WorkspaceWrite, Profile::Unsandboxed] {
        for background in [false, true] {
            let case = Case::new(profile);
            let waits = "echo >began; until [ -e go ]; do sleep 0.02; done; echo >done";
            let run = case.run(json!({"command": waits, "background": background}));
            let look = async {
                until(|| case.world.path("began").exists()).await;
                let known = case.background.any_unsandboxed();
                std::fs::write(case.world.path("go"), "").expect("a file");
                assert_eq!(known, profile == Profile::Unsandboxed, "{profile:?} {background}");
            };
            tokio::join!(run, look);
            until(|| case.world.path("done").exists() && !case.background.any_unsandboxed()).await;
        }
    }
}

/// R52: an app that is killed takes its background commands along, orphans in sessions of their own included.
#[tokio::test]
async fn a_killed_app_leaves_nothing() {
    const APP: &str = "ASSENT_TEST_APP";
    if let Ok(mark) = std::env::var(APP) {
        let mut cases = Vec::new();
        for profile in [Profile::ReadOnly, Profile::WorkspaceWrite, Profile::Unsandboxed] {
            let case = Case::new(profile);
            let command = format!("(setsid sleep {mark} &); sleep {mark}; true");
            case.run(json!({"command": command, "background": true})).await;
            cases.push(case);
        }
        // Until it is killed, or whoever started it is gone.
        let waiting = || std::io::Read::read_to_string(&mut std::io::stdin(), &mut String::new());
        let _ended = tokio::task::spawn_blocking(waiting).await;
        return;
    }
    let (mark, folder) = (mark(), tempfile::tempdir().expect("a folder"));
    helper();
    let mut app = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "tools::shell::tests::a_killed_app_leaves_nothing", "--nocapture"])
        .env(APP, &mark)
        .env("TMPDIR", folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("this program again");
    until(|| alive(&mark) == 6).await;
    app.kill().expect("a running app");
    app.wait().expect("its end");
    until(|| alive(&mark) == 0).await;
}

/// R52: a flood of output costs no memory: what is shown is bounded, all of it is kept, and any line of it can be read.
/// `ASSENT_TEST_OUTPUT_MIB` makes it a larger one.
#[tokio::test]
async fn a_flood_of_output_costs_no_memory() {
    let mib: usize =
        std::env::var("ASSENT_TEST_OUTPUT_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(32);
    for (command, binary) in [("head -c", true), ("yes '0123456789abcde' | head -c", false)] {
        let case = Case::new(Profile::ReadOnly);
        case.bash("true").await;
        let before = memory("VmRSS:");
        std::fs::write("/proc/self/clear_refs", "5").expect("the peak is forgotten");
        let source = if binary { " /dev/zero" } else { "" };
        let answer =
            case.run(json!({"command": format!("{command} {mib}M{source}"), "timeout_ms": 600_000})).await;
        let grown = memory("VmHWM:").saturating_sub(before);
        assert!(grown < 24 << 20, "{grown} bytes more");
        assert!(answer.contains("bytes left out") && answer.len() < 160 * 1024, "{} bytes", answer.len());
        assert!(case.shown.lock().expect("the text").len() < mib << 19, "all of it was shown");
        let kept = command_output::path(&case.world.scratch(), "call");
        assert_eq!(std::fs::metadata(kept).expect("the file").len(), (mib as u64) << 20);
        if !binary {
            let line = (mib << 20) / 16 - 1;
            let read = ReadFile::default();
            let text =
                case.world.call(&read, json!({"path": "output:call", "offset": line, "limit": 1})).await;
            assert!(text.contains(&format!("{line}\t0123456789abcde")), "{text}");
        }
    }
}

/// A size of this process, bytes.
fn memory(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status");
    let line = status.lines().find(|line| line.starts_with(name)).expect("such a line");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<usize>().ok()).expect("a number") << 10
}

/// A number of seconds that no other process of this machine sleeps.
fn mark() -> String {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{}{count}", 10_000_000 + std::process::id())
}

/// How many processes of this machine sleep that long.
fn alive(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let wanted = format!("sleep\0{mark}\0");
    lines.filter(|line| line.as_slice() == wanted.as_bytes()).count()
}

async fn until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "it did not happen");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
