//! Rules as people write them (TOML), and as they are matched.
//!
//! [`RuleFile`] is one file, checked; [`Rules`] is everything that counts for a decision, of all layers.

mod candidate;
mod command;
mod coverage;
mod file;
mod paths;
mod withheld;

pub use candidate::{RuleCandidate, candidate};
pub use command::{CommandPattern, Match};
pub use file::{RuleFile, RuleFileError};
pub use paths::PathPattern;
pub use withheld::Withheld;

pub(crate) use coverage::judge;

use crate::{Behavior, CallDigest, Source};
use serde::Serialize;
use serde_json::json;

/// Every rule and grant of every layer that counts, ready to match.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    grants: Vec<Grant>,
    problems: Vec<String>,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name; the source of its verdicts is `rules:NAME`.
    pub name: String,
    /// Where it comes from.
    pub layer: Layer,
    /// What it wants: deny, ask or allow.
    pub behavior: Behavior,
    /// The tools it speaks about; empty for every tool.
    pub tools: Vec<String>,
    /// What of these tools' calls it matches.
    pub scope: Scope,
    /// Conditions beyond the call (R18).
    pub when: Conditions,
    /// The last UTC day on which an allow rule counts, `2026-12-31`; `None` for ever.
    pub expires: Option<String>,
    /// The person's own words, shown in dialogs and told to the model.
    pub reason: String,
    /// Line in its file, from 1.
    pub line: usize,
}

/// Where a rule comes from, strongest trust first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The administrator's file.
    Managed,
    /// The user's file.
    User,
    /// The workspace's file: tightens at once, loosens only when trusted.
    Project,
    /// What the user granted in the app for this session.
    Session,
}

/// What a rule matches in a call of one of its tools.
#[derive(Clone, Debug)]
pub enum Scope {
    /// Every call.
    Whole,
    /// Shell commands.
    Commands(Vec<CommandPattern>),
    /// Paths the call touches.
    Paths(Vec<PathPattern>),
    /// Hosts the call would connect to: `example.org`, or `*.example.org` for what is beneath it.
    Hosts(Vec<String>),
}

/// Conditions a managed rule may set beside the call; empty means any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// OS users.
    pub users: Vec<String>,
    /// Where the call comes from: `task`, `sub_agent`, `mcp`.
    pub origins: Vec<String>,
}

/// One call the user allowed for the rest of the session, exactly as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// The tool.
    pub tool: String,
    /// Its canonical arguments; a shell command's text is all that counts of a `shell` call without `needs`.
    pub operation: String,
}

impl Rules {
    /// Rules from files that were read; a file's allow rules count only if it is trusted.
    #[must_use]
    pub fn new(files: impl IntoIterator<Item = (RuleFile, bool)>, grants: Vec<Grant>) -> Self {
        let rules = files
            .into_iter()
            .flat_map(|(file, trusted)| {
                file.rules.into_iter().filter(move |rule| trusted || rule.behavior != Behavior::Allow)
            })
            .collect();
        Self { rules, grants, problems: Vec::new() }
    }

    /// The same rules with a file that can't be read: every call is denied, with `problem` as the reason.
    #[must_use]
    pub fn with_problem(mut self, problem: impl Into<String>) -> Self {
        self.problems.push(problem.into());
        self
    }

    /// Every rule, in the order of layers and files.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What the user granted for this session.
    #[must_use]
    pub fn grants(&self) -> &[Grant] {
        &self.grants
    }

    /// Why every call is denied; empty where all files are sound.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The same rules without those that ended before `today`, `2026-11-30`.
    #[must_use]
    pub fn on(mut self, today: &str) -> Self {
        self.rules.retain(|rule| !rule.has_expired(today));
        self
    }

    /// The same rules and one more, as the app tries a candidate.
    #[must_use]
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The same rules and one more grant.
    #[must_use]
    pub fn with_grant(mut self, grant: Grant) -> Self {
        self.grants.push(grant);
        self
    }

    /// Tools that a bare deny takes away from the model altogether (R20); a scoped deny keeps its tool.
    #[must_use]
    pub fn hidden_tools(&self) -> Vec<&str> {
        let bare = |rule: &&Rule| {
            rule.behavior == Behavior::Deny
                && matches!(rule.scope, Scope::Whole)
                && rule.when == Conditions::default()
        };
        self.rules.iter().filter(bare).flat_map(|rule| rule.tools.iter().map(String::as_str)).collect()
    }
}

impl Grant {
    /// The source of this grant's verdicts: told apart from every other grant's.
    #[must_use]
    pub fn source(&self) -> Source {
        let digest = CallDigest::of(&json!([self.tool, self.operation])).short();
        Source::rule(&format!("session grant {digest}"))
    }
}

impl Rule {
    /// Whether the rule's last day was before `today`, `2026-11-30`.
    #[must_use]
    pub fn has_expired(&self, today: &str) -> bool {
        self.expires.as_deref().is_some_and(|last| last < today)
    }

    /// Whether the rule speaks about `tool`.
    #[must_use]
    pub fn concerns(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|name| name == tool)
    }
}
