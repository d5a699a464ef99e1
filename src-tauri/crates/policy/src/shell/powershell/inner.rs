//! Texts inside a command that another shell would run: found for the denials and the rules.

use super::proof::parameter_name;
use super::reader::{Command, Head, Word};
use super::{denial, names};
use crate::shell::cmd;

/// A text and the shell that would run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    PowerShell(String),
    Cmd(String),
    Bash(String),
    /// A program with its words, started by another one.
    Words(Vec<Word>),
}

/// Everything `command` hands on, with `before`, the command whose output it takes.
pub(super) fn find(command: &Command, before: Option<&Command>) -> Vec<Inner> {
    let Some(first) = command.words.first() else { return Vec::new() };
    let arguments = &unstopped(command.words.get(1..).unwrap_or_default());
    let name = names::canonical(first.text.rsplit(['\\', '/']).next().unwrap_or(&first.text));
    match name.strip_suffix(".exe").unwrap_or(&name) {
        "powershell" | "pwsh" => powershell(arguments),
        "invoke-expression" => {
            let text = join(arguments.iter().filter(|word| parameter_name(word).is_none()));
            let text = denial::bracketed(&text).map_or(text.as_str(), denial::unquoted).to_owned();
            let piped = before.filter(|before| command.piped && before.head == Head::Value);
            let texts = piped.map(|before| join(&before.words)).into_iter().chain(Some(text));
            texts.filter(|text| !text.is_empty()).map(Inner::PowerShell).collect()
        }
        "cmd" => after_switch(arguments, &["/c", "/k", "/r"]).map(Inner::Cmd).into_iter().collect(),
        "bash" | "sh" | "dash" | "zsh" => {
            after_switch(arguments, &["-c", "-lc", "-ic"]).map(Inner::Bash).into_iter().collect()
        }
        "wsl" => {
            let rest =
                arguments.iter().skip(cmd::options_of_wsl(arguments.iter().map(|word| word.text.as_str())));
            let spelled = |word: &Word| {
                if word.text.contains(' ') { super::proof::quoted(&word.text) } else { word.text.clone() }
            };
            Some(rest.map(spelled).collect::<Vec<_>>().join(" "))
                .filter(|text| !text.is_empty())
                .map(Inner::Bash)
                .into_iter()
                .collect()
        }
        "start-process" | "invoke-command" | "start-job" => started(arguments),
        _ => Vec::new(),
    }
}

/// The words after `--%` as the program gets them.
fn unstopped(words: &[Word]) -> Vec<Word> {
    let mut found = Vec::new();
    for word in words {
        match word.text.strip_prefix("--%").filter(|_| !word.quoted) {
            Some(rest) => found.extend(rest.split_whitespace().map(|text| Word {
                text: text.to_owned(),
                literal: true,
                ..Word::default()
            })),
            None => found.push(word.clone()),
        }
    }
    found
}

fn join<'word>(words: impl IntoIterator<Item = &'word Word>) -> String {
    words.into_iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn after_switch(arguments: &[Word], switches: &[&str]) -> Option<String> {
    arguments.iter().enumerate().find_map(|(place, word)| {
        let lower = word.text.to_lowercase();
        let text = lower.strip_prefix('/').filter(|rest| rest.starts_with('/')).unwrap_or(&lower);
        let switch = switches.iter().find(|switch| text.starts_with(**switch))?;
        let rest = join(arguments.get(place + 1..).unwrap_or_default());
        if text == *switch {
            return Some(rest);
        }
        // `/c"rd …"`: cmd's switches need no blank.
        let attached = word.text.get(word.text.len() - (text.len() - switch.len())..)?;
        switch.starts_with('/').then(|| format!("{attached} {rest}"))
    })
}

/// `powershell TEXT`, `-Command TEXT`, `-EncodedCommand BASE64`: parameters in any abbreviation, with `-` or `/`.
fn powershell(arguments: &[Word]) -> Vec<Inner> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let written = word.text.strip_prefix(['-', '/']).filter(|_| !word.quoted).map(str::to_lowercase);
        let Some(name) = written.filter(|name| !name.is_empty()) else {
            let mut text = vec![word.text.as_str()];
            text.extend(words.map(|word| word.text.as_str()));
            return vec![Inner::PowerShell(text.join(" "))];
        };
        let is = |full: &str| full.starts_with(&name);
        if is("encodedcommand") || name == "ec" {
            return words
                .next()
                .and_then(|word| decoded(&word.text))
                .map(Inner::PowerShell)
                .into_iter()
                .collect();
        }
        if is("command") || name == "commandwithargs" || name == "cwa" {
            return vec![Inner::PowerShell(unblocked(&join(words)))];
        }
        let takes_value = [
            "executionpolicy",
            "ex",
            "ep",
            "windowstyle",
            "version",
            "psconsolefile",
            "inputformat",
            "outputformat",
            "configurationname",
            "workingdirectory",
            "wd",
            "custompipename",
            "settingsfile",
        ];
        if takes_value.iter().any(|full| is(full)) {
            words.next();
        }
    }
    Vec::new()
}

/// `{ text }` as `text`.
fn unblocked(text: &str) -> String {
    let trimmed = text.trim();
    trimmed.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(trimmed).to_owned()
}

/// A program named in words: `Start-Process cmd -ArgumentList '/c …'`.
fn started(arguments: &[Word]) -> Vec<Inner> {
    let words: Vec<Word> = arguments.iter().filter(|word| parameter_name(word).is_none()).cloned().collect();
    let mut split = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if place == 0 || !word.text.contains(' ') {
            split.push(Word { quoted: word.quoted && place == 0, ..word.clone() });
        } else {
            split.extend(word.text.split(' ').map(|text| Word {
                text: text.to_owned(),
                quoted: false,
                ..word.clone()
            }));
        }
    }
    if split.is_empty() { Vec::new() } else { vec![Inner::Words(split)] }
}

/// Base64 of UTF-16, as `-EncodedCommand` takes it; `None` for anything else.
fn decoded(text: &str) -> Option<String> {
    let mut bits = 0_u32;
    let mut count = 0_u32;
    let mut bytes = Vec::new();
    for one in text.trim_end_matches('=').bytes() {
        let value = match one {
            b'A'..=b'Z' => one - b'A',
            b'a'..=b'z' => one - b'a' + 26,
            b'0'..=b'9' => one - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xFF).ok()?);
        }
    }
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .filter_map(|pair| Some(u16::from_le_bytes([*pair.first()?, *pair.get(1)?])))
        .collect();
    String::from_utf16(&units).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::decoded;
    use proptest::prelude::*;

    #[test]
    fn encoded_commands() {
        assert_eq!(decoded("bgBpACAAcAB3AG4AZQBkAA==").as_deref(), Some("ni pwned"));
        assert_eq!(decoded("%%%"), None);
        assert_eq!(decoded(""), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in "[A-Za-z0-9+/=]{0,40}") {
            let _ = decoded(&text);
        }
    }
}
