//! Which shell texts run without a question, and which never do; the texts are data.

use super::{setting, world};
use assent_policy::shell::Proof;

/// R17: commands as developers type them are proven to read only.
#[test]
fn everyday_reading_needs_no_question() {
    let commands: Vec<String> = setting::lines(include_str!("read_only.txt")).collect();
    assert!(commands.len() >= 300, "the list is whole");
    let asked: Vec<(String, Proof)> = commands
        .into_iter()
        .map(|command| {
            let proof = world::judge(&command).proof;
            (command, proof)
        })
        .filter(|(_, proof)| *proof != Proof::ReadOnly)
        .collect();
    assert_eq!(asked, []);
}

/// R17: whatever writes, starts something, reads elsewhere or isn't understood is never proven.
#[test]
fn everything_else_is_never_proven() {
    let commands: Vec<String> = setting::lines(include_str!("not_read_only.txt")).collect();
    assert!(commands.len() >= 700, "the list is whole");
    let allowed: Vec<String> =
        commands.into_iter().filter(|command| world::judge(command).proof == Proof::ReadOnly).collect();
    assert_eq!(allowed, Vec::<String>::new());
}

/// R12: rules on paths see the folder that a pattern or a search reads, also where nothing needs a question.
#[test]
fn what_is_read_by_pattern_or_search_is_its_folder() {
    for (command, folder) in [
        ("cat n*.txt", "/srv/proj"),
        ("wc -l src/*.rs", "/srv/proj/src"),
        ("grep -rn x src", "/srv/proj/src"),
        ("rg x", "/srv/proj"),
        ("find src -name '*.rs' -exec cat {} +", "/srv/proj/src"),
        ("echo \"$(cat src/*.rs)\"", "/srv/proj/src"),
    ] {
        let judgement = world::judge(command);
        assert_eq!(judgement.proof, Proof::ReadOnly, "{command}");
        assert!(
            judgement.touches.iter().any(|touch| touch.path == folder),
            "{command}: {:?}",
            judgement.touches
        );
    }
}

/// R15: git prints a tracked secret neither by a name of its own for it nor among other things; what prints none needs no
/// question.
#[test]
fn tracked_secrets_are_never_printed_without_a_question() {
    let unlike = |data: &str, proven: bool| -> Vec<String> {
        let lines = setting::lines(data);
        lines
            .filter(|command| (world::with_tracked_secrets(command).proof == Proof::ReadOnly) != proven)
            .collect()
    };
    assert_eq!(unlike(include_str!("git_prints_secrets.txt"), false), Vec::<String>::new());
    assert_eq!(unlike(include_str!("git_prints_none.txt"), true), Vec::<String>::new());
}

/// R12: rules on paths see what git prints of tracked files: the path that is named, by whatever name, or all of them.
#[test]
fn what_git_prints_is_read() {
    for (command, path) in [
        ("git show HEAD:private/a", "/srv/proj/private/a"),
        ("cd src && git show HEAD:private/a", "/srv/proj/private/a"),
        ("cd src && git show HEAD:./a", "/srv/proj/src/a"),
        ("git cat-file -p :private/a", "/srv/proj/private/a"),
        ("git blame private/a", "/srv/proj/private/a"),
        ("git log -p -- private/a", "/srv/proj/private/a"),
        ("git diff private/a", "/srv/proj/private/a"),
        ("git diff -- 'private/*'", "/srv/proj/private"),
        ("git grep K -- private", "/srv/proj/private"),
        ("git -C private diff -- a", "/srv/proj/private/a"),
        ("git log -L1,3:private/a", "/srv/proj/private/a"),
    ] {
        let judgement = world::judge(command);
        assert_eq!(judgement.proof, Proof::ReadOnly, "{command}");
        let lexical = assent_policy::path::lexical;
        let reads = |touch: &assent_policy::shell::ShellTouch| lexical(&touch.path) == path;
        assert!(judgement.touches.iter().any(reads), "{command}: {:?}", judgement.touches);
        assert!(judgement.tracked.is_empty(), "{command}");
    }
    for command in ["git diff", "git show HEAD", "git log -p", "git grep K", "git show HEAD:README.md HEAD"] {
        assert!(!world::judge(command).tracked.is_empty(), "{command}");
    }
    for command in ["git log", "git diff --stat", "git status", "git branch -v", "git show -s"] {
        let judgement = world::judge(command);
        assert!(judgement.tracked.is_empty() && judgement.touches.is_empty(), "{command}");
    }
}

/// R17: where a file's name could be read as several names or as an option, a list of names is handed to no program that
/// would open them.
#[test]
fn names_that_could_be_others_are_not_handed_on() {
    for (command, expected) in [
        ("find src -name '*.rs' | xargs cat", false),
        ("find src -name '*.rs' -print0 | xargs -0 cat", true),
        ("find src -name '*.rs' | xargs -I{} cat {}", false),
        ("git ls-files | xargs cat", false),
        ("git ls-files -z | xargs -0 cat", false),
        ("find . -name '*.rs' -print0 | xargs -0 cat", false),
        ("find src -name '*.rs' | xargs echo", true),
    ] {
        let proven = world::with_odd_names(command).proof == Proof::ReadOnly;
        assert_eq!(proven, expected, "{command}");
    }
}

/// R15: files that may hold secrets, under any of their names.
#[test]
fn secrets_are_never_read_without_a_question() {
    let allowed: Vec<String> = setting::lines(include_str!("reads_secrets.txt"))
        .filter(|command| world::with_secrets(command).proof == Proof::ReadOnly)
        .collect();
    assert_eq!(allowed, Vec::<String>::new());
    let asked: Vec<String> = setting::lines(include_str!("reads_beside_secrets.txt"))
        .filter(|command| world::with_secrets(command).proof != Proof::ReadOnly)
        .collect();
    assert_eq!(asked, Vec::<String>::new());
}
