//! What rules mean to shell commands: whose program is meant, paths, layers, and texts inside texts.

use crate::world::{World, context, fetch, rules, shell, windows, write};
use assent_policy::rule::{Grant, Layer, RuleFile};
use assent_policy::{
    Behavior, Context, Mode, Os, ProgramFact, ProgramLookup, ProgramPlace, RepositoryFact, Rules, ShellKind,
};

fn rule(name: &str, behavior: &str, tools: &str, scope: &str) -> String {
    format!(
        "[[rules]]\nname = \"{name}\"\nbehavior = \"{behavior}\"\ntools = [{tools}]\n{scope}\nreason = \"Because.\"\n"
    )
}

fn program(path: &str, place: ProgramPlace) -> ProgramFact {
    ProgramFact {
        found: Some(path.to_owned()),
        real: Some(path.to_owned()),
        place,
        identity: None,
        content: None,
    }
}

/// R12: an allow rule means a program in a system folder, or the one at the path it records, as long as nobody else
/// can write it; deny and ask rules mean the name.
#[test]
fn whose_program_a_rule_means() {
    let bare = rule("lint", "allow", "\"shell\"", "commands = [\"lint *\"]");
    let recorded = rule("lint", "allow", "\"shell\"", "commands = [\"/home/u/bin/lint *\"]");
    for (text, at, place, expected) in [
        (&bare, "/usr/bin/lint", ProgramPlace::System, Behavior::Allow),
        (&bare, "/home/u/bin/lint", ProgramPlace::User, Behavior::Ask),
        (&bare, "/ws/bin/lint", ProgramPlace::Untrusted, Behavior::Ask),
        (&bare, "/usr/bin/lint", ProgramPlace::Missing, Behavior::Ask),
        (&recorded, "/home/u/bin/lint", ProgramPlace::User, Behavior::Allow),
        (&recorded, "/home/u/other/lint", ProgramPlace::User, Behavior::Ask),
        (&recorded, "/home/u/bin/lint", ProgramPlace::Untrusted, Behavior::Ask),
    ] {
        let world =
            World { programs: vec![("lint".to_owned(), program(at, place))], ..World::with_rules(text) };
        assert_eq!(world.judge(&shell("lint src"), &context()).behavior, expected, "{text} {at} {place:?}");
    }
    for (behavior, expected) in [("deny", Behavior::Deny), ("ask", Behavior::Ask)] {
        let text = rule("lint", behavior, "\"shell\"", "commands = [\"lint *\"]");
        for place in [ProgramPlace::System, ProgramPlace::User, ProgramPlace::Untrusted] {
            let world = World {
                programs: vec![("lint".to_owned(), program("/ws/bin/lint", place))],
                ..World::with_rules(&text)
            };
            let sandboxed = Context { mode: Mode::Sandboxed, ..context() };
            for command in ["lint", "/ws/bin/lint x", "env lint"] {
                let evaluation = world.judge(&shell(command), &sandboxed);
                assert_eq!(evaluation.behavior, expected, "{behavior} {command} {place:?}");
            }
        }
    }
}

/// R12: a deny rule on paths gives at least ask for a command that touches them, an ask rule ask: rules for reading for
/// what it reads, rules for writing for what it changes. An allow rule on paths never covers a command.
#[test]
fn rules_on_paths_and_commands() {
    let sandboxed = Context { mode: Mode::Sandboxed, ..context() };
    let behavior =
        |text: &str, command: &str| World::with_rules(text).judge(&shell(command), &sandboxed).behavior;
    let paths = "paths = [\"private/**\"]";
    for kind in ["deny", "ask"] {
        let reading = rule("r", kind, "\"read_file\"", paths);
        let writing = rule("w", kind, "\"write_file\"", paths);
        for (text, command, expected) in [
            (&reading, "cat private/a", Behavior::Ask),
            (&reading, "cat public/a", Behavior::Allow),
            (&reading, "touch private/a", Behavior::Allow),
            (&writing, "touch private/a", Behavior::Ask),
            (&writing, "mkdir private/b", Behavior::Ask),
            (&writing, "cat private/a", Behavior::Allow),
        ] {
            assert_eq!(behavior(text, command), expected, "{kind} {command}");
        }
    }
    let allowing = rule("a", "allow", "\"read_file\", \"write_file\", \"shell\"", paths);
    let world = World::with_rules(&allowing);
    assert_eq!(world.judge(&write("private/a"), &context()).behavior, Behavior::Allow);
    assert_eq!(world.judge(&shell("touch private/a"), &context()).behavior, Behavior::Ask);
}

/// R12, R15: what git hands out of a path is judged as reading it, whether the command is proven or not; what it prints
/// without being told is judged by what the repository tracks.
#[test]
fn what_git_prints_is_judged_as_reading() {
    let text = rule("r", "deny", "\"read_file\"", "paths = [\"private/**\"]");
    let repository = RepositoryFact::Plain { gitdir: "/ws/.git".to_owned(), secret: false };
    let world = |tracked: &[&str]| World {
        repository: Some(repository.clone()),
        tracked: tracked.iter().map(|&path| path.to_owned()).collect(),
        ..World::with_rules(&text)
    };
    for (command, tracked, expected) in [
        ("git show HEAD:private/a", &[][..], Behavior::Ask),
        ("git show HEAD:public/a", &["private/a"], Behavior::Allow),
        ("git cat-file -p HEAD:private/a", &[], Behavior::Ask),
        ("git blame private/a", &[], Behavior::Ask),
        ("git diff -- private/a", &[], Behavior::Ask),
        ("git log -p -- private/a", &[], Behavior::Ask),
        ("git grep K -- private/a", &[], Behavior::Ask),
        ("git diff", &["a", "private/a"], Behavior::Ask),
        ("git diff --stat", &["a", "private/a"], Behavior::Allow),
        ("git diff -- public/a", &["a", "private/a"], Behavior::Allow),
        ("git log -p", &["a", "private/b/c"], Behavior::Ask),
        ("git show deadbeef", &["a", "private/a"], Behavior::Ask),
        ("git grep K", &["a", "private/a"], Behavior::Ask),
        ("git diff", &["a", "public/a"], Behavior::Allow),
        ("git log -p", &[], Behavior::Allow),
        ("git show HEAD:.env", &[], Behavior::Ask),
        ("git show --textconv HEAD:.env", &[], Behavior::Ask),
        ("git log -p", &["conf/.env"], Behavior::Ask),
        ("git diff --textconv", &["conf/.env"], Behavior::Ask),
        ("git archive HEAD", &["conf/.env"], Behavior::Ask),
        ("git log", &["conf/.env", "private/a"], Behavior::Allow),
    ] {
        for mode in [Mode::Balanced, Mode::Sandboxed] {
            let context = Context { mode, ..context() };
            // Outside the list it asks anyway in balanced mode.
            let evaluation = world(tracked).judge(&shell(command), &context);
            assert_eq!(
                evaluation.behavior, expected,
                "{mode:?} {command} {tracked:?}: {:?}",
                evaluation.reason
            );
        }
    }
}

/// R12: a rule sees through a variable whose value can be read off the text, and takes any other for what it may be.
#[test]
fn rules_see_through_variables() {
    let world = World::with_rules(&rule("p", "deny", "\"shell\"", "commands = [\"git push *\"]"));
    let sandboxed = Context { mode: Mode::Sandboxed, ..context() };
    for (command, expected) in [
        ("x=push; git $x", Behavior::Deny),
        ("x=push; git \"$x\" origin", Behavior::Deny),
        ("x=pu; git \"${x}sh\"", Behavior::Deny),
        ("x=pull; git $x", Behavior::Ask),
        ("x=log; x=push; git $x", Behavior::Ask),
        ("x=log; read x < a; git $x", Behavior::Ask),
        ("x=log; if ls; then x=push; fi; git $x", Behavior::Ask),
        ("IFS=_; x=push_origin; git $x", Behavior::Ask),
        ("x=log; eval x=push; git $x", Behavior::Ask),
        ("x=log; printf -v x push; git $x", Behavior::Ask),
        ("x=log; git $x", Behavior::Allow),
        ("x=a; ls \"$x\"", Behavior::Allow),
    ] {
        assert_eq!(world.judge(&shell(command), &sandboxed).behavior, expected, "{command}");
    }
}

/// R20: allow rules of each layer count, and the session's grants; every simple command needs one.
#[test]
fn every_layer_can_cover_a_call() {
    let text = format!("version = 1\n{}", rule("t", "allow", "\"shell\"", "commands = [\"cargo test *\"]"));
    for layer in [Layer::Managed, Layer::User, Layer::Project, Layer::Session] {
        let file = RuleFile::parse(&text, layer, ShellKind::Bash, Os::Linux).unwrap();
        let world = World { rules: Rules::new([(file, true)], Vec::new()), ..World::default() };
        assert_eq!(world.judge(&shell("cargo test"), &context()).behavior, Behavior::Allow, "{layer:?}");
        assert_eq!(world.judge(&shell("cargo test; ls"), &context()).behavior, Behavior::Allow, "{layer:?}");
        assert_eq!(world.judge(&shell("cargo test; make"), &context()).behavior, Behavior::Ask, "{layer:?}");
    }
    let grant = Grant::of(&write("a.txt")).unwrap();
    let world = World { rules: Rules::default().with_grant(grant), ..World::default() };
    assert_eq!(world.judge(&write("a.txt"), &context()).behavior, Behavior::Allow);
    assert_eq!(world.judge(&write("b.txt"), &context()).behavior, Behavior::Ask);
}

/// R12: what a person writes may be as broad as they like.
#[test]
fn a_written_rule_may_be_broad() {
    for pattern in ["git *", "bash *", "*"] {
        let text = rule("b", "allow", "\"shell\"", &format!("commands = [\"{pattern}\"]"));
        let command = if pattern == "git *" { "git fetch" } else { "bash build.sh" };
        assert_eq!(
            World::with_rules(&text).judge(&shell(command), &context()).behavior,
            Behavior::Allow,
            "{pattern}"
        );
    }
}

/// R11, R12: hard denials and deny rules are looked for in the texts that `cmd /c` and `powershell -Command` hand on.
#[test]
fn rules_reach_into_texts() {
    let world = World::with_rules(&rule("p", "deny", "\"shell\"", "commands = [\"git push *\"]"));
    let windows = Context { programs: ProgramLookup::Assumed, ..windows() };
    let cmd = Context { shell: ShellKind::Cmd, ..windows.clone() };
    for (command, place) in [
        ("cmd /c \"git push origin main\"", &windows),
        ("cmd /c \"cd sub && git -C . push\"", &windows),
        ("cmd /c cmd /c git push", &windows),
        ("powershell -Command \"git push\"", &windows),
        ("pwsh -c { git push }", &windows),
        ("powershell -EncodedCommand ZwBpAHQAIABwAHUAcwBoAA==", &windows),
        ("git push", &cmd),
        ("powershell -Command git push", &cmd),
        ("bash -c 'git push'", &windows),
    ] {
        assert_eq!(world.judge(&shell(command), place).behavior, Behavior::Deny, "{command}");
    }
    assert_eq!(world.judge(&shell("cmd /c \"git pull\""), &windows).behavior, Behavior::Ask);
}

/// R12: an allow rule for a host opens that host and no other, in every mode.
#[test]
fn host_rules() {
    let world = World {
        rules: rules(&rule("h", "allow", "\"fetch_url\"", "hosts = [\"a.test\"]")),
        ..World::default()
    };
    for mode in [Mode::Strict, Mode::Balanced, Mode::Sandboxed] {
        let context = Context { mode, ..context() };
        assert_eq!(world.judge(&fetch("https://a.test/x"), &context).behavior, Behavior::Allow, "{mode:?}");
        for url in ["https://b.test/", "https://a.test.b.test/", "https://a.test@b.test/"] {
            assert_eq!(world.judge(&fetch(url), &context).behavior, Behavior::Ask, "{mode:?} {url}");
        }
    }
}
