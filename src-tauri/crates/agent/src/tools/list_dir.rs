//! `list_dir`: what is in one folder.

use super::arguments::{parse, permitted};
use super::file_access::blocking;
use super::found::shown;
use super::{Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::workspace::{AccessError, Workspace};
use assent_policy::path::is_sensitive;
use assent_policy::{Facts, SearchRequest, Subject, ToolEffect};
use async_trait::async_trait;
use cap_std::fs::Dir;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Entries in an answer.
const LIMIT: usize = 1_000;

/// Lists folders.
#[derive(Debug)]
pub struct ListDir(ToolDefinition);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    path: Option<String>,
}

impl Default for ListDir {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "list_dir",
            description: "Lists what is in one folder, hidden and ignored entries included: folders end \
                          with /, files are shown with their size in bytes, links with where they lead.",
            schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The folder; the workspace by default."}
                },
                "required": [],
                "additionalProperties": false
            }),
            effect: ToolEffect::Read,
            schema_version: 1,
        })
    }
}

#[async_trait]
impl Tool for ListDir {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Arguments = parse(arguments)?;
        Ok(Subject::Search(SearchRequest {
            path: arguments.path.unwrap_or_else(|| ".".to_owned()),
            globs: Vec::new(),
            contents: false,
        }))
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let arguments: Arguments = permitted(&permit)?;
        let workspace = run.workspace.clone();
        let content = blocking(move || list(&workspace, permit.facts(), &arguments)).await?;
        Ok(ToolOutput { content, changes: Vec::new() })
    }
}

fn list(workspace: &Workspace, facts: &Facts, arguments: &Arguments) -> Result<String, ToolFailure> {
    let written = arguments.path.as_deref().unwrap_or(".");
    let failure = |error: AccessError| ToolFailure::access(written, &error);
    let path = workspace.approved(facts, written).map_err(failure)?;
    let folder = workspace.open_folder(&path).map_err(failure)?;
    let (rows, count) =
        rows(workspace, &folder, &path.real).map_err(|error| failure(AccessError::Io(error)))?;
    let mut lines: Vec<String> = rows.into_values().collect();
    match count {
        0 => lines.push("[The folder is empty.]".to_owned()),
        _ if count > LIMIT => {
            lines.push(format!("[The first {LIMIT} of {count} entries; glob finds the others.]"));
        }
        _ => {}
    }
    Ok(lines.join("\n"))
}

/// The first entries by name, each as it is shown, and how many there are.
fn rows(workspace: &Workspace, folder: &Dir, real: &Path) -> io::Result<(BTreeMap<String, String>, usize)> {
    let mut rows = BTreeMap::new();
    let mut count = 0;
    for entry in folder.entries()? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name();
        let text = name.to_string_lossy().replace(['\n', '\r'], "\u{fffd}");
        let row = if kind.is_dir() {
            format!("{text}/")
        } else if kind.is_symlink() {
            let target = folder.read_link_contents(&name).unwrap_or_default();
            format!("{text} -> {}", target.display())
        } else if kind.is_file() {
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            let secret = is_sensitive(&shown(workspace, &real.join(&name)));
            format!(
                "{text} ({size} bytes{})",
                if secret { ", may hold secrets: reading it asks" } else { "" }
            )
        } else {
            format!("{text} (device, socket or pipe)")
        };
        count += 1;
        rows.insert(text, row);
        if rows.len() > LIMIT {
            rows.pop_last();
        }
    }
    Ok((rows, count))
}
