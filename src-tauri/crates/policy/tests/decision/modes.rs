//! The table of modes (README: How much is asked): what each asks, and what holds in all of them.

use crate::world::{World, context, fetch, glob, grep, read, shell, shell_with, windows, write};
use assent_policy::{
    Behavior, Context, Facts, Mode, Needs, PreparedCall, Profile, ProgramLookup, RepositoryFact, Rules,
    SandboxState, Source, Subject, ToolEffect, evaluate,
};

const MODES: [Mode; 3] = [Mode::Strict, Mode::Balanced, Mode::Sandboxed];

const ALLOW_ALL: &str = "[[rules]]\nname = \"all\"\nbehavior = \"allow\"\nreason = \"All of it.\"\n";

fn with(mode: Mode) -> Context {
    Context { mode, ..context() }
}

fn in_repository() -> World {
    let repository = RepositoryFact::Plain { gitdir: "/ws/.git".to_owned(), secret: false };
    World { repository: Some(repository), ..World::default() }
}

/// R15, R16, R17: every cell of the table.
#[test]
fn what_each_mode_asks() {
    use Behavior::{Allow, Ask};
    let world = in_repository();
    for (call, expected) in [
        (read("src/a.rs"), [Allow, Allow, Allow]),
        (glob("**/*.rs"), [Allow, Allow, Allow]),
        (grep("src", None), [Allow, Allow, Allow]),
        (write("src/a.rs"), [Ask, Ask, Allow]),
        (shell("ls src"), [Ask, Allow, Allow]),
        (shell("git status"), [Ask, Allow, Allow]),
        (shell("cargo test"), [Ask, Ask, Allow]),
        (fetch("https://a.test/"), [Ask, Ask, Ask]),
    ] {
        for (mode, expected) in MODES.into_iter().zip(expected) {
            assert_eq!(world.judge(&call, &with(mode)).behavior, expected, "{mode:?} {call:?}");
        }
    }
}

/// R17, R50: proven reading runs where nothing can be written, everything else that runs in the workspace's profile.
#[test]
fn the_profile_follows_from_why_it_runs() {
    let world = World::default();
    let profile = |mode, command: &str| world.judge(&shell(command), &with(mode)).profile;
    assert_eq!(profile(Mode::Balanced, "ls src"), Profile::ReadOnly);
    assert_eq!(profile(Mode::Balanced, "cargo test"), Profile::WorkspaceWrite);
    assert_eq!(profile(Mode::Strict, "ls src"), Profile::WorkspaceWrite);
    assert_eq!(profile(Mode::Sandboxed, "ls src"), Profile::WorkspaceWrite);
    let needs = Needs { unsandboxed: true, ..Needs::default() };
    assert_eq!(world.judge(&shell_with("ls", needs), &with(Mode::Balanced)).profile, Profile::Unsandboxed);
}

/// R17: what `sandboxed` asks all the same.
#[test]
fn sandboxed_asks_for_deletion_overwriting_and_needs() {
    let world = in_repository();
    for command in [
        "rm a.txt",
        "rm -r build",
        "mv a.txt b.txt",
        "git clean -fd",
        "git reset --hard",
        "git checkout -- a.txt",
        "git restore a.txt",
        "git commit -m x",
        "echo x > a.txt",
        ": > a.txt",
        "truncate -s 0 a.txt",
        "find . -name '*.o' -delete",
        "bash -c 'rm a.txt'",
    ] {
        let evaluation = world.judge(&shell(command), &with(Mode::Sandboxed));
        assert_eq!(evaluation.behavior, Behavior::Ask, "{command}");
    }
    for needs in [
        Needs { hosts: vec!["a.test".to_owned()], ..Needs::default() },
        Needs { listen: vec![8080], ..Needs::default() },
        Needs { read: vec!["/opt/x".to_owned()], ..Needs::default() },
        Needs { write: vec!["/opt/x".to_owned()], ..Needs::default() },
        Needs { unsandboxed: true, ..Needs::default() },
    ] {
        let evaluation = world.judge(&shell_with("cargo test", needs.clone()), &with(Mode::Sandboxed));
        assert_eq!(evaluation.behavior, Behavior::Ask, "{needs:?}");
    }
}

/// R11, R14, R15, R16: no mode and no rule lifts these.
#[test]
fn what_holds_in_every_mode() {
    let world = World::with_rules(ALLOW_ALL);
    for (call, behavior, source) in [
        (shell("sudo reboot"), Behavior::Deny, Source::HARD_DENY),
        (shell("cat /home/u/.config/assent/policy.toml"), Behavior::Deny, Source::HARD_DENY),
        (read("/home/u/.local/share/assent/audit.sqlite"), Behavior::Deny, Source::HARD_DENY),
        (write("../x"), Behavior::Deny, Source::WORKSPACE_BOUNDARY),
        (read("/etc/hosts"), Behavior::Deny, Source::WORKSPACE_BOUNDARY),
        (shell("cat /etc/hosts"), Behavior::Ask, Source::WORKSPACE_BOUNDARY),
        (shell("touch /elsewhere/x"), Behavior::Ask, Source::WORKSPACE_BOUNDARY),
        (write(".git/hooks/x"), Behavior::Ask, Source::PROTECTED_PATHS),
        (write(".assent/policy.toml"), Behavior::Ask, Source::PROTECTED_PATHS),
        (shell("touch .vscode/tasks.json"), Behavior::Ask, Source::PROTECTED_PATHS),
        (read(".env"), Behavior::Ask, Source::SENSITIVE_READS),
        (shell("cat .env"), Behavior::Ask, Source::SENSITIVE_READS),
    ] {
        for mode in MODES {
            let evaluation = world.judge(&call, &with(mode));
            assert_eq!(evaluation.behavior, behavior, "{mode:?} {call:?}");
            let found = evaluation
                .verdicts
                .iter()
                .any(|verdict| verdict.source == source && verdict.behavior == behavior);
            assert!(found, "{mode:?} {call:?}: {:?}", evaluation.verdicts);
        }
    }
}

/// R17: where no profile is in force the shell asks as in `strict`, whatever a rule or a grant allows; so on Windows.
#[test]
fn without_a_sandbox_the_shell_always_asks() {
    let world = World::with_rules(ALLOW_ALL);
    for place in [context(), Context { programs: ProgramLookup::Assumed, ..windows() }] {
        for mode in MODES {
            let bare = Context { mode, sandbox: SandboxState::NotInForce, ..place.clone() };
            for command in ["git status", "cargo test"] {
                let evaluation = world.judge(&shell(command), &bare);
                assert_eq!(evaluation.behavior, Behavior::Ask, "{mode:?} {command}");
                assert_eq!(evaluation.profile, Profile::Unsandboxed, "{mode:?} {command}");
            }
        }
    }
}

/// R10: no verdict at all allows a read inside and nothing else.
#[test]
fn what_nobody_speaks_about_is_denied() {
    let of_nothing = |effect, subject| PreparedCall { effect, subject, ..read("a") };
    let nothing = || Subject::Files { accesses: Vec::new() };
    let evaluation = evaluate(
        &of_nothing(ToolEffect::Read, nothing()),
        &Facts::default(),
        &context(),
        &Rules::default(),
        &[],
    );
    assert_eq!((evaluation.behavior, evaluation.source), (Behavior::Deny, Source::DEFAULT));
    assert_eq!(evaluation.reason.as_str(), "Nothing allows this.");
}
