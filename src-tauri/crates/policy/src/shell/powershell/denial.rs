//! What is refused with no question (R11), in the spellings of PowerShell.

use super::names;
use super::proof::{file_path, parameter_name, quoted};
use super::reader::{Command, Head, Word};
use crate::shell::{bash, cmd};
use crate::{Context, Facts, path};

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
        let place = |words: &[Word]| targets(words).find_map(|(text, word)| named_place(text, word, context));
        if command.head == Head::Value {
            return Self { handed: place(&command.words), ..self };
        }
        match cmdlet_of(first).as_str() {
            "set-location" | "push-location" => Self { folder: place(arguments), handed: None },
            "pop-location" => Self::default(),
            "get-childitem" | "get-item" | "resolve-path" | "convert-path" | "write-output" => {
                Self { handed: place(arguments), ..self }
            }
            "where-object" | "sort-object" | "select-object" if command.piped => self,
            _ => Self { handed: None, ..self },
        }
    }
}

/// Why a recursive deletion of everything around it is never run, as a sentence.
pub(super) fn find_standing(command: &Command, standing: Standing) -> Option<String> {
    let (first, arguments) = command.words.split_first()?;
    if cmdlet_of(first) != "remove-item" || !is_recursive(arguments) {
        return None;
    }
    let everything = |(text, _): (&str, &Word)| {
        matches!(text.replace('\\', "/").as_str(), "*" | "." | "./" | "./*" | "*.*" | "./*.*")
    };
    let what = if targets(arguments).any(everything) {
        standing.folder
    } else if targets(arguments).next().is_none() && command.piped {
        standing.handed
    } else {
        None
    }?;
    Some(format!("Deleting {what} is never allowed."))
}

/// Why this command is never run, as a sentence.
pub(super) fn find(command: &Command, context: &Context) -> Option<String> {
    if let Some(target) = command.redirects.iter().find(|target| cmd::is_disk(&target.text)) {
        return Some(format!("Writing onto the disk device {} is never allowed.", target.text));
    }
    let first = command.words.first()?;
    let name = cmdlet_of(first);
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
            .find(|word| cmd::is_disk(&word.text))
            .map(|word| format!("Writing onto the disk device {} is never allowed.", word.text)),
        _ => {
            let words: Vec<String> = command.words.iter().map(|word| word.text.clone()).collect();
            cmd::denial_of_words(&words).or_else(|| of_program(&command.words, context))
        }
    }
}

/// What bash would never run, were it given the same words: the programs behind `env`, `timeout`, `find -exec`.
fn of_program(words: &[Word], context: &Context) -> Option<String> {
    let spelled = |word: &Word| if word.literal { quoted(&word.text) } else { "\"$unknown\"".to_owned() };
    let text = words.iter().map(spelled).collect::<Vec<_>>().join(" ");
    bash::judge(&text, &Facts::default(), context).hard_denials.into_iter().next()
}

/// `-Recurse`, in any abbreviation, on a root or the home folder.
fn removes_root_or_home(arguments: &[Word], context: &Context) -> Option<String> {
    if !is_recursive(arguments) {
        return None;
    }
    targets(arguments)
        .find_map(|(text, word)| named_place(text, word, context))
        .map(|what| format!("Deleting {what} is never allowed."))
}

/// The cmdlet that `first` names, whatever module stands before it; the name as it is for anything else.
fn cmdlet_of(first: &Word) -> String {
    let last = first.text.rsplit('\\').next().unwrap_or_default();
    names::canonical(if names::is_cmdlet(last) { last } else { &first.text })
}

/// The words that say what a command works on, `-Path:x` as `x`: no parameters, and no values of those that
/// only narrow it.
fn targets(words: &[Word]) -> impl Iterator<Item = (&str, &Word)> {
    const NARROWING: &[&str] = &["exclude", "include", "filter", "erroraction", "ea"];
    let mut value_follows = false;
    let mut in_value = false;
    words.iter().filter_map(move |word| {
        let Some(parameter) = parameter_name(word) else {
            in_value = std::mem::take(&mut value_follows) || in_value && word.listed;
            return (!in_value).then_some((word.text.as_str(), word));
        };
        let (name, value) = parameter.split_once(':').map_or((parameter, ""), |(name, value)| (name, value));
        let narrows = NARROWING.contains(&name.to_lowercase().as_str());
        value_follows = narrows && value.is_empty();
        (!narrows && !value.is_empty()).then_some((value, word))
    })
}

/// The drive root or home folder that a word names, in brackets too: `@('C:\')`. In single quotes `'$HOME'` is a
/// name like any other.
fn named_place(text: &str, word: &Word, context: &Context) -> Option<&'static str> {
    if word.literal {
        return root_or_home(text, context).filter(|_| !text.starts_with('$'));
    }
    match bracketed(text) {
        Some(inner) => inner.split(',').find_map(|one| root_or_home(unquoted(one.trim()), context)),
        None => root_or_home(text, context),
    }
}

/// What stands in `(…)` or `@(…)`.
pub(super) fn bracketed(text: &str) -> Option<&str> {
    text.strip_prefix('@').unwrap_or(text).strip_prefix('(')?.strip_suffix(')')
}

/// `text` without a pair of quotes around it.
pub(super) fn unquoted(text: &str) -> &str {
    let within = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('\'').or_else(|| within('"')).unwrap_or(text)
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
    // `"$($env:SystemDrive)\"` is `$env:SystemDrive\`.
    let lower = if lower.starts_with("$($") { lower.replace("$(", "").replace(')', "") } else { lower };
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
