//! cmd.exe: never without asking. Its texts are read for hard denials, rules and what they touch.

use super::interpreters::{self, File};
use super::powershell::root_or_home;
use super::{ShellJudgement, ShellTouch, SimpleCommand, Word, bash, powershell};
use crate::{Access, Context, Facts, path};

const ASKS: &str = "cmd.exe never runs without asking.";

/// Judges `text` as `cmd /c` would read it: at least ask.
pub(super) fn judge(text: &str, facts: &Facts, context: &Context) -> ShellJudgement {
    judge_at(text, facts, context, 0)
}

/// The same, inside `depth` other shells.
pub(super) fn judge_at(text: &str, facts: &Facts, context: &Context, depth: usize) -> ShellJudgement {
    // Nobody can be sure what such a text does, so neither a mode nor a rule lets it run.
    let mut judgement = ShellJudgement::unreadable(ASKS);
    read(text, facts, context, &mut judgement, depth);
    judgement
}

fn read(text: &str, facts: &Facts, context: &Context, judgement: &mut ShellJudgement, depth: usize) {
    if depth > powershell::MAX_DEPTH {
        judgement.unreadable.get_or_insert_with(|| "Shells are nested too deeply.".to_owned());
        return;
    }
    // cmd takes a pair of quotes around the whole text away.
    if let Some(inner) = text.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        read(inner, facts, context, judgement, depth + 1);
    }
    // Whether a lone quote hides the rest of its line depends on how the text came here: read it both ways.
    if text.matches('"').count() % 2 == 1 {
        read(&text.replace('"', ""), facts, context, judgement, depth + 1);
    }
    // The drive root or home folder that `cd` went to.
    let mut standing: Option<&'static str> = None;
    for words in commands(text) {
        let words = without_leaders(&words);
        let Some((program, rest)) = words.split_first() else { continue };
        judgement.hard_denials.extend(denial(words, standing, context));
        if matches!(name_of(program).as_str(), "cd" | "chdir" | "pushd") {
            standing = rest
                .iter()
                .find(|word| !word.starts_with('/') || word.as_str() == "/")
                .and_then(|word| root_or_home(word, context));
        }
        judgement.commands.push(SimpleCommand {
            words: words.iter().map(|word| word_of(word)).collect(),
            folder: None,
            transparent: false,
            read_only: false,
            built_in: BUILT_IN.contains(&name_of(program).as_str()),
        });
        judgement.touches.extend(touches(&name_of(program), rest, context));
        if matches!(
            name_of(program).as_str(),
            "del" | "erase" | "rd" | "rmdir" | "move" | "copy" | "ren" | "rename" | "xcopy" | "robocopy"
        ) {
            judgement.destroys.get_or_insert_with(|| format!("It deletes or overwrites with {program}."));
        }
        match name_of(program).as_str() {
            "cmd" | "%comspec%" | "forfiles" => {
                let is_switch = |word: &String| {
                    let switch = word.to_lowercase();
                    ["/c", "/k", "/r"].iter().any(|one| switch.starts_with(one))
                };
                if let Some((place, word)) = rest.iter().enumerate().find(|(_, word)| is_switch(word)) {
                    let mut text = word.chars().skip(2).collect::<String>();
                    for more in rest.get(place + 1..).unwrap_or_default() {
                        text.push(' ');
                        text.push_str(more);
                    }
                    read(&text, facts, context, judgement, depth + 1);
                }
            }
            "bash" | "sh" | "wsl" => {
                let spelled = |word: &String| {
                    if word.contains(' ') {
                        format!("'{}'", word.replace('\'', "'\\''"))
                    } else {
                        word.clone()
                    }
                };
                let name = name_of(program);
                let is_wsl = name == "wsl";
                let skipped = if is_wsl { options_of_wsl(rest.iter().map(String::as_str)) } else { 0 };
                let rest = rest.iter().skip(skipped).map(spelled);
                let text =
                    Some(name).filter(|_| !is_wsl).into_iter().chain(rest).collect::<Vec<_>>().join(" ");
                let found = bash::judge(&text, facts, context);
                judgement.hard_denials.extend(found.hard_denials);
                judgement.commands.extend(
                    found.commands.into_iter().map(|command| SimpleCommand { read_only: false, ..command }),
                );
                judgement.touches.extend(found.touches);
                judgement.tracked.extend(found.tracked);
            }
            "powershell" | "pwsh" => {
                let text = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
                let found = powershell::judge_at(&text, facts, context, depth + 1);
                judgement.hard_denials.extend(found.hard_denials);
                judgement.commands.extend(found.commands);
                judgement.touches.extend(found.touches);
                judgement.tracked.extend(found.tracked);
            }
            _ => {}
        }
    }
}

/// How many of wsl's words stand before the command it runs (`wsl --help`).
pub(super) fn options_of_wsl<'word>(words: impl Iterator<Item = &'word str>) -> usize {
    const WITH_VALUE: &[&str] =
        &["-d", "--distribution", "--distribution-id", "-u", "--user", "--cd", "--shell-type"];
    let mut words = words;
    let mut count = 0;
    while let Some(word) = words.next().filter(|word| word.starts_with('-')) {
        count += 1;
        match word {
            "--" | "-e" | "--exec" => return count,
            option if WITH_VALUE.contains(&option) => {
                words.next();
                count += 1;
            }
            _ => {}
        }
    }
    count
}

/// Commands that cmd runs itself.
const BUILT_IN: &[&str] = &[
    "assoc", "break", "call", "cd", "chdir", "cls", "copy", "date", "del", "dir", "echo", "erase", "exit",
    "for", "ftype", "goto", "if", "md", "mkdir", "mklink", "move", "path", "pause", "popd", "prompt",
    "pushd", "rd", "rem", "ren", "rename", "rmdir", "set", "shift", "start", "time", "title", "type", "ver",
    "verify", "vol",
];

/// The simple commands of a text: `^` escapes, `"` quotes, `&`, `|`, brackets and line ends separate.
fn commands(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(one) = characters.next() {
        match one {
            '^' if !quoted => {
                if let Some(next) = characters.next().filter(|next| !matches!(next, '\n' | '\r')) {
                    word.get_or_insert_default().push(next);
                }
            }
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '&' | '|' | '\n' | '\r' | '(' | ')' if !quoted => {
                words.extend(word.take());
                found.push(std::mem::take(&mut words));
            }
            '>' | '<' if !quoted => {
                words.extend(word.take());
                if characters.peek() == Some(&'>') {
                    characters.next();
                }
                words.push(one.to_string());
            }
            ' ' | '\t' | ',' | ';' | '=' if !quoted => words.extend(word.take()),
            '@' if !quoted && words.is_empty() && word.is_none() => {}
            '/' if !quoted && word.as_deref().is_some_and(is_bare_name) => {
                // `rd/s` needs no blank.
                words.extend(word.replace("/".to_owned()));
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    found.push(words);
    found.retain(|words| !words.is_empty());
    found
}

fn is_bare_name(text: &str) -> bool {
    !text.is_empty() && BUILT_IN.contains(&text.to_lowercase().as_str())
        || text.eq_ignore_ascii_case("format")
        || text.eq_ignore_ascii_case("shutdown")
}

/// The command after `call`, `start`, `if … `, `for … do`: what really runs.
fn without_leaders(words: &[String]) -> &[String] {
    let mut rest = words;
    loop {
        let Some((first, after)) = rest.split_first() else { return rest };
        match first.trim_start_matches('@').to_lowercase().as_str() {
            "call" | "do" | "else" => rest = after,
            "start" => {
                let skip = after
                    .iter()
                    .take_while(|word| word.starts_with('/') || word.is_empty() || word.contains(' '))
                    .count();
                rest = after.get(skip..).unwrap_or_default();
            }
            "if" | "for" => {
                let known = |word: &String| {
                    is_bare_name(word)
                        || NEVER.contains(&name_of(word).as_str())
                        || word.eq_ignore_ascii_case("do")
                };
                match after.iter().position(known) {
                    Some(place) => rest = after.get(place..).unwrap_or_default(),
                    None => return rest,
                }
            }
            _ => return rest,
        }
    }
}

/// Programs that are refused whatever their words, most of them.
const NEVER: &[&str] = &["shutdown", "runas", "sudo", "gsudo", "su", "doas", "reboot", "halt", "poweroff"];

fn denial(words: &[String], standing: Option<&'static str>, context: &Context) -> Option<String> {
    if let Some(why) = denial_of_words(words) {
        return Some(why);
    }
    let (program, rest) = words.split_first()?;
    let redirected = words.windows(2).filter_map(|pair| match pair {
        [sign, target] if sign == ">" => Some(target),
        _ => None,
    });
    let copies = matches!(name_of(program).as_str(), "copy" | "xcopy" | "move");
    let copied = rest.last().filter(|_| copies);
    if let Some(device) = redirected.chain(copied).find(|target| is_disk(target)) {
        return Some(format!("Writing onto the disk device {device} is never allowed."));
    }
    let switch =
        |letter: &str| rest.iter().any(|word| word.to_lowercase().split('/').any(|one| one == letter));
    let deletes = matches!(name_of(program).as_str(), "rd" | "rmdir" | "del" | "erase") && switch("s");
    if !deletes {
        return None;
    }
    rest.iter()
        .filter(|word| !word.starts_with('/') || word.as_str() == "/")
        .find_map(|word| {
            let everything = matches!(word.as_str(), "." | "*" | "*.*" | ".\\*" | ".\\");
            root_or_home(word, context).or(standing.filter(|_| everything))
        })
        .map(|what| format!("Deleting {what} is never allowed."))
}

/// What is refused by program and words alone, the same for cmd and PowerShell.
pub(super) fn denial_of_words(words: &[String]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    match name_of(program).as_str() {
        "shutdown" | "reboot" | "halt" | "poweroff" => {
            Some(format!("{program} stops the machine; that is never allowed."))
        }
        "sudo" | "gsudo" | "su" | "doas" | "runas" | "pkexec" | "run0" => {
            Some(format!("{program} runs commands with another user's rights; that is never allowed."))
        }
        "format" if rest.iter().any(|word| is_drive(word)) => {
            Some("Formatting a drive is never allowed.".to_owned())
        }
        name if name == "mkfs" || name.starts_with("mkfs.") => {
            Some("Making a file system erases what is there; that is never allowed.".to_owned())
        }
        "systemctl" if rest.iter().any(|word| matches!(word.as_str(), "poweroff" | "reboot" | "halt")) => {
            Some("This systemctl command stops the machine; that is never allowed.".to_owned())
        }
        "init" | "telinit" if rest.iter().any(|word| matches!(word.as_str(), "0" | "6")) => {
            Some("This command stops the machine; that is never allowed.".to_owned())
        }
        _ => None,
    }
}

/// A raw disk: `\\.\PhysicalDrive0`, `\\.\C:`.
pub(super) fn is_disk(written: &str) -> bool {
    let lower = written.replace('\\', "/").to_lowercase();
    let device = lower.strip_prefix("//./").or_else(|| lower.strip_prefix("//?/"));
    device.is_some_and(|device| {
        device.starts_with("physicaldrive")
            || device.starts_with("harddisk")
            || device.len() == 2 && device.ends_with(':')
    })
}

fn is_drive(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && characters.next() == Some(':')
        && matches!(characters.as_str(), "" | "\\" | "/")
}

/// The program's name: last part, lower case, no extension.
fn name_of(program: &str) -> String {
    let base = program.rsplit(['\\', '/']).next().unwrap_or(program).to_lowercase();
    // `@` in front only keeps cmd from showing the command.
    let base = base.trim_start_matches('@').to_owned();
    match base.rsplit_once('.') {
        Some((stem, "exe" | "com" | "cmd" | "bat")) if !stem.is_empty() => stem.to_owned(),
        Some(_) | None => base,
    }
}

fn touches(program: &str, rest: &[String], context: &Context) -> Vec<ShellTouch> {
    let mut found = Vec::new();
    let key = |word: &str| path::join(&word.replace('\\', "/"), &context.workspace, context.os).ok();
    let plain = |word: &&String| !word.starts_with('/') && !word.contains(['%', '!', '*', '?']);
    let mut words = rest.iter().peekable();
    let mut operands = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            ">" | "<" => {
                let access = if word == ">" { Access::Write } else { Access::Read };
                let target = words.next().filter(|target| !target.eq_ignore_ascii_case("nul"));
                found.extend(target.and_then(|target| Some(ShellTouch { path: key(target)?, access })));
            }
            _ => operands.push(word),
        }
    }
    let texts: Vec<&str> = operands.iter().map(|word| word.as_str()).collect();
    let told = interpreters::told(program, texts.iter().copied()).unwrap_or_default();
    let runs = told.files.iter().filter_map(|file| match file {
        File::Argument(place) => texts.get(*place).copied(),
        File::Part(part) => Some(part.as_str()),
    });
    found.extend(runs.filter_map(|text| Some(ShellTouch { path: key(text)?, access: Access::Execute })));
    let access = match program {
        "type" | "more" | "findstr" | "find" => Access::Read,
        "del" | "erase" | "rd" | "rmdir" => Access::Delete,
        "copy" | "move" | "ren" | "rename" | "md" | "mkdir" | "mklink" | "echo" => return found,
        _ => return found,
    };
    found.extend(
        operands.into_iter().filter(plain).filter_map(|word| Some(ShellTouch { path: key(word)?, access })),
    );
    found
}

fn word_of(word: &str) -> Word {
    if word.contains(['%', '!', '*', '?']) {
        Word::Unknown(word.to_owned())
    } else {
        Word::Literal(word.to_owned())
    }
}

/// A word as PowerShell's command line takes it.
fn quoted(word: &str) -> String {
    if word.contains(' ') { format!("'{}'", word.replace('\'', "''")) } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{commands, judge};
    use crate::context::sample;
    use crate::{Context, Facts, Os};
    use proptest::prelude::*;

    fn denied(text: &str) -> bool {
        let context = Context { os: Os::Windows, workspace: "C:/ws".to_owned(), ..sample() };
        !judge(text, &Facts::default(), &context).hard_denials.is_empty()
    }

    /// R11
    #[test]
    fn catastrophes_in_any_spelling() {
        for text in [
            "rd /s /q C:\\",
            "rd/s/q C:\\",
            "RMDIR /S D:",
            "del /f /s /q C:\\*",
            "del /s C:\\*.*",
            "rd /s /q %SystemDrive%\\",
            "rd /s /q \"%USERPROFILE%\"",
            "format d: /q /y",
            "shut^down /s",
            "echo hi & shutdown /s /t 0",
            "if exist x (format c:)",
            "for %i in (1) do shutdown /r",
            "start \"\" /b shutdown /s",
            "call shutdown /s",
            "cmd /c cmd /c shutdown /s",
            "powershell -Command Stop-Computer",
            "runas /user:Administrator cmd",
            "cd /d C:\\ & rd /s /q .",
            "cd \\ && del /s /q *",
            "%COMSPEC% /c shutdown /s",
            "cmd /c\"shutdown /s\"",
            "forfiles /c \"cmd /c shutdown /s\"",
            "bash -c \"rm -rf /\"",
            "wsl rm -rf /",
            "rd /s /q %HOMEDRIVE%%HOMEPATH%",
            "for %i in (1) do @shutdown /s",
            "if 1==1 @call shutdown /s",
            "sh\"utdown /s",
            "start \" /wait shutdown /s",
            "wsl -d Ubuntu -u root rm -rf /",
            "wsl --cd C:\\x -e sudo ls",
            "echo x > \\\\.\\PhysicalDrive0",
            "\"shutdown /s\"",
            "\"\"shutdown\" /s\"",
            "copy /b x.img \\\\.\\PhysicalDrive1",
        ] {
            assert!(denied(text), "{text}");
        }
        for text in [
            "rd /s /q build",
            "del notes.txt",
            "echo format c: is dangerous",
            "type shutdown.md",
            "dir > nul",
            "findstr /s /i format src\\*.rs",
            "rd C:\\",
            "cd build & rd /s /q .",
            "wsl -d shutdown ls",
            "echo \"shutdown",
            "copy \\\\.\\C: x.img",
        ] {
            assert!(!denied(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn ends_on_any_text(text in "[-a-z/^\"&|<>()%@ \\n]{0,60}") {
            let _ = commands(&text);
            let _ = denied(&text);
        }
    }
}
