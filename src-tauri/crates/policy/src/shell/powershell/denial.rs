//! What is refused with no question (R11), in the spellings of PowerShell.

use super::names;
use super::proof::{file_path, parameter_name};
use super::reader::{Command, Word};
use crate::shell::cmd;
use crate::{Context, path};

/// Where the words before a command have led.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// The drive root or home folder it runs in.
    pub(super) folder: Option<&'static str>,
    /// The drive root or home folder whose files it is handed.
    pub(super) handed: Option<&'static str>,
}

impl Standing {
    /// What holds for the command after `command`.
    pub(super) fn after(self, command: &Command, context: &Context) -> Self {
        let Some((first, arguments)) = command.words.split_first() else { return self };
        let target = || arguments.iter().find(|word| parameter_name(word).is_none());
        let place = || target().and_then(|word| root_or_home(&word.text, context));
        match names::canonical(&first.text).as_str() {
            "set-location" | "push-location" => Self { folder: place(), handed: None },
            "get-childitem" => Self { handed: place(), ..self },
            "where-object" | "sort-object" | "select-object" if command.piped => self,
            _ => Self { handed: None, ..self },
        }
    }
}

/// Why a recursive deletion of everything around it is never run, as a sentence.
pub(super) fn find_standing(command: &Command, standing: Standing) -> Option<String> {
    let (first, arguments) = command.words.split_first()?;
    if names::canonical(&first.text) != "remove-item" || !is_recursive(arguments) {
        return None;
    }
    let targets: Vec<&Word> = arguments.iter().filter(|word| parameter_name(word).is_none()).collect();
    let everything = |word: &&Word| {
        matches!(word.text.replace('\\', "/").as_str(), "*" | "." | "./" | "./*" | "*.*" | "./*.*")
    };
    let what = if targets.iter().any(everything) {
        standing.folder
    } else if targets.is_empty() && command.piped {
        standing.handed
    } else {
        None
    }?;
    Some(format!("Deleting {what} is never allowed."))
}

/// Why this command is never run, as a sentence.
pub(super) fn find(command: &Command, context: &Context) -> Option<String> {
    if let Some(target) = command.redirects.iter().find(|target| is_disk(&target.text)) {
        return Some(format!("Writing onto the disk device {} is never allowed.", target.text));
    }
    let first = command.words.first()?;
    let name = names::canonical(&first.text);
    let arguments = command.words.get(1..).unwrap_or_default();
    match name.as_str() {
        "remove-item" => removes_root_or_home(arguments, context),
        "format-volume" => Some("Formatting a volume is never allowed.".to_owned()),
        "stop-computer" | "restart-computer" => {
            Some(format!("{} stops the machine; that is never allowed.", first.text))
        }
        "start-process" => elevates(arguments),
        "set-content" | "add-content" | "out-file" | "tee-object" | "copy-item" => arguments
            .iter()
            .find(|word| is_disk(&word.text))
            .map(|word| format!("Writing onto the disk device {} is never allowed.", word.text)),
        _ => {
            let words: Vec<String> = command.words.iter().map(|word| word.text.clone()).collect();
            cmd::denial_of_words(&words)
        }
    }
}

/// `-Recurse`, in any abbreviation, on a root or the home folder.
fn removes_root_or_home(arguments: &[Word], context: &Context) -> Option<String> {
    if !is_recursive(arguments) {
        return None;
    }
    arguments
        .iter()
        .filter(|word| parameter_name(word).is_none_or(|name| name.contains(':')))
        .map(|word| match parameter_name(word).and_then(|name| name.split_once(':')) {
            Some((_, value)) => value,
            None => word.text.as_str(),
        })
        .find_map(|target| root_or_home(target, context))
        .map(|what| format!("Deleting {what} is never allowed."))
}

fn is_recursive(arguments: &[Word]) -> bool {
    arguments.iter().any(|word| {
        let written = parameter_name(word).map(|name| name.split(':').next().unwrap_or(name).to_lowercase());
        let by_name = |name: String| !name.is_empty() && ("recurse".starts_with(&name) || is_cluster(&name));
        written.is_some_and(by_name)
            || ["/s", "--recursive"].iter().any(|switch| word.text.eq_ignore_ascii_case(switch))
    })
}

/// `-rf` and its like, as the `rm` of other systems takes them.
fn is_cluster(letters: &str) -> bool {
    letters.contains('r') && letters.chars().all(|letter| matches!(letter, 'r' | 'f' | 'i' | 'v' | 'd'))
}

/// The drive root or home folder that `written` names, with or without a wildcard for all in it.
pub(in crate::shell) fn root_or_home(written: &str, context: &Context) -> Option<&'static str> {
    let lower = written.replace('\\', "/").to_lowercase();
    let lower = lower.split_once("::").map_or(lower.as_str(), |(_, rest)| rest);
    let lower = ["//?/", "//./"].iter().find_map(|prefix| lower.strip_prefix(prefix)).unwrap_or(lower);
    let mut place = lower;
    for end in ["*.*", "*", "."] {
        place = place
            .strip_suffix(end)
            .filter(|rest| rest.ends_with('/') || rest.ends_with(':'))
            .unwrap_or(place);
    }
    let bare = place.trim_end_matches('/');
    const HOMES: &[&str] = &[
        "~",
        "$home",
        "${home}",
        "$env:userprofile",
        "${env:userprofile}",
        "$env:home",
        "${env:home}",
        "%userprofile%",
        "$env:homedrive$env:homepath",
        "%homedrive%%homepath%",
    ];
    const ROOTS: &[&str] = &[
        "$env:systemdrive",
        "${env:systemdrive}",
        "$env:homedrive",
        "${env:homedrive}",
        "%systemdrive%",
        "%homedrive%",
    ];
    if HOMES.contains(&bare) {
        return Some("the home folder");
    }
    if ROOTS.contains(&bare) {
        return Some("a whole drive");
    }
    let is_drive =
        bare.len() == 2 && bare.ends_with(':') && bare.starts_with(|one: char| one.is_ascii_alphabetic());
    if is_drive || (bare.is_empty() && !place.is_empty()) {
        return Some("a whole drive");
    }
    let absolute = place.starts_with('/') || place.get(1..2) == Some(":");
    if !absolute {
        return None;
    }
    let key = path::lexical(&file_path(place, &context.workspace, context)?);
    if key == "/" || key.len() == 3 && key.ends_with(":/") {
        return Some("a whole drive");
    }
    (!context.home.is_empty() && path::fold(&key) == path::fold(&context.home)).then_some("the home folder")
}

/// `-Verb RunAs`: with the administrator's rights.
fn elevates(arguments: &[Word]) -> Option<String> {
    let elevates = arguments.windows(2).any(|pair| match pair {
        [verb, value] => {
            let verb = parameter_name(verb).map(str::to_lowercase);
            verb.is_some_and(|verb| verb.len() > 3 && "verb".starts_with(&verb))
                && value.text.eq_ignore_ascii_case("runas")
        }
        _ => false,
    }) || arguments
        .iter()
        .any(|word| parameter_name(word).is_some_and(|name| name.eq_ignore_ascii_case("verb:runas")));
    elevates.then(|| "Running with the administrator's rights is never allowed.".to_owned())
}

/// A raw disk: `\\.\PhysicalDrive0`, `\\.\C:`.
fn is_disk(written: &str) -> bool {
    let lower = written.replace('\\', "/").to_lowercase();
    let device = lower.strip_prefix("//./").or_else(|| lower.strip_prefix("//?/"));
    device.is_some_and(|device| {
        device.starts_with("physicaldrive")
            || device.starts_with("harddisk")
            || device.len() == 2 && device.ends_with(':')
    })
}
