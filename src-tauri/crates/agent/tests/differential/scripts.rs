//! Scripts full of quotes, line ends, comments, here-documents and near-misses of them.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// What the scripts are drawn with: the same ones in every run, unless `PROPTEST_RNG_SEED` names others, as
/// `cargo xtask soak` does.
pub fn runner() -> TestRunner {
    let config = ProptestConfig::default();
    if config.rng_seed == RngSeed::Random { TestRunner::deterministic() } else { TestRunner::new(config) }
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a.txt",
        "'a.txt'",
        "\"a.txt\"",
        "a\\.txt",
        "src",
        "src/a.rs",
        "./src/../a.txt",
        "'b c.txt'",
        "b\\ c.txt",
        "\"b c\".txt",
        "docs",
        "src/*.rs",
        "{a.txt,src/a.rs}",
        "src/{a,b}.rs",
        "$'a.txt'",
        "$'a\\x2etxt'",
        "missing",
        "a\"\"b",
        "''a",
        "\"a'b\"",
        "'a\"b'",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "foo", "'#no'", "a#b", "\\#x", "'; touch pwned'", "\"; touch pwned\"", "'$(touch pwned)'", "'`touch pwned`'", "\\;", "\\&\\&",
            "'a\nb'", "\"a\nb\"", "\\'", "\"\\\"\"", "'\\'", "\"\\\\\"", "\\\\", "$'it\\'s'", "-n", "--", "-x", "{}", "{a", "a}", "{,}", "{1..3}",
            "$((1+2))", "$?", "'é ü'", "你好", "\"\\$x\"", "'$x'", "\\$x", "!", "'!'", "]", "then", "done", "a=b", "~x", "%s", "''", "\"\"",
            "\"\\\n\"", "a\\\n b", "done;", "fi\n",
        ]).prop_map(str::to_owned),
        1 => "[a-z'\"\\\\ #;&|<>(){}$!*?~=\n-]{1,5}",
    ]
}

fn simple() -> impl Strategy<Value = String> {
    prop_oneof![
        (
            prop::sample::select(vec![
                "cat",
                "wc -l",
                "head -n 2",
                "ls -la",
                "sort",
                "stat",
                "'cat'",
                "c\"at\"",
                "\\cat",
                "command cat"
            ]),
            name()
        )
            .prop_map(|(program, name)| format!("{program} {name}")),
        prop::collection::vec(text(), 0..4).prop_map(|words| format!("echo {}", words.join(" "))),
        (text(), name()).prop_map(|(pattern, name)| format!("grep -e {pattern} {name}")),
        Just("pwd".to_owned()),
        Just("ls".to_owned()),
        Just("true".to_owned()),
        Just("[ -f a.txt ]".to_owned()),
        prop::sample::select(vec!["cd src", "cd ..", "cd docs", "cd .", "cd src/deep"])
            .prop_map(str::to_owned),
        Just("timeout 5 cat a.txt".to_owned()),
        Just("time ls".to_owned()),
        Just("find . -name '*.rs'".to_owned()),
        (text()).prop_map(|word| format!("sed -n {word} a.txt")),
    ]
}

fn decorated() -> impl Strategy<Value = String> {
    (
        simple(),
        prop::sample::select(vec![
            "",
            "",
            "",
            " 2>/dev/null",
            " >/dev/null 2>&1",
            " # c",
            " #'",
            " < a.txt",
            " 2>&-",
            " \\\n",
            " <<< x",
        ]),
    )
        .prop_map(|(command, tail)| format!("{command}{tail}"))
}

fn document() -> impl Strategy<Value = String> {
    (
        prop::sample::select(vec!["<<'E'", "<<E", "<<-E", "<<\\E", "<<\"E\"", "<< E", "<<-'E'"]),
        prop::collection::vec(
            prop::sample::select(vec![
                "text",
                " E",
                "\tE",
                "E ",
                "touch pwned",
                "$(touch pwned)",
                "`id`",
                "'",
                "\"",
                "EE",
                "# E",
                "\\",
                "a\\",
            ]),
            0..4,
        ),
        prop::sample::select(vec!["", " | wc -l", "; ls", " && ls", " 2>/dev/null"]),
        prop::sample::select(vec!["", "\nls", "\ntouch x", "\n"]),
    )
        .prop_map(|(operator, lines, tail, after)| {
            let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
            format!("cat {operator}{tail}\n{body}E{after}")
        })
}

fn list() -> impl Strategy<Value = String> {
    let join = prop::sample::select(vec![
        "; ", " && ", " || ", " | ", "\n", ";", "&&", "|", " \\\n&& ", "\n\n", " |& ", " ;\n",
    ]);
    prop::collection::vec((decorated(), join), 1..4).prop_map(|parts| {
        let count = parts.len();
        parts
            .into_iter()
            .enumerate()
            .map(
                |(place, (command, join))| {
                    if place + 1 == count { command } else { format!("{command}{join}") }
                },
            )
            .collect::<String>()
    })
}

/// Something that sets `x` or `y`, or may seem to.
fn setting() -> impl Strategy<Value = String> {
    let variable = || prop::sample::select(vec!["x", "y", "x", "FILE", "f"]);
    let value = prop_oneof![
        4 => name(),
        2 => text(),
        1 => prop::sample::select(vec![
            "$(ls)", "\"$(echo a.txt)\"", "$(cat a.txt)x", "$x", "\"$y\"", "${x}.txt", "\"$PWD/a.txt\"", "$((1+2))", "a:~", "~", "-n", "*",
            "'*'", "{a,b}", "", "''", "$RANDOM",
        ]).prop_map(str::to_owned),
    ];
    prop_oneof![
        6 => (variable(), value.clone()).prop_map(|(variable, value)| format!("{variable}={value}")),
        1 => (variable(), variable(), value).prop_map(|(one, other, value)| format!("{one}={value} {other}=\"${one}\"")),
        1 => variable().prop_map(|variable| format!("read -r {variable} < a.txt")),
        1 => variable().prop_map(|variable| format!("IFS=, read {variable} y <<< 'a.txt,src'")),
        1 => variable().prop_map(|variable| format!("for {variable} in a.txt src; do true; done")),
        1 => prop::sample::select(vec!["cd src", "cd ..", "true", "false", "ls"]).prop_map(str::to_owned),
    ]
}

/// Something that uses it.
fn using() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "cat \"$x\"",
        "cat $x",
        "cat \"${x}\"",
        "wc -l \"$FILE\" $y",
        "ls -la \"$x\" \"$y\"",
        "echo \"$x\" \"$f\"",
        "echo $x",
        "echo \"a$y\"b",
        "[ \"$x\" = \"$y\" ]",
        "[ -f \"$x\" ]",
        "head -n 2 \"$PWD/a.txt\"",
        "stat \"$PWD\"",
        "grep -e \"$x\" a.txt",
        "cat < \"$x\"",
        "\"$x\" a.txt",
        "$x",
        "echo \"$(cat \"$x\")\"",
        "for i in \"$x\" $y; do cat \"$i\"; done",
        "echo \"$x\" | while read -r f; do echo \"$f\"; done",
        "while read -r f; do echo \"$f $x\"; done < a.txt",
        "ls | while read f; do cat \"$x\"; done",
        "[ \"$(ls | wc -l)\" -gt 1 ]",
    ])
    .prop_map(str::to_owned)
}

/// Settings and uses in an order that may matter, and in places that may make a setting another one.
fn variables() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => setting(),
        4 => using(),
        1 => setting().prop_map(|one| format!("({one})")),
        1 => setting().prop_map(|one| format!("{{ {one}; }}")),
        1 => setting().prop_map(|one| format!("{{ {one}; }} < missing")),
        1 => setting().prop_map(|one| format!("{one} < missing")),
        1 => setting().prop_map(|one| format!("(cd src; {one}); cat \"$PWD/a.rs\" \"$PWD/a.txt\"")),
        1 => setting().prop_map(|one| format!("if false; then {one}; fi")),
        1 => setting().prop_map(|one| format!("if ls; then {one}; fi")),
        1 => (setting(), using()).prop_map(|(one, other)| format!("for i in 1 2; do {other}; {one}; done")),
        1 => (setting(), using()).prop_map(|(one, other)| format!("while read -r l; do {other}; {one}; done <<< 'a\nb'")),
        1 => setting().prop_map(|one| format!("ls | {one}")),
        1 => setting().prop_map(|one| format!("echo \"$({one})\"")),
        1 => (setting(), using()).prop_map(|(one, other)| format!("{one} {other}")),
    ];
    let join = prop::sample::select(vec!["; ", "; ", "\n", " && ", " || ", " & "]);
    prop::collection::vec((part, join), 2..5).prop_map(|parts| {
        let count = parts.len();
        let joined = parts
            .into_iter()
            .enumerate()
            .map(|(place, (part, join))| if place + 1 == count { part } else { format!("{part}{join}") });
        joined.collect::<String>()
    })
}

/// A whole script.
pub fn script() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => list(),
        6 => variables(),
        2 => document(),
        1 => list().prop_map(|body| format!("({body})")),
        1 => list().prop_map(|body| format!("{{ {body}; }}")),
        1 => list().prop_map(|body| format!("! {body}")),
        1 => (list(), list()).prop_map(|(condition, body)| format!("if {condition}; then {body}; fi")),
        1 => (list(), list()).prop_map(|(condition, body)| format!("if {condition}\nthen {body}\nelse ls\nfi")),
        1 => (name(), decorated()).prop_map(|(name, body)| format!("for f in {name} a.txt; do cat \"$f\"; {body}; done")),
        1 => (list(), list()).prop_map(|(one, other)| format!("# {one}\n{other}")),
    ]
}
