//! `grep`: lines by a regular expression. The pattern never reaches a shell (R54).

use super::arguments::{parse, permitted};
use super::file_access::blocking;
use super::found::{LeftOut, gaps, shown};
use super::glob;
use super::{Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::workspace::{AccessError, Workspace};
use assent_policy::{ErrorCode, FileKind, SearchRequest, Subject, ToolEffect};
use async_trait::async_trait;
use globset::GlobMatcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Matching lines in an answer.
const LIMIT: usize = 200;
/// Characters shown of a matching line.
const LINE_LIMIT: usize = 300;
/// Memory for one line, in bytes; a file with a longer one is skipped and counted.
const LINE_MEMORY: usize = 32 * 1024 * 1024;

/// Searches file contents.
#[derive(Debug)]
pub struct Grep(ToolDefinition);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    glob: Option<String>,
}

impl Default for Grep {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "grep",
            description: "Searches text files for lines that match a regular expression (Rust syntax, one \
                          line at a time; start with (?i) to ignore case) and returns path:line: text, sorted \
                          by path. Binary files, files ignored by .gitignore and files that may hold secrets \
                          are left out.",
            schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "minLength": 1, "description": "The regular expression."},
                    "path": {"type": "string", "description": "The folder or file to search; the workspace by default."},
                    "glob": {"type": "string", "minLength": 1, "description": "Only files that match, e.g. *.rs (anywhere) or src/**/*.ts (from path)."}
                },
                "required": ["pattern"],
                "additionalProperties": false
            }),
            effect: ToolEffect::Read,
            schema_version: 1,
        })
    }
}

#[async_trait]
impl Tool for Grep {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Arguments = parse(arguments)?;
        expression(&arguments.pattern).map_err(InvalidArguments)?;
        if let Some(filter) = &arguments.glob {
            glob::matcher(filter).map_err(|why| InvalidArguments(format!("glob: {why}")))?;
        }
        Ok(Subject::Search(SearchRequest {
            path: arguments.path.unwrap_or_else(|| ".".to_owned()),
            globs: arguments.glob.into_iter().collect(),
            contents: true,
        }))
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let arguments: Arguments = permitted(&permit)?;
        let (workspace, cancel) = (run.workspace.clone(), run.cancel.clone());
        let content = blocking(move || search(&workspace, &permit, &arguments, &cancel)).await?;
        Ok(ToolOutput { content, changes: Vec::new() })
    }
}

fn expression(pattern: &str) -> Result<RegexMatcher, String> {
    if pattern.is_empty() {
        return Err("the pattern is empty".to_owned());
    }
    RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .build(pattern)
        .map_err(|error| format!("pattern: {error}"))
}

fn search(
    workspace: &Workspace,
    permit: &Permit,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<String, ToolFailure> {
    let written = arguments.path.as_deref().unwrap_or(".");
    let failure = |error: AccessError| ToolFailure::access(written, &error);
    let invalid = |why: String| ToolFailure::new(ErrorCode::InvalidArguments, why);
    let path = workspace.approved(permit.facts(), written).map_err(failure)?;
    let expression = expression(&arguments.pattern).map_err(invalid)?;
    let filter =
        arguments.glob.as_deref().map(Filter::new).transpose().map_err(|fault| invalid(fault.to_owned()))?;
    let left_out = LeftOut::new(permit.withheld());
    let results = Results::default();
    let mut notes = Vec::new();

    if path.kind() == FileKind::Regular {
        // A file that the call names was judged by its name.
        let file = workspace.open_file(&path).map_err(failure)?;
        search_file(
            &mut searcher(),
            &expression,
            file.into_std(),
            shown(workspace, &path.real),
            &results,
            cancel,
        );
    } else {
        let walked = workspace
            .walk(&path, Path::new(""))
            .map_err(failure)?
            .run(cancel, &|met| {
                let below = met.real.strip_prefix(&path.real).unwrap_or(met.real);
                if met.is_link || filter.as_ref().is_some_and(|filter| !filter.accepts(below)) {
                    return;
                }
                let shown = shown(workspace, met.real);
                if left_out.takes(&shown, met.real) {
                    return;
                }
                let Ok(file) = met.open() else { return results.skip() };
                SEARCHER.with_borrow_mut(|searcher| {
                    search_file(searcher, &expression, file.into_std(), shown, &results, cancel);
                });
            })
            .map_err(|error| failure(AccessError::Io(error)))?;
        notes.extend(left_out.notes());
        notes.extend(gaps(walked));
    }
    if cancel.is_cancelled() {
        return Err(ToolFailure::cancelled());
    }
    Ok(results.text(notes))
}

thread_local! {
    static SEARCHER: RefCell<Searcher> = RefCell::new(searcher());
}

fn searcher() -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(LINE_MEMORY))
        .build()
}

fn search_file(
    searcher: &mut Searcher,
    expression: &RegexMatcher,
    file: std::fs::File,
    shown: String,
    results: &Results,
    cancel: &CancellationToken,
) {
    let mut matches = Matches { lines: Vec::new(), count: 0, binary: false, cancel };
    match searcher.search_file(expression, &file, &mut matches) {
        Ok(()) if matches.binary => {}
        Ok(()) => results.add(shown, matches.lines, matches.count),
        Err(_) => results.skip(),
    }
}

/// Which files are searched.
struct Filter {
    glob: GlobMatcher,
    anywhere: bool,
}

impl Filter {
    /// A pattern with no `/` looks at names only.
    fn new(pattern: &str) -> Result<Self, &'static str> {
        Ok(Self { glob: glob::matcher(pattern)?, anywhere: !pattern.contains('/') })
    }

    fn accepts(&self, path: &Path) -> bool {
        let seen = if self.anywhere { path.file_name().map(Path::new) } else { Some(path) };
        seen.is_some_and(|seen| self.glob.is_match(seen))
    }
}

/// The matching lines of one file.
struct Matches<'a> {
    lines: Vec<(u64, String)>,
    count: u64,
    binary: bool,
    cancel: &'a CancellationToken,
}

impl Sink for Matches<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        if self.lines.len() < LIMIT {
            self.lines.push((found.line_number().unwrap_or(0), cut(found.bytes())));
        }
        Ok(!self.cancel.is_cancelled())
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(false)
    }
}

/// A line as it is shown.
fn cut(line: &[u8]) -> String {
    // No character is longer than four bytes; what is beyond can't be shown.
    let head = line.get(..LINE_LIMIT * 4 + 4).unwrap_or(line);
    let text = String::from_utf8_lossy(head);
    let text = text.trim_end_matches(['\n', '\r']).replace('\0', "\u{fffd}");
    match text.char_indices().nth(LINE_LIMIT) {
        Some((end, _)) => format!("{} [line cut]", text.get(..end).unwrap_or(&text)),
        None => text,
    }
}

/// Matching lines by file: number and text.
type ByFile = BTreeMap<String, Vec<(u64, String)>>;

/// What was found so far; keeps the first [`LIMIT`] lines by path and counts the rest.
#[derive(Default)]
struct Results(Mutex<Tally>);

#[derive(Default)]
struct Tally {
    files: ByFile,
    kept: usize,
    lines: u64,
    with_matches: u64,
    skipped: u64,
}

impl Results {
    fn add(&self, file: String, lines: Vec<(u64, String)>, count: u64) {
        if count == 0 {
            return;
        }
        let mut tally = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tally.lines += count;
        tally.with_matches += 1;
        tally.kept += lines.len();
        tally.files.insert(file, lines);
        while let Some(last) = tally.files.last_entry()
            && let length = last.get().len()
            && tally.kept - length >= LIMIT
        {
            tally.files.pop_last();
            tally.kept -= length;
        }
    }

    fn skip(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).skipped += 1;
    }

    fn text(self, notes: Vec<String>) -> String {
        let tally = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut rows: Vec<String> = tally
            .files
            .iter()
            .flat_map(|(file, lines)| {
                lines.iter().map(move |(number, line)| format!("{file}:{number}: {line}"))
            })
            .take(LIMIT)
            .collect();
        let files = if tally.with_matches == 1 { "file" } else { "files" };
        rows.push(match tally.lines {
            0 => "[No lines match.]".to_owned(),
            1 => "[1 line matches.]".to_owned(),
            lines if lines > rows.len() as u64 => format!(
                "[The first {} of {lines} matching lines in {} {files}; narrow pattern, path or glob.]",
                rows.len(),
                tally.with_matches
            ),
            lines => format!("[{lines} lines match in {} {files}.]", tally.with_matches),
        });
        rows.extend(notes);
        match tally.skipped {
            0 => {}
            1 => rows.push("[1 file could not be read.]".to_owned()),
            count => rows.push(format!("[{count} files could not be read.]")),
        }
        rows.join("\n")
    }
}
