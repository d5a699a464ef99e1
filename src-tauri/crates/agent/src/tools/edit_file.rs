//! `edit_file`: one exact text for another.

use super::arguments::{parse, permitted};
use super::file_access::{blocking, caveat, one_file, unreachable};
use super::substitution::{Mismatch, Substitution};
use super::{Change, Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput};
use crate::gate::Permit;
use crate::workspace::text::{self, SNIFF_BYTES, Sniffed};
use crate::workspace::undo::UndoLog;
use crate::workspace::{AccessError, Workspace};
use assent_policy::{Access, ErrorCode, Facts, FileKind, Subject, ToolEffect};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Larger files, in bytes, aren't edited.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;

/// Edits files.
#[derive(Debug)]
pub struct EditFile(ToolDefinition);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl Default for EditFile {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "edit_file",
            description: "Replaces old_string by new_string in a file. old_string must match the file \
                          exactly, indentation included, without the line numbers that read_file adds, and \
                          must occur once: add surrounding lines until it does, or set replace_all. Line \
                          ends (LF or CRLF) are matched either way and kept as the file has them.",
            schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The file, relative to the workspace or absolute inside it."},
                    "old_string": {"type": "string", "minLength": 1, "description": "The exact text to replace."},
                    "new_string": {"type": "string", "description": "What to put there; empty to delete."},
                    "replace_all": {"type": "boolean", "description": "Replace every occurrence; false by default."}
                },
                "required": ["path", "old_string", "new_string"],
                "additionalProperties": false
            }),
            effect: ToolEffect::Write,
            schema_version: 1,
        })
    }
}

#[async_trait]
impl Tool for EditFile {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Arguments = parse(arguments)?;
        if arguments.old_string.is_empty() {
            return Err(InvalidArguments("old_string is empty; write_file creates a file".to_owned()));
        }
        if arguments.old_string == arguments.new_string {
            return Err(InvalidArguments("old_string and new_string are the same".to_owned()));
        }
        Ok(one_file(&arguments.path, Access::Write))
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let arguments: Arguments = permitted(&permit)?;
        let (workspace, scratch, call_id) = (run.workspace.clone(), run.scratch.clone(), run.call_id.clone());
        blocking(move || edit(&workspace, permit.facts(), &arguments, &scratch, &call_id)).await
    }
}

fn edit(
    workspace: &Workspace,
    facts: &Facts,
    arguments: &Arguments,
    scratch: &Path,
    call_id: &str,
) -> Result<ToolOutput, ToolFailure> {
    let access = |error: AccessError| ToolFailure::access(&arguments.path, &error);
    let path = workspace.approved(facts, &arguments.path).map_err(access)?;
    if path.kind() == FileKind::Missing {
        return Err(unreachable(workspace, &path, &AccessError::NotFound));
    }
    let undo = UndoLog::open(scratch).map_err(|error| ToolFailure::undo(&error))?;
    let held = workspace.hold(&path, &undo).map_err(|error| ToolFailure::replace(&arguments.path, &error))?;
    let edited = held
        .before()
        .ok_or_else(|| access(AccessError::NotFound))
        .and_then(|copy| substitute(copy, arguments));
    let (bytes, report) = match edited {
        Ok(edited) => edited,
        Err(failure) => {
            held.forget();
            return Err(failure);
        }
    };
    let written =
        held.write(&bytes, call_id).map_err(|error| ToolFailure::replace(&arguments.path, &error))?;
    Ok(ToolOutput { content: report + &caveat(&written), changes: vec![Change::from(written)] })
}

/// The file's new bytes, and what to tell the model.
fn substitute(copy: &Path, arguments: &Arguments) -> Result<(Vec<u8>, String), ToolFailure> {
    let failure = |error: std::io::Error| ToolFailure::access(&arguments.path, &AccessError::Io(error));
    let refuse = |why: &str| ToolFailure::new(ErrorCode::InvalidPath, format!("{}: {why}", arguments.path));
    if std::fs::metadata(copy).map_err(failure)?.len() > SIZE_LIMIT {
        return Err(refuse("larger than 64 MiB, which is too large to edit"));
    }
    let bytes = std::fs::read(copy).map_err(failure)?;
    let Sniffed::Text(encoding, _) = text::sniff(bytes.get(..SNIFF_BYTES).unwrap_or(&bytes)) else {
        return Err(refuse("a binary file; edit_file edits text only"));
    };
    let wanted =
        Substitution { old: &arguments.old_string, new: &arguments.new_string, all: arguments.replace_all };
    let mismatch = |mismatch: Mismatch| {
        ToolFailure::new(ErrorCode::EditConflict, format!("{}: {mismatch}", arguments.path))
    };
    // UTF-8, and files that are only nearly so, are edited byte by byte: what isn't touched stays as it is.
    let (after, done) = if encoding == encoding_rs::UTF_8 {
        let done = wanted.apply(&bytes).map_err(mismatch)?;
        (done.content.clone(), done)
    } else {
        let decoded = text::decode(&bytes).ok_or_else(|| refuse("damaged UTF-16 text"))?;
        let done = wanted.apply(decoded.text.as_bytes()).map_err(mismatch)?;
        let text = String::from_utf8(done.content.clone()).map_err(|_| refuse("damaged UTF-16 text"))?;
        (text::encode(&text, decoded.encoding, decoded.mark), done)
    };
    let times = if done.count == 1 { "1 place".to_owned() } else { format!("{} places", done.count) };
    Ok((after, format!("Edited {} in {times}.\n{}", arguments.path, done.excerpt())))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::EditFile;
    use crate::tools::testing::{World, tree};
    use serde_json::json;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// R7, R51
    #[tokio::test]
    async fn one_place_changes_and_the_mode_stays() {
        let world = World::new();
        let path = world.file("src/a.rs", "one\ntwo\nthree\n");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o754)).expect("a mode");
        let tool = EditFile::default();
        let said =
            world.call(&tool, json!({"path": "src/a.rs", "old_string": "two", "new_string": "2"})).await;
        insta::assert_snapshot!(said);
        assert_eq!(world.read("src/a.rs"), b"one\n2\nthree\n");
        assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o7777, 0o754);
        assert_eq!(
            std::fs::read_dir(world.path("src")).expect("a folder").count(),
            1,
            "nothing is left behind"
        );
    }

    /// Line ends, byte order marks and encodings stay; what isn't touched stays byte by byte.
    #[tokio::test]
    async fn files_keep_their_form() {
        let utf16 = |text: &str| {
            let mut bytes = vec![0xff, 0xfe];
            bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            bytes
        };
        let cases = [
            ("crlf", b"a\r\nb\r\nc\r\n".to_vec(), "a\nb\n", "x\ny\n", b"x\r\ny\r\nc\r\n".to_vec()),
            ("crlf, one line to two", b"a\r\nb\r\n".to_vec(), "b", "b\nc", b"a\r\nb\r\nc\r\n".to_vec()),
            ("mixed, mostly lf", b"a\nb\nc\r\n".to_vec(), "c\n", "d\ne\n", b"a\nb\nd\ne\n".to_vec()),
            ("line end to the letter", b"a\r\nb\r\n".to_vec(), "a\r\n", "a\n", b"a\nb\r\n".to_vec()),
            ("mark", b"\xef\xbb\xbfa = 1\n".to_vec(), "a = 1", "a = 2", b"\xef\xbb\xbfa = 2\n".to_vec()),
            ("no utf-8", b"caf\xe9 = a\n".to_vec(), "= a", "= b", b"caf\xe9 = b\n".to_vec()),
            ("utf-16", utf16("a = \u{1f600}\r\n"), "a =", "b =", utf16("b = \u{1f600}\r\n")),
            ("no last line end", b"a\nb".to_vec(), "b", "c", b"a\nc".to_vec()),
        ];
        let world = World::new();
        for (name, before, old, new, after) in cases {
            world.file(name, before);
            world
                .call(&EditFile::default(), json!({"path": name, "old_string": old, "new_string": new}))
                .await;
            assert_eq!(world.read(name), after, "{name}");
        }
    }

    /// R62, R63: a text that doesn't fit is named in a way that helps, and nothing was written.
    #[tokio::test]
    async fn what_does_not_fit_is_explained() {
        let world = World::new();
        world.file("a.txt", "fn main() {\n    let total = 1;\n    let other = 1;\n}\n");
        world.file("logo.png", b"\x89PNG\0\0");
        std::fs::create_dir(world.path("folder")).expect("a folder");
        let before = tree(world.workspace.root());
        let cases = [
            ("a.txt", "let missing_name = 7;", "x"),
            ("a.txt", "let totals = 1;", "x"),
            ("a.txt", "  let total = 1;\n  let other = 1;", "x"),
            ("a.txt", "     2\t    let total = 1;", "x"),
            ("a.txt", " = 1;", " = 2;"),
            ("logo.png", "PNG", "x"),
            ("folder", "a", "b"),
            ("missing.txt", "a", "b"),
        ];
        let mut said = Vec::new();
        for (path, old, new) in cases {
            let arguments = json!({"path": path, "old_string": old, "new_string": new});
            said.push(world.call(&EditFile::default(), arguments).await);
        }
        insta::assert_snapshot!(said.join("\n---\n"));
        assert_eq!(tree(world.workspace.root()), before);
        assert!(world.undo().entries().expect("entries").is_empty());
    }

    /// R33: the name leads to another file than the one that was approved.
    #[tokio::test]
    async fn a_file_swapped_for_a_link_is_left_alone() {
        let world = World::new();
        world.file("notes.md", "a\n");
        let hook = world.file(".git/hooks/pre-commit", "a\n");
        let tool = EditFile::default();
        let permit = world.permit(&tool, json!({"path": "notes.md", "old_string": "a", "new_string": "b"}));
        std::fs::remove_file(world.path("notes.md")).expect("removed");
        symlink(&hook, world.path("notes.md")).expect("a link");
        let said = world.execute(&tool, permit).await;
        insta::assert_snapshot!(said, @"Error [stale_or_revoked]: notes.md: no longer what was checked: something replaced it in between; look at it again before the next try");
        assert_eq!(std::fs::read(hook).expect("the hook"), b"a\n");
    }

    /// R33: the same file, other content.
    #[tokio::test]
    async fn a_file_that_changed_since_is_a_conflict() {
        let world = World::new();
        let path = world.file("notes.md", "a\n");
        let tool = EditFile::default();
        let permit = world.permit(&tool, json!({"path": "notes.md", "old_string": "a", "new_string": "b"}));
        std::fs::write(&path, "a and more\n").expect("written");
        let said = world.execute(&tool, permit).await;
        insta::assert_snapshot!(said, @"Error [edit_conflict]: notes.md: changed since it was checked; nothing was written. Read it again and repeat the change");
        assert_eq!(world.read("notes.md"), b"a and more\n");
    }
}
