//! The window as a whole, and its settings.

use super::{Approval, FileProblem, Sentence};
use assent_policy::Mode;
use serde::{Deserialize, Serialize};

/// How much of a project's policy file counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ProjectPolicy {
    Absent,
    OnlyTightens,
    Trusted,
    Broken,
}

/// A folder the person works in.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Workspace {
    pub path: String,
    pub display: String,
    pub name: String,
    pub opened_as: Option<String>,
    pub exists: bool,
    pub trusted: bool,
    pub shell_enabled: bool,
    /// The person was asked for trust and said no.
    pub kept_restricted: bool,
    pub pinned: bool,
    #[cfg_attr(test, ts(type = "number"))]
    pub last_used_ms: u64,
    pub project_policy: ProjectPolicy,
}

/// One thing the sandbox self-test tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SandboxCheck {
    pub name: Sentence,
    pub held: bool,
    pub detail: Sentence,
}

/// How much of the sandbox is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SandboxStatus {
    InForce,
    Limited,
    None,
    Testing,
}

/// What the self-test saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Sandbox {
    pub state: SandboxStatus,
    pub backend: Sentence,
    pub why: Option<Sentence>,
    pub checks: Vec<SandboxCheck>,
}

impl Sandbox {
    /// Until the self-test is done.
    pub fn testing() -> Self {
        Self { state: SandboxStatus::Testing, backend: String::new().into(), why: None, checks: Vec::new() }
    }
}

/// Which API a profile speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ProviderKind {
    Tour,
    ChatCompletions,
    Anthropic,
}

/// Where a key lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum KeyPlace {
    Keychain,
    File,
    Memory,
}

/// A model and how to reach it; never its key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ModelProfile {
    pub profile_id: String,
    pub name: String,
    pub kind: ProviderKind,
    pub base_url: String,
    pub model: String,
    pub has_key: bool,
    pub key_place: Option<KeyPlace>,
    pub local: bool,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub context_window: Option<u64>,
    /// It is only talked to.
    pub without_tools: bool,
    pub proxy: String,
    pub ca_file: String,
    pub headers: Vec<Header>,
}

/// A further header of each request to a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Header {
    pub name: String,
    pub value: String,
}

/// What a model costs, in dollars per million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Price {
    pub model: String,
    pub input: f64,
    pub output: f64,
}

/// The table of prices and the file it lives in.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Prices {
    pub file: String,
    pub rows: Vec<Price>,
    pub problem: Option<Sentence>,
}

/// The language of window, dialogs, notifications and tray.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LanguageSetting {
    #[default]
    #[serde(rename = "system")]
    System,
    #[serde(rename = "en")]
    English,
    #[serde(rename = "zh-CN")]
    Chinese,
}

/// Light, dark, or what the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// When a notification is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Notifications {
    Off,
    #[default]
    Unfocused,
    Always,
}

/// The settings as the window shows them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Settings {
    pub language: LanguageSetting,
    pub theme: Theme,
    pub font_size: u8,
    pub notifications: Notifications,
    pub close_to_tray: bool,
    pub approval_minutes: u8,
    pub max_turns: u8,
    pub profiles: Vec<ModelProfile>,
    pub active_profile_id: String,
    pub first_run_done: bool,
    pub file: String,
    pub data_folder: String,
}

/// A profile as the person edits it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProfileInput {
    pub profile_id: Option<String>,
    pub name: String,
    pub kind: ProviderKind,
    pub base_url: String,
    pub model: String,
    pub context_window: Option<u64>,
    pub without_tools: bool,
    pub proxy: String,
    pub ca_file: String,
    pub headers: Vec<Header>,
}

/// A local model server that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DetectedServer {
    pub name: String,
    pub base_url: String,
    pub models: Vec<String>,
}

/// How a test of a profile went.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ConnectionTest {
    pub ok: bool,
    #[cfg_attr(test, ts(type = "number"))]
    pub duration_ms: u64,
    pub code: Option<String>,
    pub message: Sentence,
    pub tools: Option<bool>,
}

/// A command that goes on while the agent does other things.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunningCommand {
    pub session_id: String,
    pub call_id: String,
    pub command: String,
    pub sandboxed: bool,
}

/// Whose words an instruction file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum InstructionAuthor {
    Person,
    Project,
}

/// A file that speaks to the model beside the person.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct InstructionFile {
    pub author: InstructionAuthor,
    /// For `open_path`.
    pub path: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
    pub cut: bool,
}

/// The window as a whole.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct App {
    pub version: String,
    #[cfg_attr(test, ts(type = "\"linux\" | \"macos\" | \"windows\""))]
    pub os: String,
    #[cfg_attr(test, ts(type = "\"en\" | \"zh-CN\""))]
    pub language: String,
    pub workspace: Option<Workspace>,
    pub recents: Vec<Workspace>,
    #[cfg_attr(test, ts(type = "\"strict\" | \"balanced\" | \"sandboxed\""))]
    pub mode: Mode,
    pub sandbox: Sandbox,
    pub settings: Settings,
    pub approvals: Vec<Approval>,
    pub running: Vec<RunningCommand>,
    pub instructions: Vec<InstructionFile>,
    pub policy_problem: Option<FileProblem>,
    pub audit_problem: Option<Sentence>,
    pub damaged: Vec<Sentence>,
    /// Which of the app's own files don't say what counts, and why.
    pub unsaved: Vec<Sentence>,
    pub safe_mode: bool,
}

/// A file for `@`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileMatch {
    pub path: String,
    pub folder: bool,
}

/// A page of a tool's output.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OutputPage {
    pub text: String,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub next: Option<u64>,
    #[cfg_attr(test, ts(type = "number"))]
    pub total_bytes: u64,
}

/// How a native question went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AskedStatus {
    Done,
    Declined,
    Impossible,
}

/// The answer to anything that opens a native question.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Asked {
    pub status: AskedStatus,
    pub message: Option<Sentence>,
}

impl Asked {
    /// It was done.
    pub const fn done() -> Self {
        Self { status: AskedStatus::Done, message: None }
    }

    /// The person said no.
    pub const fn declined() -> Self {
        Self { status: AskedStatus::Declined, message: None }
    }

    /// It can't be done.
    pub fn impossible(message: impl Into<Sentence>) -> Self {
        Self { status: AskedStatus::Impossible, message: Some(message.into()) }
    }
}

/// The answer to saving a profile.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SavedProfile {
    #[serde(flatten)]
    pub asked: Asked,
    /// What takes it back; none where nothing was changed, or it is new.
    pub change: Option<usize>,
}

impl From<Asked> for SavedProfile {
    fn from(asked: Asked) -> Self {
        Self { asked, change: None }
    }
}

/// How a command fails.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BackendError {
    pub code: String,
    pub message: Sentence,
}

impl BackendError {
    /// A stable code, and what happened.
    pub fn new(code: &str, message: impl Into<Sentence>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }
}
