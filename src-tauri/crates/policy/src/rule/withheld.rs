//! Files that rules keep from being read: a search that is allowed over a folder leaves them out.

use super::coverage::READERS;
use super::{PathPattern, Rules, Scope};
use crate::{Behavior, Context, PreparedCall, Subject};

/// The files that no search may show, by the rules of one moment.
#[derive(Clone, Debug, Default)]
pub struct Withheld {
    patterns: Vec<PathPattern>,
    context: Option<Context>,
}

impl Withheld {
    /// Whether a deny or ask rule covers the absolute real `path`. Where that can't be told, it does.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        let Some(context) = &self.context else { return false };
        self.patterns.iter().any(|pattern| pattern.matches_or_holds(path, context).unwrap_or(true))
    }
}

impl Rules {
    /// What a search leaves out; nothing for any other call. Conditions beside the call don't matter here: what a rule
    /// keeps from some is left out for all.
    #[must_use]
    pub fn withheld(&self, call: &PreparedCall, context: &Context) -> Withheld {
        match call.subject {
            Subject::Search(_) => {}
            Subject::Files { .. } | Subject::Shell(_) | Subject::Network(_) | Subject::Internal => {
                return Withheld::default();
            }
        }
        let keeps = |rule: &&super::Rule| {
            rule.behavior > Behavior::Allow && READERS.iter().any(|reader| rule.concerns(reader))
        };
        let patterns = self.rules().iter().filter(keeps).flat_map(|rule| match &rule.scope {
            Scope::Paths(patterns) => patterns.clone(),
            Scope::Whole | Scope::Commands(_) | Scope::Hosts(_) => Vec::new(),
        });
        Withheld { patterns: patterns.collect(), context: Some(context.clone()) }
    }
}
