//! Hard denials of shell texts, and what must not be taken for one; the texts are data.

use super::setting;
use assent_policy::Facts;
use assent_policy::shell::judge;

fn is_denied(command: &str) -> bool {
    !judge(command, &Facts::default(), &setting::context()).hard_denials.is_empty()
}

/// R11: in any spelling that can be read off the text, at any depth and through any wrapper.
#[test]
fn catastrophic_commands_are_refused_without_a_question() {
    let missed: Vec<String> =
        setting::lines(include_str!("denied.txt")).filter(|command| !is_denied(command)).collect();
    assert_eq!(missed, Vec::<String>::new());
}

/// R11: words in arguments, comments, documents and file names deny nothing.
#[test]
fn text_about_catastrophes_is_not_one() {
    let refused: Vec<String> =
        setting::lines(include_str!("not_denied.txt")).filter(|command| is_denied(command)).collect();
    assert_eq!(refused, Vec::<String>::new());
}
