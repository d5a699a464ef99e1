//! What the reader sees, and that it ends on anything.

use super::{Head, read};
use proptest::prelude::*;

fn outline(text: &str) -> Vec<String> {
    read(text)
        .commands
        .iter()
        .filter(|command| command.head != Head::Value)
        .map(|command| command.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" "))
        .collect()
}

/// R11
#[test]
fn commands_at_any_depth() {
    for (text, expected) in [
        ("Get-ChildItem; ri x", vec!["Get-ChildItem", "ri x"]),
        ("gci | % { ri $_ }", vec!["gci", "% { ri $_ }", "ri $_"]),
        ("Get-Content (ni pwned)", vec!["Get-Content (ni pwned)", "ni pwned"]),
        ("\"a $(ri x) b\"", vec!["ri x"]),
        ("$x = ri y", vec!["ri y"]),
        ("if ($true) { ri z }", vec!["ri z"]),
        (
            "if (-not (ri x)) { gci } elseif (ri y) { gi } else { ri z }",
            vec!["ri x", "gci", "ri y", "gi", "ri z"],
        ),
        ("if ri x", vec!["ri x"]),
        ("& 'ri' x", vec!["ri x"]),
        ("Re`move-It`em x", vec!["Remove-Item x"]),
        ("Write-Output 'a\u{2019}; ni pwned; \u{2018}b'", vec!["Write-Output a", "ni pwned"]),
        ("echo 'ri x; ni y'", vec!["echo ri x; ni y"]),
        ("Set-Content n.txt @'\nRemove-Item C:\\\n'@", vec!["Set-Content n.txt Remove-Item C:\\\n"]),
        ("return ri x", vec!["ri x"]),
        ("a && b || c", vec!["a", "b", "c"]),
        ("Get-Item a,b 2>&1 # ri x", vec!["Get-Item a b"]),
    ] {
        let found: Vec<String> = outline(text).iter().map(|one| one.replace('\n', "")).collect();
        let expected: Vec<String> = expected.iter().map(|one| one.replace('\n', "")).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn what_is_plain_and_what_is_not() {
    for plain in [
        "Get-ChildItem -Recurse",
        "gc a.txt | select -First 3",
        "git status; git log 2>&1",
        "echo 'a;b' > $null",
    ] {
        assert_eq!(read(plain).trouble, None, "{plain}");
    }
    for other in [
        "$x = 1",
        "if (1)",
        "if ri x",
        ". .\\x.ps1",
        "echo 'a",
        "x &",
        "while (1) {}",
        "\u{2013}a",
        "[a]::b()",
    ] {
        assert!(read(other).trouble.is_some(), "{other}");
    }
}

/// R11: a text made to exhaust the reader ends, and is trouble.
#[test]
fn long_nests_end() {
    for part in
        ["(", "{", "$(", "@{", "$a=", "return ", "& ", "\"$(", "(gci;", "if (", "if (1) {", "x (", "-not ("]
    {
        let text = part.repeat(60_000 / part.len());
        assert!(read(&text).trouble.is_some(), "{part}");
    }
}

proptest! {
    #[test]
    fn ends_on_any_text(text in "[-a-z$(){}@'\"`|&;#<>, \\n%:*\u{2019}]{0,60}") {
        let _ = read(&text);
    }
}
