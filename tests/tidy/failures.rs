//! What the window says when something can't be done is said in Chinese too, whatever fails: found in the sources, so
//! that a new error without its Chinese fails here.

use crate::none;
use crate::reasons::{code, files, literals, sentences_in, source, told, with_samples};
use assent_agent::model::FailureCode;
use assent_policy::request::{Language, failure_in};
use std::path::PathBuf;

/// Errors that reach no window: of files below `src-tauri/crates`, or by their beginning.
const ERRORS_FOR_NO_WINDOW: &[&str] = &[
    // What is told of a call goes to the model, in English.
    "agent/src/facts/",
    "agent/src/process/",
    "agent/src/tools/",
    // What stands inside another frame than `Can't …`: a phrase of a reason.
    "agent/src/workspace/undo.rs",
    // A log and its export; the command line.
    "agent/src/audit/otlp",
    "agent/src/places.rs",
    "agent/src/reviewer/configured.rs",
    "policy/src/shell/",
];

/// Files of the shell that speak before there is a window.
const BEFORE_THE_WINDOW: &[&str] =
    &["app.rs", "instance.rs", "life.rs", "log.rs", "start.rs", "tray.rs", "window.rs"];

/// Where the rest of an error is made, after its colon.
const DETAILS: &[&str] = &[
    "crates/agent/src/audit/fault.rs",
    "crates/agent/src/audit/head.rs",
    "crates/agent/src/audit/key.rs",
    "crates/agent/src/layers/edit.rs",
    "crates/agent/src/layers/trust.rs",
    "crates/agent/src/malformed.rs",
    "crates/agent/src/own_file.rs",
    "crates/agent/src/session/transfer.rs",
    "crates/policy/src/path/glob.rs",
    "crates/policy/src/rule/command.rs",
    "crates/policy/src/rule/file.rs",
    "crates/policy/src/rule/paths.rs",
    "crates/sandbox/src/unix/self_test.rs",
    "crates/sandbox/src/linux/mechanisms.rs",
    "crates/sandbox/src/windows/self_test.rs",
];

/// Literals there that nobody reads.
const NOT_SAID: &[&str] = &[
    "version = 1",
    "a file is no exported session",
    "assent-head 1",
    "the kernel has none",
    "at most {most}",
    "is not",
    "is matched",
    "{:?} {how}",
    "line {line}, column",
    "a secret of the self-test",
    "user namespaces",
];

/// Every error of the engine, wherever it is thrown: the window says `Can't …`.
#[test]
fn every_error_has_its_words() {
    let mut seen = 0;
    let mut missing = Vec::new();
    for file in files(&source("crates")) {
        let name = file.to_string_lossy().into_owned();
        if ERRORS_FOR_NO_WINDOW.iter().any(|path| name.contains(&format!("/crates/{path}"))) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        for error in code(&text).split("#[error(").skip(1) {
            let text = literals(error.split(")]").next().unwrap()).into_iter().next().unwrap_or_default();
            if text.chars().any(|letter| letter.is_ascii_lowercase()) && text.contains(' ') {
                seen += 1;
                missing.extend((!is_worded(&text)).then(|| told(&(file.clone(), text))));
            }
        }
    }
    none("no Chinese in ui/locales/request/zh-CN.json", missing);
    assert!(seen > 60, "only {seen} errors were found: the search is broken");
}

/// What comes after their colon.
#[test]
fn every_detail_of_an_error_has_its_words() {
    let said = |(_, text): &(PathBuf, String)| {
        text.contains(' ')
            && !text.contains('\n')
            && text.starts_with(|first: char| first.is_ascii_lowercase() || "{*".contains(first))
            && text.chars().filter(char::is_ascii_lowercase).count() > 12
            && !NOT_SAID.iter().any(|start| text.starts_with(start))
    };
    let all = DETAILS.iter().flat_map(|path| files(&source(path)));
    let found = all.flat_map(|file| {
        let text = std::fs::read_to_string(&file).unwrap();
        literals(&text).into_iter().map(move |literal| (file.clone(), literal))
    });
    let found: Vec<_> = found.filter(said).collect();
    let missing = found.iter().filter(|(_, text)| !is_worded(text)).map(told).collect();
    none("no Chinese in ui/locales/request/zh-CN.json", missing);
    assert!(found.len() > 40, "only {} details were found: the search is broken", found.len());
}

/// Why the sandbox isn't in force: each sentence of the self-test, and each step of the way into the sandbox.
#[test]
fn every_reason_of_the_sandbox_has_its_words() {
    let mut seen = 0;
    let mut missing = Vec::new();
    // What the proxy says goes to the command.
    let speaks = |file: &PathBuf| !file.starts_with(source("crates/sandbox/src/forward"));
    for file in files(&source("crates/sandbox/src")).into_iter().filter(speaks) {
        let text = std::fs::read_to_string(&file).unwrap();
        let said = sentences_in(std::slice::from_ref(&file))
            .into_iter()
            .map(|(_, text)| (is_said_whole(&text), text));
        let mut found: Vec<(bool, String)> = said.filter(|(_, text)| text.ends_with('.')).collect();
        for start in ["because(", "what: \"", "Refused(", "Rules(", "Program("] {
            for call in code(&text).split(start).skip(1) {
                let literal =
                    if start.ends_with('"') { format!("\"{call}") } else { call.trim_start().to_owned() };
                let literal = literal.trim_start_matches("format!(").trim_start();
                let Some(words) = literal
                    .starts_with('"')
                    .then(|| literals(literal))
                    .and_then(|all| all.into_iter().next())
                else {
                    continue;
                };
                let is_step = matches!(start, "because(" | "what: \"");
                let words = if is_step { format!("{words}: {{why}}") } else { words };
                found.push((is_worded(&words), words));
            }
        }
        seen += found.len();
        missing.extend(
            found.into_iter().filter(|(is_said, _)| !is_said).map(|(_, text)| told(&(file.clone(), text))),
        );
    }
    none("no Chinese in ui/locales/request/zh-CN.json", missing);
    assert!(seen > 45, "only {seen} reasons were found: the search is broken");
}

/// Every sentence that a command of the window fails with.
#[test]
fn every_sentence_of_the_shell_has_its_words() {
    let found = sentences_in(&shell());
    let values_only = |text: &str| !with_samples(text).replace("sample", "").contains(char::is_alphabetic);
    let missing = found
        .iter()
        .filter(|(file, text)| {
            // The copied diagnostics are for whoever mends the app.
            !file.ends_with("commands/outside.rs") && !values_only(text) && !is_said_whole(text)
        })
        .map(told);
    none("no Chinese in ui/locales/request/zh-CN.json", missing.collect());
    assert!(found.len() > 60, "only {} sentences were found: the search is broken", found.len());
}

/// What the shell was doing when something failed: `read /a/b: no such file`.
#[test]
fn every_step_of_the_shell_has_its_words() {
    let mut seen = 0;
    let mut missing = Vec::new();
    for file in shell() {
        let text = code(&std::fs::read_to_string(&file).unwrap());
        for start in [".context(", "with_context(||", "bail!(", "anyhow!(", "ensure!("] {
            for call in text.split(start).skip(1) {
                let said = call.trim_start().trim_start_matches("format!(");
                if !said.starts_with('"') && !start.starts_with("ensure") {
                    continue;
                }
                let Some(text) = literals(said).into_iter().next() else { continue };
                seen += 1;
                let worded = if text.ends_with('.') {
                    is_said_whole(&text)
                } else {
                    is_worded(&text) || is_worded(&format!("{text}: {{why}}"))
                };
                missing.extend((!worded).then(|| told(&(file.clone(), text))));
            }
        }
    }
    none("no Chinese in ui/locales/request/zh-CN.json", missing);
    assert!(seen > 20, "only {seen} steps were found: the search is broken");
}

/// Every failure of a model, with the server's own words and without.
#[test]
fn every_failure_of_a_model_has_its_words() {
    for code in FailureCode::ALL {
        for said in ["", "its own words"] {
            let english = code.error(said).message;
            let chinese = failure_in(Language::Chinese, &english);
            let rest = chinese.replace(said, "");
            assert!(!rest.contains(". ") && !rest.is_ascii(), "{english} is {chinese}");
            assert!(chinese.contains(said) || *code == FailureCode::Cancelled, "{english} is {chinese}");
        }
    }
}

/// The files of the shell that speak to the window.
fn shell() -> Vec<PathBuf> {
    let speaks = |file: &PathBuf| {
        !BEFORE_THE_WINDOW.iter().any(|name| *file == source("src").join(name))
            && !file.starts_with(source("src/dialog"))
    };
    files(&source("src")).into_iter().filter(speaks).collect()
}

/// Whether the phrase has a Chinese form that keeps each of its values; inside `Can't …` it is shown.
fn is_worded(phrase: &str) -> bool {
    let sample = with_samples(phrase);
    let said = failure_in(Language::Chinese, &format!("Can't {sample}."));
    let kept = said.matches("sample").count() == sample.matches("sample").count();
    kept && !has_english(&said)
}

/// The same for a sentence.
fn is_said_whole(sentence: &str) -> bool {
    let sample = with_samples(sentence);
    let said = failure_in(Language::Chinese, &sample);
    !has_english(&said) && said.matches("sample").count() == sample.matches("sample").count()
}

/// Whether two English words follow each other, beside what is quoted.
fn has_english(said: &str) -> bool {
    let plain: String = said.split('`').step_by(2).collect();
    let words: Vec<&str> = plain.split(' ').collect();
    let is_word = |word: &str| {
        let word = word.trim_matches(|letter: char| letter.is_ascii_punctuation());
        word.len() > 1 && word != "sample" && word.chars().all(|letter| letter.is_ascii_lowercase())
    };
    words.windows(2).any(|pair| matches!(pair, [one, other] if is_word(one) && is_word(other)))
}

/// What is wrong with the arguments of a call, as the test box of the permissions tells it.
#[test]
fn what_is_wrong_with_arguments_has_its_words() {
    let mut found = vec![
        "unknown field `a`, expected one of `b`, `c`, `d`".to_owned(),
        "unknown field `a`, expected `b` or `c`".to_owned(),
        "unknown field `a`, expected `b`".to_owned(),
        "missing field `a`".to_owned(),
        "invalid type: integer `1`, expected a string".to_owned(),
    ];
    for file in files(&source("crates/agent/src")) {
        let text = std::fs::read_to_string(&file).unwrap();
        let said = text.split("InvalidArguments(").skip(1).filter_map(|rest| {
            let rest = rest.strip_prefix("format!(").unwrap_or(rest);
            rest.strip_prefix('"')?.split_once('"').map(|(literal, _)| with_samples(literal))
        });
        found.extend(said);
    }
    assert!(found.len() > 12, "only {} were found: the search is broken", found.len());
    let missing = found.into_iter().filter(|english| failure_in(Language::Chinese, english) == *english);
    none("no Chinese in ui/locales/request/zh-CN.json", missing.collect());
}
