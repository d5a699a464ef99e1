//! A call and how it was decided.

use super::FileDiff;
use assent_policy::request::{Language, reason_in};
use assent_policy::{Behavior, RiskLevel};
use serde::{Deserialize, Serialize};

/// One participant's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Verdict {
    pub source: String,
    #[cfg_attr(test, ts(type = "\"passthrough\" | \"allow\" | \"ask\" | \"deny\""))]
    pub behavior: Behavior,
    pub reason: String,
}

impl Verdict {
    /// A participant's answer in `language`.
    pub fn in_language(verdict: &assent_policy::Verdict, language: Language) -> Self {
        Self {
            source: super::shown(verdict.source.as_str()),
            behavior: verdict.behavior,
            reason: super::shown(&reason_in(language, verdict.reason.as_str())),
        }
    }
}

/// How much could go wrong, and the one sentence about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Risk {
    #[cfg_attr(test, ts(type = "\"low\" | \"medium\" | \"high\" | \"critical\""))]
    pub level: RiskLevel,
    pub sentence: String,
}

/// Where an answer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Surface {
    Dialog,
    Terminal,
    Notification,
    Tray,
    Window,
}

impl From<assent_agent::approval::Surface> for Surface {
    fn from(surface: assent_agent::approval::Surface) -> Self {
        use assent_agent::approval::Surface as Core;
        match surface {
            Core::Dialog => Self::Dialog,
            Core::Terminal => Self::Terminal,
            Core::Notification => Self::Notification,
            Core::Tray => Self::Tray,
            Core::Window => Self::Window,
        }
    }
}

impl Surface {
    /// The surface that the audit stored as `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "dialog" => Some(Self::Dialog),
            "terminal" => Some(Self::Terminal),
            "notification" => Some(Self::Notification),
            "tray" => Some(Self::Tray),
            "window" => Some(Self::Window),
            _ => None,
        }
    }
}

/// The two ends of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Final {
    Allow,
    Deny,
}

/// The final decision on a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Decision {
    pub behavior: Final,
    pub source: String,
    pub reason: String,
    pub verdicts: Vec<Verdict>,
    pub risk: Risk,
    pub digest_short: String,
    pub asked: bool,
    pub surface: Option<Surface>,
    pub words: Option<String>,
    pub sandbox: Option<String>,
}

/// proposed → (waiting →) denied | running → succeeded | failed | cancelled | unknown
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum CallState {
    Proposed,
    Waiting,
    Running,
    Succeeded,
    Failed,
    Denied,
    Cancelled,
    Unknown,
}

/// One argument, at most 4 KiB of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Argument {
    pub name: String,
    pub value: String,
    pub cut: usize,
}

/// What a card shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Call {
    pub call_id: String,
    pub tool: String,
    pub subject: String,
    pub arguments: Vec<Argument>,
    pub says: Option<String>,
    /// The sub-agent that proposed it.
    #[serde(default)]
    pub agent: Option<String>,
    pub state: CallState,
    #[cfg_attr(test, ts(type = "number"))]
    pub proposed_ms: u64,
    pub decision: Option<Decision>,
    pub approval_id: Option<String>,
    pub error_code: Option<String>,
    pub exit_code: Option<i32>,
    #[cfg_attr(test, ts(type = "number | null"))]
    pub duration_ms: Option<u64>,
    pub output: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_bytes: u64,
    pub diffs: Vec<FileDiff>,
    pub change_id: Option<String>,
}

impl Call {
    /// A card as it was stored, which may have come from elsewhere: its texts escaped, and no way to other sessions.
    #[must_use]
    pub fn retold(mut self, session: &str) -> Self {
        use super::{shown, shown_lines};
        self.tool = shown(&self.tool);
        self.subject = shown(&self.subject);
        for argument in &mut self.arguments {
            argument.name = shown(&argument.name);
            argument.value = shown(&argument.value);
        }
        self.says = self.says.map(|says| shown(&says));
        self.decision = self.decision.map(Decision::retold);
        self.error_code = self.error_code.map(|code| shown(&code));
        for diff in &mut self.diffs {
            diff.path = shown(&diff.path);
            for hunk in &mut diff.hunks {
                hunk.header = shown_lines(&hunk.header);
            }
        }
        let own = format!("{session}:");
        self.change_id = self.change_id.filter(|id| id.starts_with(&own));
        self.approval_id = None;
        self
    }
}

impl Decision {
    fn retold(self) -> Self {
        use super::shown;
        let verdicts = self.verdicts.into_iter().map(|verdict| Verdict {
            source: shown(&verdict.source),
            reason: shown(&verdict.reason),
            ..verdict
        });
        Self {
            source: shown(&self.source),
            reason: shown(&self.reason),
            verdicts: verdicts.collect(),
            risk: Risk { sentence: shown(&self.risk.sentence), ..self.risk },
            digest_short: shown(&self.digest_short),
            words: self.words.map(|words| shown(&words)),
            sandbox: self.sandbox.map(|sandbox| shown(&sandbox)),
            ..self
        }
    }
}

/// Most bytes of an argument that a card shows.
const ARGUMENT: usize = 4 * 1024;

/// Every argument, escaped and bounded.
pub fn arguments(map: &serde_json::Map<String, serde_json::Value>) -> Vec<Argument> {
    map.iter().map(|(name, value)| argument(name, value)).collect()
}

/// One argument: strings as they are, everything else as JSON.
pub fn argument(name: &str, value: &serde_json::Value) -> Argument {
    let whole = whole_argument(name, value);
    let (value, cut) = super::cut(&whole.value, ARGUMENT);
    Argument { value, cut, ..whole }
}

/// The same, uncut.
pub fn whole_argument(name: &str, value: &serde_json::Value) -> Argument {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Argument { name: super::shown(name), value: super::shown(&text), cut: 0 }
}

impl Surface {
    /// The word that the audit stores.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Dialog => "dialog",
            Self::Terminal => "terminal",
            Self::Notification => "notification",
            Self::Tray => "tray",
            Self::Window => "window",
        }
    }
}
