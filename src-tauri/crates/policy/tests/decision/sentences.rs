//! The decision, sentence by sentence.

use crate::world::{World, context, fetch, glob, grep, read, regular, shell, shell_with, windows, write};
use assent_policy::rule::{Grant, Layer, RuleFile};
use assent_policy::{
    Behavior, Context, ErrorCode, Evaluation, FileKind, Mode, Needs, Os, Profile, RepositoryFact, Resolved,
    Rules, SandboxState, ShellKind, ShellTrust, Source, Verdict, evaluate,
};

const ALLOW_WRITES: &str = r#"
[[rules]]
name = "free"
behavior = "allow"
tools = ["write_file", "edit_file"]
paths = ["**"]
reason = "Free."
"#;

fn outcome(evaluation: &Evaluation) -> (Behavior, &str) {
    (evaluation.behavior, evaluation.source.as_str())
}

/// R10: no opinion at all is an allowed read inside; the source says so.
#[test]
fn reads_inside_are_allowed_by_default() {
    for call in
        [read("src/a.rs"), glob("src/**/*.rs"), grep("docs", None), read("/ws/README.md"), read("./src/../x")]
    {
        let evaluation = World::default().judge(&call, &context());
        assert_eq!(outcome(&evaluation), (Behavior::Allow, "default"), "{call:?}");
        assert_eq!(evaluation.error_code, None);
        assert_eq!(evaluation.profile, Profile::InProcess);
    }
}

/// R14: whatever a rule or a mode says, and with the exact words.
#[test]
fn a_file_tool_never_writes_outside() {
    let world = World::with_rules(ALLOW_WRITES).link("/ws/drop/x.txt", "/elsewhere/x.txt");
    for path in
        ["../outside.txt", "src/../../outside.txt", "/ws-evil/x", "/etc/hosts", "drop/x.txt", "/usr/bin/x"]
    {
        for mode in [Mode::Strict, Mode::Balanced, Mode::Sandboxed] {
            let context = Context { mode, read_folders: vec!["/elsewhere".to_owned()], ..context() };
            let evaluation = world.judge(&write(path), &context);
            assert_eq!(outcome(&evaluation), (Behavior::Deny, "workspace-boundary"), "{path}");
            assert_eq!(evaluation.reason.as_str(), "Writing outside the workspace is forbidden");
            assert_eq!(evaluation.error_code, Some(ErrorCode::PermissionDenied));
        }
    }
}

/// R15
#[test]
fn a_read_outside_is_a_path_escape_unless_its_folder_is_open() {
    let world = World::default();
    for call in [
        read("../../.ssh/id_rsa"),
        read("/etc/passwd"),
        glob("../**/*"),
        glob("{src,../..}/*"),
        grep("src", Some("../../**")),
        glob("/etc/*.pem"),
    ] {
        let evaluation = world.judge(&call, &context());
        assert_eq!(outcome(&evaluation), (Behavior::Deny, "workspace-boundary"), "{call:?}");
        assert_eq!(evaluation.error_code, Some(ErrorCode::PathEscape), "{call:?}");
    }
    let open = Context { read_folders: vec!["/home/u/docs".to_owned()], ..context() };
    assert_eq!(
        outcome(&world.judge(&read("/home/u/docs/a"), &open)),
        (Behavior::Allow, "workspace-boundary")
    );
    assert_eq!(outcome(&world.judge(&read("/home/u/docs/.env"), &open)), (Behavior::Ask, "sensitive-reads"));
    assert_eq!(
        outcome(&world.judge(&write("/home/u/docs/a"), &open)),
        (Behavior::Deny, "workspace-boundary")
    );
}

/// R14: spellings that are refused by their form, and never looked up.
#[test]
fn forms_are_refused_without_looking() {
    for (path, code) in [
        ("NUL", ErrorCode::InvalidPath),
        ("a.txt:hidden", ErrorCode::InvalidPath),
        (".git./config", ErrorCode::InvalidPath),
        ("\\\\server\\share\\x", ErrorCode::PathEscape),
        ("//server/share/x", ErrorCode::PathEscape),
        ("\\\\?\\C:\\ws\\x", ErrorCode::PathEscape),
        ("~/x", ErrorCode::InvalidPath),
        ("a\0b", ErrorCode::InvalidPath),
    ] {
        let evaluation =
            evaluate(&read(path), &assent_policy::Facts::default(), &windows(), &Rules::default(), &[]);
        assert_eq!(outcome(&evaluation), (Behavior::Deny, "workspace-boundary"), "{path}");
        assert_eq!(evaluation.error_code, Some(code), "{path}");
        assert!(evaluation.inquiries.is_empty(), "{path} was looked up");
    }
}

/// R14: devices are refused, more than one name asks.
#[test]
fn special_files_and_hard_links() {
    let mut world = World::with_rules(ALLOW_WRITES);
    world.paths.push(("/ws/pipe".to_owned(), Resolved { file: FileKind::Special, ..regular("/ws/pipe") }));
    world.paths.push(("/ws/twin".to_owned(), Resolved { links: 2, ..regular("/ws/twin") }));
    let pipe = world.judge(&read("pipe"), &context());
    assert_eq!((pipe.behavior, pipe.error_code), (Behavior::Deny, Some(ErrorCode::InvalidPath)));
    assert_eq!(outcome(&world.judge(&write("twin"), &context())), (Behavior::Ask, "workspace-boundary"));
    assert_eq!(outcome(&world.judge(&read("twin"), &context())), (Behavior::Allow, "default"));
}

/// R16
#[test]
fn writes_inside_ask_by_mode() {
    let world = World::default();
    let by_mode = |mode| {
        let evaluation = world.judge(&write("src/a.rs"), &Context { mode, ..context() });
        (evaluation.behavior, evaluation.source)
    };
    assert_eq!(by_mode(Mode::Strict), (Behavior::Ask, Source::EFFECT_DEFAULT));
    assert_eq!(by_mode(Mode::Balanced), (Behavior::Ask, Source::EFFECT_DEFAULT));
    assert_eq!(by_mode(Mode::Sandboxed), (Behavior::Allow, Source::EFFECT_DEFAULT));
}

/// R16: protected paths ask before any allow rule, under any of their names.
#[test]
fn protected_paths_ask_whatever_a_rule_allows() {
    let world = World::with_rules(ALLOW_WRITES).link("/ws/hook", "/ws/.git/hooks/pre-commit");
    for path in [
        ".git/hooks/x",
        ".GIT/config",
        ".vscode/settings.json",
        "hook",
        "a/../.mcp.json",
        ".assent/policy.toml",
    ] {
        assert_eq!(
            outcome(&world.judge(&write(path), &context())),
            (Behavior::Ask, "protected-paths"),
            "{path}"
        );
    }
    for path in [".gitignore", "src/a.rs", "node_modules/a/index.js"] {
        assert_eq!(
            outcome(&world.judge(&write(path), &context())),
            (Behavior::Allow, "rules:free"),
            "{path}"
        );
    }
}

/// R16, R15: a repository's own folder is protected whatever its name, and its configuration may hold a token.
#[test]
fn a_git_folder_is_protected_under_any_name() {
    let mut world = World::with_rules(ALLOW_WRITES);
    for path in ["/ws/meta/hooks/x", "/ws/meta/config"] {
        world.paths.push((path.to_owned(), Resolved { in_git_folder: true, ..regular(path) }));
    }
    for mode in [Mode::Balanced, Mode::Sandboxed] {
        let context = Context { mode, ..context() };
        for call in [write("meta/hooks/x"), shell("echo x > meta/hooks/x")] {
            let evaluation = world.judge(&call, &context);
            assert_eq!(outcome(&evaluation), (Behavior::Ask, "protected-paths"), "{mode:?} {call:?}");
            assert!(evaluation.touches.iter().any(|touched| touched.protected), "{mode:?} {call:?}");
        }
        for call in [read("meta/config"), shell("cat meta/config")] {
            let evaluation = world.judge(&call, &context);
            assert_eq!(outcome(&evaluation), (Behavior::Ask, "sensitive-reads"), "{mode:?} {call:?}");
        }
    }
    assert_eq!(world.judge(&read("meta/hooks/x"), &context()).behavior, Behavior::Allow);
    // The folder that a `.git` file names, which was looked up for a git command.
    world.repository = Some(RepositoryFact::Plain { gitdir: "/ws/elsewhere".to_owned(), secret: false });
    let evaluation = world.judge(&shell("git status && echo x > elsewhere/hooks/y"), &context());
    assert_eq!(outcome(&evaluation), (Behavior::Ask, "protected-paths"));
}

/// R15: link and target both count.
#[test]
fn sensitive_reads_ask() {
    let world = World::default().link("/ws/readme", "/ws/.env");
    for call in [read(".env"), read("readme"), read(".git/config"), grep(".env", None)] {
        let evaluation = world.judge(&call, &context());
        assert_eq!(outcome(&evaluation), (Behavior::Ask, "sensitive-reads"), "{call:?}");
    }
    // A search leaves such files out by itself, and names are no content.
    assert_eq!(world.judge(&grep(".", None), &context()).behavior, Behavior::Allow);
    assert_eq!(world.judge(&glob("**/.env"), &context()).behavior, Behavior::Allow);
}

/// R11: our own files, by any tool, reads too.
#[test]
fn our_own_files_are_never_touched() {
    let open = Context { read_folders: vec!["/home/u".to_owned()], ..context() };
    let evaluation = World::default().judge(&read("/home/u/.config/assent/policy.toml"), &open);
    assert_eq!(evaluation.behavior, Behavior::Deny);
    assert!(evaluation.verdicts.iter().any(|verdict| verdict.source == Source::HARD_DENY));
    let inside = Context { own_paths: vec!["/ws/data".to_owned()], ..context() };
    assert_eq!(outcome(&World::default().judge(&write("data/audit.sqlite"), &inside)).0, Behavior::Deny);
}

/// R17, R13: the shell by mode, sandbox and trust.
#[test]
fn the_shell_asks_by_mode() {
    let world = World::default();
    let command = shell("cargo test");
    for (mode, sandbox, expected) in [
        (Mode::Strict, SandboxState::InForce, Behavior::Ask),
        (Mode::Balanced, SandboxState::InForce, Behavior::Ask),
        (Mode::Sandboxed, SandboxState::InForce, Behavior::Allow),
        (Mode::Sandboxed, SandboxState::NotInForce, Behavior::Ask),
    ] {
        let evaluation = world.judge(&command, &Context { mode, sandbox, ..context() });
        assert_eq!(outcome(&evaluation), (expected, "shell-default"), "{mode:?} {sandbox:?}");
    }
    for shell_trust in [ShellTrust::Untrusted, ShellTrust::SwitchedOff] {
        let evaluation = world.judge(&command, &Context { shell_trust, ..context() });
        assert_eq!(outcome(&evaluation), (Behavior::Deny, "shell-default"));
        assert_eq!(evaluation.error_code, Some(ErrorCode::PermissionDenied));
    }
}

const ALLOW_TEST: &str = r#"
[[rules]]
name = "tests"
behavior = "allow"
tools = ["shell"]
commands = ["cargo test *"]
reason = "Tests are free."
match = ["cargo test", "cargo test -p x"]
not_match = ["cargo testing", "cargo build"]
"#;

/// R12: an allow rule covers the shell's default, but not in strict, not with `needs`, not without a sandbox.
#[test]
fn an_allow_rule_silences_the_default_only() {
    let world = World::with_rules(ALLOW_TEST);
    let evaluation = world.judge(&shell("cargo test -p x"), &context());
    assert_eq!(outcome(&evaluation), (Behavior::Allow, "rules:tests"));
    assert_eq!(evaluation.profile, Profile::WorkspaceWrite);
    let strict = Context { mode: Mode::Strict, ..context() };
    assert_eq!(outcome(&world.judge(&shell("cargo test"), &strict)), (Behavior::Ask, "shell-default"));
    let bare = Context { sandbox: SandboxState::NotInForce, ..context() };
    assert_eq!(outcome(&world.judge(&shell("cargo test"), &bare)), (Behavior::Ask, "shell-default"));
    let needs = Needs { hosts: vec!["crates.io".to_owned()], ..Needs::default() };
    assert_eq!(
        outcome(&world.judge(&shell_with("cargo test", needs), &context())),
        (Behavior::Ask, "shell-default")
    );
    for command in ["cargo test; cargo publish", "cargo build", "cargo test > out.txt", "./cargo test"] {
        assert_eq!(world.judge(&shell(command), &context()).behavior, Behavior::Ask, "{command}");
    }
}

/// R12: deny rules see through wrappers, paths, quotes and global options.
#[test]
fn a_deny_rule_holds_in_every_spelling() {
    let world = World::with_rules(
        "[[rules]]\nname = \"no-push\"\nbehavior = \"deny\"\ntools = [\"shell\"]\ncommands = [\"git push *\"]\nreason = \"By hand.\"\n",
    );
    for command in [
        "git push",
        "git -C . push origin main",
        "/usr/bin/git push",
        "true && git push",
        "timeout 5 git push",
        "bash -c 'git push'",
        "g\"i\"t push",
        "if true; then git push; fi",
    ] {
        let evaluation = world.judge(&shell(command), &context());
        assert_eq!(outcome(&evaluation), (Behavior::Deny, "rules:no-push"), "{command}");
        assert_eq!(evaluation.reason.as_str(), "By hand.");
    }
    for command in ["git commit -m 'git push'", "echo git push"] {
        assert_ne!(world.judge(&shell(command), &context()).behavior, Behavior::Deny, "{command}");
    }
}

/// R20: a scoped deny keeps the tool, a bare one hides it.
#[test]
fn a_bare_deny_hides_the_tool() {
    let hidden = "[[rules]]\nname = \"x\"\nbehavior = \"deny\"\ntools = [\"fetch_url\"]\nreason = \"No.\"\n";
    assert_eq!(crate::world::rules(hidden).hidden_tools(), ["fetch_url"]);
    assert_eq!(crate::world::rules(&hidden.replace("fetch_url", "task")).hidden_tools(), ["task"]);
    let world = World::with_rules(hidden);
    assert_eq!(outcome(&world.judge(&fetch("https://a.test/"), &context())), (Behavior::Deny, "rules:x"));
    let scoped = "[[rules]]\nname = \"x\"\nbehavior = \"deny\"\ntools = [\"fetch_url\"]\nhosts = [\"*.a.test\"]\nreason = \"No.\"\n";
    assert!(crate::world::rules(scoped).hidden_tools().is_empty());
    let world = World::with_rules(scoped);
    assert_eq!(world.judge(&fetch("https://b.a.test/"), &context()).behavior, Behavior::Deny);
    assert_eq!(
        outcome(&world.judge(&fetch("https://a.test/"), &context())),
        (Behavior::Ask, "effect-default")
    );
}

/// R12: path rules on file tools, and what they mean to a search.
#[test]
fn path_rules() {
    let world = World::with_rules(
        "[[rules]]\nname = \"private\"\nbehavior = \"deny\"\ntools = [\"read_file\"]\npaths = [\"private\", \"**/*.secret\"]\nreason = \"Private.\"\n",
    )
    .link("/ws/alias", "/ws/private/a");
    for path in ["private/a", "private", "src/x.secret", "alias"] {
        assert_eq!(
            outcome(&world.judge(&read(path), &context())),
            (Behavior::Deny, "rules:private"),
            "{path}"
        );
    }
    assert_eq!(outcome(&world.judge(&grep("private", None), &context())), (Behavior::Ask, "rules:private"));
    assert_eq!(world.judge(&read("src/a"), &context()).behavior, Behavior::Allow);
    // Allow needs link and target.
    let world = World::with_rules(
        "[[rules]]\nname = \"docs\"\nbehavior = \"allow\"\ntools = [\"write_file\"]\npaths = [\"docs/**\"]\nreason = \"Docs.\"\n",
    )
    .link("/ws/docs/link", "/ws/src/main.rs")
    .link("/ws/inbound", "/ws/docs/a.md");
    assert_eq!(outcome(&world.judge(&write("docs/a.md"), &context())), (Behavior::Allow, "rules:docs"));
    assert_eq!(world.judge(&write("docs/link"), &context()).behavior, Behavior::Ask);
    assert_eq!(world.judge(&write("inbound"), &context()).behavior, Behavior::Ask);
}

/// R12: a rule that fails to evaluate denies, in its own name.
#[test]
fn a_rule_that_fails_denies() {
    let world = World::with_rules(
        "[[rules]]\nname = \"home\"\nbehavior = \"ask\"\ntools = [\"read_file\"]\npaths = [\"~/x\"]\nreason = \"Home.\"\n",
    );
    let homeless = Context { home: String::new(), ..context() };
    assert_eq!(outcome(&world.judge(&read("a"), &homeless)), (Behavior::Deny, "rules:home"));
}

/// R20: a broken file denies every call.
#[test]
fn a_broken_file_denies_every_call() {
    let world = World {
        rules: Rules::default().with_problem("policy.toml: line 3, column 1: no"),
        ..World::default()
    };
    let evaluation = world.judge(&read("a"), &context());
    assert_eq!(outcome(&evaluation), (Behavior::Deny, "rules"));
    assert!(evaluation.reason.as_str().contains("line 3, column 1"));
}

/// R21: advice can only tighten.
#[test]
fn advice_only_tightens() {
    let world = World::default();
    let advice = |behavior| vec![Verdict::new(Source::HOOKS, behavior, "A hook says so.")];
    assert_eq!(world.judge_with(&write("a"), &context(), &advice(Behavior::Allow)).behavior, Behavior::Ask);
    assert_eq!(world.judge_with(&read("a"), &context(), &advice(Behavior::Allow)).source, Source::DEFAULT);
    assert_eq!(world.judge_with(&read("a"), &context(), &advice(Behavior::Ask)).behavior, Behavior::Ask);
    let denied = world.judge_with(&read("a"), &context(), &advice(Behavior::Deny));
    assert_eq!(outcome(&denied), (Behavior::Deny, "hooks"));
}

/// R20: any layer's deny stands, and a project loosens only when trusted.
#[test]
fn a_project_tightens_at_once_and_loosens_when_trusted() {
    let file = |text: &str, layer| {
        RuleFile::parse(&format!("version = 1\n{text}"), layer, ShellKind::Bash, Os::Linux).unwrap()
    };
    let project = || file(ALLOW_WRITES, Layer::Project);
    let judge = |rules: Rules| World { rules, ..World::default() }.judge(&write("a"), &context()).behavior;
    assert_eq!(judge(Rules::new([(project(), false)], Vec::new())), Behavior::Ask);
    assert_eq!(judge(Rules::new([(project(), true)], Vec::new())), Behavior::Allow);
    let deny = "[[rules]]\nname = \"x\"\nbehavior = \"deny\"\ntools = [\"write_file\"]\nreason = \"No.\"\n";
    for layer in [Layer::Managed, Layer::User, Layer::Project, Layer::Session] {
        assert_eq!(
            judge(Rules::new([(project(), true), (file(deny, layer), false)], Vec::new())),
            Behavior::Deny
        );
    }
}

/// R20: a grant covers exactly this command, for this session.
#[test]
fn a_session_grant_covers_the_exact_call() {
    let grant = Grant::of(&shell("cargo test")).unwrap();
    let world = World { rules: Rules::default().with_grant(grant), ..World::default() };
    assert_eq!(world.judge(&shell("cargo test"), &context()).behavior, Behavior::Allow);
    assert_eq!(world.judge(&shell("cargo test -p x"), &context()).behavior, Behavior::Ask);
    assert_eq!(Grant::of(&shell_with("cargo test", Needs { unsandboxed: true, ..Needs::default() })), None);
    let strict = Context { mode: Mode::Strict, ..context() };
    assert_eq!(world.judge(&shell("cargo test"), &strict).behavior, Behavior::Ask);
}

/// R20: a candidate is re-judged first and never broad.
#[test]
fn a_candidate_is_offered_only_where_it_helps() {
    use assent_policy::rule::candidate;
    let world = World::default();
    let offer = |call: assent_policy::PreparedCall| {
        candidate(&call, &world.facts_with_programs(&call), &context(), &world.rules)
            .map(|offer| offer.pattern)
    };
    assert_eq!(offer(shell("cargo test -p x")).as_deref(), Some("cargo test *"));
    assert_eq!(offer(shell("npm run lint -- --fix")).as_deref(), Some("npm run lint *"));
    assert_eq!(offer(shell("prettier --write src")).as_deref(), Some("prettier --write src"));
    assert_eq!(offer(write("docs/a.md")).as_deref(), Some("/ws/docs/a.md"));
    assert_eq!(offer(fetch("https://docs.rs/x")).as_deref(), Some("docs.rs"));
    assert_eq!(offer(fetch("http://localhost:3000/x")).as_deref(), Some("localhost:3000"));
    for command in
        ["python3 -c 1", "bash x.sh", "git", "env A=1 ls", "sudo ls", "cargo test > x", "rm a", "a; b"]
    {
        assert_eq!(offer(shell(command)), None, "{command}");
    }
    assert_eq!(offer(write(".git/config")), None);
}

/// R32: what was allowed in one folder, at one port, is allowed nowhere else, though the user's file counts everywhere.
#[test]
fn a_candidate_covers_its_own_folder_and_port_only() {
    use assent_policy::rule::candidate;
    let world = World::default();
    let then = |call: assent_policy::PreparedCall| {
        let offer = candidate(&call, &world.facts_with_programs(&call), &context(), &world.rules).unwrap();
        let file =
            RuleFile::parse(&format!("version = 1\n{}", offer.toml), Layer::User, ShellKind::Bash, Os::Linux);
        World { rules: Rules::new([(file.unwrap(), true)], Vec::new()), ..World::default() }
    };
    let world_of_makefile = then(write("Makefile"));
    let elsewhere = Context { workspace: "/other".to_owned(), ..context() };
    assert_eq!(world_of_makefile.judge(&write("Makefile"), &context()).behavior, Behavior::Allow);
    assert_eq!(world_of_makefile.judge(&write("Makefile"), &elsewhere).behavior, Behavior::Ask);
    let world_of_port = then(fetch("http://localhost:3000/x"));
    for (url, behavior) in [
        ("http://localhost:3000/y", Behavior::Allow),
        ("http://localhost:3001/x", Behavior::Ask),
        ("http://localhost/x", Behavior::Ask),
    ] {
        assert_eq!(world_of_port.judge(&fetch(url), &context()).behavior, behavior, "{url}");
    }
}

/// R12: a rule for a port forbids the scheme's own port in both of its spellings.
#[test]
fn a_host_with_a_port() {
    for (behavior, host, url, expected) in [
        ("deny", "a.test:443", "https://a.test/", Behavior::Deny),
        ("deny", "a.test:8443", "https://a.test:8443/", Behavior::Deny),
        ("deny", "a.test:8443", "https://a.test/", Behavior::Ask),
        ("deny", "a.test", "https://a.test:8443/", Behavior::Deny),
        ("deny", "*.test:8443", "https://a.test:8443/", Behavior::Deny),
        ("allow", "a.test:8443", "https://a.test:8443/", Behavior::Allow),
        ("allow", "a.test:443", "https://a.test/", Behavior::Ask),
        ("allow", "a.test", "https://a.test:8443/", Behavior::Allow),
    ] {
        let text = format!(
            "version = 1\n[[rules]]\nname = \"x\"\nbehavior = \"{behavior}\"\ntools = [\"fetch_url\"]\nhosts = [\"{host}\"]\nreason = \"R.\"\n"
        );
        let file = RuleFile::parse(&text, Layer::User, ShellKind::Bash, Os::Linux).unwrap();
        let world = World { rules: Rules::new([(file, true)], Vec::new()), ..World::default() };
        assert_eq!(world.judge(&fetch(url), &context()).behavior, expected, "{behavior} {host} {url}");
    }
    for host in ["a.test:0", "a.test:080", "a.test:x", "a.test:", "a.test:70000", ":80", "a.test:+8"] {
        let text = format!(
            "version = 1\n[[rules]]\nname = \"x\"\nbehavior = \"deny\"\ntools = [\"fetch_url\"]\nhosts = [\"{host}\"]\nreason = \"R.\"\n"
        );
        assert!(RuleFile::parse(&text, Layer::User, ShellKind::Bash, Os::Linux).is_err(), "{host}");
    }
}

/// R19: the sentence people read.
#[test]
fn risk_in_plain_words() {
    let world = World::default();
    let sentence = |call: assent_policy::PreparedCall| world.judge(&call, &context()).risk.sentence();
    let sentences = [
        read("src/a.rs"),
        read(".env"),
        read("/etc/passwd"),
        write("src/a.rs"),
        write(".git/hooks/x"),
        write("../x"),
        fetch("https://b\u{fc}cher.test/"),
        shell("cargo test"),
        shell("git push"),
        shell("sudo reboot"),
        shell_with("ls", Needs { unsandboxed: true, ..Needs::default() }),
    ]
    .map(sentence)
    .join("\n");
    insta::assert_snapshot!(sentences);
}
