//! `read_file`: lines of a text file, numbered, in constant memory whatever the file's size.

use super::arguments::{parse, permitted};
use super::file_access::{blocking, one_file, unreachable};
use super::lines::{LineReader, Numbered};
use super::{Execution, InvalidArguments, Tool, ToolDefinition, ToolFailure, ToolOutput, command_output};
use crate::gate::Permit;
use crate::workspace::text::{SNIFF_BYTES, Sniffed, sniff};
use crate::workspace::{AccessError, Workspace};
use assent_policy::{Access, ErrorCode, Facts, Subject, ToolEffect};
use async_trait::async_trait;
use encoding_rs_io::DecodeReaderBytesBuilder;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Lines returned where the call names no limit.
const DEFAULT_LIMIT: u64 = 2_000;
/// Files up to this size, in bytes, are read to their end so that the answer can name the number of lines.
const COUNT_LIMIT: u64 = 16 * 1024 * 1024;

/// Reads text files.
#[derive(Debug)]
pub struct ReadFile(ToolDefinition);

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    limit: Option<u64>,
}

impl Default for ReadFile {
    fn default() -> Self {
        Self(ToolDefinition {
            name: "read_file",
            description: "Reads a text file and returns its lines with line numbers (number, tab, line). \
                          Paths are relative to the workspace. Returns up to 2000 lines; for longer files \
                          continue with offset. A path of the form output:CALL_ID reads the whole output \
                          of an earlier shell call of this session.",
            schema: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The file, relative to the workspace or absolute, or output:CALL_ID."},
                    "offset": {"type": "integer", "minimum": 1, "description": "The first line to return, counted from 1."},
                    "limit": {"type": "integer", "minimum": 1, "description": "How many lines to return; 2000 by default."}
                },
                "required": ["path"],
                "additionalProperties": false
            }),
            effect: ToolEffect::Read,
            schema_version: 1,
        })
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare(&self, arguments: &Map<String, Value>) -> Result<Subject, InvalidArguments> {
        let arguments: Arguments = parse(arguments)?;
        if arguments.offset == Some(0) || arguments.limit == Some(0) {
            return Err(InvalidArguments("offset and limit are counted from 1".to_owned()));
        }
        Ok(match command_output::call_of(&arguments.path) {
            Some(_) => Subject::Internal,
            None => one_file(&arguments.path, Access::Read),
        })
    }

    async fn execute(&self, permit: Permit, run: &Execution) -> Result<ToolOutput, ToolFailure> {
        let arguments: Arguments = permitted(&permit)?;
        let (workspace, scratch, cancel) = (run.workspace.clone(), run.scratch.clone(), run.cancel.clone());
        let content = blocking(move || match command_output::call_of(&arguments.path) {
            Some(call) => read_output(&scratch, call, &arguments, &cancel),
            None => read(&workspace, permit.facts(), &arguments, &cancel),
        })
        .await?;
        Ok(ToolOutput { content, changes: Vec::new() })
    }
}

fn read(
    workspace: &Workspace,
    facts: &Facts,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<String, ToolFailure> {
    let path = workspace
        .approved(facts, &arguments.path)
        .map_err(|error| ToolFailure::access(&arguments.path, &error))?;
    let file = workspace.open_file(&path).map_err(|error| unreachable(workspace, &path, &error))?;
    read_lines(file.into_std(), arguments, cancel)
}

fn read_output(
    scratch: &Path,
    call: &str,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<String, ToolFailure> {
    let file = File::open(command_output::path(scratch, call)).map_err(|_| {
        ToolFailure::new(
            ErrorCode::FileNotFound,
            format!("{}: no command of this session has left such an output", arguments.path),
        )
    })?;
    read_lines(file, arguments, cancel)
}

fn read_lines(
    mut file: File,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<String, ToolFailure> {
    let failure = |error: std::io::Error| ToolFailure::access(&arguments.path, &AccessError::Io(error));
    let size = file.metadata().map_err(failure)?.len();
    let mut head = Vec::with_capacity(SNIFF_BYTES);
    (&mut file).take(SNIFF_BYTES as u64).read_to_end(&mut head).map_err(failure)?;
    if head.is_empty() {
        return Ok("[The file is empty.]".to_owned());
    }
    let Sniffed::Text(encoding, mark) = sniff(&head) else {
        return Err(ToolFailure::new(
            ErrorCode::InvalidPath,
            format!("{}: a binary file ({size} bytes); read_file reads text only", arguments.path),
        ));
    };
    let body = head.split_off(mark);
    let whole = Cursor::new(body).chain(file);
    let first = arguments.offset.unwrap_or(1);
    let numbered = Numbered::new(first, arguments.limit.unwrap_or(DEFAULT_LIMIT));
    let to_end = size <= COUNT_LIMIT;
    if encoding == encoding_rs::UTF_8 {
        numbered.read(LineReader::new(whole), to_end, cancel).map_err(failure)
    } else {
        let decoded =
            DecodeReaderBytesBuilder::new().encoding(Some(encoding)).bom_override(false).build(whole);
        numbered.read(LineReader::new(decoded), to_end, cancel).map_err(failure)
    }?
    .ok_or_else(ToolFailure::cancelled)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::ReadFile;
    use crate::tools::command_output;
    use crate::tools::testing::World;
    use serde_json::json;
    use std::io::{Seek as _, SeekFrom, Write as _};
    use std::os::unix::fs::symlink;

    /// R7, R63
    #[tokio::test]
    async fn lines_are_numbered_and_limits_are_said() {
        let world = World::new();
        world.file("a.txt", "one\ntwo\nthree\nfour\n");
        world.file("crlf.txt", "one\r\ntwo");
        world.file("empty.txt", "");
        world.file("long.txt", format!("{}\nnext\n", "é".repeat(3_000)));
        world.file("latin.txt", b"caf\xe9\n");
        world.file("mark.txt", "\u{feff}marked\n");
        world.file("logo.png", b"\x89PNG\0\0\0\0");
        let mut utf16 = vec![0xfe, 0xff];
        utf16.extend("wide \u{1f600}\n".encode_utf16().flat_map(u16::to_be_bytes));
        world.file("utf16.txt", utf16);
        let calls = [
            json!({"path": "a.txt"}),
            json!({"path": "a.txt", "offset": 2, "limit": 2}),
            json!({"path": "a.txt", "offset": 4, "limit": 5}),
            json!({"path": "a.txt", "offset": 9}),
            json!({"path": "crlf.txt"}),
            json!({"path": "empty.txt"}),
            json!({"path": "latin.txt"}),
            json!({"path": "mark.txt"}),
            json!({"path": "utf16.txt"}),
            json!({"path": "logo.png"}),
            json!({"path": "missing.txt"}),
            json!({"path": "A.text"}),
            json!({"path": "nowhere/a.txt"}),
            json!({"path": "."}),
            json!({"path": "output:no-such-call"}),
        ];
        let mut said = Vec::new();
        for call in calls {
            said.push(format!("{call}\n{}", world.call(&ReadFile::default(), call.clone()).await));
        }
        insta::assert_snapshot!(said.join("\n"));
        let long = world.call(&ReadFile::default(), json!({"path": "long.txt"})).await;
        assert_eq!(
            long,
            format!("     1\t{} [line cut, 4000 more bytes]\n     2\tnext\n", "é".repeat(1_000))
        );
    }

    /// A file of many GiB is read in constant memory, at its start and somewhere in the middle.
    #[tokio::test]
    async fn huge_files_are_read_in_part() {
        let world = World::new();
        let mut file = std::fs::File::create(world.path("huge.log")).expect("a file");
        for number in 0..40_000 {
            writeln!(file, "line {number} {}", "x".repeat(500)).expect("written");
        }
        // The rest is a hole: length without content.
        file.seek(SeekFrom::Start(8 << 30)).expect("sought");
        file.write_all(b"end\n").expect("written");
        let said = world.call(&ReadFile::default(), json!({"path": "huge.log", "limit": 1})).await;
        assert!(said.ends_with("[Lines 1 to 1 of a longer file; continue with offset 2.]\n"), "{said}");
        let said =
            world.call(&ReadFile::default(), json!({"path": "huge.log", "offset": 30_001, "limit": 1})).await;
        assert!(said.starts_with(" 30001\tline 30000 xxx"), "{said}");
    }

    /// R14, R33: a parent became a link between the decision and the open.
    #[tokio::test]
    async fn a_folder_swapped_for_a_link_is_not_followed() {
        let world = World::new();
        world.file("sub/passwd", "harmless\n");
        let tool = ReadFile::default();
        let permit = world.permit(&tool, json!({"path": "sub/passwd"}));
        std::fs::rename(world.path("sub"), world.path("away")).expect("renamed");
        symlink("/etc", world.path("sub")).expect("a link");
        let said = world.execute(&tool, permit).await;
        assert!(said.starts_with("Error [stale_or_revoked]: sub/passwd: "), "{said}");
        assert!(!said.contains("root:"));
    }

    /// A link inside the workspace is read as what it leads to; a pipe is refused without opening it.
    #[tokio::test]
    async fn links_are_read_and_pipes_are_not() {
        let world = World::new();
        world.file("real.txt", "content\n");
        symlink("real.txt", world.path("link.txt")).expect("a link");
        assert_eq!(world.call(&ReadFile::default(), json!({"path": "link.txt"})).await, "     1\tcontent\n");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            world.path("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .expect("a pipe");
        let said = world.call(&ReadFile::default(), json!({"path": "pipe"})).await;
        insta::assert_snapshot!(said, @"Error [invalid_path]: pipe: a device, socket or pipe");
    }

    /// R52: the whole output of a command is readable in its own session.
    #[tokio::test]
    async fn a_kept_output_is_readable() {
        let world = World::new();
        let file = command_output::path(&world.scratch(), "call_1");
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        std::fs::write(file, "first\nsecond\n").expect("written");
        let said = world.call(&ReadFile::default(), json!({"path": "output:call_1", "offset": 2})).await;
        assert_eq!(said, "     2\tsecond\n[Lines 2 to 2 of 2.]\n");
    }
}
