//! The four behaviours and the verdict that carries one.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// What a participant wants to happen to a call, weakest first; verdicts merge by maximum (R10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    /// No opinion.
    Passthrough,
    /// May run without a question.
    Allow,
    /// A person has to say yes.
    Ask,
    /// Must not run, and nobody is asked.
    Deny,
}

impl Behavior {
    /// The word used in rules, in the audit and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passthrough => "passthrough",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Behavior {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Who gave a verdict: a participant's name, or `rules:NAME` for a rule. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Source(Cow<'static, str>);

impl Source {
    /// No participant had an opinion: only possible for a read inside the workspace.
    pub const DEFAULT: Self = Self::fixed("default");
    /// The file tools' hard boundary (R14, R15).
    pub const WORKSPACE_BOUNDARY: Self = Self::fixed("workspace-boundary");
    /// Catastrophic commands and our own files (R11).
    pub const HARD_DENY: Self = Self::fixed("hard-deny");
    /// Paths whose change runs code later (README: How much is asked).
    pub const PROTECTED_PATHS: Self = Self::fixed("protected-paths");
    /// Paths that hold secrets (R15).
    pub const SENSITIVE_READS: Self = Self::fixed("sensitive-reads");
    /// The shell's default (R17).
    pub const SHELL_DEFAULT: Self = Self::fixed("shell-default");
    /// Everything else's default (R16).
    pub const EFFECT_DEFAULT: Self = Self::fixed("effect-default");
    /// The rule files as a whole, where one can't be read.
    pub const RULES: Self = Self::fixed("rules");
    /// The user's hook programs.
    pub const HOOKS: Self = Self::fixed("hooks");
    /// The optional reviewer model.
    pub const REVIEWER: Self = Self::fixed("reviewer");

    /// Each of the above.
    pub const ALL: [Self; 10] = [
        Self::DEFAULT,
        Self::WORKSPACE_BOUNDARY,
        Self::HARD_DENY,
        Self::PROTECTED_PATHS,
        Self::SENSITIVE_READS,
        Self::SHELL_DEFAULT,
        Self::EFFECT_DEFAULT,
        Self::RULES,
        Self::HOOKS,
        Self::REVIEWER,
    ];

    /// A source known at compile time; `name` must not be empty.
    #[must_use]
    pub const fn fixed(name: &'static str) -> Self {
        assert!(!name.is_empty(), "a source has a name");
        Self(Cow::Borrowed(name))
    }

    /// The source of a verdict given by the user's or an administrator's rule `name`.
    #[must_use]
    pub fn rule(name: &str) -> Self {
        Self(Cow::Owned(format!("rules:{name}")))
    }

    /// The source of a decision given by a person at `surface` (`dialog`, `terminal`, …).
    #[must_use]
    pub fn surface(surface: &str) -> Self {
        Self(Cow::Owned(surface.to_owned()))
    }

    /// The text shown to people and stored in the audit.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a verdict was given: one plain English sentence, never empty (R10).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Reason(String);

impl Reason {
    /// Takes `text`, or says that none was given: an empty reason can't be constructed.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.trim().is_empty() { Self("No reason was given.".to_owned()) } else { Self(text) }
    }

    /// The sentence.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// One participant's answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Verdict {
    /// Who says so.
    pub source: Source,
    /// What should happen.
    pub behavior: Behavior,
    /// Why.
    pub reason: Reason,
}

impl Verdict {
    /// A verdict; all three parts are required.
    #[must_use]
    pub fn new(source: Source, behavior: Behavior, reason: impl Into<String>) -> Self {
        Self { source, behavior, reason: Reason::new(reason) }
    }
}
