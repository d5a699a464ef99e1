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
