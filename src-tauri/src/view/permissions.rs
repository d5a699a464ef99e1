//! Rules, grants and the test box.

use super::{AuditRow, Risk, Sentence, Verdict};
use assent_policy::Mode;
use serde::Serialize;

/// A rule as its file has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Rule {
    pub name: String,
    #[cfg_attr(test, ts(type = "\"allow\" | \"ask\" | \"deny\""))]
    pub behavior: assent_policy::Behavior,
    pub tools: Vec<String>,
    pub commands: Vec<String>,
    pub paths: Vec<String>,
    pub reason: String,
    pub in_force: bool,
}

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileProblem {
    #[cfg_attr(test, ts(type = "\"managed\" | \"user\" | \"project\""))]
    pub layer: LayerName,
    pub path: String,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub line: Option<usize>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub column: Option<usize>,
    pub message: Sentence,
}

/// Which file a layer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LayerName {
    Managed,
    User,
    Project,
    Session,
}

/// How much of a layer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LayerState {
    Absent,
    InForce,
    OnlyTightens,
    Broken,
}

/// One layer of rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Layer {
    pub name: LayerName,
    pub path: Option<String>,
    pub state: LayerState,
    pub problem: Option<FileProblem>,
    pub rules: Vec<Rule>,
}

/// How far a grant reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum GrantScope {
    Session,
    Rule,
}

/// Something that was granted beyond once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Grant {
    pub grant_id: String,
    pub text: String,
    pub scope: GrantScope,
    pub session_id: Option<String>,
    pub origin_call_id: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_ms: u64,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub last_used_ms: Option<u64>,
    #[cfg_attr(test, ts(type = "number"))]
    pub uses: u64,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub expires_ms: Option<u64>,
}

/// A folder whose commands may run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TrustedFolder {
    pub path: String,
    pub display: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub since_ms: u64,
}

/// A hook as a file names it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hook {
    pub event: String,
    pub command: String,
    pub layer: String,
}

/// The Permissions tab.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Permissions {
    #[cfg_attr(test, ts(type = "\"strict\" | \"balanced\" | \"sandboxed\""))]
    pub mode: Mode,
    pub policy_version: String,
    pub layers: Vec<Layer>,
    pub grants: Vec<Grant>,
    pub protected_paths: Vec<String>,
    pub sensitive_reads: Vec<String>,
    pub hard_denies: Vec<String>,
    pub read_folders: Vec<String>,
    pub trusted_folders: Vec<TrustedFolder>,
    pub hooks: Vec<Hook>,
}

/// What the pipeline would decide.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PolicyTest {
    #[cfg_attr(test, ts(type = "\"allow\" | \"ask\" | \"deny\""))]
    pub behavior: assent_policy::Behavior,
    pub source: String,
    pub reason: String,
    pub risk: Risk,
    pub error_code: Option<String>,
    pub verdicts: Vec<Verdict>,
    pub display: Vec<String>,
}

/// What could be granted from a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RuleCandidate {
    pub candidate_id: String,
    pub scope: GrantScope,
    pub text: String,
    pub refused: Option<Sentence>,
}

/// A call that another policy would decide otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReplayChange {
    pub row: AuditRow,
    #[cfg_attr(test, ts(type = "\"allow\" | \"ask\" | \"deny\""))]
    pub before: assent_policy::Behavior,
    #[cfg_attr(test, ts(type = "\"allow\" | \"ask\" | \"deny\""))]
    pub after: assent_policy::Behavior,
}

/// What another policy would have decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Replay {
    #[cfg_attr(test, ts(type = "number"))]
    pub judged: u64,
    pub changes: Vec<ReplayChange>,
    pub problem: Option<FileProblem>,
}
