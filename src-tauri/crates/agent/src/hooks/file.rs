//! `hooks.json`: which program is asked when.
//!
//! ```json
//! {"hooks": {"PostToolUse": [{"matcher": "write_file|edit_file",
//!   "hooks": [{"type": "command", "command": "npm run --silent lint", "timeout": 30}]}]}}
//! ```
//! A matcher is a regular expression over whole tool names; none, an empty one or `*` means every tool. It may
//! also use the names that other agents have for the same tools (`Bash`, `Write`, …); such a hook is then
//! told about the call in those words. `"sandbox": false` runs a program without the sandbox.

use super::message::Dialect;
use crate::layers::managed_file;
use crate::places::Places;
use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a hook may take where it doesn't say.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long any hook may take.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);
/// Largest file, in bytes.
const SIZE_LIMIT: u64 = 1024 * 1024;

/// When a hook is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HookEvent {
    /// Before a call is judged; may deny it or make it ask.
    PreToolUse,
    /// After a call ran; its findings reach the model.
    PostToolUse,
    /// Before a message is sent; may block it or add to it.
    UserPromptSubmit,
    /// Before a run ends; may keep it going.
    Stop,
}

impl HookEvent {
    /// Its name in files and messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
        }
    }
}

/// Whose file a hook comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HookLayer {
    /// The administrator's.
    Managed,
    /// The user's.
    User,
}

/// One program to ask.
#[derive(Clone, Debug)]
pub struct Hook {
    /// When.
    pub event: HookEvent,
    /// For the shell.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether it runs in the sandbox.
    pub sandboxed: bool,
    /// Whose it is.
    pub layer: HookLayer,
    /// The folder of its file: it may read what lies there.
    pub home: PathBuf,
    matcher: Option<Regex>,
}

impl Hook {
    /// Its command in few characters, for texts.
    #[must_use]
    pub fn short(&self) -> String {
        let line = self.command.lines().next().unwrap_or_default();
        let head: String = line.chars().take(60).collect();
        if head.len() < self.command.len() { format!("{head}…") } else { head }
    }

    /// In which words it wants to hear about `tool`; `None` if not at all.
    fn dialect(&self, tool: &str) -> Option<Dialect> {
        let Some(matcher) = &self.matcher else { return Some(Dialect::Own) };
        if matcher.is_match(tool) {
            return Some(Dialect::Own);
        }
        let alias = Dialect::alias(tool)?;
        matcher.is_match(alias).then_some(Dialect::Common)
    }
}

/// Every hook that counts, managed ones first.
#[derive(Clone, Debug, Default)]
pub struct HookSet {
    hooks: Vec<Hook>,
}

/// Where hooks are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFiles {
    /// The administrator's; counts only where it belongs to the administrator.
    pub managed: PathBuf,
    /// The user's.
    pub user: PathBuf,
}

impl HookFiles {
    /// The usual places.
    #[must_use]
    pub fn usual(places: &Places) -> Self {
        Self { managed: managed_file().with_file_name("hooks.json"), user: places.config.join("hooks.json") }
    }

    /// The hooks that the files name now; one that isn't there names none.
    ///
    /// # Errors
    /// When one can't be read, isn't in the form above, or the managed one doesn't belong to the administrator.
    pub fn load(&self) -> Result<HookSet, HooksFileError> {
        let mut set = HookSet::default();
        for (path, layer) in [(&self.managed, HookLayer::Managed), (&self.user, HookLayer::User)] {
            if let Some(text) = read(path, layer)? {
                set.add(&text, path, layer)?;
            }
        }
        Ok(set)
    }
}

impl HookSet {
    /// All hooks, in the order they are asked.
    #[must_use]
    pub fn hooks(&self) -> &[Hook] {
        &self.hooks
    }

    /// The hooks of an event that has no tool.
    pub(super) fn of(&self, event: HookEvent) -> impl Iterator<Item = &Hook> {
        self.hooks.iter().filter(move |hook| hook.event == event)
    }

    /// The hooks that want to hear about `tool`.
    pub(super) fn matching(&self, event: HookEvent, tool: &str) -> impl Iterator<Item = (&Hook, Dialect)> {
        self.of(event).filter_map(move |hook| hook.dialect(tool).map(|dialect| (hook, dialect)))
    }

    /// Adds the hooks of a file's `text`.
    fn add(&mut self, text: &str, path: &Path, layer: HookLayer) -> Result<(), HooksFileError> {
        let wrong = |why: String| HooksFileError::Form { path: path.to_owned(), why };
        let form: FileForm = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        for (event, groups) in form.hooks {
            for group in groups {
                let matcher = matcher(group.matcher.as_deref()).map_err(wrong)?;
                for it in group.hooks {
                    let CommandForm { kind: CommandKind::Command, command, timeout, sandbox } = it;
                    if command.trim().is_empty() {
                        return Err(wrong(format!("a hook for {event} has no command")));
                    }
                    self.hooks.push(Hook {
                        event,
                        command,
                        timeout: timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs).min(LONGEST_TIMEOUT),
                        sandboxed: sandbox.unwrap_or(true),
                        layer,
                        home: path.parent().unwrap_or(Path::new("")).to_owned(),
                        matcher: matcher.clone(),
                    });
                }
            }
        }
        Ok(())
    }
}

fn matcher(text: Option<&str>) -> Result<Option<Regex>, String> {
    match text {
        None | Some("" | "*") => Ok(None),
        Some(text) => Regex::new(&format!("^(?:{text})$"))
            .map(Some)
            .map_err(|error| format!("the matcher `{text}` is no regular expression: {error}")),
    }
}

fn read(path: &Path, layer: HookLayer) -> Result<Option<String>, HooksFileError> {
    let unreadable = |source: io::Error| HooksFileError::Unreadable { path: path.to_owned(), source };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(unreadable(error)),
    };
    if metadata.len() > SIZE_LIMIT {
        return Err(unreadable(io::ErrorKind::FileTooLarge.into()));
    }
    if layer == HookLayer::Managed && !is_administrators(&metadata) {
        return Err(HooksFileError::NotManaged(path.to_owned()));
    }
    std::fs::read_to_string(path).map(Some).map_err(unreadable)
}

/// Whether only the administrator can write the file.
fn is_administrators(metadata: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        metadata.uid() == 0 && metadata.mode() & 0o022 == 0
    }
    #[cfg(not(unix))]
    {
        // The folder's access list keeps others out; Windows has no owner bits to look at here.
        metadata.is_file()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    #[serde(default)]
    hooks: BTreeMap<HookEvent, Vec<GroupForm>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupForm {
    matcher: Option<String>,
    hooks: Vec<CommandForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandForm {
    #[serde(rename = "type")]
    kind: CommandKind,
    command: String,
    /// Seconds.
    timeout: Option<u64>,
    sandbox: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum CommandKind {
    Command,
}

impl fmt::Display for HookEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Why the hooks aren't known; until they are, nothing runs.
#[derive(Debug, thiserror::Error)]
pub enum HooksFileError {
    /// The OS refused, or it is too large.
    #[error("read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the OS said.
        source: io::Error,
    },
    /// It isn't in the form of a hooks file.
    #[error("read {}: {why}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        why: String,
    },
    /// Somebody other than the administrator could write it.
    #[error("use {}: it doesn't belong to the administrator", .0.display())]
    NotManaged(PathBuf),
}
