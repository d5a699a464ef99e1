//! How much could go wrong, from the effect and not from the name (R19).

use crate::path::Place;
use crate::reading::{Reading, Touch, TouchedBy};
use crate::request::{Language, Words};
use crate::shell::{Proof, ShellJudgement, Word};
use crate::{Access, SandboxState, ShellRequest, Subject};
use serde::{Deserialize, Serialize};

/// A level and the one thing to know about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    /// For sorting, filters and policies.
    pub level: RiskLevel,
    /// What the sentence for people is made from.
    pub kind: RiskKind,
    /// What it is about: paths as the workspace sees them, or the command's first words. May be empty.
    pub targets: Vec<String>,
}

/// The four levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// Looks at the workspace.
    Low,
    /// Changes what Assent can undo.
    Medium,
    /// Changes what Assent can't undo, reads a secret, or talks to the network.
    High,
    /// Catastrophic, or without any confinement.
    Critical,
}

impl RiskLevel {
    /// The word in the audit and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// What a call would do at worst, in the kinds people tell apart; each has one sentence per language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum RiskKind {
    /// Reads files of the workspace.
    Reads,
    /// Reads a file that may hold secrets.
    ReadsSecret,
    /// Reads outside the workspace.
    ReadsOutside,
    /// A file tool creates or changes a file; can be undone.
    Writes,
    /// A command creates or changes files of the workspace; can't be undone.
    Changes,
    /// Changes something that runs code later (hooks, CI, start-up files).
    WritesProtected,
    /// Writes outside the workspace.
    WritesOutside,
    /// Deletes; can't be undone.
    Deletes,
    /// Runs a program that may change the workspace; can't be undone.
    Runs,
    /// Discards or rewrites version history or uncommitted work.
    ChangesGit,
    /// Connects to a host.
    Connects {
        /// Host names, as ASCII.
        hosts: Vec<String>,
    },
    /// Runs with no sandbox.
    Unsandboxed,
    /// Destroys a system or needs administrator rights.
    Catastrophic,
    /// Couldn't be worked out.
    Unknown,
}

impl Risk {
    /// A risk of `level` and `kind`, about nothing in particular.
    #[must_use]
    pub const fn new(level: RiskLevel, kind: RiskKind) -> Self {
        Self { level, kind, targets: Vec::new() }
    }

    /// One plain English sentence or two: what it does at worst, and whether that can be undone.
    #[must_use]
    pub fn sentence(&self) -> String {
        Words::of(Language::English).risk(self)
    }

    /// The same in `language`, not escaped.
    #[must_use]
    pub fn sentence_in(&self, language: Language) -> String {
        Words::of(language).risk(self)
    }

    /// The worst that the call would do, as far as it can be told.
    pub(crate) fn of(reading: &Reading<'_>) -> Self {
        let by_paths = reading.touches.iter().map(|touch| Self::of_touch(touch, reading));
        let by_call = match &reading.call.subject {
            Subject::Shell(request) => {
                reading.shell.iter().flat_map(|shell| Self::of_shell(request, shell, reading)).collect()
            }
            Subject::Network(_) => vec![Self::connects(reading)],
            Subject::Files { .. } | Subject::Search(_) | Subject::Internal => Vec::new(),
        };
        let mut worst = Self::new(RiskLevel::Low, RiskKind::Reads);
        for risk in by_paths.chain(by_call) {
            if risk.kind == worst.kind {
                worst.level = worst.level.max(risk.level);
                worst.targets.extend(risk.targets);
            } else if (risk.level, risk.kind.weight()) > (worst.level, worst.kind.weight()) {
                worst = risk;
            }
        }
        worst.targets.sort();
        worst.targets.dedup();
        worst
    }

    fn of_touch(touch: &Touch<'_>, reading: &Reading<'_>) -> Self {
        let inside = touch.class.place == Place::Workspace;
        let (level, kind) = match (touch.access, inside) {
            (_, _) if touch.class.place == Place::Own => (RiskLevel::Critical, RiskKind::Catastrophic),
            (Access::Read, _) if touch.class.sensitive => (RiskLevel::High, RiskKind::ReadsSecret),
            (Access::Read, true) => (RiskLevel::Low, RiskKind::Reads),
            (Access::Read, false) => match touch.class.place {
                Place::ReadFolder | Place::System => (RiskLevel::Low, RiskKind::ReadsOutside),
                Place::Own | Place::Workspace | Place::Outside => (RiskLevel::Medium, RiskKind::ReadsOutside),
            },
            (Access::Write | Access::Delete, _) if touch.class.protected => {
                (RiskLevel::High, RiskKind::WritesProtected)
            }
            (Access::Write | Access::Delete, false) => (RiskLevel::High, RiskKind::WritesOutside),
            (Access::Write, true) => match touch.by {
                // Only the file tools keep a copy.
                TouchedBy::File => (RiskLevel::Medium, RiskKind::Writes),
                TouchedBy::Search | TouchedBy::Command | TouchedBy::Need => {
                    (RiskLevel::Medium, RiskKind::Changes)
                }
            },
            (Access::Delete, true) => (RiskLevel::High, RiskKind::Deletes),
            (Access::Execute, _) => (RiskLevel::Medium, RiskKind::Runs),
        };
        Self { level, kind, targets: vec![touch.named(reading.context)] }
    }

    fn of_shell(request: &ShellRequest, shell: &ShellJudgement, reading: &Reading<'_>) -> Vec<Self> {
        let mut risks = Vec::new();
        if !shell.hard_denials.is_empty() {
            risks.push(Self::new(RiskLevel::Critical, RiskKind::Catastrophic));
        }
        if request.needs.unsandboxed {
            risks.push(Self::new(RiskLevel::Critical, RiskKind::Unsandboxed));
        }
        if !reading.hosts.is_empty() {
            risks.push(Self::connects(reading));
        }
        if shell.destroys.is_some() {
            risks.push(Self::new(RiskLevel::High, RiskKind::Deletes));
        }
        if shell.unreadable.is_some() {
            risks.push(Self::new(RiskLevel::High, RiskKind::Unknown));
        }
        if shell.proof == Proof::ReadOnly {
            return risks;
        }
        let level = match reading.context.sandbox {
            SandboxState::InForce => RiskLevel::Medium,
            SandboxState::NotInForce => RiskLevel::High,
        };
        risks.extend(shell.commands.iter().filter(|command| !command.transparent && !command.read_only).map(
            |command| {
                let words: Vec<&str> = command.words.iter().take(2).map_while(Word::literal).collect();
                let is_git = words.first().is_some_and(|program| program.rsplit('/').next() == Some("git"));
                let kind = if is_git { RiskKind::ChangesGit } else { RiskKind::Runs };
                Self {
                    level,
                    kind,
                    targets: Some(words.join(" ")).filter(|words| !words.is_empty()).into_iter().collect(),
                }
            },
        ));
        risks
    }

    fn connects(reading: &Reading<'_>) -> Self {
        Self::new(RiskLevel::High, RiskKind::Connects { hosts: reading.hosts.clone() })
    }
}

impl RiskKind {
    /// The key of its sentence in every catalogue.
    #[must_use]
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::ReadsSecret => "reads_secret",
            Self::ReadsOutside => "reads_outside",
            Self::Writes => "writes",
            Self::Changes => "changes",
            Self::WritesProtected => "writes_protected",
            Self::WritesOutside => "writes_outside",
            Self::Deletes => "deletes",
            Self::Runs => "runs",
            Self::ChangesGit => "changes_git",
            Self::Connects { .. } => "connects",
            Self::Unsandboxed => "unsandboxed",
            Self::Catastrophic => "catastrophic",
            Self::Unknown => "unknown",
        }
    }

    /// Among equal levels, the kind people should hear about first.
    const fn weight(&self) -> u8 {
        match self {
            Self::Reads => 0,
            Self::ReadsOutside => 1,
            Self::Writes => 2,
            Self::Changes => 3,
            Self::Runs => 4,
            Self::ChangesGit => 5,
            Self::Unknown => 6,
            Self::Connects { .. } => 7,
            Self::Deletes => 8,
            Self::ReadsSecret => 9,
            Self::WritesOutside => 10,
            Self::WritesProtected => 11,
            Self::Unsandboxed => 12,
            Self::Catastrophic => 13,
        }
    }
}
