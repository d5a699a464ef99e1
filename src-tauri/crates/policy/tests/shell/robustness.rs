//! Texts nobody would write: the judgement ends, never panics, and never gets milder.

use super::setting::context;
use super::world;
use assent_policy::Facts;
use assent_policy::shell::{self, Proof};
use proptest::prelude::*;

fn fragment() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "ls", "cat", "rm", "-rf", "/", "~", "$HOME", "$(", ")", "`", "\"", "'", "\\", "\n", ";", "&&",
            "||", "|", "&", ">", ">>", "<", "<<X", "X", "<<<", "2>&1", "{", "}", "(", "[", "]", "[[", "]]",
            "if", "then", "fi", "for", "in", "do", "done", "while", "case", "esac", "function", "f()", "$x",
            "${x}", "$((", "))", "a=b", "*", "?", "#", "!", "sudo", "git", "status", "-c", "sed", "s/a/b/",
            "find", "-exec", ";;", "{a,b}", "$'", "\u{202e}", "\u{e9}", "env", "xargs", "sh", "eval", "time",
            "--", "=", "\t",
        ])
        .prop_map(str::to_owned),
        "[ -~]{1,6}",
        "\\PC{1,3}",
    ]
}

/// Code points of every plane, in every place of the grammar, end in a judgement.
#[test]
fn code_points_of_every_plane_are_read() {
    for point in (0x80..0x11_0000_u32).step_by(977).filter_map(char::from_u32) {
        for text in [
            format!("{point}=1 ls"),
            format!("${point} <<{point} {{{point}}}"),
            format!("ls {point}[{point}]={point}"),
        ] {
            let _ = shell::judge(&text, &Facts::default(), &context());
        }
    }
}

/// Commands that each hand on all of their words, twice: the budgets of words and inner texts end it.
#[test]
fn commands_inside_commands_are_looked_at_within_a_budget() {
    for wrapper in ["parallel", "watch", "hyperfine"] {
        let judgement =
            shell::judge(&format!("{}a", format!("{wrapper} ").repeat(400)), &Facts::default(), &context());
        assert!(judgement.commands.len() < 200, "{wrapper}: {}", judgement.commands.len());
        assert!(judgement.unreadable.is_some(), "{wrapper}");
    }
}

/// R17: more places than are looked at, more braces than are written out: a question.
#[test]
fn what_grows_with_the_text_asks() {
    let starts = "a ".repeat(40);
    for (text, reads) in [
        (format!("find {starts}-exec wc {{}} +"), true),
        (format!("find {starts}-exec wc {{}} + -exec wc {{}} +"), false),
        (format!("git {}log", "-C src ".repeat(2)), true),
        (format!("git {}log", "-C . ".repeat(9)), false),
        (format!("git log {}", "a:".repeat(9)), false),
        (format!("echo {}", "{".repeat(4_000)), true),
        (format!("echo {}", "{a}".repeat(65)), false),
        (format!("echo {}", "{a,b}".repeat(3)), true),
    ] {
        assert_eq!(world::judge(&text).proof == Proof::ReadOnly, reads, "{text}");
    }
}

proptest! {
    #![proptest_config(crate::effort::cases(400))]

    #[test]
    fn texts_of_shell_fragments_never_panic(parts in prop::collection::vec(fragment(), 0..24), spaced: bool) {
        let text = parts.join(if spaced { " " } else { "" });
        let _ = shell::judge(&text, &Facts::default(), &context());
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,200}") {
        let _ = shell::judge(&text, &Facts::default(), &context());
    }

    /// A command that is refused stays refused, whatever stands before or after it.
    #[test]
    fn more_text_never_makes_a_denial_milder(
        before in prop::sample::select(vec!["", "ls; ", "true && ", "ls | ", "x=1; ", "( ls ); ", "# c\n", "cat <<E\nx\nE\n"]),
        after in prop::sample::select(vec!["", "; ls", " && ls", " | cat", " &", " # ok", "\nls", " || true"]),
        fatal in prop::sample::select(vec!["sudo id", "rm -rf /", "reboot", "mkfs /dev/sda", "dd of=/dev/sda"]),
    ) {
        let judgement = shell::judge(&format!("{before}{fatal}{after}"), &Facts::default(), &context());
        prop_assert!(!judgement.hard_denials.is_empty());
    }

    /// R17: a proven text with an unproven command beside it is not proven any more.
    #[test]
    fn more_commands_never_weaken(
        read in prop::sample::select(vec!["ls", "cat README.md", "git status", "cd src", "echo hi"]),
        join in prop::sample::select(vec!["; ", " && ", " || ", " | ", "\n", " & "]),
        other in prop::sample::select(vec!["touch x", "npm test", "cat /x", "$x", "sh", "git push", "tee x"]),
        first: bool,
    ) {
        let text = if first { format!("{other}{join}{read}") } else { format!("{read}{join}{other}") };
        prop_assert_ne!(world::judge(&text).proof, Proof::ReadOnly);
    }
}

#[test]
fn limits_end_in_a_question() {
    let deep = format!("{}ls{}", "(".repeat(400), ")".repeat(400));
    let wide = "ls;".repeat(20_000);
    let long = format!("echo {}", "x".repeat(70_000));
    let braces = format!("echo {}", "{a,b}".repeat(40));
    let nested = format!("echo {}x{}", "$(echo ".repeat(500), ")".repeat(500));
    let layers = "env ".repeat(200) + "ls";
    for text in [deep, wide, long, braces, nested, layers] {
        let judgement = shell::judge(&text, &Facts::default(), &context());
        assert_ne!(judgement.proof, Proof::ReadOnly, "{}", text.get(..40).unwrap_or(&text));
    }
}
