//! `write_file`: a whole file, new or replaced.

use super::arguments::{parse, permitted};
use super::file_access::{blocking, caveat, one_file};
use super::{Change, Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::workspace::text::{self, LineEnd};
use crate::workspace::undo::UndoLog;
use crate::workspace::{AccessError, Workspace};
use assent_policy::{Access, Facts, Subject, ToolEffect};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// A replaced file's line ends and encoding are taken over up to this size, in bytes.
const STYLE_LIMIT: u64 = 16 * 1024 * 1024;

/// Writes whole files.
#[derive(Debug)]
pub struct WriteFile(ToolDefinition);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
}

impl Default for WriteFile {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "write_file",
            description: "Creates a file, or replaces the whole content of one, with the given text. \
                          Missing folders are created. To change a part of a file use edit_file. \
                          An existing file keeps its encoding and its kind of line ends.",
            schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The file, relative to the workspace or absolute inside it."},
                    "content": {"type": "string", "description": "The whole new content."}
                },
                "required": ["path", "content"],
                "additionalProperties": false
            }),
            effect: ToolEffect::Write,
            schema_version: 1,
        })
    }
}

#[async_trait]
impl Tool for WriteFile {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Arguments = parse(arguments)?;
        Ok(one_file(&arguments.path, Access::Write))
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let arguments: Arguments = permitted(&permit)?;
        let (workspace, scratch, call_id) = (run.workspace.clone(), run.scratch.clone(), run.call_id.clone());
        blocking(move || write(&workspace, permit.facts(), &arguments, &scratch, &call_id)).await
    }
}

fn write(
    workspace: &Workspace,
    facts: &Facts,
    arguments: &Arguments,
    scratch: &Path,
    call_id: &str,
) -> Result<ToolOutput, ToolFailure> {
    let path = workspace
        .approved(facts, &arguments.path)
        .map_err(|error| ToolFailure::access(&arguments.path, &error))?;
    let undo = UndoLog::open(scratch).map_err(|error| ToolFailure::undo(&error))?;
    let held = workspace.hold(&path, &undo).map_err(|error| ToolFailure::replace(&arguments.path, &error))?;
    let style = match held.before().map(Style::of).transpose() {
        Ok(style) => style.unwrap_or_default(),
        Err(error) => {
            held.forget();
            return Err(ToolFailure::access(&arguments.path, &AccessError::Io(error)));
        }
    };
    let replaces = held.before().is_some();
    let content = style.apply(&arguments.content);
    let written =
        held.write(&content, call_id).map_err(|error| ToolFailure::replace(&arguments.path, &error))?;
    let lines = arguments.content.lines().count();
    let verb = if replaces { "Replaced" } else { "Created" };
    let kept = style.remark().map(|remark| format!(" {remark}")).unwrap_or_default();
    Ok(ToolOutput {
        content: format!(
            "{verb} {} ({lines} {}, {} bytes).{kept}{}",
            arguments.path,
            if lines == 1 { "line" } else { "lines" },
            content.len(),
            caveat(&written)
        ),
        changes: vec![Change::from(written)],
    })
}

/// How the replaced file stores its text.
struct Style {
    line_end: Option<LineEnd>,
    encoding: &'static encoding_rs::Encoding,
    mark: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { line_end: None, encoding: encoding_rs::UTF_8, mark: false }
    }
}

impl Style {
    fn of(copy: &Path) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        File::open(copy)?.take(STYLE_LIMIT).read_to_end(&mut bytes)?;
        Ok(text::decode(&bytes).map_or_else(Self::default, |decoded| Self {
            line_end: LineEnd::of(&decoded.text),
            encoding: decoded.encoding,
            mark: decoded.mark,
        }))
    }

    fn apply(&self, content: &str) -> Vec<u8> {
        let content = content.strip_prefix('\u{feff}').filter(|_| self.mark).unwrap_or(content);
        match self.line_end {
            Some(LineEnd::CrLf) => text::encode(&LineEnd::CrLf.apply(content), self.encoding, self.mark),
            Some(LineEnd::Lf) | None => text::encode(content, self.encoding, self.mark),
        }
    }

    /// What was kept that the model didn't write.
    fn remark(&self) -> Option<String> {
        let mut kept = Vec::new();
        if self.line_end == Some(LineEnd::CrLf) {
            kept.push("CRLF line ends".to_owned());
        }
        if self.encoding != encoding_rs::UTF_8 {
            kept.push(format!("the encoding {}", self.encoding.name()));
        } else if self.mark {
            kept.push("the byte order mark".to_owned());
        }
        (!kept.is_empty()).then(|| format!("Kept {}.", kept.join(" and ")))
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::WriteFile;
    use crate::tools::testing::{World, hex, tree};
    use serde_json::json;
    use std::os::unix::fs::symlink;

    /// R7, R51: a new file, with its folders; and a copy of what was there before for undo.
    #[tokio::test]
    async fn files_are_created_and_replaced() {
        let world = World::new();
        let tool = WriteFile::default();
        let permit = world.permit(&tool, json!({"path": "a/b/c.txt", "content": "one\n"}));
        let first = world.outcome(&tool, permit).await.expect("created");
        let permit = world.permit(&tool, json!({"path": "a/b/c.txt", "content": "two\n"}));
        let second = world.outcome(&tool, permit).await.expect("replaced");
        insta::assert_snapshot!(format!("{}\n{}", first.content, second.content), @r"
        Created a/b/c.txt (1 line, 4 bytes).
        Replaced a/b/c.txt (1 line, 4 bytes).
        ");
        let (first, second) = (&first.changes[0], &second.changes[0]);
        assert_eq!(first.created, [world.path("a"), world.path("a/b")]);
        assert_eq!((first.before.as_ref(), first.after.as_str()), (None, hex(b"one\n").as_str()));
        assert_eq!(std::fs::read(second.before.as_ref().expect("a copy")).expect("the copy"), b"one\n");
        assert_eq!(world.read("a/b/c.txt"), b"two\n");
    }

    /// R14, R33: a folder became a link between the decision and the write.
    #[tokio::test]
    async fn a_folder_swapped_for_a_link_is_not_followed() {
        let world = World::new();
        std::fs::create_dir(world.path("out")).expect("a folder");
        let tool = WriteFile::default();
        let permit = world.permit(&tool, json!({"path": "out/x.txt", "content": "x\n"}));
        std::fs::remove_dir(world.path("out")).expect("removed");
        symlink(world.outside(""), world.path("out")).expect("a link");
        let before = tree(&world.outside(""));
        let said = world.execute(&tool, permit).await;
        insta::assert_snapshot!(said, @"Error [stale_or_revoked]: out/x.txt: no longer what was checked: something replaced it in between; look at it again before the next try");
        assert_eq!(tree(&world.outside("")), before);
    }

    /// R14, R33: the file itself became a link.
    #[tokio::test]
    async fn a_file_swapped_for_a_link_is_not_followed() {
        let world = World::new();
        world.file("notes.txt", "mine\n");
        std::fs::write(world.outside("t"), "theirs\n").expect("a file");
        let tool = WriteFile::default();
        let permit = world.permit(&tool, json!({"path": "notes.txt", "content": "x\n"}));
        std::fs::remove_file(world.path("notes.txt")).expect("removed");
        symlink(world.outside("t"), world.path("notes.txt")).expect("a link");
        let said = world.execute(&tool, permit).await;
        assert!(said.starts_with("Error [stale_or_revoked]: notes.txt: "), "{said}");
        assert_eq!(std::fs::read(world.outside("t")).expect("the file"), b"theirs\n");
        assert!(world.path("notes.txt").is_symlink());
    }

    /// R33: something is there where the approval saw nothing.
    #[tokio::test]
    async fn a_file_that_appeared_is_left_alone() {
        let world = World::new();
        let tool = WriteFile::default();
        let permit = world.permit(&tool, json!({"path": "new.txt", "content": "x\n"}));
        world.file("new.txt", "somebody else's\n");
        let said = world.execute(&tool, permit).await;
        assert!(said.starts_with("Error [stale_or_revoked]: new.txt: "), "{said}");
        assert_eq!(world.read("new.txt"), b"somebody else's\n");
        assert!(world.undo().entries().expect("entries").is_empty());
    }
}
