//! How much could go wrong, from the effect and not from the name (R19).

use crate::path::Place;
use crate::reading::{Reading, Touch};
use crate::shell::{Proof, ShellJudgement, Word};
use crate::{Access, SandboxState, ShellRequest, Subject};
use serde::Serialize;

/// A level and the one thing to know about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Risk {
    /// For sorting, filters and policies.
    pub level: RiskLevel,
    /// What the sentence for people is made from.
    pub kind: RiskKind,
    /// What it is about: paths as the workspace sees them, or the command's first words. May be empty.
    pub targets: Vec<String>,
}

/// The four levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum RiskKind {
    /// Reads files of the workspace.
    Reads,
    /// Reads a file that may hold secrets.
    ReadsSecret,
    /// Reads outside the workspace.
    ReadsOutside,
    /// Creates or changes a file; can be undone.
    Writes,
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
        let targets = self.targets_in_words();
        let about = |general: &str| if targets.is_empty() { general.to_owned() } else { targets.clone() };
        match &self.kind {
            RiskKind::Reads => format!("Reads {}.", about("files of the workspace")),
            RiskKind::ReadsSecret => format!("Reads {}, which may hold secrets.", about("a file")),
            RiskKind::ReadsOutside => format!("Reads {}, outside the workspace.", about("files")),
            RiskKind::Writes => format!("Changes {}. It can be undone.", about("files of the workspace")),
            RiskKind::WritesProtected => {
                format!("Changes {}, which can run code later.", about("a protected file"))
            }
            RiskKind::WritesOutside => format!("Changes {}, outside the workspace.", about("files")),
            RiskKind::Deletes => format!("Deletes {}. Assent can't undo this.", about("or overwrites files")),
            RiskKind::Runs => format!("Runs {}. Assent can't undo what that changes.", about("a program")),
            RiskKind::ChangesGit => {
                format!("Changes the repository ({}). Assent can't undo this.", about("git"))
            }
            RiskKind::Connects { hosts } if hosts.is_empty() => "Connects to another machine.".to_owned(),
            RiskKind::Connects { hosts } => format!("Connects to {}.", hosts.join(", ")),
            RiskKind::Unsandboxed => "Runs with no sandbox, with all your rights.".to_owned(),
            RiskKind::Catastrophic => {
                "Could destroy the system or needs its administrator's rights.".to_owned()
            }
            RiskKind::Unknown => "What it does could not be worked out.".to_owned(),
        }
    }

    /// `a.txt`, `a.txt and b.txt`, `3 files in build`.
    fn targets_in_words(&self) -> String {
        match self.targets.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [one, other] => format!("{one} and {other}"),
            [first, rest @ ..] => {
                let folder = first.rsplit_once('/').map_or("", |(folder, _)| folder);
                let shared =
                    rest.iter().all(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder);
                let count = self.targets.len();
                if shared && !folder.is_empty() {
                    format!("{count} files in {folder}")
                } else {
                    format!("{count} files")
                }
            }
        }
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
            (Access::Write, true) => (RiskLevel::Medium, RiskKind::Writes),
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
            Self::Runs => 3,
            Self::ChangesGit => 4,
            Self::Unknown => 5,
            Self::Connects { .. } => 6,
            Self::Deletes => 7,
            Self::ReadsSecret => 8,
            Self::WritesOutside => 9,
            Self::WritesProtected => 10,
            Self::Unsandboxed => 11,
            Self::Catastrophic => 12,
        }
    }
}
