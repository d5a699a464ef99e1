//! What commands delete, overwrite or cut short.

use super::command::{Analysis, RedirectKind, SimpleCommand, Word};
use super::effects::{REMOVERS, edits_in_place, is, is_standard_device, plain_operands};
use super::location;
use crate::path;
use crate::{Context, Facts, FileKind, PathFact};

/// What the text deletes, overwrites or discards, as a sentence.
pub fn destroys(analysis: &Analysis, facts: &Facts, context: &Context) -> Option<String> {
    analysis.commands.iter().find_map(|command| {
        let truncated = command
            .redirects
            .iter()
            .filter(|redirect| redirect.kind == RedirectKind::Truncate)
            .filter_map(|redirect| redirect.target.as_ref())
            .find(|target| overwrites(target, command, facts, context));
        if let Some(target) = truncated {
            return Some(format!("It overwrites {}.", target.shown()));
        }
        let name = command.base_name()?;
        let arguments = command.words.get(1..).unwrap_or_default();
        match name.as_str() {
            remover if REMOVERS.contains(&remover) => Some("It deletes files.".to_owned()),
            "truncate" => Some("It cuts files short.".to_owned()),
            "find" | "gfind" if arguments.iter().any(|word| is(word, "-delete")) => {
                Some("It deletes files.".to_owned())
            }
            "sed" | "gsed" | "perl" if edits_in_place(arguments) => Some("It overwrites files.".to_owned()),
            "ruby" if edits_in_place(arguments) => Some("It overwrites files.".to_owned()),
            "awk" | "gawk" if arguments.iter().any(|word| is(word, "inplace")) => {
                Some("It overwrites files.".to_owned())
            }
            "gio" if arguments.first().is_some_and(|verb| is(verb, "trash") || is(verb, "remove")) => {
                Some("It deletes files.".to_owned())
            }
            "unzip" | "7z" | "unrar" | "cpio" => Some("It may overwrite files.".to_owned()),
            "tar" | "gtar" | "bsdtar" if extracts(arguments) => Some("It may overwrite files.".to_owned()),
            "ln" | "gln" if has_short(arguments, 'f') || arguments.iter().any(|word| is(word, "--force")) => {
                Some("It may overwrite files.".to_owned())
            }
            "sort" | "gsort" | "shuf" if has_short(arguments, 'o') || has_long(arguments, "--output") => {
                Some("It may overwrite files.".to_owned())
            }
            "curl" | "wget"
                if has_short(arguments, 'o')
                    || has_short(arguments, 'O')
                    || has_long(arguments, "--output") =>
            {
                Some("It may overwrite files.".to_owned())
            }
            "rsync" if arguments.iter().any(|word| word.literal_prefix().starts_with("--del")) => {
                Some("It deletes files.".to_owned())
            }
            "mv" | "gmv" | "cp" | "gcp" | "install" | "tee" => plain_operands(&name, arguments)
                .last()
                .filter(|target| overwrites(target, command, facts, context))
                .map(|target| format!("It may overwrite {}.", target.shown())),
            "dd" => arguments
                .iter()
                .filter_map(Word::literal)
                .filter_map(|text| text.strip_prefix("of=").map(str::to_owned))
                .find(|file| overwrites(&Word::text(file.as_str()), command, facts, context))
                .map(|file| format!("It overwrites {file}.")),
            _ => None,
        }
    })
}

/// Whether something may be at `target`: known to be missing is the only no.
fn overwrites(target: &Word, command: &SimpleCommand, facts: &Facts, context: &Context) -> bool {
    let Some(text) = location::text_of(target, &context.home) else { return true };
    if is_standard_device(&text) {
        return false;
    }
    command.folders.is_empty()
        || command.folders.iter().any(|folder| {
            let Ok(key) = path::join(&text, folder, context.os) else { return true };
            !matches!(facts.paths.get(&key), Some(PathFact::Resolved(resolved)) if resolved.file == FileKind::Missing)
        })
}

/// Whether a bundle of single letters holds `letter`.
fn has_short(arguments: &[Word], letter: char) -> bool {
    arguments.iter().map(Word::literal_prefix).any(|text| {
        text.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
    })
}

fn has_long(arguments: &[Word], name: &str) -> bool {
    arguments.iter().any(|word| word.literal_prefix().starts_with(name))
}

/// tar's modes (its first word needs no dash): extracting writes what the archive names.
fn extracts(arguments: &[Word]) -> bool {
    let bundled = arguments.first().map(Word::literal_prefix).is_some_and(|text| {
        !text.starts_with('-')
            && text.len() <= 8
            && text.chars().all(|letter| letter.is_ascii_alphabetic())
            && text.contains('x')
    });
    bundled || has_short(arguments, 'x') || has_long(arguments, "--extract") || has_long(arguments, "--get")
}
