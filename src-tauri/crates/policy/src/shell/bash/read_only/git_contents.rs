//! The content that git prints: of the paths a command names, else of anything tracked. A named path is judged as if its
//! file were read; what nobody named is judged by the repository's index. Source: the manual pages of git 2.47, and which of
//! their options were seen to print content.

use super::super::command::{SimpleCommand, Word};
use super::git_commands::GitCommand;
use super::operands::wildcard;
use super::options::Arguments;
use super::{Doubt, Prover};
use crate::path;
use crate::{FileKind, Inquiry, Os, PathFact, TrackedFact};

/// Secrets that are shown to a person, of all that would be printed.
const MAX_SHOWN: usize = 8;

/// Options that print what changed inside files.
const PATCH: &[&str] = &[
    "-p",
    "-u",
    "-U",
    "-c",
    "-m",
    "--cc",
    "--dd",
    "--patch",
    "--unified",
    "--patch-with-stat",
    "--patch-with-raw",
    "--binary",
    "--check",
    "--diff-merges",
    "--remerge-diff",
];
/// Options that print something else in its place.
const SUMMARY: &[&str] = &[
    "-s",
    "-X",
    "--no-patch",
    "--raw",
    "--stat",
    "--numstat",
    "--shortstat",
    "--dirstat",
    "--cumulative",
    "--summary",
    "--compact-summary",
    "--name-only",
    "--name-status",
    "--quiet",
];
/// Sub-commands outside the list that hand out what is tracked.
const EXPORTS: &[&str] = &["archive", "format-patch", "fast-export", "difftool"];

/// What a command's words say about which files it prints.
#[derive(Default)]
struct Named {
    /// Files and folders, as patterns seen from where git starts.
    within: Vec<String>,
    /// Those that are left out.
    without: Vec<String>,
    /// Paths in a revision or the index, seen from the top of the repository; from here where they start with a dot.
    objects: Vec<String>,
    /// Something whose files can't be told.
    any: bool,
    revisions: usize,
}

impl Prover<'_> {
    /// Nothing that the command prints may hold secrets; the paths it prints are noted for the rules.
    pub(super) fn git_contents(
        &mut self,
        listed: &GitCommand,
        sorted: &Arguments<'_>,
        command: &SimpleCommand,
    ) -> Result<(), Doubt> {
        if !prints(listed, sorted) {
            return Ok(());
        }
        let has_pattern = listed.name == "grep" && !sorted.has("-e");
        let skipped = usize::from(has_pattern && !sorted.operands.is_empty());
        let operands = sorted.operands.get(skipped..).unwrap_or_default();
        let before_dashes = sorted.before_dashes.saturating_sub(skipped);
        let mut doubts = Vec::new();
        for folder in &command.folders {
            let mut named = Named::default();
            for (place, word) in operands.iter().enumerate() {
                self.named(listed, word, place >= before_dashes, folder, &mut named);
            }
            if matches!(listed.name, "blame" | "annotate") && named.within.is_empty() {
                named.within.extend(operands.last().and_then(|word| word.literal()).map(String::from));
                named.any = named.within.is_empty();
            }
            let lines: Vec<String> = sorted
                .values(&["-L"])
                .filter(|_| !matches!(listed.name, "blame" | "annotate"))
                .filter_map(|range| Some(range.rsplit_once(':')?.1.to_owned()))
                .collect();
            if !lines.is_empty() {
                // Only what changed in those lines is printed.
                named.within.extend(lines);
            } else if listed.name != "cat-file" {
                named.any |= named.within.is_empty() && (named.revisions > 0 || named.objects.is_empty());
            }
            doubts.extend(self.content_of(&named, folder).err());
        }
        doubts.into_iter().next().map_or(Ok(()), Err)
    }

    /// Notes what a sub-command that isn't understood may print.
    pub(super) fn git_exports(&mut self, name: &str, command: &SimpleCommand) {
        let prints_by_default = matches!(name, "diff" | "show" | "log" | "grep" | "range-diff" | "cat-file");
        if prints_by_default || EXPORTS.contains(&name) {
            let anything = Named { any: true, ..Named::default() };
            for folder in &command.folders {
                // The command isn't proven anyway; what counts is what was noted.
                let _ = self.content_of(&anything, folder);
            }
        }
    }

    fn named(&mut self, listed: &GitCommand, word: &Word, is_path: bool, folder: &str, named: &mut Named) {
        let Some(text) = word.literal() else {
            let before = word.literal_prefix();
            let base = before.rsplit_once('/').map_or(".", |(base, _)| base);
            named.within.push(if before.starts_with('/') && base.is_empty() { "/" } else { base }.to_owned());
            return;
        };
        // Plain objects: a path among the words is no path to these.
        let only_objects = matches!(listed.name, "stash" | "range-diff" | "cat-file") && !is_path;
        if let Some(excluded) = exclusion(&text).filter(|_| !only_objects) {
            // More magic may follow, which counts from elsewhere.
            let exact = !excluded.contains(['[', '\\']) && !excluded.starts_with(['/', '!', '^', ':', '(']);
            named.without.extend(Some(excluded).filter(|_| exact).map(str::to_owned));
        } else if text.starts_with(":(") || text.starts_with(":/") {
            named.any = true;
        } else if is_path || text.starts_with('/') || text.get(1..2) == Some(":") {
            named.within.push(text.into_owned());
        } else if text.contains(':') {
            let paths = text.match_indices(':').filter_map(|(at, _)| text.get(at + 1..));
            let is_stage = |path: &str| path.starts_with(['0', '1', '2', '3']) && path.get(1..2) == Some(":");
            named.objects.extend(paths.filter(|path| !path.is_empty() && !is_stage(path)).map(str::to_owned));
        } else if matches!(listed.name, "show" | "cat-file" | "diff") && may_be_object_name(&text) {
            named.any = true;
        } else if listed.name == "cat-file" {
            // The kind of object, or a commit or tree: no file.
            named.any |= super::is(word, "blob");
        } else if only_objects {
            named.revisions += 1;
        } else {
            match self.join(folder, &text).ok().and_then(|key| {
                let fact = self.facts.paths.get(&key);
                if fact.is_none() {
                    self.inquiries.insert(Inquiry::Path(key));
                }
                fact
            }) {
                // git takes a word for a path only where it is one, and ends where it could be either.
                Some(PathFact::Resolved(found)) if found.file != FileKind::Missing => {
                    named.within.push(text.into_owned());
                }
                Some(PathFact::Resolved(_) | PathFact::Unresolvable { .. }) | None => named.revisions += 1,
            }
        }
    }

    fn content_of(&mut self, named: &Named, folder: &str) -> Result<(), Doubt> {
        let facts = self.facts;
        let Some(fact) = facts.tracked.get(folder) else {
            self.inquiries.insert(Inquiry::Tracked(folder.to_owned()));
            return Ok(());
        };
        let is_beneath = path::contains(&fact.root, folder, self.context.os);
        let anything = named.any || !named.within.is_empty() && !is_beneath;
        if anything {
            self.tracked.insert(folder.to_owned());
        } else {
            for text in &named.within {
                let literal = path::literal_prefix(text);
                self.reads.extend(self.join(folder, if literal.is_empty() { "." } else { &literal }).ok());
            }
            for text in &named.objects {
                let from_here = text.starts_with("./") || text.starts_with("../");
                self.reads.extend(self.join(if from_here { folder } else { &fact.root }, text).ok());
            }
        }
        let met: Vec<&String> = fact
            .sensitive
            .iter()
            .filter(|file| {
                let is_meant = |text: &String| self.is_meant(text, folder, fact, file);
                let is_left_out = |text: &String| is_left_out(text, folder, fact, file);
                (anything || named.within.iter().any(is_meant)) && !named.without.iter().any(is_left_out)
            })
            .collect();
        self.reads.extend(met.iter().take(MAX_SHOWN).map(|file| format!("{}/{file}", fact.root)));
        match met.first() {
            Some(secret) => Err(Doubt::new(format!("It would print {secret}, which may hold secrets."))),
            None if fact.incomplete && anything => {
                Err(Doubt::new("What the repository tracks could not be looked through."))
            }
            None => Ok(()),
        }
    }

    /// Whether the pathspec `text` may mean the tracked `file`: `*` crosses slashes, and a folder stands for its files.
    fn is_meant(&self, text: &str, folder: &str, fact: &TrackedFact, file: &str) -> bool {
        let escapes = |one: char| one == '\\' && self.context.os != Os::Windows;
        let pattern = match text.split_once(|one| one == '[' || escapes(one)) {
            Some((before, _)) => format!("{before}*"),
            None => text.to_owned(),
        }
        .replace("**/", "*");
        let absolute = path::is_absolute(&pattern, self.context.os);
        let pattern = if absolute { pattern } else { format!("{folder}/{pattern}") };
        let pattern = path::lexical(&pattern).to_lowercase();
        let file = format!("{}/{file}", fact.root).to_lowercase();
        wildcard(&pattern, &file) || wildcard(&format!("{pattern}/*"), &file)
    }
}

/// Whether the command prints the content of files.
fn prints(listed: &GitCommand, sorted: &Arguments<'_>) -> bool {
    let patch = sorted.has_any(PATCH);
    let instead = sorted.has_any(SUMMARY);
    match (listed.name, listed.verb) {
        ("diff" | "range-diff", _) | ("stash", "show") => patch || !instead,
        // A file's object is printed whatever the options say.
        ("show", _) => {
            let by_name = |word: &&Word| word.literal().is_none_or(|text| may_be_object_name(&text));
            patch || !instead || sorted.operands.iter().any(by_name)
        }
        ("log" | "reflog" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files", _)
        | ("stash", "list") => patch || sorted.has("-L"),
        ("status", _) => sorted.has_any(&["-v", "--verbose"]),
        ("cat-file", _) => {
            sorted.has("-p") || sorted.operands.first().is_some_and(|word| super::is(word, "blob"))
        }
        ("blame" | "annotate" | "grep", _) => true,
        _ => false,
    }
}

/// Whether `text` may be the name of an object by its hash, which may be a file's.
fn may_be_object_name(text: &str) -> bool {
    let hash = text.split(['^', '~', '@']).next().unwrap_or_default();
    hash.len() >= 4 && hash.chars().all(|digit| digit.is_ascii_hexdigit())
        || text.contains("^{blob")
        || text.contains("^{object")
        || text.contains("^{}")
}

/// Whether the pathspec `text` leaves out `file` for sure.
fn is_left_out(text: &str, folder: &str, fact: &TrackedFact, file: &str) -> bool {
    let pattern = path::lexical(&format!("{folder}/{text}"));
    let file = format!("{}/{file}", fact.root);
    wildcard(&pattern, &file) || wildcard(&format!("{pattern}/*"), &file)
}

/// The path that a pathspec leaves out.
pub(super) fn exclusion(text: &str) -> Option<&str> {
    text.strip_prefix(":!").or_else(|| text.strip_prefix(":^")).or_else(|| text.strip_prefix(":(exclude)"))
}
