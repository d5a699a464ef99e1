//! Commands in git's own arguments: settings, aliases and sub-commands that run something. Source: git-config(1),
//! git-rebase(1), git-bisect(1), git-submodule(1), git-filter-branch(1).

use super::super::command::Word;
use super::{Peeling, is, joined, spelled};

/// Settings of git whose value a shell runs (git-config(1)).
const GIT_PROGRAMS: &[&str] = &[
    "core.pager",
    "core.editor",
    "core.fsmonitor",
    "core.sshcommand",
    "core.gitproxy",
    "core.askpass",
    "sequence.editor",
    "diff.external",
    "credential.helper",
    "uploadpack.packobjectshook",
    "interactive.difffilter",
];

/// Shell texts in git's arguments: aliases, `bisect run`, `submodule foreach`, `rebase --exec`.
pub(super) fn actions(arguments: &[Word], peeling: &Peeling<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let rewrites = arguments.iter().any(|word| is(Some(word), "filter-branch"));
    for (place, word) in arguments.iter().enumerate() {
        let Some(text) = spelled(word, peeling) else { continue };
        let rest = arguments.get(place + 1..).unwrap_or_default();
        match text.as_str() {
            "run" if place > 0 && is(arguments.get(place - 1), "bisect") => {
                found.extend(joined(rest, peeling))
            }
            "foreach" if place > 0 && is(arguments.get(place - 1), "submodule") => {
                let options = rest.iter().take_while(|word| word.literal_prefix().starts_with('-')).count();
                found.extend(joined(rest.get(options..).unwrap_or_default(), peeling));
            }
            "-x" | "--exec" if arguments.iter().any(|word| is(Some(word), "rebase")) => {
                found.extend(rest.first().and_then(|word| spelled(word, peeling)));
            }
            // `git -c KEY=VALUE`, and `git config KEY VALUE` that puts it where later calls find it.
            setting if setting.to_lowercase().starts_with("alias.") => {
                let next = || rest.first().and_then(|word| spelled(word, peeling));
                let value = setting.split_once('=').map(|(_, value)| value.to_owned()).or_else(next);
                found.extend(value.and_then(|value| value.strip_prefix('!').map(str::to_owned)));
            }
            setting => {
                let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
                if GIT_PROGRAMS.contains(&key.to_lowercase().as_str()) {
                    let next = || rest.first().and_then(|word| spelled(word, peeling));
                    found.extend((!value.is_empty()).then(|| value.to_owned()).or_else(next));
                } else if key == "--exec" || key.starts_with("--") && key.ends_with("-filter") && rewrites {
                    found.extend((!value.is_empty()).then(|| value.to_owned()));
                    found.extend(
                        rest.first().filter(|_| value.is_empty()).and_then(|word| spelled(word, peeling)),
                    );
                } else if let Some(script) = setting.strip_prefix("-x").filter(|script| !script.is_empty())
                    && arguments.iter().any(|word| is(Some(word), "rebase"))
                {
                    found.push(script.to_owned());
                }
            }
        }
    }
    found
}
