//! PowerShell texts: refused, run without a question, asked about. The lists are data.

use crate::world::{World, context, regular, shell, windows};
use assent_policy::{Behavior, Context, FileKind, Mode, ProgramLookup, RepositoryFact, Resolved, ShellKind};

fn judged_windows() -> Context {
    Context { programs: ProgramLookup::Assumed, ..windows() }
}

/// A workspace with an `src` folder, and one with an odd name.
fn judge(command: &str) -> (Behavior, String) {
    let mut world = World::default();
    for (written, real) in [
        ("C:/ws/src", "C:/ws/src"),
        ("C:/ws/src/.", "C:/ws/src"),
        ("C:/ws/src/..", "C:/ws"),
        ("C:/ws/-", "C:/ws/-"),
        ("C:/ws/+", "C:/ws/+"),
    ] {
        world.paths.push((written.to_owned(), Resolved { file: FileKind::Directory, ..regular(real) }));
    }
    world.sensitive.push(".env".to_owned());
    world.repository = Some(RepositoryFact::Plain { gitdir: "C:/ws/.git".to_owned(), secret: false });
    let evaluation = world.judge(&shell(command), &judged_windows());
    (evaluation.behavior, format!("{}: {}", evaluation.source, evaluation.reason))
}

fn lines(data: &str) -> impl Iterator<Item = &str> {
    data.lines().filter(|line| !line.is_empty() && !line.starts_with("# ("))
}

fn unlike(data: &str, expected: Behavior) -> Vec<String> {
    lines(data)
        .map(|line| (line, judge(line)))
        .filter(|(_, (behavior, _))| *behavior != expected)
        .map(|(line, (behavior, why))| format!("{line} -> {behavior} ({why})"))
        .collect()
}

/// R11
#[test]
fn catastrophes_are_refused_in_any_spelling() {
    let unlike = unlike(include_str!("data/powershell_denied.txt"), Behavior::Deny);
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

/// R17
#[test]
fn readers_run_without_a_question() {
    let unlike = unlike(include_str!("data/powershell_read_only.txt"), Behavior::Allow);
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

/// R17
#[test]
fn everything_else_asks() {
    let unlike = unlike(include_str!("data/powershell_asks.txt"), Behavior::Ask);
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

/// R17: a listing of listed folders is of those, not of the folder it runs in.
#[test]
fn folders_that_are_handed_on_are_looked_into() {
    for (command, behavior) in [
        ("cd src; gci .. -Filter docs | gci | Select-String KEY", Behavior::Ask),
        ("cd src; gci .. -Filter docs | gci -Filter *.pem | Get-Content", Behavior::Ask),
        ("cd src; gci | Select-String KEY", Behavior::Allow),
        ("gci src | gci | Select-String KEY", Behavior::Allow),
    ] {
        let mut world = World { sensitive: vec!["C:/ws/docs/key.pem".to_owned()], ..World::default() };
        let src = Resolved { file: FileKind::Directory, ..regular("C:/ws/src") };
        world.paths.push(("C:/ws/src".to_owned(), src));
        assert_eq!(world.judge(&shell(command), &judged_windows()).behavior, behavior, "{command}");
    }
}

/// R17: the walk of a listing, by mode.
#[test]
fn a_listing_runs_in_balanced_and_asks_in_strict() {
    let strict = Context { mode: Mode::Strict, ..judged_windows() };
    assert_eq!(World::default().judge(&shell("Get-ChildItem"), &judged_windows()).behavior, Behavior::Allow);
    assert_eq!(World::default().judge(&shell("Get-ChildItem"), &strict).behavior, Behavior::Ask);
    assert_eq!(World::default().judge(&shell("rm temp.txt"), &context()).behavior, Behavior::Ask);
    assert_eq!(World::default().judge(&shell("sudo reboot"), &context()).behavior, Behavior::Deny);
}

/// R17: elsewhere than on Windows some aliases are programs of the system.
#[test]
fn aliases_that_are_programs_elsewhere_ask_there() {
    let linux = Context { shell: ShellKind::PowerShell, ..context() };
    assert_eq!(World::default().judge(&shell("Get-Content README.md"), &linux).behavior, Behavior::Allow);
    assert_eq!(World::default().judge(&shell("cat README.md"), &linux).behavior, Behavior::Ask);
    assert_eq!(World::default().judge(&shell("rm -rf /"), &linux).behavior, Behavior::Deny);
}

/// R12: aliases don't get around a rule.
#[test]
fn rules_see_the_cmdlet_behind_an_alias() {
    let world = World::with_rules(
        "[[rules]]\nname = \"keep\"\nbehavior = \"deny\"\ntools = [\"shell\"]\ncommands = [\"Remove-Item *\"]\nreason = \"Keep.\"\n",
    );
    for command in
        ["Remove-Item x", "ri x", "del x", "gci | % { rm $_ }", "powershell -c 'erase x'", "REMOVE-ITEM x"]
    {
        assert_eq!(world.judge(&shell(command), &judged_windows()).behavior, Behavior::Deny, "{command}");
    }
    assert_eq!(world.judge(&shell("echo 'Remove-Item x'"), &judged_windows()).behavior, Behavior::Allow);
}

/// R14: what a command writes counts like a file tool's write, with a question.
#[test]
fn what_a_command_touches_is_seen() {
    let asks = |command: &str, source: &str| {
        let evaluation = World::default().judge(&shell(command), &judged_windows());
        let found = evaluation.verdicts.iter().any(|verdict| verdict.source.as_str() == source);
        assert!(found, "{command}: {:?}", evaluation.verdicts);
    };
    asks("'x' | Set-Content .git\\hooks\\pre-commit", "protected-paths");
    asks("Get-ChildItem > .vscode\\settings.json", "protected-paths");
    asks("Get-Content .env", "sensitive-reads");
    asks("Get-ChildItem | Out-File C:\\Temp\\l.txt", "workspace-boundary");
    asks("cmd /c \"type .env\"", "sensitive-reads");
}

/// R17: cmd.exe asks in every mode and under every rule, by itself and started from PowerShell.
#[test]
fn cmd_never_runs_without_a_question() {
    let world =
        World::with_rules("[[rules]]\nname = \"all\"\nbehavior = \"allow\"\nreason = \"All of it.\"\n");
    for mode in [Mode::Strict, Mode::Balanced, Mode::Sandboxed] {
        let by_itself = Context { shell: ShellKind::Cmd, mode, ..judged_windows() };
        assert_eq!(world.judge(&shell("dir"), &by_itself).behavior, Behavior::Ask, "{mode:?}");
        let started = Context { mode, ..judged_windows() };
        assert_eq!(world.judge(&shell("cmd /c dir"), &started).behavior, Behavior::Ask, "{mode:?}");
    }
}
