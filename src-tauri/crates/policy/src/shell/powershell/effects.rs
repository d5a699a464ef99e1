//! What the known cmdlets touch and destroy, as far as their words say.

use super::names;
use super::proof::{file_path, parameter_name};
use super::reader::{Command, Word};
use crate::shell::ShellTouch;
use crate::shell::interpreters::{self, File};
use crate::{Access, Context};

/// Paths that `command` names, run in `folder`.
pub(super) fn touches(command: &Command, folder: &str, context: &Context) -> Vec<ShellTouch> {
    let touch = |word: &Word, access| {
        let literal = word.literal && !word.wildcard;
        let path = literal.then(|| file_path(&word.text, folder, context)).flatten()?;
        Some(ShellTouch { path, access })
    };
    let mut found: Vec<ShellTouch> =
        command.redirects.iter().filter_map(|word| touch(word, Access::Write)).collect();
    let Some(first) = command.words.first() else { return found };
    let arguments = operands(command.words.get(1..).unwrap_or_default());
    let canonical = names::canonical(&first.text);
    found.extend(runs(first, &canonical, command.words.get(1..).unwrap_or_default(), folder, context));
    let accesses: &[Access] = match canonical.as_str() {
        "remove-item" | "rd" | "rmdir" | "del" | "erase" => &[Access::Delete],
        "set-content" | "add-content" | "clear-content" | "out-file" | "tee-object" | "export-csv"
        | "export-clixml" => {
            // The first word is the path; what follows is the value.
            return found
                .into_iter()
                .chain(arguments.first().and_then(|word| touch(word, Access::Write)))
                .collect();
        }
        "new-item" | "mkdir" | "md" | "ni" | "set-item" | "clear-item" | "set-itemproperty" => {
            &[Access::Write]
        }
        "copy-item" => &[Access::Read, Access::Write],
        "move-item" | "rename-item" => &[Access::Delete, Access::Write],
        "get-content" | "get-filehash" | "format-hex" | "import-csv" | "import-clixml" | "unblock-file" => {
            &[Access::Read]
        }
        "select-string" => {
            return found
                .into_iter()
                .chain(arguments.iter().skip(1).filter_map(|word| touch(word, Access::Read)))
                .collect();
        }
        _ => &[],
    };
    let Some(last) = accesses.last() else { return found };
    for (place, word) in arguments.iter().enumerate() {
        found.extend(touch(word, *accesses.get(place).unwrap_or(last)));
    }
    found
}

/// Scripts that it runs, by themselves or by an interpreter: they count by their content.
fn runs(
    program: &Word,
    canonical: &str,
    arguments: &[Word],
    folder: &str,
    context: &Context,
) -> Vec<ShellTouch> {
    let name = canonical.rsplit(['/', '\\']).next().unwrap_or(canonical);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let told = interpreters::told(name, arguments.iter().map(|word| word.text.as_str())).unwrap_or_default();
    let named = told.files.iter().filter_map(|file| match file {
        File::Argument(place) => {
            arguments.get(*place).filter(|word| word.literal).map(|word| word.text.as_str())
        }
        File::Part(part) => Some(part.as_str()),
    });
    // A program counts by itself.
    let is_script = program.literal && program.text.contains(['/', '\\']) && !canonical.ends_with(".exe");
    let itself = is_script.then_some(program.text.as_str());
    let paths = itself.into_iter().chain(named).filter_map(|text| file_path(text, folder, context));
    paths.map(|path| ShellTouch { path, access: Access::Execute }).collect()
}

/// Words that are no parameter and no switch of cmd.
fn operands(words: &[Word]) -> Vec<Word> {
    let mut operands = Vec::new();
    let mut after_text_parameter = false;
    for word in words {
        match parameter_name(word) {
            Some(name) => {
                let name = name.to_lowercase();
                let holds_text = [
                    "value",
                    "encoding",
                    "itemtype",
                    "type",
                    "inputobject",
                    "filter",
                    "include",
                    "exclude",
                    "pattern",
                ];
                after_text_parameter = holds_text.contains(&name.as_str());
                if let Some((_, value)) = name.split_once(':') {
                    operands.push(Word { text: value.to_owned(), ..word.clone() });
                }
            }
            None if after_text_parameter => after_text_parameter = false,
            None => operands.push(word.clone()),
        }
    }
    operands
}

/// What the command deletes, overwrites or discards, as a sentence.
pub(super) fn destroys(command: &Command) -> Option<String> {
    if let Some(target) = command.redirects.first() {
        return Some(format!("It overwrites {}.", target.text));
    }
    let first = command.words.first()?;
    let arguments = command.words.get(1..).unwrap_or_default();
    match names::canonical(&first.text).as_str() {
        "remove-item" | "remove-itemproperty" | "clear-content" | "clear-item" | "clear-recyclebin" => {
            Some(format!("It deletes with {}.", first.text))
        }
        "move-item" | "rename-item" | "set-content" | "out-file" | "copy-item" | "new-item" | "set-item" => {
            Some(format!("It may overwrite files with {}.", first.text))
        }
        "git" | "git.exe" => {
            let sub = arguments.iter().find(|word| !word.text.starts_with('-'))?;
            matches!(
                sub.text.as_str(),
                "clean"
                    | "reset"
                    | "checkout"
                    | "restore"
                    | "switch"
                    | "rm"
                    | "stash"
                    | "rebase"
                    | "commit"
                    | "merge"
                    | "push"
                    | "pull"
                    | "add"
                    | "branch"
                    | "tag"
                    | "cherry-pick"
                    | "revert"
                    | "am"
                    | "apply"
                    | "gc"
                    | "worktree"
                    | "config"
            )
            .then(|| format!("It changes the repository (git {}).", sub.text))
        }
        "cmd" | "cmd.exe" | "robocopy" | "xcopy" => {
            Some(format!("What {} overwrites isn't known.", first.text))
        }
        _ => None,
    }
}
