//! What is refused without a question, in any spelling that can be read off the text (R11).

use super::command::{Analysis, Part, Redirect, RedirectKind, SimpleCommand, Word, base_name};
use super::location;
use crate::{Context, Os};

/// The first thing in `analysis` that is never run, as a sentence.
#[must_use]
pub fn find(analysis: &Analysis, context: &Context) -> Option<String> {
    if analysis.fork_bomb {
        return Some("A function that starts itself without end brings the machine down.".to_owned());
    }
    analysis.commands.iter().find_map(|command| of_command(command, context))
}

fn of_command(command: &SimpleCommand, context: &Context) -> Option<String> {
    let written = command
        .redirects
        .iter()
        .filter(|redirect| writes(redirect))
        .filter_map(|redirect| redirect.target.as_ref());
    if let Some(device) = written.filter_map(|target| disk_of(target, command, context)).next() {
        return Some(format!("Writing onto the disk device {device} is never allowed."));
    }
    if is_in_workspace(command, context) {
        return None;
    }
    let name = program_name(command, context)?;
    let arguments = command.words.get(1..).unwrap_or_default();
    let only_asks = matches!(arguments, [only] if is(only, "--help") || is(only, "--version"));
    match name.as_str() {
        "sudo" | "sudoedit" | "su" | "doas" | "pkexec" | "run0" | "gsudo" | "runas" => {
            Some(format!("{name} runs commands with another user's rights; that is never allowed."))
        }
        "shutdown" | "reboot" | "halt" | "poweroff" if !only_asks => {
            Some(format!("{name} stops the machine; that is never allowed."))
        }
        "systemctl" | "loginctl" if stops_machine(arguments) => {
            Some(format!("This {name} command stops the machine; that is never allowed."))
        }
        "init" | "telinit" if arguments.iter().any(|word| is(word, "0") || is(word, "6")) => {
            Some(format!("This {name} command stops the machine; that is never allowed."))
        }
        mkfs if (mkfs == "mkfs" || mkfs.starts_with("mkfs.")) && !only_asks => {
            Some("Making a file system erases what is there; that is never allowed.".to_owned())
        }
        "format" if arguments.iter().any(is_drive) => Some("Formatting a drive is never allowed.".to_owned()),
        "dd" => arguments.iter().find_map(|word| {
            let target = word.literal()?;
            disk_of(&Word::text(target.strip_prefix("of=")?), command, context)
                .map(|device| format!("Writing onto the disk device {device} is never allowed."))
        }),
        "tee" | "gtee" => arguments
            .iter()
            .find_map(|word| disk_of(word, command, context))
            .map(|device| format!("Writing onto the disk device {device} is never allowed.")),
        "cp" | "gcp" | "mv" | "install" => copied_onto(arguments)
            .and_then(|word| disk_of(&word, command, context))
            .map(|device| format!("Writing onto the disk device {device} is never allowed.")),
        "rm" | "grm" | "srm" if removes_recursively(arguments) => {
            operands(arguments).into_iter().find_map(|word| root_or_home(word, command, context))
        }
        "rimraf" => operands(arguments).into_iter().find_map(|word| root_or_home(word, command, context)),
        "find" | "gfind" => deletes_whole_tree(arguments, command, context),
        _ => None,
    }
}

/// A program of the workspace isn't the system's, whatever its name: running it asks.
fn is_in_workspace(command: &SimpleCommand, context: &Context) -> bool {
    command.program().is_some_and(|program| {
        program.contains('/')
            && !program.starts_with('/')
            && !command.folders.is_empty()
            && command.folders.iter().all(|folder| {
                let path = location::normal(&location::join(folder, &program));
                crate::path::contains(&context.workspace, &path, context.os)
            })
    })
}

/// The program's base name as this system would look it up.
fn program_name(command: &SimpleCommand, context: &Context) -> Option<String> {
    let name = command.base_name()?;
    Some(match context.os {
        Os::Linux => name,
        // Program files are found whatever the case.
        Os::Macos => name.to_lowercase(),
        Os::Windows => {
            let name = name.rsplit('\\').next().unwrap_or_default().to_lowercase();
            let bare = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".com")).map(str::to_owned);
            bare.unwrap_or(name)
        }
    })
}

fn is(word: &Word, text: &str) -> bool {
    word.literal().is_some_and(|literal| literal == text)
}

fn writes(redirect: &Redirect) -> bool {
    match redirect.kind {
        RedirectKind::Truncate | RedirectKind::Append | RedirectKind::ReadWrite | RedirectKind::Unknown => {
            true
        }
        RedirectKind::Read | RedirectKind::Descriptor | RedirectKind::Text => false,
    }
}

fn stops_machine(arguments: &[Word]) -> bool {
    const VERBS: &[&str] = &["poweroff", "reboot", "halt", "kexec", "soft-reboot", "exit"];
    const STARTS: &[&str] = &["start", "isolate"];
    let mut verbs = arguments.iter().filter_map(Word::literal).filter(|word| !word.starts_with('-'));
    match verbs.next() {
        Some(verb) if STARTS.contains(&verb.as_ref()) => verbs.any(|unit| {
            let name = unit.strip_suffix(".target").unwrap_or(&unit);
            VERBS.contains(&name) || matches!(name, "runlevel0" | "runlevel6")
        }),
        Some(verb) => verb != "exit" && VERBS.contains(&verb.as_ref()),
        None => false,
    }
}

fn is_drive(word: &Word) -> bool {
    word.literal().is_some_and(|text| {
        let mut characters = text.chars();
        characters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && characters.next() == Some(':')
            && matches!(characters.as_str(), "" | "/" | "\\")
    })
}

/// The disk that `word` names, if it names one.
fn disk_of(word: &Word, command: &SimpleCommand, context: &Context) -> Option<String> {
    let text = location::text_of(word, &context.home)?;
    if context.os == Os::Windows {
        let lower = text.to_lowercase().replace('/', "\\");
        let name = lower.strip_prefix("\\\\.\\").or_else(|| lower.strip_prefix("\\\\?\\"));
        if name.is_some_and(|name| name.starts_with("physicaldrive") || name.ends_with(':')) {
            return Some(text);
        }
    }
    let path = match command.folders.first() {
        Some(folder) => location::normal(&location::join(folder, &text)),
        None if text.starts_with('/') => location::normal(&text),
        None => return None,
    };
    is_disk(path.strip_prefix("/dev/")?).then_some(path)
}

/// Block devices of Linux, macOS and the BSDs, and the raw memory devices.
fn is_disk(name: &str) -> bool {
    const FOLDERS: &[&str] = &["mapper/", "disk/", "block/", "vg", "md/", "zvol/"];
    const NAMES: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "md", "dm-", "disk", "rdisk", "sr", "nbd", "ada",
        "nda", "wd",
    ];
    const WHOLE: &[&str] = &["mem", "kmem", "port", "root"];
    if WHOLE.contains(&name) || FOLDERS.iter().any(|folder| name.starts_with(folder) && name.contains('/')) {
        return true;
    }
    NAMES.iter().filter_map(|prefix| name.strip_prefix(prefix)).any(|rest| {
        !rest.is_empty()
            && rest.len() <= 8
            && rest.chars().all(|character| character.is_ascii_lowercase() || character.is_ascii_digit())
            && (rest.len() <= 2 || rest.contains(|digit: char| digit.is_ascii_digit()))
    })
}

/// What `cp` and its like write onto: the last operand, or the value of `-t`.
fn copied_onto(arguments: &[Word]) -> Option<Word> {
    let named = arguments.iter().enumerate().find_map(|(place, word)| {
        let text = word.literal()?;
        let value = match text.strip_prefix("--target-directory") {
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None if text.starts_with("-t") => text.strip_prefix("-t").map(str::to_owned),
            None => return None,
        };
        match value.filter(|value| !value.is_empty()) {
            Some(value) => Some(Word::text(value)),
            None => arguments.get(place + 1).cloned(),
        }
    });
    named.or_else(|| operands(arguments).last().map(|word| (*word).clone()))
}

/// The words that are no options; after `--` all of them.
fn operands(arguments: &[Word]) -> Vec<&Word> {
    let mut found = Vec::new();
    let mut only_operands = false;
    for word in arguments {
        if !only_operands && is(word, "--") {
            only_operands = true;
        } else if only_operands || !word.literal_prefix().starts_with('-') || is(word, "-") {
            found.push(word);
        }
    }
    found
}

fn removes_recursively(arguments: &[Word]) -> bool {
    arguments.iter().take_while(|word| !is(word, "--")).map(Word::literal_prefix).any(|text| {
        match text.strip_prefix("--") {
            Some(long) => !long.is_empty() && "recursive".starts_with(long),
            None => text.strip_prefix('-').is_some_and(|letters| letters.contains(['r', 'R'])),
        }
    })
}

/// A sentence if removing `word` with all below it removes the root, a drive or the home folder.
fn root_or_home(word: &Word, command: &SimpleCommand, context: &Context) -> Option<String> {
    let base = whole_folder(word, context)?;
    if context.os == Os::Windows {
        let text = base.replace('\\', "/");
        let drive = text.trim_end_matches(['/', '.']);
        let letter = drive.strip_suffix(':').or_else(|| drive.strip_prefix('/'));
        if letter.is_some_and(|letter| {
            letter.len() == 1 && letter.chars().all(|letter| letter.is_ascii_alphabetic())
        }) {
            return Some("Deleting a whole drive is never allowed.".to_owned());
        }
    }
    let paths: Vec<String> = if base.starts_with('/') {
        vec![location::normal(&base)]
    } else {
        command.folders.iter().map(|folder| location::normal(&location::join(folder, &base))).collect()
    };
    // Where the folder isn't certain, every possibility has to be fatal.
    if paths.is_empty() {
        return None;
    }
    if paths.iter().all(|path| path == "/") {
        return Some("Deleting the root folder is never allowed.".to_owned());
    }
    let home = location::normal(&context.home);
    let same = |path: &String| match context.os {
        Os::Linux => *path == home,
        Os::Macos | Os::Windows => path.to_lowercase() == home.to_lowercase(),
    };
    paths.iter().all(same).then(|| "Deleting the home folder is never allowed.".to_owned())
}

/// The folder that `word` names whole: trailing patterns that match everything are dropped.
fn whole_folder(word: &Word, context: &Context) -> Option<String> {
    // Each character with whether it is a pattern character.
    let mut marked: Vec<(char, bool)> = Vec::new();
    for part in &word.parts {
        match part {
            Part::Text(text) => marked.extend(text.chars().map(|character| (character, false))),
            Part::Glob(text) => marked.extend(text.chars().map(|character| (character, true))),
            Part::Home => marked.extend(context.home.chars().map(|character| (character, false))),
            Part::Number | Part::Variable { .. } | Part::Output | Part::Pipe | Part::Opaque => return None,
        }
    }
    let mut components: Vec<Vec<(char, bool)>> =
        marked.split(|(character, _)| *character == '/').map(<[_]>::to_vec).collect();
    while let Some(last) = components.last() {
        let is_pattern = last.iter().any(|(_, pattern)| *pattern);
        let matches_all =
            last.iter().all(|(character, pattern)| *pattern || matches!(character, '.' | ']' | '!' | '^'));
        if last.is_empty()
            && components.len() > 1
            && components.iter().any(|component| component.iter().any(|(_, pattern)| *pattern))
        {
            components.pop();
        } else if is_pattern && matches_all {
            components.pop();
            if components.is_empty() {
                return Some(".".to_owned());
            }
            if components.iter().all(Vec::is_empty) {
                return Some("/".to_owned());
            }
        } else {
            break;
        }
    }
    if components.iter().flatten().any(|(_, pattern)| *pattern) {
        return None;
    }
    let names: Vec<String> = components
        .into_iter()
        .map(|component| component.into_iter().map(|(character, _)| character).collect())
        .collect();
    Some(names.join("/"))
}

/// `find / -delete`, `find / -exec rm -rf {} +`: a deletion that no test narrows.
fn deletes_whole_tree(arguments: &[Word], command: &SimpleCommand, context: &Context) -> Option<String> {
    const NARROW_NOTHING: &[&str] =
        &["-delete", "-xdev", "-mount", "-depth", "-d", "-H", "-L", "-P", "-noleaf", "-ignore_readdir_race"];
    let mut deletes = false;
    let mut starts: Vec<&Word> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if ["-exec", "-execdir", "-ok", "-okdir"].iter().any(|action| is(word, action)) {
            let group: Vec<Word> =
                words.by_ref().take_while(|word| !is(word, ";") && !is(word, "+")).cloned().collect();
            deletes |= removes_what_it_finds(&group);
        } else if ["-mindepth", "-maxdepth"].iter().any(|option| is(word, option)) {
            words.next();
        } else if NARROW_NOTHING.iter().any(|option| is(word, option)) {
            deletes |= is(word, "-delete");
        } else {
            starts.push(word);
        }
    }
    if !deletes || starts.iter().any(|word| word.literal_prefix().starts_with(['-', '(', '!'])) {
        return None;
    }
    starts.into_iter().find_map(|word| root_or_home(word, command, context))
}

/// `rm -r {}`, also behind a wrapper's words.
fn removes_what_it_finds(group: &[Word]) -> bool {
    let at = group.iter().position(|word| word.literal().is_some_and(|text| base_name(&text) == "rm"));
    let Some(arguments) = at.and_then(|at| group.get(at + 1..)) else { return false };
    removes_recursively(arguments) && arguments.iter().any(|word| is(word, "{}"))
}
