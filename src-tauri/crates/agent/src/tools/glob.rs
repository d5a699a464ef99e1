//! `glob`: files by the shape of their path. The pattern never reaches a shell (R54).

use super::arguments::{parse, permitted};
use super::file_access::blocking;
use super::found::{LeftOut, gaps, shown};
use super::{Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::workspace::{AccessError, Workspace};
use assent_policy::path::fault;
use assent_policy::{ErrorCode, SearchRequest, Subject, ToolEffect};
use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Paths in an answer.
const LIMIT: usize = 1_000;

/// Finds files by name.
#[derive(Debug)]
pub struct Glob(ToolDefinition);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
}

impl Default for Glob {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "glob",
            description: "Finds files whose path matches a pattern, sorted by path: * and ? stay inside one \
                          folder, ** crosses folders, {a,b} are alternatives, e.g. **/*.rs or src/**/*.{ts,tsx}. \
                          Files ignored by .gitignore are left out, unless the pattern or path names their folder.",
            schema: json!({
                "type": "object",
                "properties": {
                    "pattern": {"type": "string", "minLength": 1, "description": "The pattern, relative to path."},
                    "path": {"type": "string", "description": "The folder to look in; the workspace by default."}
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
impl Tool for Glob {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Arguments = parse(arguments)?;
        matcher(&arguments.pattern).map_err(|fault| InvalidArguments(format!("pattern: {fault}")))?;
        Ok(Subject::Search(SearchRequest {
            path: arguments.path.unwrap_or_else(|| ".".to_owned()),
            globs: vec![arguments.pattern],
            contents: false,
        }))
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let arguments: Arguments = permitted(&permit)?;
        let (workspace, cancel) = (run.workspace.clone(), run.cancel.clone());
        let content = blocking(move || find(&workspace, &permit, &arguments, &cancel)).await?;
        Ok(ToolOutput { content, changes: Vec::new() })
    }
}

/// A matcher for whole paths, or what is wrong with the pattern.
pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, &'static str> {
    if pattern.is_empty() {
        return Err("the pattern is empty");
    }
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .case_insensitive(cfg!(any(windows, target_os = "macos")))
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| fault(&error))
}

fn find(
    workspace: &Workspace,
    permit: &Permit,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<String, ToolFailure> {
    let written = arguments.path.as_deref().unwrap_or(".");
    let failure = |error: AccessError| ToolFailure::access(written, &error);
    let path = workspace.approved(permit.facts(), written).map_err(failure)?;
    let pattern = Path::new(&arguments.pattern);
    // An absolute pattern counts if it stays where the call looks.
    let pattern = pattern.strip_prefix(&path.real).unwrap_or(pattern);
    if pattern.is_absolute() || pattern.components().any(|part| matches!(part, Component::ParentDir)) {
        return Err(ToolFailure::new(
            ErrorCode::PathEscape,
            format!("{}: the pattern leads out of {written}", arguments.pattern),
        ));
    }
    let wanted = matcher(&pattern.to_string_lossy())
        .map_err(|why| ToolFailure::new(ErrorCode::InvalidArguments, why))?;
    let fixed = fixed_folder(pattern);
    let walk = match workspace.walk(&path, &fixed) {
        Ok(walk) => walk,
        // The pattern names a folder that isn't there, or that is a link: nothing to find.
        Err(AccessError::NotFound | AccessError::NotAFolder | AccessError::Swapped)
            if !fixed.as_os_str().is_empty() =>
        {
            return Ok("[No files match.]".to_owned());
        }
        Err(error) => return Err(failure(error)),
    };
    let left_out = LeftOut::new(permit.withheld());
    let found: Mutex<(BTreeSet<String>, u64)> = Mutex::default();
    let walked = walk
        .run(cancel, &|met| {
            let Ok(below) = met.real.strip_prefix(&path.real) else { return };
            if !wanted.is_match(below) {
                return;
            }
            let shown = shown(workspace, met.real);
            if left_out.takes(&shown, met.real) {
                return;
            }
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.1 += 1;
            found.0.insert(shown);
            if found.0.len() > LIMIT {
                found.0.pop_last();
            }
        })
        .map_err(|error| failure(AccessError::Io(error)))?;
    if cancel.is_cancelled() {
        return Err(ToolFailure::cancelled());
    }
    let (paths, count) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut lines: Vec<String> = paths.into_iter().collect();
    match count {
        0 if !arguments.pattern.contains('/') && !arguments.pattern.contains("**") => lines.push(format!(
            "[No files match. {0} looks in one folder only, **/{0} in those below too.]",
            arguments.pattern
        )),
        0 => lines.push("[No files match.]".to_owned()),
        _ if count > LIMIT as u64 => {
            lines.push(format!("[The first {LIMIT} of {count} files; narrow the pattern or path.]"));
        }
        _ => {}
    }
    lines.extend(left_out.notes());
    lines.extend(gaps(walked));
    Ok(lines.join("\n"))
}

/// The folders a pattern begins with that hold no wildcard: only they need to be walked.
fn fixed_folder(pattern: &Path) -> PathBuf {
    let plain = |part: &Component<'_>| {
        !part.as_os_str().to_string_lossy().contains(['*', '?', '[', ']', '{', '}', '\\'])
    };
    let mut folder: PathBuf = pattern.components().take_while(plain).collect();
    if folder.as_path() == pattern {
        folder.pop();
    }
    folder
}
